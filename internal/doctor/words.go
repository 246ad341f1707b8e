package doctor

import (
	"strconv"
	"strings"

	"pciatlas/internal/atlas"
)

// reading makes a reading. Its parameters come in pairs of name and value.
func reading(code ReadingCode, sentence string, params ...string) Reading {
	r := Reading{Code: code, Sentence: sentence, Params: map[string]string{}}
	for i := 0; i+1 < len(params); i += 2 {
		r.Params[params[i]] = params[i+1]
	}
	return r
}

func list(devices []*atlas.Device) string {
	texts := make([]string, len(devices))
	for i, device := range devices {
		texts[i] = device.Address.String()
	}
	return strings.Join(texts, ", ")
}

func verb(count int, one, many string) string {
	if count == 1 {
		return one
	}
	return many
}

func count(n int) string { return strconv.Itoa(n) }

func numbers(vms []*atlas.VM) string {
	texts := make([]string, len(vms))
	for i, vm := range vms {
		texts[i] = strconv.Itoa(vm.VMID)
	}
	return strings.Join(texts, ", ")
}

// className gives the class of a function in words, or its code.
func className(device *atlas.Device) string {
	if name := device.ReadableNames().Class; name != "" {
		return name
	}
	return device.Class.String()
}
