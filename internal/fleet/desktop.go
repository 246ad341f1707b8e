package fleet

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Desktop is a VM that the operator registered as a managed desktop.
type Desktop struct {
	Cluster              string
	VMID                 int
	Name                 string // 1 to 100 characters on one line
	Note                 string // up to 500 characters, line breaks allowed
	CreatedAt, UpdatedAt time.Time
}

// Managed says as which desktop a VM is managed.
type Managed struct {
	// Name is the registered name, or by tag the VM's own; "" if it has none.
	Name string
	// ByTag: the tag rule says so, no registration does.
	ByTag bool
}

// ManagedBy says whether a VM is a managed desktop. The desktops are those of the
// VM's cluster; a registration wins over the tag rule. Proxmox VE compares tags
// without regard to case unless told otherwise, and so does the rule; the tag ""
// is no rule. For many VMs, an Index is faster.
func ManagedBy(desktops []Desktop, tag string, vmid int, vmName string, tags []string) (Managed, bool) {
	for i := range desktops {
		if desktops[i].VMID == vmid {
			return Managed{Name: desktops[i].Name}, true
		}
	}
	return managedByTag(tag, vmName, tags)
}

func managedByTag(tag, vmName string, tags []string) (Managed, bool) {
	if tag == "" {
		return Managed{}, false
	}
	for _, have := range tags {
		if strings.EqualFold(have, tag) {
			return Managed{Name: vmName, ByTag: true}, true
		}
	}
	return Managed{}, false
}

// Index answers like ManagedBy for the VMs of one cluster. The zero value knows
// no desktop; it may be used by several goroutines at once.
type Index struct {
	names map[int]string
	tag   string
}

// NewIndex prepares the desktops of one cluster and its tag rule.
func NewIndex(desktops []Desktop, tag string) Index {
	index := Index{names: make(map[int]string, len(desktops)), tag: tag}
	for i := range desktops {
		index.names[desktops[i].VMID] = desktops[i].Name
	}
	return index
}

// Managed says whether a VM is a managed desktop.
func (x Index) Managed(vmid int, vmName string, tags []string) (Managed, bool) {
	if name, ok := x.names[vmid]; ok {
		return Managed{Name: name}, true
	}
	return managedByTag(x.tag, vmName, tags)
}

// Decides says whether Managed can tell about a VM: without knowing its tags, it can
// only where there is no tag rule or the VM is registered.
func (x Index) Decides(vmid int, tagsTold bool) bool {
	_, registered := x.names[vmid]
	return tagsTold || x.tag == "" || registered
}

// The numbers that Proxmox VE gives to VMs, and the lengths of texts in characters.
const (
	minVMID, maxVMID = 100, 999_999_999
	maxName, maxNote = 100, 500
)

// Check puts the desktop into plain form and checks it: no blanks around name and
// note, notes with \n between lines. The error is an *InvalidError with the
// fields vmid, name and note. The cluster is not looked at.
func (d *Desktop) Check() error {
	d.Name = strings.TrimSpace(d.Name)
	d.Note = strings.TrimSpace(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(d.Note))
	var bad faults
	if d.VMID < minVMID || d.VMID > maxVMID {
		bad.add("vmid", fmt.Sprintf("the number of a VM lies between %d and %d", minVMID, maxVMID))
	}
	switch {
	case !Visible(d.Name):
		bad.add("name", "a desktop needs a name")
	case utf8.RuneCountInString(d.Name) > maxName:
		bad.add("name", fmt.Sprintf("the name of a desktop has up to %d characters", maxName))
	case hasUnprintable(d.Name, ""):
		bad.add("name", "the name of a desktop is one line of text without control characters")
	}
	switch {
	case utf8.RuneCountInString(d.Note) > maxNote:
		bad.add("note", fmt.Sprintf("a note has up to %d characters", maxNote))
	case hasUnprintable(d.Note, "\n\t"):
		bad.add("note", "a note is text without control characters")
	}
	return bad.err()
}

// Visible says whether there is anything to see of a text.
func Visible(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		const blankBraille = '\u2800'
		return r != blankBraille && unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.S) && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
	})
}

// hasUnprintable finds what a table could not show as it is: control characters
// that are not allowed, changes of the writing direction, broken UTF-8.
func hasUnprintable(text, allowed string) bool {
	return !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool {
		return (unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp)) && !strings.ContainsRune(allowed, r)
	})
}
