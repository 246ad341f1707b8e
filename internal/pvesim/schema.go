package pvesim

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pciatlas/internal/pve"
)

// Texts of PVE::JSONSchema.
const (
	notInSchema  = "property is not defined in schema and the schema does not allow additional properties"
	notMatching  = "value does not match the regex pattern"
	invalidVMID  = "invalid format - value does not look like a valid VM ID\n"
	invalidNode  = "invalid format - value does not look like a valid node name\n"
	missingParam = "property is missing and it is not optional"
)

// param is one parameter of a route.
type param struct {
	name     string
	kind     string // the type of the schema; an array may have several values
	list     bool   // several values are joined
	required bool
	check    func(value string) string
}

func boolParam(name string) param { return param{name: name, kind: "boolean", check: checkBool} }

func textParam(name string) param { return param{name: name, kind: "string"} }

func enumParam(name string, allowed ...string) param {
	return param{name: name, kind: "string", check: func(value string) string {
		if slices.Contains(allowed, value) {
			return ""
		}
		return "value '" + value + "' does not have a value in the enumeration '" + strings.Join(allowed, ", ") + "'"
	}}
}

func nodeParam(name string) param {
	return param{name: name, kind: "string", check: func(value string) string {
		if nodeName.MatchString(value) {
			return ""
		}
		return invalidNode
	}}
}

func patternParam(name string, pattern *regexp.Regexp) param {
	return param{name: name, kind: "string", check: func(value string) string {
		if pattern.MatchString(value) {
			return ""
		}
		return notMatching
	}}
}

var configIDPattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]+$`)

func configIDParam(name string) param {
	return param{name: name, kind: "string", check: func(value string) string {
		if configIDPattern.MatchString(value) {
			return ""
		}
		return "invalid format - invalid configuration ID '" + value + "'\n"
	}}
}

var (
	vmidPattern    = regexp.MustCompile(`^[1-9]\d{2,8}$`)
	integerPattern = regexp.MustCompile(`^[+-]?\d+$`)
)

func vmidParam(name string) param { return param{name: name, kind: "integer", check: checkVMID} }

func checkVMID(value string) string {
	switch {
	case !integerPattern.MatchString(value):
		return "type check ('integer') failed - got '" + value + "'"
	case !vmidPattern.MatchString(value):
		return invalidVMID
	default:
		return ""
	}
}

// checkBool: queries know only 1 and 0, unlike configuration files.
func checkBool(value string) string {
	if value == "0" || value == "1" {
		return ""
	}
	return "type check ('boolean') failed - got '" + value + "'"
}

// check gives the values of the parameters, or all faults together.
func (r *route) check(query map[string]values) (map[string]string, error) {
	params, faults := map[string]string{}, map[string]string{}
	for name, given := range query {
		p, ok := r.param(name)
		if !ok {
			faults[name] = notInSchema
			continue
		}
		if given == nil {
			continue // named without a value
		}
		if p.kind == "array" {
			p.checkEach(given, faults)
			continue
		}
		value, fault := p.read(given)
		if fault != "" {
			faults[name] = fault
			continue
		}
		params[name] = value
	}
	for i := range r.params {
		if name := r.params[i].name; r.params[i].required && query[name] == nil {
			faults[name] = missingParam
		}
	}
	if len(faults) == 0 && r.conflict != nil {
		faults = r.conflict(params)
	}
	if len(faults) > 0 {
		return nil, badParams(faults)
	}
	return params, nil
}

// param finds a parameter by its name.
func (r *route) param(name string) (p param, ok bool) {
	if i := slices.IndexFunc(r.params, func(p param) bool { return p.name == name }); i >= 0 {
		return r.params[i], true
	}
	if r.settings {
		return vmSetting(name)
	}
	return param{}, false
}

// checkEach checks the items of an array. Faults name the item that they are of.
func (p param) checkEach(given values, faults map[string]string) {
	for i, value := range given {
		if fault := p.check(value); fault != "" {
			item := p.name + "[" + strconv.Itoa(i) + "]"
			faults[item] = strings.ReplaceAll(fault, p.name+"[]", item)
		}
	}
}

func (p param) read(given values) (value, fault string) {
	if len(given) > 1 && !p.list {
		return "", "type check ('" + p.kind + "') failed - got ARRAY"
	}
	value = strings.Join(given, ",")
	if p.check != nil {
		fault = p.check(value)
	}
	return value, fault
}

// flag gives a boolean parameter.
func (c *call) flag(name string, usual bool) bool {
	on, ok := pve.ParseBool(c.params[name])
	if !ok {
		return usual
	}
	return on
}

// vmid gives the checked number of the guest.
func (c *call) vmid() int {
	n, err := strconv.Atoi(c.params["vmid"])
	if err != nil {
		return 0
	}
	return n
}
