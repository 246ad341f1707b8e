package facts

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// Anonymise gives a copy in which names of the cluster, nodes and VMs, tags, ids
// and descriptions of mappings, names of snapshots, users and of files are
// replaced by pseudonyms that are stable within the copy. Addresses, ids of
// devices, IOMMU groups and VMIDs stay. Free text (messages of problems, lines
// that were dropped) keeps nothing but what is known to be harmless.
func Anonymise(s *Snapshot) (Snapshot, error) {
	clone, err := deepCopy(s)
	if err != nil {
		return Snapshot{}, err
	}
	a := anonymiser{names: map[string]map[string]string{}, mappingIDs: map[string]bool{}}
	for i := range clone.Mappings.Value {
		a.mappingIDs[clone.Mappings.Value[i].ID] = true
	}
	a.snapshot(&clone)
	return clone, nil
}

func deepCopy(s *Snapshot) (Snapshot, error) {
	encoded, err := json.Marshal(s)
	if err != nil {
		return Snapshot{}, fmt.Errorf("copy snapshot: %w", err)
	}
	var clone Snapshot
	if err := json.Unmarshal(encoded, &clone); err != nil {
		return Snapshot{}, fmt.Errorf("copy snapshot: %w", err)
	}
	return clone, nil
}

// anonymiser hands out pseudonyms by kind.
type anonymiser struct {
	names      map[string]map[string]string
	mappingIDs map[string]bool // of the mappings that there are
}

// name gives the pseudonym of a name, the same each time; "" stays.
func (a *anonymiser) name(kind, original string) string {
	if original == "" {
		return ""
	}
	if a.names[kind] == nil {
		a.names[kind] = map[string]string{}
	}
	if pseudonym, ok := a.names[kind][original]; ok {
		return pseudonym
	}
	pseudonym := fmt.Sprintf("%s-%d", kind, len(a.names[kind])+1)
	a.names[kind][original] = pseudonym
	return pseudonym
}

func (a *anonymiser) snapshot(s *Snapshot) {
	s.Cluster = a.name("cluster", s.Cluster)
	for _, node := range slices.Sorted(maps.Keys(s.Nodes)) {
		a.name("node", node)
	}
	for i := range s.Members.Value {
		s.Members.Value[i].Name = a.name("node", s.Members.Value[i].Name)
	}
	a.guests(s)
	a.nodes(s)
	a.mappings(s)
	a.rights(&s.Rights.Value)
	a.policies(s)
	a.reads(s)
}

func (a *anonymiser) guests(s *Snapshot) {
	for i := range s.Guests.Value {
		guest := &s.Guests.Value[i]
		guest.Node = a.name("node", guest.Node)
		guest.Name = a.name("vm", guest.Name)
		for j := range guest.Tags {
			guest.Tags[j] = a.name("tag", guest.Tags[j])
		}
	}
}

func (a *anonymiser) nodes(s *Snapshot) {
	renamed := make(map[string]*Node, len(s.Nodes))
	for _, name := range slices.Sorted(maps.Keys(s.Nodes)) {
		node := s.Nodes[name]
		renamed[a.name("node", name)] = node
		a.nodeRead(&node.Devices.Stamp, node.Devices.Problems)
		a.read(&node.IOMMU.Stamp, node.IOMMU.Problems)
		a.nodeRead(&node.Memory.Stamp, node.Memory.Problems)
		for i := range node.Devices.Value {
			if host := node.Devices.Value[i].Host; host != nil {
				a.uses(host.Uses.Value)
			}
		}
		node.MappingChecks = Read[map[string][]pve.Check]{} // names in free text; mappings and devices tell the same
		a.read(&node.ROMFiles.Stamp, node.ROMFiles.Problems)
		for i := range node.ROMFiles.Value {
			node.ROMFiles.Value[i].Name = a.name("rom", node.ROMFiles.Value[i].Name)
		}
		for i, word := range node.IOMMU.Value.CommandLine {
			if !harmlessWord.MatchString(word) {
				key, _, _ := strings.Cut(word, "=")
				node.IOMMU.Value.CommandLine[i] = a.name("word", key)
			}
		}
		for _, vmid := range slices.Sorted(maps.Keys(node.VMs)) {
			read := node.VMs[vmid]
			a.vm(&read.Value)
			a.nodeRead(&read.Stamp, read.Problems)
			node.VMs[vmid] = read
		}
		a.containers(node)
	}
	s.Nodes = renamed
}

