package pve

import "strings"

// Machine gives the options of a machine value; nil if Proxmox VE refuses it or
// it is empty.
func Machine(value string) map[string]string {
	options, err := machineFormat.options(value)
	if err != nil {
		return nil
	}
	return options
}

// IsQ35 tells whether a machine value selects a q35 machine, as
// PVE::QemuServer::Machine::machine_type_is_q35 does.
func IsQ35(value string) bool { return strings.Contains(Machine(value)["type"], "q35") }
