package pvesim

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pciatlas/internal/pci"
)

var (
	blacklistParam = param{name: "pci-class-blacklist", kind: "string", list: true}
	deviceParam    = patternParam("pci-id-or-mapping", regexp.MustCompile(
		`^(?:(?:(?:[0-9a-fA-F]{4}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-9a-fA-F])|([a-zA-Z][a-zA-Z0-9_-]+))$`))
)

// readsPCI: the device list of any node needs a privilege on the root.
func readsPCI(c *call, _ func(string) string) *apiError {
	names := []string{"Sys.Modify"}
	if c.release.auditReadsPCI() {
		names = []string{"Sys.Audit", "Sys.Modify"}
	}
	if c.access.has(c.subject, "/", names...) {
		return nil
	}
	return forbidden("/, " + strings.Join(names, "|"))
}

// devices serves GET /nodes/{node}/hardware/pci, sorted by id as text.
func (c *call) devices() (any, error) {
	blacklist, given := c.params["pci-class-blacklist"]
	if !given {
		blacklist = c.release.classBlacklist()
	}
	hidden, err := classFilter(blacklist)
	if err != nil {
		return nil, err
	}
	rows := []map[string]any{}
	for i := range c.node.Devices {
		device := &c.node.Devices[i]
		if hidden != nil && hidden.MatchString("0x"+device.Class) {
			continue
		}
		rows = append(rows, c.deviceRow(device))
	}
	slices.SortFunc(rows, func(a, b map[string]any) int { return strings.Compare(idOf(a), idOf(b)) })
	return rows, nil
}

func idOf(row map[string]any) string { id, _ := row["id"].(string); return id }

// classFilter joins the entries to one pattern, as PVE does: they are regular
// expressions, and prefixes.
func classFilter(blacklist string) (*regexp.Regexp, error) {
	entries := splitList(blacklist)
	if len(entries) == 0 {
		return nil, nil //nolint:nilnil // no pattern hides nothing
	}
	pattern, err := regexp.Compile("^0x(?:" + strings.Join(entries, "|") + ")")
	if err != nil {
		return nil, failure("Unmatched ( in regex; marked by <-- HERE in m/^0x(?:%s <-- HERE )/", strings.Join(entries, "|"))
	}
	return pattern, nil
}

func (c *call) deviceRow(d *Device) map[string]any {
	verbose := c.flag("verbose", true)
	row := map[string]any{
		"id": d.Address, "vendor": "0x" + d.Vendor, "device": "0x" + d.Device, "class": "0x" + d.Class,
	}
	if verbose || c.release.briefGroups() {
		row["iommugroup"] = d.Group
		if d.capable() {
			row["mdev"] = 1
		}
		if d.NvidiaVGPU && c.release.briefGroups() {
			row["nvidia"] = 1
		}
	}
	if verbose {
		c.addNames(row, d)
		c.addLinks(row, d)
	}
	return row
}

// capable tells whether PVE counts the function as mdev capable.
func (d *Device) capable() bool { return len(d.MdevTypes) > 0 || d.NvidiaVGPU }

func (c *call) addNames(row map[string]any, d *Device) {
	vendor, device, has := strings.Cut(d.Subsystem, ":")
	if has {
		row["subsystem_vendor"], row["subsystem_device"] = "0x"+vendor, "0x"+device
	}
	names := cmp.Or(c.world.Names, pci.BuiltinNames)
	known := names.Lookup(d.ids(), 0)
	put(row, "vendor_name", known.Vendor)
	put(row, "device_name", known.Device)
	put(row, "subsystem_device_name", known.Subsystem)
	if has {
		put(row, "subsystem_vendor_name", names.Lookup(pci.IDs{Pair: pair(vendor, device)}, 0).Vendor)
	}
}

func put(row map[string]any, key, value string) {
	if value != "" {
		row[key] = value
	}
}

// ids gives the ids in the form of package pci.
func (d *Device) ids() pci.IDs {
	ids := pci.IDs{Pair: pair(d.Vendor, d.Device)}
	if vendor, device, ok := strings.Cut(d.Subsystem, ":"); ok {
		sub := pair(vendor, device)
		ids.Subsystem = &sub
	}
	return ids
}

func (c *call) addLinks(row map[string]any, d *Device) {
	if !c.release.functionLinks() {
		return
	}
	put(row, "physfn", d.Parent)
	functions := map[string]any{}
	for i := range c.node.Devices {
		if c.node.Devices[i].Parent == d.Address {
			functions["virtfn"+strconv.Itoa(len(functions))] = c.node.Devices[i].Address
		}
	}
	if len(functions) > 0 {
		row["virtfns"] = functions
	}
}

// mdevTypes serves GET …/hardware/pci/{id}/mdev for a device or a mapping.
// Unknown ones have no types.
func (c *call) mdevTypes() (any, error) {
	id := c.params["pci-id-or-mapping"]
	if configIDPattern.MatchString(id) {
		return c.mappingTypes(id), nil
	}
	if strings.Count(id, ":") == 1 {
		id = "0000:" + id
	}
	return shuffle(c, c.typesOf(id)), nil
}

func (c *call) typesOf(address string) []map[string]any {
	rows := []map[string]any{}
	i := slices.IndexFunc(c.node.Devices, func(d Device) bool { return d.Address == address })
	if i < 0 {
		return rows
	}
	device := &c.node.Devices[i]
	for _, mdev := range device.MdevTypes {
		row := map[string]any{"type": mdev.Type, "description": mdev.Description + "\n", "available": mdev.Available}
		if device.NvidiaVGPU {
			row["description"], row["available"] = "", 1
		}
		put(row, "name", mdev.Name)
		rows = append(rows, row)
	}
	return rows
}

// mappingTypes joins the types of the mapping's devices on the node. PVE leaves
// entries of several functions out.
func (c *call) mappingTypes(id string) []map[string]any {
	byType := map[string]map[string]any{}
	for _, mapping := range c.mappingList() {
		if mapping.ID != id {
			continue
		}
		for _, entry := range mapping.On(c.node.Name) {
			for _, row := range c.typesOf(entry.Path) {
				name, _ := row["type"].(string)
				byType[name] = row
			}
		}
	}
	rows := make([]map[string]any, 0, len(byType))
	for _, row := range byType {
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b map[string]any) int {
		left, _ := a["type"].(string)
		right, _ := b["type"].(string)
		return strings.Compare(left, right)
	})
	return rows
}

// pair reads ids that are four hexadecimal digits each; others count as zero.
func pair(vendor, device string) pci.Pair {
	v, errVendor := pci.ParseID(vendor)
	d, errDevice := pci.ParseID(device)
	if errVendor != nil || errDevice != nil {
		return pci.Pair{}
	}
	return pci.Pair{Vendor: v, Device: d}
}
