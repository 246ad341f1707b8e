package pvesim

import (
	"cmp"
	"strings"
)

// route is one request of the API.
type route struct {
	method  string // "" is GET
	pattern string
	// since, if not nil, tells which releases know the path.
	since func(release) bool
	// allow refuses who lacks the privileges; nil lets every user in, who then
	// sees what it may.
	allow func(c *call, param func(string) string) *apiError
	// relay names the parameter that holds the node to pass the request on to.
	relay    string
	params   []param
	settings bool // the settings of a VM are parameters, too
	conflict func(params map[string]string) map[string]string
	serve    func(*call) (any, error)

	parts []string
}

// routes are all paths, by number of parts.
var routes = indexRoutes(append(writingRoutes, readingRoutes...))

var readingRoutes = []route{
	{pattern: "/", serve: indexOf("subdir", "version", "cluster", "nodes", "storage", "access", "pools")},
	{pattern: "/version", serve: (*call).version},
	{pattern: "/access/permissions", params: []param{textParam("path"), textParam("userid")}, serve: (*call).permissions},
	{pattern: "/access/acl", serve: (*call).acl},
	{pattern: "/cluster/resources", params: []param{enumParam("type", "vm", "storage", "node", "sdn")}, serve: (*call).resources},
	{pattern: "/cluster/nextid", params: []param{vmidParam("vmid")}, serve: (*call).nextID},
	{pattern: "/cluster/mapping", since: release.mappings, serve: indexOf("name", "pci", "usb", "dir")},
	{
		pattern: "/cluster/mapping/pci", since: release.mappings, relay: "check-node",
		params: []param{nodeParam("check-node")}, serve: (*call).mappings,
	},
	{
		pattern: "/cluster/mapping/pci/{id}", since: release.mappings, allow: mappingVisible,
		params: []param{configIDParam("id")}, serve: (*call).mapping,
	},
	{pattern: "/cluster/mapping/usb", since: release.mappings, params: []param{nodeParam("check-node")}, serve: noRows},
	{
		pattern: "/cluster/ha/resources", allow: need("/", "Sys.Audit"),
		params: []param{enumParam("type", "ct", "vm")}, serve: (*call).haResources,
	},
	{
		pattern: "/cluster/ha/rules", since: release.haRules, allow: need("/", "Sys.Audit"),
		params: []param{enumParam("type", "node-affinity", "resource-affinity"), textParam("resource")}, serve: (*call).haRuleList,
	},
	{pattern: "/cluster/ha/groups", allow: need("/", "Sys.Audit"), serve: (*call).haGroups},
	{pattern: "/cluster/backup", allow: need("/", "Sys.Audit"), serve: (*call).backupJobs},
	{pattern: "/cluster/replication", serve: (*call).replicationJobs},
	{pattern: "/nodes", serve: (*call).nodes},
	{
		pattern: "/nodes/{node}/hardware/pci", allow: readsPCI, relay: "node",
		params: []param{nodeParam("node"), blacklistParam, boolParam("verbose")}, serve: (*call).devices,
	},
	{
		pattern: "/nodes/{node}/hardware/pci/{pci-id-or-mapping}",
		params:  []param{nodeParam("node"), deviceParam}, serve: indexOf("method", "mdev"),
	},
	{
		pattern: "/nodes/{node}/hardware/pci/{pci-id-or-mapping}/mdev", allow: readsPCI, relay: "node",
		params: []param{nodeParam("node"), deviceParam}, serve: (*call).mdevTypes,
	},
	{
		pattern: "/nodes/{node}/qemu", relay: "node",
		params: []param{nodeParam("node"), boolParam("full")}, serve: (*call).virtualMachines,
	},
	{
		pattern: "/nodes/{node}/qemu/{vmid}", relay: "node", params: guestParams(),
		serve: indexOf("subdir", "config", "cloudinit", "pending", "status", "unlink", "vncproxy", "termproxy", "migrate",
			"resize", "move", "rrd", "rrddata", "monitor", "agent", "snapshot", "spiceproxy", "sendkey", "firewall", "mtunnel",
			"remote_migrate"),
	},
	{
		pattern: "/nodes/{node}/qemu/{vmid}/config", allow: need("/vms/{vmid}", "VM.Audit"), relay: "node",
		params: guestParams(boolParam("current"), configIDParam("snapshot")), conflict: snapshotOrCurrent,
		serve: (*call).vmConfig,
	},
	{
		pattern: "/nodes/{node}/qemu/{vmid}/pending", allow: need("/vms/{vmid}", "VM.Audit"), relay: "node",
		params: guestParams(), serve: (*call).vmPending,
	},
	{
		pattern: "/nodes/{node}/qemu/{vmid}/snapshot", allow: need("/vms/{vmid}", "VM.Audit"), relay: "node",
		params: guestParams(), serve: (*call).vmSnapshots,
	},
	{pattern: "/nodes/{node}/lxc", relay: "node", params: []param{nodeParam("node")}, serve: (*call).containers},
	{
		pattern: "/nodes/{node}/lxc/{vmid}/config", allow: need("/vms/{vmid}", "VM.Audit"), relay: "node",
		params: guestParams(boolParam("current"), configIDParam("snapshot")), conflict: snapshotOrCurrent,
		serve: (*call).containerConfig,
	},
}

