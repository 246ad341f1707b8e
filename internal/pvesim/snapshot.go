package pvesim

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// FromSnapshot makes a World from a snapshot file of pciatlas. It holds what the
// snapshot tells, and where that is less than a node has, something harmless:
// arguments and hook scripts are placeholders, disks are small, mediated devices
// have made-up types. VMs of nodes that are off and were not read have no devices.
// What the rights of the reader hid is not there, nor are lines that Proxmox VE
// drops; rights are those of RootToken.
//
// A snapshot with failed reads is an error that names the first of them: the World
// would be a smaller one than the one that was read.
func FromSnapshot(data []byte) (*World, error) {
	file, err := decodeSnapshot(data)
	if err != nil {
		return nil, fmt.Errorf("build simulated world from a snapshot: %w", err)
	}
	w := &World{}
	for _, take := range []func(*World) error{
		file.takeVersion, file.takeNodes, file.takeGuests, file.takeMappings, file.takePolicies,
	} {
		if err := take(w); err != nil {
			return nil, fmt.Errorf("build simulated world from a snapshot: %w", err)
		}
	}
	return w, nil
}

func (f *snapshotFile) takeVersion(w *World) error {
	if !f.Version.asked() {
		return nil
	}
	if err := f.Version.whole("the version"); err != nil {
		return err
	}
	w.Version = f.Version.Value.String()
	if _, err := pve.ParseVersion(w.Version); err != nil {
		return fmt.Errorf("the snapshot is damaged: %w", err)
	}
	return nil
}

// takeNodes takes the members, and those nodes besides whose devices were read.
func (f *snapshotFile) takeNodes(w *World) error {
	if err := f.Members.whole("the list of nodes"); err != nil {
		return err
	}
	for _, member := range f.Members.Value {
		if err := f.takeNode(w, member.Name, member.Online); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.Nodes)) {
		if w.Node(name) == nil {
			if err := f.takeNode(w, name, new(true)); err != nil {
				return err
			}
		}
	}
	if len(w.Nodes) == 0 {
		return errors.New("the snapshot holds no node")
	}
	// Readers say default where they are told no name.
	if f.Cluster != "default" || len(w.Nodes) > 1 {
		w.Cluster = f.Cluster
	}
	return nil
}

func (f *snapshotFile) takeNode(w *World, name string, online *bool) error {
	if !pve.ValidNodeName(name) || w.Node(name) != nil {
		return fmt.Errorf("the snapshot is damaged: node %q is no node or there twice", name)
	}
	node := Node{
		Name: name, Offline: online != nil && !*online, NoStatistics: online == nil && f.Members.Stamp.Source == "api",
	}
	read := f.Nodes[name]
	switch {
	case node.Offline && (read == nil || read.Devices.State != "ok"):
	case node.Offline:
		return fmt.Errorf("node %s is said to be off, and its devices were read", name)
	case read == nil:
		return fmt.Errorf("the devices of node %s: nobody read that", name)
	default:
		if err := node.takeDevices(read); err != nil {
			return err
		}
	}
	w.Nodes = append(w.Nodes, node)
	return nil
}

func (n *Node) takeDevices(read *snapshotNode) error {
	if err := read.Devices.whole("the devices of node " + n.Name); err != nil {
		return err
	}
	if read.Devices.Got != len(read.Devices.Value) {
		return fmt.Errorf("the snapshot is damaged: %d devices of node %s were read, and it holds %d",
			read.Devices.Got, n.Name, len(read.Devices.Value))
	}
	n.NoIOMMU = true
	seen := map[pci.Address]bool{}
	for i := range read.Devices.Value {
		told := &read.Devices.Value[i]
		where := fmt.Sprintf("device %s of node %s", told.Address, n.Name)
		switch {
		case seen[told.Address]:
			return fmt.Errorf("the snapshot is damaged: %s is there twice", where)
		case !told.Group.told:
			return fmt.Errorf("the IOMMU group of %s: it was not told", where)
		case told.Mdev == nil:
			return fmt.Errorf("whether %s gives mediated devices: it was not told", where)
		}
		seen[told.Address] = true
		types := read.MdevTypes[told.Address.String()]
		if types.asked() {
			if err := types.whole("the types of mediated device of " + where); err != nil {
				return err
			}
		}
		device := told.device(types.Value)
		n.NoIOMMU = n.NoIOMMU && device.Group == NoGroup
		n.Devices = append(n.Devices, device)
	}
	if read.Memory.State == "ok" {
		n.Memory = read.Memory.Value
	}
	if read.IOMMU.State == "ok" {
		n.NoIOMMU = !read.IOMMU.Value.Present
		n.CommandLine = strings.Join(read.IOMMU.Value.CommandLine, " ")
	}
	return nil
}