func (a *anonymiser) vm(config *VMConfig) {
	for i := range config.Items {
		item := &config.Items[i]
		item.Current = a.value(item.Key, item.Current)
		item.Pending = a.value(item.Key, item.Pending)
	}
	for i := range config.Dropped {
		config.Dropped[i].Text = a.refused(config.Dropped[i].Text)
		config.Dropped[i].Reason = "not accepted"
		config.Dropped[i].Section = a.section(config.Dropped[i].Section)
	}
	for i := range config.Repeated {
		config.Repeated[i].Section = a.section(config.Repeated[i].Section)
	}
	for i := range config.Snapshots.Value {
		snapshot := &config.Snapshots.Value[i]
		snapshot.Name = a.name("snapshot", snapshot.Name)
		for j := range snapshot.HostPCI {
			snapshot.HostPCI[j].Value = *a.value("hostpci0", &snapshot.HostPCI[j].Value)
		}
	}
	a.read(&config.Snapshots.Stamp, config.Snapshots.Problems)
}

func (a *anonymiser) section(name string) string {
	if name == "pending" {
		return name
	}
	return a.name("snapshot", name)
}

// value replaces the names in the value of a key.
func (a *anonymiser) value(key string, value *string) *string {
	if value == nil {
		return nil
	}
	replaced := *value
	switch _, slot := pve.ParseSlotKey(key); {
	case slot:
		replaced = a.hostpci(replaced)
	case key == "name":
		replaced = a.name("vm", replaced)
	case key == "cpu":
		replaced = customCPU.ReplaceAllStringFunc(replaced, func(name string) string {
			return "custom-" + a.name("cpu", name)
		})
	case key == "bios" && replaced != "seabios" && replaced != "ovmf", key == "lock" && !slices.Contains(locks, replaced):
		replaced = a.name(key, replaced)
	case key == "tags":
		var tags []string
		for _, tag := range pve.SplitList(replaced) {
			tags = append(tags, a.name("tag", tag))
		}
		replaced = strings.Join(tags, ";")
	}
	return &replaced
}

// hostpci replaces the mapping and the ROM file of a value, and keeps the order
// of its options.
func (a *anonymiser) hostpci(value string) string {
	if _, err := pve.ParseHostPCI(value); err != nil {
		return a.refused(value)
	}
	parts := strings.Split(value, ",")
	for i, part := range parts {
		key, text, found := strings.Cut(part, "=")
		switch {
		case found && key == "mapping":
			parts[i] = key + "=" + a.name("mapping", text)
		case found && key == "romfile":
			parts[i] = key + "=" + a.romFile(text)
		}
	}
	return strings.Join(parts, ",")
}

// romFile replaces the name of a ROM file, and what stands in a remark behind it.
func (a *anonymiser) romFile(text string) string {
	name, remark := pve.CutRemark(text)
	if !remark {
		return a.name("rom", text)
	}
	return a.name("rom", name) + " # remark"
}

var customCPU = regexp.MustCompile(`custom-[^,]*`)

// locks are the locks that Proxmox VE sets; PVE does not check what stands there.
var locks = []string{
	"backup", "clone", "create", "migrate", "rollback", "snapshot", "snapshot-delete", "suspending", "suspended",
}

// harmlessWord is a kernel parameter whose value can be no name that people give.
var harmlessWord = regexp.MustCompile(`^(intel_iommu|amd_iommu|iommu|iommu\.[a-z_]+|pcie_acs_override|vfio[-_a-z.0-9]*|pci[-_]stub\.ids|pcie_aspm|pcie_port_pm|pci|nomodeset|video|initcall_blacklist|kvm[-_a-z.]*)(=(on|off|pt|nopt|force|soft|strict|relaxed|igfx_off|sm_on|realloc|noats|nocrs|noaer|[yYnN]|downstream|multifunction|efifb:off|vesafb:off|simplefb:off|sysfb_init|id:|[0-9A-Fa-f:x]|[,;])*)?$`)

var harmless = regexp.MustCompile(`[0-9A-Fa-f:.;]+`)

// refused keeps of a value that Proxmox VE refuses what can be read of it as
// addresses and mappings, and the kinds of its faults where they can be kept.
func (a *anonymiser) refused(value string) string {
	parts := strings.Split(value, ",")
	for i, part := range parts {
		parts[i] = a.refusedPart(part)
	}
	if hidden := strings.Join(parts, ","); sameFaults(value, hidden) {
		return hidden
	}
	readable := pve.ReadRefused(value)
	var options []string
	if len(readable.Selectors) > 0 {
		options = append(options, harmlessSelectors(readable.Selectors))
	}
	for _, mapping := range readable.Mappings {
		options = append(options, "mapping="+a.name("mapping", mapping))
	}
	return strings.Join(append(options, "refused=1"), ",")
}

