package pvesim

import (
	"fmt"
	"strconv"
	"strings"

	"pciatlas/internal/pve"
)

// vm finds the VM of the path on the answering node.
func (c *call) vm() (*Guest, *pve.VMConfig, error) {
	guest := c.world.guest(c.vmid())
	if guest == nil || guest.Kind != QEMU || guest.Node != c.node.Name {
		return nil, nil, failure("Configuration file 'nodes/%s/qemu-server/%s.conf' does not exist", c.node.Name, c.params["vmid"])
	}
	return guest, c.server.config(c.readable(guest.Config)), nil
}

// readable takes the lines out that the answering node's release does not
// understand and drops: a hostpci line with an option of a later one.
func (c *call) readable(config string) string {
	if c.release.driverOption() {
		return config
	}
	var kept strings.Builder
	for line := range strings.Lines(config) {
		newer := strings.Contains(line, "driver=") || strings.Contains(line, "mapping=") && !c.release.mappings()
		if strings.HasPrefix(line, "hostpci") && newer {
			continue
		}
		kept.WriteString(line)
	}
	return kept.String()
}

func snapshotOrCurrent(params map[string]string) map[string]string {
	if params["current"] != "1" || params["snapshot"] == "" {
		return nil
	}
	const text = "cannot use 'snapshot' parameter with 'current'"
	return map[string]string{"snapshot": text, "current": text}
}

// vmConfig serves GET …/config: what is pending is applied unless the current
// state or that of a snapshot is asked for.
func (c *call) vmConfig() (any, error) {
	guest, config, err := c.vm()
	if err != nil {
		return nil, err
	}
	digest := pve.Digest(guest.Config)
	if name := c.params["snapshot"]; name != "" {
		return snapshotConfig(config, name, digest)
	}
	values := map[string]string{}
	for _, item := range config.Main {
		values[item.Key] = item.Value
	}
	if !c.flag("current", false) {
		applyPending(config, values)
	}
	if _, ok := values["cipassword"]; ok {
		values["cipassword"] = "**********"
	}
	return typed(values, digest), nil
}

// applyPending gives the values the next start would use. Keys whose value is
// empty or 0 stay in spite of being deleted (PVE::AbstractConfig).
func applyPending(config *pve.VMConfig, values map[string]string) {
	for _, item := range config.Pending {
		values[item.Key] = item.Value
	}
	for _, deletion := range config.Deletions {
		if value := values[deletion.Key]; value != "" && value != "0" {
			delete(values, deletion.Key)
		}
	}
}

func snapshotConfig(config *pve.VMConfig, name, digest string) (any, error) {
	for i := range config.Snapshots {
		if config.Snapshots[i].Name != name {
			continue
		}
		values := map[string]string{}
		for _, item := range config.Snapshots[i].Section {
			values[item.Key] = item.Value
		}
		return typed(values, digest), nil
	}
	return nil, failure("snapshot '%s' does not exist", name)
}

// typed gives the values their JSON types.
func typed(values map[string]string, digest string) map[string]any {
	row := make(map[string]any, len(values)+1)
	for key, value := range values {
		row[key] = typedValue(key, value)
	}
	row["digest"] = digest
	return row
}

func typedValue(key, value string) any {
	if pve.NumericKey(key) {
		if n, err := strconv.ParseInt(value, 10, 64); err == nil {
			return n
		}
	}
	return value
}

// vmPending serves GET …/pending.
func (c *call) vmPending() (any, error) {
	guest, config, err := c.vm()
	if err != nil {
		return nil, err
	}
	rows := []map[string]any{}
	for _, item := range config.Items() {
		row := map[string]any{"key": item.Key}
		if item.Current != nil {
			row["value"] = typedValue(item.Key, *item.Current)
		}
		if item.Pending != nil {
			row["pending"] = typedValue(item.Key, *item.Pending)
		}
		if item.Delete != pve.Keep {
			row["delete"] = int(item.Delete)
		}
		if item.Key == "digest" {
			row["value"] = pve.Digest(guest.Config)
		}
		rows = append(rows, row)
	}
	return shuffle(c, rows), nil
}

// vmSnapshots serves GET …/snapshot. The entry "current" is no snapshot.
func (c *call) vmSnapshots() (any, error) {
	guest, config, err := c.vm()
	if err != nil {
		return nil, err
	}
	current := map[string]any{
		"name": "current", "description": "You are here!", "digest": pve.Digest(guest.Config),
		"running": boolNumber(guest.Running),
	}
	if parent, ok := config.Main.Get("parent"); ok {
		current["parent"] = parent
	}
	rows := []map[string]any{current}
	for i := range config.Snapshots {
		section := &config.Snapshots[i]
		_, withState := section.Get("vmstate")
		description, _ := section.Get("description")
		row := map[string]any{"name": section.Name, "description": description, "vmstate": boolNumber(withState)}
		for _, key := range []string{"snaptime", "parent", "snapstate"} {
			if value, ok := section.Get(key); ok {
				row[key] = typedValue(key, value)
			}
		}
		if _, ok := row["snaptime"]; !ok {
			row["snaptime"] = 0
		}
		rows = append(rows, row)
	}
	return shuffle(c, rows), nil
}