// device gives the function of a World with the types of mediated device that the
// API told. Bridges have a bus behind them.
func (d *snapshotDevice) device(types []snapshotType) Device {
	device := Device{
		Address: d.Address.String(), Vendor: d.IDs.Vendor.String(), Device: d.IDs.Device.String(),
		Class: strings.TrimPrefix(d.Class.String(), "0x"), Group: NoGroup, NvidiaVGPU: d.NvidiaVGPU,
	}
	device.BusBelow = d.Class.HasBusBelow()
	if d.Group.value != nil {
		device.Group = *d.Group.value
	}
	if d.IDs.Subsystem != nil {
		device.Subsystem = d.IDs.Subsystem.Vendor.String() + ":" + d.IDs.Subsystem.Device.String()
	}
	if d.Parent != nil {
		device.Parent = d.Parent.String()
	}
	if d.Host != nil {
		device.Driver, device.BusBelow, device.BootVGA = d.Host.Driver, d.Host.BusBelow, d.Host.BootDisplay
		types = slices.Concat(d.Host.MdevTypes, types)
	}
	for _, mdev := range types {
		device.MdevTypes = append(device.MdevTypes, MdevType{Type: mdev.Type, Name: mdev.Name, Available: mdev.Available})
	}
	if *d.Mdev && !device.capable() {
		device.MdevTypes = []MdevType{{Type: "untold-1", Name: "Type that was not told"}}
	}
	return device
}

func (f *snapshotFile) takeGuests(w *World) error {
	if err := f.Guests.whole("the list of guests"); err != nil {
		return err
	}
	if f.Guests.Got != len(f.Guests.Value) {
		return fmt.Errorf("the snapshot is damaged: %d guests were read, and it holds %d", f.Guests.Got, len(f.Guests.Value))
	}
	for i := range f.Guests.Value {
		guest, err := f.guest(w, &f.Guests.Value[i])
		if err != nil {
			return err
		}
		w.Guests = append(w.Guests, guest)
	}
	for _, name := range slices.Sorted(maps.Keys(f.Nodes)) {
		if f.Nodes[name] == nil {
			continue // a member that is off
		}
		for vmid := range f.Nodes[name].VMs {
			if guest := w.guest(vmid); guest == nil || guest.Node != name || guest.Kind != QEMU {
				return fmt.Errorf("the snapshot is damaged: VM %d of node %s is not in its list of guests", vmid, name)
			}
		}
	}
	for _, mention := range f.Mentions.Value {
		if mention.Taken && w.guest(mention.VMID) == nil {
			return fmt.Errorf("guest %d: it was out of sight; it is named by %s", mention.VMID, mention.Where)
		}
	}
	return nil
}

var snapshotStates = []string{"running", "stopped", "unknown"}

func (f *snapshotFile) guest(w *World, told *snapshotGuest) (Guest, error) {
	node := w.Node(told.Node)
	switch {
	case told.Kind != QEMU && told.Kind != LXC, !slices.Contains(snapshotStates, told.Status), !vmidPattern.MatchString(strconv.Itoa(told.VMID)):
		return Guest{}, fmt.Errorf("the snapshot is damaged: guest %d is none", told.VMID)
	case w.guest(told.VMID) != nil:
		return Guest{}, fmt.Errorf("guest %d: it is there twice", told.VMID)
	case node == nil:
		return Guest{}, fmt.Errorf("guest %d: its node %q is not in the list of nodes", told.VMID, told.Node)
	}
	guest := Guest{VMID: told.VMID, Kind: told.Kind, Node: told.Node, Running: told.Status == "running"}
	if told.Status == "unknown" && !node.Offline {
		// Without figures a guest has no name in lists either.
		guest.NoStatistics = told.Name == "" && told.Template == nil
		if !guest.NoStatistics {
			guest.Reported = told.Status
		}
	}
	var err error
	guest.Config, err = f.config(w, node, told)
	return guest, err
}