// hostpciKeys are the options whose names can be no name that people give.
var hostpciKeys = []string{
	"host", "mapping", "rombar", "romfile", "pcie", "x-vga", "legacy-igd", "mdev", "driver",
	"vendor-id", "device-id", "sub-vendor-id", "sub-device-id",
}

// harmlessOption is a value of those options that can be no such name.
var harmlessOption = regexp.MustCompile(`^([01]|yes|no|on|off|true|false|vfio|keep|0x[0-9a-fA-F]{1,4}|nvidia-[0-9]+)?$`)

func (a *anonymiser) refusedPart(part string) string {
	key, text, keyed := strings.Cut(part, "=")
	switch {
	case strings.TrimSpace(part) == "":
		return ""
	case !keyed:
		return a.refusedHost(part)
	case namesSource(key) && a.mappingIDs[strings.TrimSpace(text)]:
		return key + "=" + a.refusedHost(text)
	case key == "", text == "", strings.Contains(text, "\n"): // all the same to Proxmox VE
		return "=refused"
	case !slices.Contains(hostpciKeys, key):
		return a.name("option", key) + "=1"
	case harmlessOption.MatchString(text):
		return part
	case key == "mapping" && pve.ValidMappingID(text):
		return "mapping=" + a.name("mapping", text)
	case key == "mapping":
		return "mapping=" + a.name("mapping", text) + "!" // no id may hold this
	case key == "host":
		return "host=" + a.refusedHost(text)
	case key == "mdev":
		return "mdev=/"
	case key == "romfile":
		return "romfile=" + a.romFile(text) + strings.Repeat(";", min(1, strings.Count(text, ";")))
	default:
		return key + "=" + a.name("value", text)
	}
}

// namesSource tells whether a key is host or mapping, however it is written.
func namesSource(key string) bool {
	key = strings.TrimSpace(key)
	return strings.EqualFold(key, "host") || strings.EqualFold(key, "mapping")
}

// refusedHost keeps the addresses of a text, and that it holds more than those. The
// id of a mapping in their place stays one.
func (a *anonymiser) refusedHost(text string) string {
	if id := strings.TrimSpace(text); a.mappingIDs[id] {
		before, after, _ := strings.Cut(text, id)
		return before + a.name("mapping", id) + after
	}
	if harmless.FindString(text) == text {
		return text
	}
	if selectors := pve.ReadRefused(text).Selectors; len(selectors) > 0 {
		return harmlessSelectors(selectors) + ";refused"
	}
	return "refused"
}

func harmlessSelectors(selectors []pci.Selector) string {
	parts := make([]string, len(selectors))
	for i, selector := range selectors {
		parts[i] = harmless.FindString(selector.String())
	}
	return strings.Join(parts, ";")
}

// sameFaults tells whether Proxmox VE refuses two values for the same kinds of
// reason and the same can be read of both.
func sameFaults(value, other string) bool {
	a, b := pve.ReadRefused(value), pve.ReadRefused(other)
	return slices.Equal(faultKinds(value), faultKinds(other)) &&
		len(a.Mappings) == len(b.Mappings) && harmlessSelectors(a.Selectors) == harmlessSelectors(b.Selectors)
}

// faultKinds gives the sorted kinds of a value's faults; the names of unknown
// options do not count.
func faultKinds(value string) []string {
	_, err := pve.ParseHostPCI(value)
	var kinds []string
	if refused, ok := errors.AsType[*pve.FormatError](err); ok {
		for _, fault := range refused.Faults {
			if fault.Code == pve.FaultUnknownKey {
				fault.Option = ""
			}
			kinds = append(kinds, fault.Class())
		}
	}
	slices.Sort(kinds)
	return kinds
}

func (a *anonymiser) mappings(s *Snapshot) {
	for i := range s.Mappings.Value {
		mapping := &s.Mappings.Value[i]
		mapping.ID = a.name("mapping", mapping.ID)
		if mapping.Description != nil {
			description := a.name("text", *mapping.Description)
			mapping.Description = &description
		}
		for j, entry := range mapping.Entries {
			mapping.Entries[j] = pve.Entry{
				Node: a.name("node", entry.Node), ID: entry.ID, Path: entry.Path, Group: entry.Group, Subsystem: entry.Subsystem,
				Description: a.name("text", entry.Description),
			}
		}
	}
	for i := range s.MappingLines {
		line := &s.MappingLines[i]
		line.Section, line.Key, line.Text, line.Reason = a.name("mapping", line.Section), "", "", "not accepted"
	}
}

