package pvesim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"pciatlas/internal/pve"
)

// exitFailed is what PVE's commands exit with when they die.
const exitFailed = 255

// Command runs a command line of pvesh or qm on a node, and gives what it exits
// with. As there it acts as the user root@pam, not by a token, and passes through
// faults and Before like a request over the network. It knows
//
//	pvesh get|create|set|delete PATH --OPTION VALUE…
//	qm set|config|pending|start|stop VMID --OPTION VALUE…
//
// argv[0] is the name, with or without a folder. pvesh prints JSON whatever the
// format, and refusals come without a line about usage.
func (s *Server) Command(node string, argv []string, stdout, stderr io.Writer) int {
	run := &command{server: s, node: node, out: stdout, err: stderr}
	if len(argv) < 3 {
		return run.die("400 not enough arguments\n")
	}
	switch path.Base(argv[0]) {
	case "pvesh":
		return run.pvesh(argv[1], argv[2:])
	case "qm":
		return run.qm(argv[1], argv[2:])
	default:
		fmt.Fprintf(stderr, "%s: command not found\n", argv[0])
		return 127
	}
}

type command struct {
	server   *Server
	node     string
	out, err io.Writer
}

// die says why nothing came of it.
func (c *command) die(message string) int {
	_, _ = io.WriteString(c.err, message) // nobody is told when the reader is gone
	return exitFailed
}

var pveshMethods = map[string]string{"get": "GET", "create": "POST", "set": "PUT", "delete": "DELETE"}

func (c *command) pvesh(verb string, argv []string) int {
	method := pveshMethods[verb]
	if method == "" {
		return c.die("ERROR: unknown command 'pvesh " + verb + "'\n")
	}
	words, options, err := c.options(method, argv[0], argv)
	switch {
	case err != nil:
		return c.die(err.Error())
	case len(words) != 1:
		return c.die("400 too many arguments\n")
	}
	data, code := c.call(method, words[0], options)
	if code == 0 && data != nil {
		_, _ = fmt.Fprintf(c.out, "%s\n", encode(data)) // as in die
	}
	return code
}

func (c *command) qm(verb string, argv []string) int {
	methods := map[string]string{"set": "PUT", "config": "GET", "pending": "GET", "start": "", "stop": ""}
	method, known := methods[verb]
	if !known {
		return c.die("ERROR: unknown command 'qm " + verb + "'\n")
	}
	file := "config"
	if verb == "pending" {
		file = "pending"
	}
	where := "/nodes/" + c.node + "/qemu/" + url.PathEscape(argv[0]) + "/" + file
	words, options, err := c.options(method, where, argv)
	switch {
	case err != nil:
		return c.die(err.Error())
	case len(words) != 1 || words[0] != argv[0]:
		return c.die("400 too many arguments\n")
	case method == "":
		return c.power(words[0], verb == "start")
	}
	data, code := c.call(method, where, options)
	if code != 0 {
		return code
	}
	switch verb {
	case "set":
		c.logUpdate(words[0], options)
	case "config":
		c.printConfig(data)
	default:
		c.printPending(data)
	}
	return 0
}

// power starts or stops a VM of this node.
func (c *command) power(vmid string, start bool) int {
	state := c.server.State()
	for i := range state.Guests {
		if guest := &state.Guests[i]; fmt.Sprint(guest.VMID) == vmid && guest.Kind == QEMU && guest.Node == c.node {
			if err := c.server.power(guest.VMID, start); err != nil {
				return c.die(err.Error() + "\n")
			}
			return 0
		}
	}
	return c.die("Configuration file 'nodes/" + c.node + "/qemu-server/" + vmid + ".conf' does not exist\n")
}

// options takes a command line apart; method and path tell what its options are.
func (c *command) options(method, where string, argv []string) (words []string, options url.Values, err error) {
	found, _ := findRoute(method, where, c.server.releaseOf(c.node))
	if found == nil {
		found = &route{}
	}
	options = url.Values{}
	for i := 0; i < len(argv); i++ {
		name, value, joined := strings.Cut(argv[i], "=")
		if !strings.HasPrefix(name, "-") || name == "-" {
			words = append(words, argv[i])
			continue
		}
		name = strings.TrimLeft(name, "-")
		p, _ := found.param(name)
		next := i+1 < len(argv) && (p.kind != "boolean" || !strings.HasPrefix(argv[i+1], "-"))
		switch {
		case joined:
		case next:
			i++
			value = argv[i]
		case p.kind == "boolean":
			value = "1"
		default:
			return nil, nil, fmt.Errorf("Option %s requires an argument\n400 unable to parse option\n", name) //nolint:revive,staticcheck // PVE's words
		}
		if on, ok := pve.ParseBool(value); ok && p.kind == "boolean" {
			value = flagText(on)
		}
		options.Add(name, value)
	}
	return words, options, nil
}