// config gives the text of a guest's file.
func (f *snapshotFile) config(w *World, node *Node, told *snapshotGuest) (string, error) {
	if told.Kind == LXC {
		return told.minimal("hostname", map[string]string{
			"arch": "amd64", "ostype": "debian", "rootfs": fmt.Sprintf("local-lvm:vm-%d-disk-0,size=8G", told.VMID),
		})
	}
	var read snapshotRead[snapshotVM]
	if f.Nodes[told.Node] != nil {
		read = f.Nodes[told.Node].VMs[told.VMID]
	}
	if node.Offline && read.State != "ok" {
		return told.minimal("name", map[string]string{})
	}
	what := fmt.Sprintf("the configuration of VM %d on node %s", told.VMID, told.Node)
	if err := read.whole(what); err != nil {
		return "", err
	}
	if snapshots := &read.Value.Snapshots; snapshots.asked() {
		if err := snapshots.whole(fmt.Sprintf("the snapshots of VM %d", told.VMID)); err != nil {
			return "", err
		}
	}
	text := read.Value.text(told.VMID)
	entry := call{release: parseRelease(w.Version)}
	if entry.readable(text) != text || !read.Value.stands(pve.ParseVMConfig(text)) {
		return "", fmt.Errorf("%s: Proxmox VE %s would not read it the same", what, entry.release.text)
	}
	return text, nil
}

// minimal gives the file of a guest of which only the list tells.
func (g *snapshotGuest) minimal(nameKey string, lines map[string]string) (string, error) {
	if g.Name != "" {
		lines[nameKey] = g.Name
	}
	if len(g.Tags) > 0 {
		lines["tags"] = strings.Join(g.Tags, ";")
	}
	if g.Template != nil && *g.Template {
		lines["template"] = "1"
	}
	if !onOneLine(g.Name, lines["tags"]) {
		return "", fmt.Errorf("the snapshot is damaged: a name or tag of guest %d takes several lines", g.VMID)
	}
	return configLines(lines), nil
}

func configLines(lines map[string]string) string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(lines)) {
		b.WriteString(key + ": " + lines[key] + "\n")
	}
	return b.String()
}

func onOneLine(texts ...string) bool {
	return !slices.ContainsFunc(texts, func(text string) bool { return strings.ContainsAny(text, "\r\n\x00") })
}

// Placeholders of what a snapshot does not keep.
const (
	placeholderArgs = "-msg timestamp=on"
	placeholderVFIO = placeholderArgs + " -device vfio-pci"
	placeholderHook = "local:snippets/placeholder.pl"
	placeholderDisk = "scsi0"
)

// text gives the file of a VM as Proxmox VE writes it.
func (c *snapshotVM) text(vmid int) string {
	current, pending := map[string]string{}, map[string]string{}
	var removals []string
	for _, item := range c.Items {
		if item.Current != nil {
			current[item.Key] = *item.Current
		}
		if item.Pending != nil {
			pending[item.Key] = *item.Pending
		}
		switch item.Delete {
		case pve.Keep:
		case pve.Remove:
			removals = append(removals, item.Key)
		case pve.RemoveForced:
			removals = append(removals, "!"+item.Key)
		}
	}
	placehold := func(key, value string, phases snapshotPhases) {
		if phases.Current {
			current[key] = value
		}
		if phases.Pending {
			pending[key] = value
		}
		if phases.Removal {
			removals = append(removals, key)
		}
	}
	args := placeholderArgs
	if c.Args.MentionsVFIO {
		args = placeholderVFIO
	}
	placehold("args", args, c.Args)
	placehold("hookscript", placeholderHook, c.Hook)
	if c.HasDisk {
		current[placeholderDisk] = fmt.Sprintf("local-lvm:vm-%d-disk-0,size=8G", vmid)
	}
	if len(removals) > 0 {
		slices.SortFunc(removals, func(a, b string) int {
			return cmp.Compare(strings.TrimPrefix(a, "!"), strings.TrimPrefix(b, "!"))
		})
		pending["delete"] = strings.Join(removals, ",")
	}
	var text strings.Builder
	text.WriteString(configLines(current))
	if len(pending) > 0 {
		text.WriteString("\n[PENDING]\n" + configLines(pending))
	}
	for _, snapshot := range c.Snapshots.Value {
		lines := map[string]string{}
		for _, line := range snapshot.HostPCI {
			lines[line.Key] = line.Value
		}
		text.WriteString("\n[" + snapshot.Name + "]\n" + configLines(lines))
	}
	return text.String()
}

