package pvesim

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"pciatlas/internal/pve"
)

// knownVMKey tells whether PVE knows a key of a VM's configuration.
func knownVMKey(key string) bool {
	if strings.HasPrefix(key, "hostpci") {
		_, ok := pve.ParseSlotKey(key)
		return ok
	}
	config := pve.ParseVMConfig(key + ": 1\n")
	return len(config.Main) > 0 || len(config.Dropped) > 0 && config.Dropped[0].Key == key
}

// notSettable are keys of the file that no request sets.
var notSettable = []string{"parent", "snaptime", "vmstate", "runningmachine", "runningcpu", "running-nets-host-mtu", "meta"}

// vmSetting gives the parameter for a setting of a VM; ok is false if there is
// none of that name.
func vmSetting(name string) (p param, ok bool) {
	if slices.Contains(notSettable, name) || !knownVMKey(name) {
		return param{}, false
	}
	p = param{name: name, kind: "string", check: func(value string) string { return checkSetting(name, value) }}
	if config := pve.ParseVMConfig(name + ": yes\n"); len(config.Main) > 0 && config.Main[0].Value == "1" {
		return boolParam(name), true
	}
	if pve.NumericKey(name) {
		p.kind, p.check = "integer", checkInteger
	}
	return p, true
}

func checkInteger(value string) string {
	if integerPattern.MatchString(value) {
		return ""
	}
	return "type check ('integer') failed - got '" + value + "'"
}

// checkSetting refuses values that PVE refuses. Its sentence is PVE's for
// hostpci lines alone.
func checkSetting(name, value string) string {
	if _, ok := pve.ParseSlotKey(name); ok {
		_, err := pve.ParseHostPCI(value)
		return formatFault(name, err)
	}
	if name == "description" {
		return ""
	}
	config := pve.ParseVMConfig(name + ": " + strings.NewReplacer("\r", " ", "\n", " ").Replace(value) + "\n")
	if value != "" && len(config.Dropped) > 0 {
		return "invalid format - value not accepted\n"
	}
	return ""
}

// formatFault writes what is wrong with a property string.
func formatFault(name string, err error) string {
	var format *pve.FormatError
	switch {
	case err == nil:
		return ""
	case !errors.As(err, &format):
		return "invalid format - " + err.Error() + "\n"
	case len(format.Faults) == 1 && format.Faults[0].Option == "":
		return "invalid format - " + format.Faults[0].Message + "\n"
	}
	var out strings.Builder
	out.WriteString("invalid format - format error\n")
	for _, fault := range format.Faults {
		out.WriteString(name + "." + fault.Option + ": " + fault.Message + "\n")
	}
	return out.String()
}

// updateParams are the parameters of a change of a VM besides its settings.
func updateParams(more ...param) []param {
	return guestParams(append([]param{
		keyListParam("delete"), keyListParam("revert"), boolParam("force"), boolParam("skiplock"), limitedParam("digest", 40),
	}, more...)...)
}

func keyListParam(name string) param {
	return param{name: name, kind: "string", check: func(value string) string {
		for _, id := range splitList(value) {
			if !configIDPattern.MatchString(id) {
				return "invalid format - invalid configuration ID '" + id + "'\n"
			}
		}
		return ""
	}}
}

func limitedParam(name string, most int) param {
	return param{name: name, kind: "string", check: func(value string) string {
		if len([]rune(value)) > most {
			return "value may only be " + strconv.Itoa(most) + " characters long"
		}
		return ""
	}}
}

// entriesParam are the entries of a mapping.
func entriesParam(required bool) param {
	return param{name: "map", kind: "array", required: required, check: func(value string) string {
		_, err := pve.ParseEntry(value)
		return formatFault("map[]", err)
	}}
}

func mappingParams(isNew bool) []param {
	id := configIDParam("id")
	id.required = true
	params := []param{
		id, entriesParam(isNew), limitedParam("description", 4096), boolParam("mdev"), boolParam("live-migration-capable"),
	}
	if !isNew {
		params = append(params, limitedParam("digest", 64), keyListParam("delete"))
	}
	return params
}
