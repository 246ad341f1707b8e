package pvesim

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// resources serves GET /cluster/resources, all kinds or one.
func (c *call) resources() (any, error) {
	kind := c.params["type"]
	pools := c.poolRows()
	guests := c.guestRows(pools)
	var rows []map[string]any
	if kind == "" {
		for _, name := range slices.Sorted(maps.Keys(pools)) {
			rows = append(rows, pools[name])
		}
	}
	if kind == "" || kind == "vm" {
		rows = append(rows, shuffle(c, guests)...)
	}
	if kind == "" || kind == "node" {
		rows = append(rows, c.nodeResources()...)
	}
	if kind == "" || kind == "storage" {
		rows = append(rows, c.storageRows()...)
	}
	if kind == "" || kind == "sdn" {
		rows = append(rows, c.networkRows()...)
	}
	if rows == nil {
		rows = []map[string]any{}
	}
	return rows, nil
}

// poolRows gives the pools that the token may see, by name.
func (c *call) poolRows() map[string]map[string]any {
	rows := map[string]map[string]any{}
	for name := range c.access.pools {
		if c.access.has(c.subject, "/pool/"+name, "Pool.Audit") {
			rows[name] = map[string]any{"id": "/pool/" + name, "pool": name, "type": "pool"}
		}
	}
	return rows
}

// guestRows gives the guests that the token may see. Pools sum up all of their
// guests, those out of sight included.
func (c *call) guestRows(pools map[string]map[string]any) []map[string]any {
	rows := []map[string]any{}
	for i := range c.world.Guests {
		guest := &c.world.Guests[i]
		row := c.guestRow(guest)
		if name := c.access.poolOf[strconv.Itoa(guest.VMID)]; pools[name] != nil {
			row["pool"] = name
			addToPool(pools[name], row)
		}
		if c.sees(guest) {
			rows = append(rows, row)
		}
	}
	return rows
}

func (c *call) guestRow(guest *Guest) map[string]any {
	row := map[string]any{
		"id": string(guest.Kind) + "/" + strconv.Itoa(guest.VMID), "type": string(guest.Kind), "vmid": guest.VMID,
		"node": guest.Node, "status": "unknown",
	}
	figures := c.figures(guest)
	figures.addWords(row)
	if state := c.haState(guest); state != "" {
		row["hastate"] = state
	}
	if !c.hasStatistics(guest) {
		return row
	}
	maps.Copy(row, map[string]any{
		"status": reported(guest), "name": figures.name, "template": boolNumber(figures.template), "maxcpu": figures.cpus,
		"maxmem": figures.memory, "maxdisk": figures.disk, "cpu": 0, "mem": 0, "disk": 0, "diskread": 0, "diskwrite": 0,
		"netin": 0, "netout": 0, "uptime": 0,
	})
	if c.release.hostMemory() {
		row["memhost"] = 0
	}
	if reported(guest) == "running" {
		row["cpu"], row["mem"], row["uptime"] = 0.5, figures.memory/2, uptimeOfGuest
		row["diskread"], row["diskwrite"], row["netin"], row["netout"] = 3000, 4000, 1000, 2000
	}
	return row
}

func (c *call) hasStatistics(guest *Guest) bool {
	node := c.world.Node(guest.Node)
	return !guest.NoStatistics && node != nil && !node.Offline && !node.NoStatistics
}

func reported(guest *Guest) string {
	switch {
	case guest.Reported != "":
		return guest.Reported
	case guest.Running:
		return "running"
	default:
		return "stopped"
	}
}

// addToPool sums up running guests.
func addToPool(pool, guest map[string]any) {
	if guest["status"] != "running" {
		return
	}
	for _, key := range []string{"mem", "maxmem"} {
		sum, _ := pool[key].(int64)
		more, _ := guest[key].(int64)
		pool[key] = sum + more
	}
	sum, _ := pool["maxcpu"].(int)
	more, _ := guest["maxcpu"].(int)
	pool["maxcpu"], pool["cpu"], pool["uptime"] = sum+more, guest["cpu"], guest["uptime"]
}

func (c *call) nodeResources() []map[string]any {
	rows := []map[string]any{}
	for i := range c.world.Nodes {
		node := &c.world.Nodes[i]
		row := c.nodeRow(node)
		if !node.NoStatistics && !node.Offline {
			row["cgroup-mode"], row["host-arch"] = 2, "x86_64"
		}
		rows = append(rows, row)
	}
	return shuffle(c, rows)
}

// defaultStorages are those of an installation.
var defaultStorages = []Storage{
	{ID: "local", Type: "dir", Content: []string{"backup", "iso", "vztmpl"}},
	{ID: "local-lvm", Type: "lvmthin", Content: []string{"images", "rootdir"}},
}

func (c *call) storageRows() []map[string]any {
	storages := c.world.Storages
	if storages == nil {
		storages = defaultStorages
	}
	rows := []map[string]any{}
	for _, storage := range storages {
		if !c.access.has(c.subject, "/storage/"+storage.ID, "Datastore.Audit") {
			continue
		}
		for _, node := range c.world.nodeNames() {
			rows = append(rows, map[string]any{
				"id": "storage/" + node + "/" + storage.ID, "type": "storage", "node": node, "storage": storage.ID,
				"plugintype": storage.Type, "shared": boolNumber(storage.Shared), "status": "unknown",
				"content": strings.Join(shuffle(c, slices.Clone(storage.Content)), ","),
			})
		}
	}
	return shuffle(c, rows)
}

func (c *call) networkRows() []map[string]any {
	rows := []map[string]any{}
	if !c.access.has(c.subject, "/sdn/zones/localnetwork", "SDN.Audit") {
		return rows
	}
	for _, node := range c.world.nodeNames() {
		row := map[string]any{
			"id": "network/" + node + "/zone/localnetwork", "type": "network", "node": node, "network": "localnetwork",
			"network-type": "zone", "status": "ok",
		}
		if !c.release.AtLeast(9, 0, 0) {
			row = map[string]any{
				"id": "sdn/" + node + "/localnetwork", "type": "sdn", "node": node, "sdn": "localnetwork", "status": "ok",
			}
		}
		rows = append(rows, row)
	}
	return shuffle(c, rows)
}