// stands tells whether a file says what the snapshot does.
func (c *snapshotVM) stands(file pve.VMConfig) bool {
	items := slices.DeleteFunc(file.Items(), func(item pve.Item) bool {
		return item.Key == "digest" || item.Key == "args" || item.Key == "hookscript" || item.Key == placeholderDisk
	})
	if len(items) != len(c.Items) || len(file.Dropped) > 0 || len(file.Snapshots) != len(c.Snapshots.Value) {
		return false
	}
	wanted := slices.SortedFunc(slices.Values(c.Items), func(a, b pve.Item) int { return cmp.Compare(a.Key, b.Key) })
	if len(items) > 0 && !reflect.DeepEqual(items, wanted) {
		return false
	}
	for i, snapshot := range c.Snapshots.Value {
		section := file.Snapshots[i]
		byKey := func(a, b pve.KeyValue) int { return cmp.Compare(a.Key, b.Key) }
		lines := slices.SortedFunc(slices.Values(snapshot.HostPCI), byKey)
		if section.Name != snapshot.Name || !slices.Equal(lines, slices.SortedFunc(slices.Values(section.Section), byKey)) {
			return false
		}
	}
	return true
}

// takeMappings writes the mapping file. Before Proxmox VE 8 there is none.
func (f *snapshotFile) takeMappings(w *World) error {
	if f.Mappings.State == "failed" && !parseRelease(w.Version).mappings() {
		return nil
	}
	if err := f.Mappings.whole("the list of mappings"); err != nil {
		return err
	}
	list := slices.SortedFunc(slices.Values(f.Mappings.Value), func(a, b pve.Mapping) int { return cmp.Compare(a.ID, b.ID) })
	if f.Mappings.Got != len(list) {
		return fmt.Errorf("the snapshot is damaged: %d mappings were read, and it holds %d", f.Mappings.Got, len(list))
	}
	var b strings.Builder
	for i := range list {
		mapping := &list[i]
		b.WriteString(mapping.ID + "\n")
		if mapping.Description != nil {
			b.WriteString("\tdescription " + *mapping.Description + "\n")
		}
		if mapping.LiveMigration != nil {
			b.WriteString("\tlive-migration-capable " + strconv.Itoa(boolNumber(*mapping.LiveMigration)) + "\n")
		}
		for _, entry := range mapping.Entries {
			b.WriteString("\tmap " + entry.String() + "\n")
		}
		if mapping.Mdev != nil {
			b.WriteString("\tmdev " + strconv.Itoa(boolNumber(*mapping.Mdev)) + "\n")
		}
		b.WriteString("\n")
	}
	again, dropped := pve.ParseMappingFile(b.String())
	for i := range again {
		again[i].Digest = ""
	}
	if len(list) != len(again) || len(dropped) > 0 || len(list) > 0 && !reflect.DeepEqual(list, again) {
		return errors.New("the list of mappings: Proxmox VE would not read it the same")
	}
	w.MappingCfg = b.String()
	return nil
}

// takePolicies writes the files of high availability, backup and replication.
// Those that nobody read are not there.
func (f *snapshotFile) takePolicies(w *World) error {
	files := policyFiles{}
	for _, policy := range []struct {
		asked bool
		whole func(string) error
		what  string
		write func(*World, policyFiles) error
	}{
		{f.HA.asked(), f.HA.whole, "HA resources and rules", f.writeHA},
		{f.Backups.asked(), f.Backups.whole, "backup jobs", f.writeBackups},
		{f.Replication.asked(), f.Replication.whole, "replication jobs", f.writeReplication},
	} {
		if !policy.asked {
			continue
		}
		if err := policy.whole("the " + policy.what); err != nil {
			return err
		}
		if err := policy.write(w, files); err != nil {
			return err
		}
	}
	if len(files) > 0 {
		w.Files = files
	}
	return nil
}