// releaseOf gives the release of a node.
func (s *Server) releaseOf(node string) release {
	s.world.RLock()
	defer s.world.RUnlock()
	return s.call(node).release
}

// call asks the API as root@pam.
func (c *command) call(method, where string, options url.Values) (data any, code int) {
	for _, own := range []string{"output-format", "quiet", "noborder", "noheader", "human-readable"} {
		options.Del(own)
	}
	req := newRequest(method, "/api2/json/"+strings.TrimPrefix(where, "/"), http.Header{}, true)
	if method == http.MethodPost || method == http.MethodPut {
		req.body = []byte(options.Encode())
		req.length = int64(len(req.body))
	} else {
		req.query = options.Encode()
	}
	rep := c.server.withFaults(req, c.server.settings(), func(req *request) reply { return c.server.answerAs(req, c.node, rootUser) })
	for _, warning := range rep.warnings {
		fmt.Fprintln(c.err, warning)
	}
	switch {
	case rep.mode != wireNormal:
		return nil, c.die("got no data\n")
	case rep.status != http.StatusOK:
		return nil, c.refused(method, where, rep)
	}
	var body struct {
		Data any `json:"data"`
	}
	decoder := json.NewDecoder(bytes.NewReader(rep.body))
	decoder.UseNumber()
	if err := decoder.Decode(&body); err != nil {
		return nil, c.die(err.Error() + "\n")
	}
	return body.Data, 0
}

// refused prints a refusal as PVE's commands do.
func (c *command) refused(method, where string, rep reply) int {
	if rep.status == http.StatusNotImplemented {
		for verb, other := range pveshMethods {
			if other == method {
				fmt.Fprintf(c.err, "No '%s' handler defined for '%s'\n", verb, where)
			}
		}
		return 1
	}
	var body struct {
		Errors map[string]string `json:"errors"`
	}
	if json.Unmarshal(rep.body, &body) != nil || len(body.Errors) == 0 {
		return c.die(rep.reason + "\n")
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%d %s\n", rep.status, rep.reason)
	for _, name := range slices.Sorted(maps.Keys(body.Errors)) {
		out.WriteString(name + ": " + strings.TrimSuffix(body.Errors[name], "\n") + "\n")
	}
	return c.die(out.String())
}

// logUpdate says what qm set has changed.
func (c *command) logUpdate(vmid string, options url.Values) {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(options)) {
		if name != "digest" {
			words = append(words, "-"+name, options.Get(name))
		}
	}
	fmt.Fprintf(c.out, "update VM %s: %s\n", vmid, strings.Join(words, " "))
}

func (c *command) printConfig(data any) {
	settings, ok := data.(map[string]any)
	if !ok {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(settings)) {
		if key != "digest" {
			fmt.Fprintf(c.out, "%s: %s\n", key, shown(key, settings[key]))
		}
	}
}

func shown(key string, value any) string {
	text := fmt.Sprint(value)
	if key != "description" {
		return text
	}
	return encodeRemark(text)
}

// printPending mirrors PVE::GuestHelpers::format_pending.
func (c *command) printPending(data any) {
	rows, ok := data.([]any)
	if !ok {
		return
	}
	lines := map[string]string{}
	for _, row := range rows {
		item, ok := row.(map[string]any)
		if !ok {
			continue
		}
		key := fmt.Sprint(item["key"])
		value, pending := item["value"], item["pending"]
		switch {
		case key == "digest":
		case value != nil && item["delete"] != nil:
			lines[key] = "del " + key + ": " + shown(key, value) + "\n"
		case value != nil && pending != nil:
			lines[key] = "cur " + key + ": " + shown(key, value) + "\nnew " + key + ": " + shown(key, pending) + "\n"
		case value != nil:
			lines[key] = "cur " + key + ": " + shown(key, value) + "\n"
		case pending != nil:
			lines[key] = "new " + key + ": " + shown(key, pending) + "\n"
		}
	}
	for _, key := range slices.Sorted(maps.Keys(lines)) {
		_, _ = io.WriteString(c.out, lines[key]) // as in die
	}
}
