package doctor

import (
	"fmt"
	"slices"
	"strings"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pve"
)

// driver looks at what holds the functions on the host.
func (p *patient) driver() Check {
	c := Check{Code: CheckDriver, State: Passed, GoodCode: GoodDriver}
	var untold, host []*atlas.Device
	for _, device := range p.named {
		switch {
		case device.Host == nil:
			untold = append(untold, device)
		case p.kept(device) && !device.ForVMs() && !p.running():
			c.State, c.Stops = Failed, true
			c.Readings = append(c.Readings, keptUnbound(device))
			c.Fixes = append(c.Fixes, bindFixes(device)...)
		case device.Host.Driver == "":
			c.Readings = append(c.Readings, reading("unbound", fmt.Sprintf("No driver holds %s.", device.Address), "device", device.Address.String()))
		case device.ForVMs():
			c.Readings = append(c.Readings, reading("bound", fmt.Sprintf("%s holds %s.", device.Host.Driver, device.Address),
				"device", device.Address.String(), "driver", device.Host.Driver))
		default:
			host = append(host, device)
		}
	}
	for _, device := range host {
		if device.Host.BootDisplay.Value {
			c.State = Failed
			c.Readings = append(c.Readings, reading("boot_display", fmt.Sprintf("%s is the display that the host shows its console on (%s); it may not give it back.",
				device.Address, device.Host.Driver), "device", device.Address.String(), "driver", device.Host.Driver))
			c.Fixes = append(c.Fixes, bindFixes(device)...)
			continue
		}
		c.Readings = append(c.Readings, reading("host_driver", fmt.Sprintf("%s holds %s now; at a start Proxmox VE takes it away and binds vfio-pci.",
			device.Host.Driver, device.Address), "device", device.Address.String(), "driver", device.Host.Driver))
	}
	if len(host) > 0 && c.State == Passed {
		c.Fixes = append(c.Fixes, bindFixes(host...)...)
	}
	if len(untold) > 0 {
		c.unseen(reading("driver_unread", fmt.Sprintf("Which driver holds %s is not told here.", list(untold)), "devices", list(untold)))
		c.Commands = lspci(untold)
	}
	p.orNoDevice(&c)
	return c
}

// running tells whether the VM is known to run.
func (p *patient) running() bool { return p.vm != nil && p.vm.Status == facts.Running }

// kept tells whether a line with driver=keep names the function.
func (p *patient) kept(device *atlas.Device) bool {
	return p.vm != nil && slices.ContainsFunc(device.References, func(r atlas.Reference) bool {
		return r.VM == p.vm && r.Next && r.Value.Driver == "keep"
	})
}

// keptUnbound says what holds a function of a line with driver=keep.
func keptUnbound(device *atlas.Device) Reading {
	address, driver := device.Address.String(), device.Host.Driver
	if driver == "" {
		return reading("kept_no_driver", fmt.Sprintf("The line has driver=keep, so Proxmox VE binds nothing, and no driver holds %s.", address), "device", address)
	}
	return reading("kept_unbound", fmt.Sprintf("The line has driver=keep, so Proxmox VE binds nothing, and %s holds %s.", driver, address),
		"device", address, "driver", driver)
}

// lspci gives the commands that show the drivers of functions, one for each slot.
func lspci(devices []*atlas.Device) []string {
	var commands []string
	for _, device := range devices {
		slot, _, _ := strings.Cut(device.Address.String(), ".")
		if command := "lspci -nnk -s " + slot; !slices.Contains(commands, command) {
			commands = append(commands, command)
		}
	}
	return commands
}

// bindFixes are the lines that give functions to vfio-pci from the start of the host.
func bindFixes(devices ...*atlas.Device) []Fix {
	var ids, drivers []string
	for _, device := range devices {
		if id := device.IDs.Pair.String(); !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
		if driver := device.Host.Driver; driver != "" && !slices.Contains(drivers, driver) {
			drivers = append(drivers, driver)
		}
	}
	lines := []string{"options vfio-pci ids=" + strings.Join(ids, ",")}
	for _, driver := range drivers {
		lines = append(lines, "softdep "+driver+" pre: vfio-pci")
	}
	fixes := []Fix{{Code: FixVFIO, File: "/etc/modprobe.d/vfio.conf", Text: strings.Join(lines, "\n")}}
	if cards := blacklisted(drivers); cards != "" {
		fixes = append(fixes, Fix{Code: FixBlacklist, File: "/etc/modprobe.d/blacklist-gpu.conf", Text: cards})
	}
	return append(fixes, Fix{Code: FixRun, Text: "update-initramfs -u -k all"})
}

// blacklisted gives the lines that keep drivers of graphics cards from being loaded.
func blacklisted(drivers []string) string {
	var lines []string
	for _, driver := range drivers {
		if slices.Contains([]string{"nouveau", "nvidia", "amdgpu", "radeon", "i915", "xe", "nvidiafb"}, driver) {
			lines = append(lines, "blacklist "+driver)
		}
	}
	return strings.Join(lines, "\n")
}

// reset looks whether the functions can be reset between two starts.
func (p *patient) reset() Check {
	c := Check{Code: CheckReset, State: Passed, GoodCode: GoodReset}
	var untold []*atlas.Device
	for _, device := range p.named {
		switch {
		case device.Host == nil || !p.resetsTold():
			untold = append(untold, device)
		case len(device.Host.ResetMethods) > 0:
			methods := strings.Join(device.Host.ResetMethods, " ")
			c.Readings = append(c.Readings, reading("reset_methods", fmt.Sprintf("%s can be reset: %s.", device.Address, methods),
				"device", device.Address.String(), "methods", methods))
		case device.Host.Reset:
			c.Readings = append(c.Readings, reading("reset", fmt.Sprintf("%s can be reset.", device.Address), "device", device.Address.String()))
		default:
			c.State = Failed
			c.Readings = append(c.Readings, reading("no_reset", fmt.Sprintf("%s cannot be reset: after the VM stops, it may work again only after a restart of the host.",
				device.Address), "device", device.Address.String()))
		}
	}
	if len(untold) > 0 {
		c.unseen(reading("reset_unread", fmt.Sprintf("How %s can be reset is not told here.", list(untold)), "devices", list(untold)))
		for _, device := range untold {
			c.Commands = append(c.Commands, "cat /sys/bus/pci/devices/"+device.Address.String()+"/reset_method")
		}
	}
	p.orNoDevice(&c)
	return c
}

// resetsTold tells whether what was read of the node tells resets: then at least one
// function has one.
func (p *patient) resetsTold() bool {
	return slices.ContainsFunc(p.node.Devices, func(d atlas.Device) bool {
		return d.Host != nil && (d.Host.Reset || len(d.Host.ResetMethods) > 0)
	})
}

// bios names what cannot be read by anybody: the settings of the firmware.
func (p *patient) bios() Check {
	names := "VT-d / AMD-Vi, Above 4G Decoding, SR-IOV, ACS"
	switch p.maker() {
	case "intel":
		names = "VT-d, Above 4G Decoding, SR-IOV, ACS"
	case "amd":
		names = "AMD-Vi (IOMMU), Above 4G Decoding, SR-IOV, ACS"
	}
	return Check{
		Code: CheckBIOS, State: Unseen,
		Readings: []Reading{reading("firmware", "Settings of the firmware to look at: "+names+".", "settings", names)},
		Commands: []string{lookAtIOMMU, "dmesg | grep -e BAR"},
		GoodCode: GoodBARs,
	}
}

func slotKey(slot int) string { return pve.SlotKey(slot) }