// policyFiles are files in the format of PVE::SectionConfig, by name.
type policyFiles map[string]string

// add writes a section; properties without a value are left out.
func (p policyFiles) add(file, kind, id string, properties ...[2]string) error {
	var text strings.Builder
	text.WriteString(kind + ": " + id + "\n")
	for _, property := range properties {
		if property[1] != "" {
			text.WriteString("\t" + property[0] + " " + property[1] + "\n")
		}
		if !onOneLine(property[1]) {
			return fmt.Errorf("the snapshot is damaged: a value of %s in %s takes several lines", id, file)
		}
	}
	if sections, refused := pve.ParseSectionFile(text.String()); len(sections) != 1 || refused > 0 ||
		sections[0].Type != kind || sections[0].ID != id {
		return fmt.Errorf("the snapshot is damaged: %q cannot stand in %s", id, file)
	}
	p[file] += text.String() + "\n"
	return nil
}

func (f *snapshotFile) writeHA(w *World, files policyFiles) error {
	// The API lists resources and jobs in any order.
	slices.SortFunc(f.HA.Value.Resources, func(a, b snapshotService) int { return cmp.Compare(a.VMID, b.VMID) })
	for _, resource := range f.HA.Value.Resources {
		kind, id, _ := strings.Cut(serviceID(resource.Kind, resource.VMID), ":")
		if err := files.add("ha/resources.cfg", kind, id,
			[2]string{"group", resource.Group}, [2]string{"state", resource.State}); err != nil {
			return err
		}
	}
	for _, rule := range f.HA.Value.Rules {
		nodes := [2]string{"nodes", strings.Join(rule.Nodes, ",")}
		var err error
		if rule.Type == "group" {
			err = files.add("ha/groups.cfg", "group", rule.ID, nodes, [2]string{"restricted", onlyIf(rule.Strict)})
		} else {
			var services []string
			for _, vmid := range rule.VMIDs {
				kind := QEMU
				if guest := w.guest(vmid); guest != nil {
					kind = guest.Kind
				}
				services = append(services, serviceID(kind, vmid))
			}
			err = files.add("ha/rules.cfg", rule.Type, rule.ID, [2]string{"disable", onlyIf(rule.Disabled)}, nodes,
				[2]string{"resources", strings.Join(services, ",")}, [2]string{"strict", onlyIf(rule.Strict)})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// serviceID names a guest as the high-availability manager does.
func serviceID(kind GuestKind, vmid int) string {
	if kind == LXC {
		return "ct:" + strconv.Itoa(vmid)
	}
	return "vm:" + strconv.Itoa(vmid)
}

func onlyIf(on bool) string {
	if on {
		return "1"
	}
	return ""
}

func (f *snapshotFile) writeBackups(_ *World, files policyFiles) error {
	slices.SortFunc(f.Backups.Value, func(a, b snapshotBackup) int { return cmp.Compare(a.ID, b.ID) })
	for i := range f.Backups.Value {
		job := &f.Backups.Value[i]
		if err := files.add("jobs.cfg", "vzdump", job.ID,
			[2]string{"all", onlyIf(job.All)}, [2]string{"enabled", strconv.Itoa(boolNumber(job.Enabled))},
			[2]string{"exclude", numberList(job.Exclude)}, [2]string{"mode", job.Mode}, [2]string{"node", job.Node},
			[2]string{"pool", job.Pool}, [2]string{"vmid", numberList(job.VMIDs)}); err != nil {
			return err
		}
	}
	return nil
}

func numberList(numbers []int) string {
	words := make([]string, len(numbers))
	for i, n := range numbers {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ",")
}

func (f *snapshotFile) writeReplication(_ *World, files policyFiles) error {
	for _, job := range f.Replication.Value {
		if guest, _, _ := strings.Cut(job.ID, "-"); guest != strconv.Itoa(job.VMID) {
			return fmt.Errorf("the snapshot is damaged: replication job %q is not one of guest %d", job.ID, job.VMID)
		}
		if err := files.add("replication.cfg", "local", job.ID,
			[2]string{"disable", onlyIf(job.Disabled)}, [2]string{"target", job.Target}); err != nil {
			return err
		}
	}
	return nil
}
