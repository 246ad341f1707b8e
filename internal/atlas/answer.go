package atlas

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// Desktop is what the operator's register says of a VM.
type Desktop struct{ Name string }

// AnswerOptions choose what an Answer shows.
type AnswerOptions struct {
	// AllDevices shows every function, not only displays and accelerators.
	AllDevices bool
	// Desktops is the register of managed desktops by VMID; nil if none was asked.
	Desktops map[int]Desktop
	// Undecided are VMs of which the register cannot say whether they are managed.
	Undecided map[int]bool
}

// Answer is the public JSON object of one node. Null means not told or not
// applicable, an empty list means told and none.
type Answer struct {
	Cluster    string           `json:"cluster"`
	Node       string           `json:"node"`
	ReadAt     *time.Time       `json:"read_at"`
	Source     Source           `json:"source"`
	Digest     string           `json:"digest"`
	Complete   bool             `json:"complete"`
	Scope      ScopeState       `json:"scope"`
	VisibleVMs int              `json:"visible_vms"`
	CheckedVMs int              `json:"checked_vms"`
	Issues     []AnswerIssue    `json:"issues"`
	Devices    []AnswerDevice   `json:"devices"` // null: not read
	Unplaced   []AnswerUnplaced `json:"unplaced"`
}

// Inventory is the public JSON object of all nodes of a cluster.
type Inventory struct {
	Cluster string   `json:"cluster"`
	Nodes   []Answer `json:"nodes"`
}

// AnswerIssue is the public form of an Issue.
type AnswerIssue struct {
	Code    IssueCode     `json:"code"`
	Blocks  bool          `json:"blocks"`
	Node    string        `json:"node"`
	VMID    *int          `json:"vmid"`
	Slot    *string       `json:"slot"`
	Mapping *string       `json:"mapping"`
	Devices []pci.Address `json:"devices"` // null: any device of the node
	Message string        `json:"message"`
}

// AnswerDevice is the public form of a Device.
type AnswerDevice struct {
	Address           pci.Address       `json:"address"`
	Kind              pci.Kind          `json:"kind"`
	Class             pci.Class         `json:"class"`
	ClassName         *string           `json:"class_name"`
	VendorID          pci.ID            `json:"vendor_id"`
	VendorName        *string           `json:"vendor_name"`
	DeviceID          pci.ID            `json:"device_id"`
	DeviceName        *string           `json:"device_name"`
	SubsystemVendorID *pci.ID           `json:"subsystem_vendor_id"`
	SubsystemDeviceID *pci.ID           `json:"subsystem_device_id"`
	IOMMUGroup        *int              `json:"iommu_group"`
	MdevCapable       *bool             `json:"mdev_capable"`
	PhysicalFunction  *pci.Address      `json:"physical_function"`
	VirtualFunctions  []pci.Address     `json:"virtual_functions"` // null: not told
	State             State             `json:"state"`
	Review            []AnswerReview    `json:"review"`
	References        []AnswerReference `json:"references"`
}

// AnswerReview is the public form of a Review: an issue's code, or the mapping
// that may give the device to the VM.
type AnswerReview struct {
	Issue   *IssueCode `json:"issue"`
	Mapping *string    `json:"mapping"`
	VMID    *int       `json:"vmid"`
	Slot    *string    `json:"slot"`
	Message string     `json:"message"`
}

// AnswerReference is the public form of a Reference.
type AnswerReference struct {
	VMID      int          `json:"vmid"`
	VMName    *string      `json:"vm_name"`
	VMStatus  facts.Status `json:"vm_status"`
	Template  bool         `json:"template"`
	Managed   *bool        `json:"managed"` // null: no register was asked, or it cannot say
	Desktop   *string      `json:"desktop"`
	Slot      string       `json:"slot"`
	Phase     Phase        `json:"phase"`
	Via       Via          `json:"via"`
	Mapping   *string      `json:"mapping"`
	Certainty Certainty    `json:"certainty"`
	Selector  string       `json:"selector"`
	MdevType  *string      `json:"mdev_type"`
}

// AnswerUnplaced is the public form of an Unplaced.
type AnswerUnplaced struct {
	AnswerReference
	Node     string  `json:"node"`
	Selector *string `json:"selector"` // null where the mapping itself is the fault
	Reason   Reason  `json:"reason"`
}

// Answer gives the public object of a node. Its digest covers everything in it
// except the time, the source and whether desktops were asked for.
func (r *Report) Answer(node *Node, options AnswerOptions) Answer {
	answer := Answer{
		Cluster: r.Cluster, Node: node.Name, Source: node.Source,
		Complete: node.Complete, Scope: node.Scope.State,
		VisibleVMs: node.VisibleVMs, CheckedVMs: node.CheckedVMs,
		Issues:   make([]AnswerIssue, 0, len(node.Issues)),
		Unplaced: make([]AnswerUnplaced, 0, len(node.Unplaced)),
	}
	if !node.ReadAt.IsZero() {
		at := node.ReadAt.UTC().Truncate(time.Second)
		answer.ReadAt = &at
	}
	for i := range node.Issues {
		answer.Issues = append(answer.Issues, answerIssue(&node.Issues[i]))
	}
	if node.DevicesRead {
		answer.Devices = answerDevices(node, options)
	}
	for i := range node.Unplaced {
		answer.Unplaced = append(answer.Unplaced, answerUnplaced(node, &node.Unplaced[i], options))
	}
	answer.Digest = r.digest(node)
	return answer
}

// Inventory gives the public object of all nodes.
func (r *Report) Inventory(options AnswerOptions) Inventory {
	inventory := Inventory{Cluster: r.Cluster, Nodes: make([]Answer, 0, len(r.Nodes))}
	for i := range r.Nodes {
		inventory.Nodes = append(inventory.Nodes, r.Answer(&r.Nodes[i], options))
	}
	return inventory
}

