package pvesim

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"pciatlas/internal/pve"
)

// containerFile is the file of a container by sections: "" is the current one,
// "pve:pending" what waits, others are snapshots.
type containerFile map[string]*containerSection

type containerSection struct {
	values      map[string]string
	raw         [][2]string // lxc.* lines in their order
	description []string
}

// parseContainer reads a container's file. It checks no values: the vectors hold
// no refused ones.
func parseContainer(text string) containerFile {
	file := containerFile{}
	section := file.section("")
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n\t ")
		switch {
		case strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]"):
			section = file.section(strings.Trim(line, "[]"))
		case strings.HasPrefix(line, "#"):
			section.description = append(section.description, unescape(strings.ReplaceAll(line[1:], "+", "%2B")))
		default:
			section.add(line)
		}
	}
	return file
}

func (f containerFile) section(name string) *containerSection {
	if f[name] == nil {
		f[name] = &containerSection{values: map[string]string{}}
	}
	return f[name]
}

func (s *containerSection) add(line string) {
	key, value, ok := strings.Cut(line, ":")
	if !ok {
		return
	}
	value = strings.TrimSpace(value)
	if strings.HasPrefix(key, "lxc.") {
		s.raw = append(s.raw, [2]string{key, value})
		return
	}
	s.values[key] = value
}

// containerNumbers are the keys that the API shows as numbers.
var containerNumbers = map[string]bool{
	"console": true, "cores": true, "cpuunits": true, "debug": true, "memory": true, "onboot": true, "protection": true,
	"snaptime": true, "swap": true, "template": true, "tty": true, "unprivileged": true,
}

// row gives a section as the API shows it.
func (s *containerSection) row(digest string) map[string]any {
	row := map[string]any{"digest": digest}
	for key, value := range s.values {
		row[key] = value
		if n, err := strconv.ParseInt(value, 10, 64); err == nil && containerNumbers[key] {
			row[key] = n
		}
	}
	if len(s.raw) > 0 {
		row["lxc"] = s.raw
	}
	if len(s.description) > 0 {
		row["description"] = strings.Join(s.description, "\n") + "\n"
	}
	return row
}

// containerConfig serves GET …/lxc/{vmid}/config.
func (c *call) containerConfig() (any, error) {
	guest := c.world.guest(c.vmid())
	if guest == nil || guest.Kind != LXC || guest.Node != c.node.Name {
		return nil, failure("Configuration file 'nodes/%s/lxc/%s.conf' does not exist", c.node.Name, c.params["vmid"])
	}
	file, digest := parseContainer(guest.Config), pve.Digest(guest.Config)
	if name := c.params["snapshot"]; name != "" {
		if file[name] == nil {
			return nil, failure("snapshot '%s' does not exist", name)
		}
		return file[name].row(digest), nil
	}
	row := file.section("").row(digest)
	if c.flag("current", false) || file["pve:pending"] == nil {
		return row, nil
	}
	waiting := file["pve:pending"]
	for _, key := range splitList(waiting.values["delete"]) {
		delete(row, strings.TrimPrefix(key, "!"))
	}
	for key, value := range waiting.row(digest) {
		if key != "delete" {
			row[key] = value
		}
	}
	return row, nil
}

// containers serves GET …/lxc: the containers of the node that the token may
// see.
func (c *call) containers() (any, error) {
	rows := []map[string]any{}
	for guest := range c.guestsOf(LXC) {
		figures := c.figures(guest)
		row := map[string]any{
			"vmid": guest.VMID, "type": "lxc", "name": figures.name, "status": "stopped", "cpus": figures.cpus,
			"maxmem": figures.memory, "maxdisk": figures.disk, "maxswap": figures.swap,
			"cpu": 0, "mem": 0, "swap": 0, "disk": 0, "diskread": 0, "diskwrite": 0, "netin": 0, "netout": 0, "uptime": 0,
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

func (f containerFile) figures(guest *Guest, node *Node) figures {
	values := f.section("").values
	swap := int64(512)
	if text, ok := values["swap"]; ok {
		swap = memoryOf(text)
	}
	cores, err := strconv.Atoi(values["cores"])
	if err != nil {
		cores = node.cpus()
	}
	return figures{
		name: cmp.Or(values["hostname"], fmt.Sprintf("CT%d", guest.VMID)), tags: strings.ReplaceAll(values["tags"], ",", ";"),
		lock: values["lock"], template: values["template"] == "1", cpus: cores,
		memory: memoryOf(values["memory"]) * mebibyte, swap: swap * mebibyte, disk: sizeOf(values["rootfs"]),
	}
}
