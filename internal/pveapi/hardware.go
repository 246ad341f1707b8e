package pveapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"

	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
)

// readDevices asks for all PCI functions of a node: an empty list of classes to
// leave out, because companions and members of groups are hidden otherwise.
func (r *reader) readDevices(ctx context.Context, b *budget, node string) facts.Read[[]facts.Device] {
	request := "GET /nodes/" + node + "/hardware/pci"
	from := r.client.options.Now()
	data, err := r.node(ctx, b, node, "/hardware/pci", url.Values{"verbose": {"1"}, "pci-class-blacklist": {""}})
	if err != nil {
		return failedRead[[]facts.Device](r, from, request, err)
	}
	rows, problems, err := decodeRows(request, data, hardwareRow)
	if err != nil {
		return failedRead[[]facts.Device](r, from, request, err)
	}
	slices.SortStableFunc(rows, func(a, b hardware) int { return a.device.Address.Compare(b.device.Address) })
	rows, twice := withoutTwice(request, rows, func(h hardware) string { return h.device.Address.String() })
	problems = append(problems, twice...)
	devices := make([]facts.Device, len(rows))
	links := r.tellsLinks(rows)
	for i, row := range rows {
		devices[i] = row.device
		if links {
			devices[i].Parent = facts.Told(row.parent)
			devices[i].VFs = facts.Told(row.virtual)
		}
	}
	return facts.Read[[]facts.Device]{
		State: rowState(problems), Value: devices, Problems: problems, Stamp: r.stamp(from),
		Got: len(devices), Total: len(devices) + len(problems),
	}
}

// tellsLinks tells whether the list says which functions are virtual ones of
// which: libpve-common does since 9.1.12. Any row with a link shows it. Without
// one, only a single node can be judged by its version: another node of the
// cluster may run an older one.
func (r *reader) tellsLinks(rows []hardware) bool {
	for _, row := range rows {
		if row.parent != nil || len(row.virtual) > 0 {
			return true
		}
	}
	return len(r.snapshot.Members.Value) == 1 && r.version.AtLeast(9, 2, 0)
}

type hardware struct {
	device  facts.Device
	parent  *pci.Address
	virtual []pci.Address
}

type hardwareWire struct {
	ID                  scalar            `json:"id"`
	Vendor              scalar            `json:"vendor"`
	Device              scalar            `json:"device"`
	Class               scalar            `json:"class"`
	Group               scalar            `json:"iommugroup"`
	Mdev                scalar            `json:"mdev"`
	Nvidia              scalar            `json:"nvidia"`
	SubsystemVendor     scalar            `json:"subsystem_vendor"`
	SubsystemDevice     scalar            `json:"subsystem_device"`
	VendorName          scalar            `json:"vendor_name"`
	DeviceName          scalar            `json:"device_name"`
	SubsystemDeviceName scalar            `json:"subsystem_device_name"`
	Parent              scalar            `json:"physfn"`
	Virtual             map[string]scalar `json:"virtfns"`
}

func hardwareRow(row json.RawMessage) (hardware, error) {
	var wire hardwareWire
	if err := json.Unmarshal(row, &wire); err != nil {
		return hardware{}, err
	}
	h := hardware{virtual: []pci.Address{}}
	d := &h.device
	var err error
	if d.Address, err = pci.ParseAddress(wire.ID.text); err != nil {
		return hardware{}, errors.New("its id is not a PCI address")
	}
	if d.Class, err = pci.ParseClass(wire.Class.text); err != nil {
		return hardware{}, errors.New(d.Address.String() + " has no readable class")
	}
	if d.IDs, err = wire.ids(); err != nil {
		return hardware{}, errors.New(d.Address.String() + " has no readable vendor and device ids")
	}
	if err := wire.group(d); err != nil {
		return hardware{}, errors.New(d.Address.String() + " has no readable IOMMU group")
	}
	d.Mdev, d.NvidiaVGPU = facts.Told(wire.Mdev.flag()), wire.Nvidia.flag()
	d.Names = pci.Names{Vendor: wire.VendorName.text, Device: wire.DeviceName.text, Subsystem: wire.SubsystemDeviceName.text}
	if builtin := pci.BuiltinNames.Lookup(d.IDs, d.Class); d.Names.Vendor == "" && d.Names.Device == "" {
		d.Names = builtin
	} else {
		d.Names.Class = builtin.Class
	}
	err = wire.links(&h)
	return h, err
}

func (w *hardwareWire) ids() (pci.IDs, error) {
	var ids pci.IDs
	var err error
	if ids.Vendor, err = pci.ParseID(w.Vendor.text); err != nil {
		return ids, err
	}
	if ids.Device, err = pci.ParseID(w.Device.text); err != nil {
		return ids, err
	}
	if !w.SubsystemVendor.set || !w.SubsystemDevice.set {
		return ids, nil
	}
	var sub pci.Pair
	if sub.Vendor, err = pci.ParseID(w.SubsystemVendor.text); err != nil {
		return ids, err
	}
	if sub.Device, err = pci.ParseID(w.SubsystemDevice.text); err != nil {
		return ids, err
	}
	ids.Subsystem = &sub
	return ids, nil
}

// group reads the IOMMU group: -1 is none, absent is not told.
func (w *hardwareWire) group(d *facts.Device) error {
	if !w.Group.set {
		return nil
	}
	n, err := w.Group.number()
	if err != nil {
		return err
	}
	if n < 0 {
		d.Group = facts.Told[*int](nil)
		return nil
	}
	d.Group = facts.Told(&n)
	return nil
}

func (w *hardwareWire) links(h *hardware) error {
	if w.Parent.set {
		parent, err := pci.ParseAddress(w.Parent.text)
		if err != nil {
			return errors.New(h.device.Address.String() + " names a physical function that is no address")
		}
		h.parent = &parent
	}
	for name, value := range w.Virtual {
		if !strings.HasPrefix(name, "virtfn") {
			continue
		}
		address, err := pci.ParseAddress(value.text)
		if err != nil {
			return errors.New(h.device.Address.String() + " names a virtual function that is no address")
		}
		h.virtual = append(h.virtual, address)
	}
	slices.SortFunc(h.virtual, pci.Address.Compare)
	return nil
}