// rights keeps what the scope is decided from: paths of guests by number, the
// privileges, the flags.
func (a *anonymiser) rights(rights *Rights) {
	rights.User = a.name("user", rights.User)
	tree := make(pve.PermissionTree, len(rights.Permissions))
	for _, path := range slices.Sorted(maps.Keys(rights.Permissions)) {
		tree[a.path(path)] = rights.Permissions[path]
	}
	if rights.Permissions != nil {
		rights.Permissions = tree
	}
	for i := range rights.ACL.Value {
		entry := &rights.ACL.Value[i]
		entry.Path, entry.Subject, entry.Role = a.path(entry.Path), a.name("user", entry.Subject), a.name("role", entry.Role)
	}
	a.read(&rights.ACL.Stamp, rights.ACL.Problems)
}

// path replaces the parts of a path of access rules that are names.
func (a *anonymiser) path(path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if i >= 2 && part != "pci" && part != "usb" && part != "dir" && part != "groups" && strings.Trim(part, "0123456789") != "" {
			parts[i] = a.pathName(parts[1], part)
		}
	}
	return strings.Join(parts, "/")
}

func (a *anonymiser) pathName(root, part string) string {
	switch root {
	case "nodes":
		return a.name("node", part)
	case "mapping":
		return a.name("mapping", part)
	default:
		return a.name("path", part)
	}
}

func (a *anonymiser) policies(s *Snapshot) {
	for i := range s.HA.Value.Resources {
		s.HA.Value.Resources[i].Group = a.name("group", s.HA.Value.Resources[i].Group)
	}
	for i := range s.HA.Value.Rules {
		rule := &s.HA.Value.Rules[i]
		rule.ID = a.name("group", rule.ID)
		for j := range rule.Nodes {
			rule.Nodes[j] = a.name("node", rule.Nodes[j])
		}
	}
	for i := range s.Backups.Value {
		job := &s.Backups.Value[i]
		job.ID, job.Pool, job.Node = a.name("job", job.ID), a.name("path", job.Pool), a.name("node", job.Node)
	}
	for i := range s.Replication.Value {
		job := &s.Replication.Value[i]
		job.ID, job.Target = a.name("job", job.ID), a.name("node", job.Target)
	}
	for i := range s.Mentions.Value {
		where, _, _ := strings.Cut(s.Mentions.Value[i].Where, " job")
		s.Mentions.Value[i].Where, _, _ = strings.Cut(where, " rule")
	}
}

func (a *anonymiser) reads(s *Snapshot) {
	a.read(&s.Version.Stamp, s.Version.Problems)
	a.read(&s.Rights.Stamp, s.Rights.Problems)
	a.read(&s.Files.Stamp, s.Files.Problems)
	a.read(&s.Members.Stamp, s.Members.Problems)
	a.read(&s.Guests.Stamp, s.Guests.Problems)
	a.read(&s.Mappings.Stamp, s.Mappings.Problems)
	a.read(&s.HA.Stamp, s.HA.Problems)
	a.read(&s.Backups.Stamp, s.Backups.Problems)
	a.read(&s.Replication.Stamp, s.Replication.Problems)
	a.read(&s.Mentions.Stamp, s.Mentions.Problems)
}

// read replaces the entry point of a read; messages and subjects may name
// anything, so only the code of a problem is kept, and said in words.
func (a *anonymiser) read(stamp *Stamp, problems []Problem) {
	stamp.Via = a.name("entry", stamp.Via)
	for i := range problems {
		message := hiddenMessage(problems[i].Code)
		if strings.HasSuffix(problems[i].Message, ".") { // files give whole sentences
			message = "It " + message + "."
		}
		problems[i] = Problem{Code: problems[i].Code, Message: message}
	}
}

// nodeRead does the same for a read of one node, whose problems are told with
// their subjects.
func (a *anonymiser) nodeRead(stamp *Stamp, problems []Problem) {
	a.read(stamp, problems)
	for i := range problems {
		problems[i].Subject = "a read"
	}
}

// hiddenMessage says of a problem what its code says.
func hiddenMessage(code string) string {
	switch code {
	case ProblemPermission:
		return "was refused for want of rights"
	case ProblemMissing:
		return "is not there"
	case ProblemVanished:
		return "vanished while it was read"
	case ProblemMalformed:
		return "is not what it should be"
	case ProblemTooLarge:
		return "is too large"
	case ProblemUnreachable:
		return "got no answer"
	case ProblemTimeout:
		return "got no answer in time"
	case ProblemRefused:
		return "got an error for an answer"
	case ProblemLimit:
		return "was cut off by a limit"
	case ProblemUnsupported:
		return "is not offered by this Proxmox VE"
	case ProblemOutside:
		return "leads out of the root"
	default:
		return "could not be read"
	}
}
