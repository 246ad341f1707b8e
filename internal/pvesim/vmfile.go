package pvesim

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"pciatlas/internal/pve"
)

// vmFile is the configuration file of a VM as PVE holds it between reading and
// writing: what it drops while reading is gone after writing.
type vmFile struct {
	main, pending map[string]string
	deletions     map[string]bool // keys to remove, with force or without
	special       string          // sections of no settings, as they stand
	snapshots     []pve.NamedSection
}

func parseVMFile(text string) *vmFile {
	config := pve.ParseVMConfig(text)
	f := &vmFile{
		main: settingsOf(config.Main), pending: settingsOf(config.Pending), deletions: map[string]bool{},
		special: specialSections(text), snapshots: config.Snapshots,
	}
	for _, deletion := range config.Deletions {
		f.deletions[deletion.Key] = deletion.Force
	}
	return f
}

func settingsOf(section pve.Section) map[string]string {
	settings := map[string]string{}
	for _, item := range section {
		settings[item.Key] = item.Value
	}
	return settings
}

// specialSections gives the sections of a file whose names begin with special:.
func specialSections(text string) string {
	var out strings.Builder
	inside := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "[") {
			inside = strings.HasPrefix(strings.ToLower(line), "[special:")
			if inside {
				out.WriteString("\n")
			}
		}
		if inside && strings.TrimSpace(line) != "" {
			out.WriteString(strings.TrimSuffix(line, "\n") + "\n")
		}
	}
	return out.String()
}

// String writes the file as PVE::QemuServer::write_vm_config does: the
// description as remarks, all other keys sorted.
func (f *vmFile) String() string {
	var out strings.Builder
	writeSettings(&out, f.main, false)
	if f.isPending() {
		out.WriteString("\n[PENDING]\n")
		pending := maps.Clone(f.pending)
		if len(f.deletions) > 0 {
			pending["delete"] = f.deletionList()
		}
		writeSettings(&out, pending, true)
	}
	out.WriteString(f.special)
	for _, snapshot := range slices.SortedFunc(slices.Values(f.snapshots), func(a, b pve.NamedSection) int {
		return strings.Compare(a.Name, b.Name)
	}) {
		fmt.Fprintf(&out, "\n[%s]\n", snapshot.Name)
		writeSettings(&out, settingsOf(snapshot.Section), false)
	}
	return out.String()
}

func (f *vmFile) isPending() bool { return len(f.pending)+len(f.deletions) > 0 }

// deletionList writes the keys to remove; ! before a key forces.
func (f *vmFile) deletionList() string {
	words := make([]string, 0, len(f.deletions))
	for _, key := range slices.Sorted(maps.Keys(f.deletions)) {
		if f.deletions[key] {
			key = "!" + key
		}
		words = append(words, key)
	}
	return strings.Join(words, ",")
}

func writeSettings(out *strings.Builder, settings map[string]string, pending bool) {
	if description, ok := settings["description"]; ok {
		for line := range strings.SplitSeq(strings.TrimRight(description, "\n"), "\n") {
			if description != "" {
				out.WriteString("#" + encodeRemark(line) + "\n")
			} else if pending {
				out.WriteString("#\n")
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		if key != "description" {
			out.WriteString(key + ": " + settings[key] + "\n")
		}
	}
}

// encodeRemark mirrors PVE::Tools::encode_text.
func encodeRemark(line string) string {
	var out strings.Builder
	for i := range len(line) {
		if c := line[i]; c < ' ' || c > '~' || c == ':' || c == '%' {
			fmt.Fprintf(&out, "%%%02X", c)
		} else {
			out.WriteByte(c)
		}
	}
	return out.String()
}

// tidy mirrors PVE::AbstractConfig::cleanup_pending: what would change nothing is
// no longer pending. It tells whether there was any.
func (f *vmFile) tidy() (changed bool) {
	for key, value := range f.pending {
		if current, ok := f.main[key]; ok && current == value {
			delete(f.pending, key)
			changed = true
		}
	}
	for key := range f.deletions {
		if _, ok := f.main[key]; !ok {
			delete(f.deletions, key)
			changed = true
		}
	}
	return changed
}

// applyPending makes all that is pending current, as a stopped VM's
// (PVE::QemuServer::vmconfig_apply_pending). It tells whether there was any.
func (f *vmFile) applyPending() (changed bool) {
	changed = f.isPending()
	for key := range f.deletions {
		delete(f.main, key)
	}
	maps.Copy(f.main, f.pending)
	clear(f.deletions)
	clear(f.pending)
	return changed
}

// hotplug makes current what does not wait for a full stop
// (PVE::QemuServer::vmconfig_hotplug_pending): settings that a running machine has
// no part in, and of those that this request changed the ones that can be
// changed while it runs. Passed-through devices never are among them.
func (f *vmFile) hotplug(modified map[string]bool) {
	for key, value := range f.pending {
		if fastPlug[key] || modified[key] && f.hotPluggable(key) {
			f.main[key] = value
			delete(f.pending, key)
		}
	}
	for key := range f.deletions {
		if modified[key] && (fastPlug[key] || f.hotPluggable(key)) {
			delete(f.main, key)
			delete(f.deletions, key)
		}
	}
}

// fastPlug are the keys that count at once.
var fastPlug = map[string]bool{
	"description": true, "hookscript": true, "lock": true, "migrate_downtime": true, "migrate_speed": true, "name": true,
	"onboot": true, "protection": true, "shares": true, "startup": true, "tags": true, "vmstatestorage": true,
	"cicustom": true, "cipassword": true, "citype": true, "ciupgrade": true, "ciuser": true, "nameserver": true,
	"searchdomain": true, "sshkeys": true,
}

// hotPluggable tells whether a key can be changed while the machine runs, with the
// machine's own choice of features.
func (f *vmFile) hotPluggable(key string) bool {
	features, ok := f.main["hotplug"]
	if !ok || features == "1" {
		features = "network,disk,usb"
	}
	switch strings.TrimRight(key, "0123456789") {
	case "net":
		return strings.Contains(features, "network")
	case "scsi", "virtio":
		return strings.Contains(features, "disk")
	case "usb":
		return strings.Contains(features, "usb")
	case "cpulimit", "cpuunits", "ipconfig":
		return true
	default:
		return false
	}
}