// digest covers all that was found out about the node, without times, so that
// equal worlds have equal digests.
func (r *Report) digest(node *Node) string {
	content := struct {
		Cluster, Node string
		Scope         Scope
		Visible       int
		Checked       int
		Issues        []AnswerIssue
		Devices       []AnswerDevice
		Unplaced      []AnswerUnplaced
	}{Cluster: r.Cluster, Node: node.Name, Scope: node.Scope, Visible: node.VisibleVMs, Checked: node.CheckedVMs}
	for i := range node.Issues {
		content.Issues = append(content.Issues, answerIssue(&node.Issues[i]))
	}
	content.Devices = answerDevices(node, AnswerOptions{AllDevices: true})
	for i := range node.Unplaced {
		content.Unplaced = append(content.Unplaced, answerUnplaced(node, &node.Unplaced[i], AnswerOptions{}))
	}
	encoded, err := json.Marshal(content)
	if err != nil {
		// Every type above encodes; a failure is a defect of this package.
		panic(fmt.Sprintf("atlas: digest of node %s: %v", node.Name, err))
	}
	sum := sha256.Sum256(encoded)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func answerIssue(issue *Issue) AnswerIssue {
	answer := AnswerIssue{
		Code: issue.Code, Blocks: issue.Code.Blocks(), Node: issue.Node,
		Slot: slotName(issue.Slot), Mapping: orNil(issue.Mapping), Message: issue.Message,
	}
	if issue.VMID != 0 {
		answer.VMID = &issue.VMID
	}
	if issue.Limited {
		answer.Devices = issue.Devices
	}
	return answer
}

func answerDevices(node *Node, options AnswerOptions) []AnswerDevice {
	devices := make([]AnswerDevice, 0, len(node.Devices))
	for i := range node.Devices {
		if options.AllDevices || node.Devices[i].Class.Kind() != pci.Other {
			devices = append(devices, answerDevice(&node.Devices[i], options))
		}
	}
	return devices
}

func answerDevice(device *Device, options AnswerOptions) AnswerDevice {
	names := device.ReadableNames()
	answer := AnswerDevice{
		Address: device.Address, Kind: device.Class.Kind(), Class: device.Class,
		ClassName: orNil(names.Class), VendorID: device.IDs.Vendor, VendorName: orNil(names.Vendor),
		DeviceID: device.IDs.Device, DeviceName: orNil(names.Device),
		IOMMUGroup: device.Group.Value, PhysicalFunction: device.Parent.Value, State: device.State,
		Review:     make([]AnswerReview, 0, len(device.Review)),
		References: make([]AnswerReference, 0, len(device.References)),
	}
	if device.IDs.Subsystem != nil {
		answer.SubsystemVendorID, answer.SubsystemDeviceID = &device.IDs.Subsystem.Vendor, &device.IDs.Subsystem.Device
	}
	if device.Mdev.Told {
		answer.MdevCapable = &device.Mdev.Value
	}
	if device.VFs.Told {
		answer.VirtualFunctions = append([]pci.Address{}, device.VFs.Value...)
	}
	for i := range device.Review {
		answer.Review = append(answer.Review, answerReview(&device.Review[i]))
	}
	for i := range device.References {
		reference := &device.References[i]
		answer.References = append(answer.References,
			answerReference(reference.Line, reference.Certainty, reference.Selector, options))
	}
	return answer
}

// ReadableNames gives the names that the source told, or else those of the
// built-in list.
func (d *Device) ReadableNames() pci.Names {
	if d.Names != (pci.Names{}) {
		return d.Names
	}
	return pci.BuiltinNames.Lookup(d.IDs, d.Class)
}

func answerReview(review *Review) AnswerReview {
	if review.Issue != nil {
		answer := AnswerReview{
			Issue: &review.Issue.Code, Mapping: orNil(review.Issue.Mapping),
			Slot: slotName(review.Issue.Slot), Message: review.Issue.Message,
		}
		if review.Issue.VMID != 0 {
			answer.VMID = &review.Issue.VMID
		}
		return answer
	}
	line := review.Line
	return AnswerReview{
		Mapping: &review.Mapping, VMID: &line.VM.VMID, Slot: slotName(line.Slot),
		Message: fmt.Sprintf("Resource mapping %s may give this device to VM %d.", review.Mapping, line.VM.VMID),
	}
}

func answerReference(line *Line, certainty Certainty, selector string, options AnswerOptions) AnswerReference {
	answer := AnswerReference{
		VMID: line.VM.VMID, VMName: orNil(line.VM.Name), VMStatus: line.VM.Status, Template: line.VM.Template,
		Slot: pve.SlotKey(line.Slot), Phase: line.Phase, Via: line.Via, Mapping: orNil(line.Mapping),
		Certainty: certainty, Selector: selector, MdevType: orNil(line.Mdev),
	}
	if options.Desktops != nil {
		desktop, managed := options.Desktops[line.VM.VMID]
		if !options.Undecided[line.VM.VMID] {
			answer.Managed = &managed
		}
		answer.Desktop = orNil(desktop.Name)
	}
	return answer
}

func answerUnplaced(node *Node, unplaced *Unplaced, options AnswerOptions) AnswerUnplaced {
	return AnswerUnplaced{
		AnswerReference: answerReference(unplaced.Line, unplaced.Certainty, unplaced.Selector, options),
		Node:            node.Name, Selector: orNil(unplaced.Selector), Reason: unplaced.Reason,
	}
}

func slotName(slot int) *string {
	if slot == NoSlot {
		return nil
	}
	key := pve.SlotKey(slot)
	return &key
}

func orNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