var writingRoutes = []route{
	{method: "POST", pattern: "/access/ticket", params: ticketParams, serve: (*call).createTicket},
	{
		method: "POST", pattern: "/cluster/mapping/pci", since: release.mappings, allow: need("/mapping/pci", "Mapping.Modify"),
		params: mappingParams(true), serve: (*call).createMapping,
	},
	{
		method: "PUT", pattern: "/cluster/mapping/pci/{id}", since: release.mappings,
		allow: need("/mapping/pci/{id}", "Mapping.Modify"), params: mappingParams(false), serve: (*call).updateMapping,
	},
	{
		method: "DELETE", pattern: "/cluster/mapping/pci/{id}", since: release.mappings,
		allow: need("/mapping/pci", "Mapping.Modify"), params: []param{configIDParam("id")}, serve: (*call).deleteMapping,
	},
	{
		method: "PUT", pattern: "/nodes/{node}/qemu/{vmid}/config", allow: mayConfigure, relay: "node", params: updateParams(),
		settings: true, serve: (*call).updateVM,
	},
	{
		method: "POST", pattern: "/nodes/{node}/qemu/{vmid}/config", allow: mayConfigure, relay: "node",
		params: updateParams(param{name: "background_delay", kind: "integer", check: checkInteger}), settings: true,
		serve: (*call).updateVMLater,
	},
	{
		pattern: "/nodes/{node}/tasks/{upid}/status", relay: "node", params: []param{nodeParam("node"), textParam("upid")},
		serve: (*call).taskStatus,
	},
}

func guestParams(more ...param) []param {
	return append([]param{nodeParam("node"), vmidParam("vmid")}, more...)
}

func indexRoutes(list []route) map[int][]*route {
	index := map[int][]*route{}
	for i := range list {
		list[i].parts = segments(list[i].pattern)
		index[len(list[i].parts)] = append(index[len(list[i].parts)], &list[i])
	}
	return index
}

// findRoute gives the route of a path with the parameters that stand in it; nil
// if PVE does not know it.
func findRoute(method, path string, r release) (*route, map[string]string) {
	parts := segments(path)
	for _, candidate := range routes[len(parts)] {
		if cmp.Or(candidate.method, "GET") != method {
			continue
		}
		if params, ok := candidate.match(parts); ok && (candidate.since == nil || candidate.since(r)) {
			return candidate, params
		}
	}
	return nil, nil
}

func (r *route) match(parts []string) (map[string]string, bool) {
	params := map[string]string{}
	for i, part := range r.parts {
		switch {
		case strings.HasPrefix(part, "{"):
			params[strings.Trim(part, "{}")] = parts[i]
		case part != parts[i]:
			return nil, false
		}
	}
	return params, true
}

// need refuses who lacks a privilege on a path that may name parameters.
func need(path, privilege string) func(*call, func(string) string) *apiError {
	return func(c *call, param func(string) string) *apiError {
		where := path
		if before, name, found := strings.Cut(path, "{"); found {
			where = before + param(strings.TrimSuffix(name, "}"))
		}
		if c.access.has(c.subject, where, privilege) {
			return nil
		}
		return forbidden(where + ", " + privilege)
	}
}

// indexOf serves a list of what is below a path.
func indexOf(key string, names ...string) func(*call) (any, error) {
	return func(*call) (any, error) {
		rows := make([]any, 0, len(names))
		for _, name := range names {
			rows = append(rows, map[string]any{key: name})
		}
		return rows, nil
	}
}

func noRows(*call) (any, error) { return []any{}, nil }