// virtualMachines serves GET …/qemu: the VMs of the node that the token may see.
func (c *call) virtualMachines() (any, error) {
	rows := []map[string]any{}
	for guest := range c.guestsOf(QEMU) {
		figures := c.figures(guest)
		row := map[string]any{
			"vmid": guest.VMID, "name": figures.name, "status": "stopped", "cpus": min(figures.cpus, c.node.cpus()),
			"maxmem": figures.memory, "maxdisk": figures.disk, "cpu": 0, "mem": 0, "disk": 0, "netin": 0, "netout": 0, "uptime": 0,
		}
		if c.release.hostMemory() {
			row["memhost"] = 0
		}
		if guest.Running {
			row["status"], row["uptime"], row["pid"], row["mem"] = "running", uptimeOfGuest, pidOf(guest), figures.memory/2
		}
		figures.addWords(row)
		if figures.template {
			row["template"] = 1
		}
		rows = append(rows, row)
	}
	return shuffle(c, rows), nil
}

// guestsOf yields the guests of a kind on the answering node that the token may
// see.
func (c *call) guestsOf(kind GuestKind) func(yield func(*Guest) bool) {
	return func(yield func(*Guest) bool) {
		for i := range c.world.Guests {
			guest := &c.world.Guests[i]
			if guest.Kind != kind || guest.Node != c.node.Name || !c.sees(guest) {
				continue
			}
			if !yield(guest) {
				return
			}
		}
	}
}

func (c *call) sees(guest *Guest) bool {
	return c.access.has(c.subject, "/vms/"+strconv.Itoa(guest.VMID), "VM.Audit")
}

// uptimeOfGuest is how long each running guest runs.
const uptimeOfGuest = 3600

// figures are what lists show of a guest's configuration.
type figures struct {
	name, tags, lock string
	template         bool
	cpus             int
	memory, disk     int64
	swap             int64
}

func (f figures) addWords(row map[string]any) {
	put(row, "tags", f.tags)
	put(row, "lock", f.lock)
}

const mebibyte = 1 << 20

func (c *call) figures(guest *Guest) figures {
	if guest.Kind == LXC {
		return parseContainer(guest.Config).figures(guest, c.node)
	}
	config := c.server.config(guest.Config)
	get := func(key string) string { value, _ := config.Main.Get(key); return value }
	f := figures{
		name: get("name"), tags: strings.ReplaceAll(get("tags"), ",", ";"), lock: get("lock"), template: get("template") == "1",
		cpus:   atLeastOne(get("cores")) * atLeastOne(get("sockets")),
		memory: memoryOf(get("memory")) * mebibyte,
	}
	if f.name == "" {
		f.name = fmt.Sprintf("VM %d", guest.VMID)
	}
	for _, key := range bootKeys(get("boot"), get("bootdisk")) {
		if value := get(key); pve.IsDiskKey(key) && pve.HoldsDisk(value) {
			f.disk = sizeOf(value)
			break
		}
	}
	return f
}

func atLeastOne(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 1
	}
	return n
}

// memoryOf reads the memory in MiB; 512 if none is given.
func memoryOf(text string) int64 {
	n, err := strconv.ParseInt(strings.TrimPrefix(text, "current="), 10, 64)
	if err != nil {
		return 512
	}
	return n
}

// bootKeys gives the drives a VM boots from, in their order.
func bootKeys(boot, bootdisk string) []string {
	if order, ok := strings.CutPrefix(boot, "order="); ok {
		return splitList(order)
	}
	return []string{bootdisk}
}

// sizeOf reads the size option of a drive in bytes.
func sizeOf(drive string) int64 {
	for option := range strings.SplitSeq(drive, ",") {
		text, ok := strings.CutPrefix(option, "size=")
		if !ok || text == "" {
			continue
		}
		unit := map[byte]int64{'K': 1 << 10, 'M': 1 << 20, 'G': 1 << 30, 'T': 1 << 40}[text[len(text)-1]]
		n, err := strconv.ParseInt(strings.TrimRight(text, "KMGT"), 10, 64)
		if err != nil {
			return 0
		}
		return n * max(unit, 1)
	}
	return 0
}
