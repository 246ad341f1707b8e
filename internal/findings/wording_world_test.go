package findings

import (
	"slices"
	"strings"
	"testing"

	"pciatlas/internal/facts"
)

// TestSaidBeside: what a sentence adds is said for translation, too, with those that
// it is about.
func TestSaidBeside(t *testing.T) {
	t.Parallel()
	const nic = "0000:03:00.0 020000 8086:1521 14"
	const pool = "gpu|\tmap id=10de:2204,node=pve-a,path=0000:01:00.0|\tmap id=10de:2204,node=pve-a,path=0000:02:00.0"
	other := func(s *facts.Snapshot) {
		s.Nodes["pve-b"] = &facts.Node{Devices: facts.Read[[]facts.Device]{State: facts.OK, Value: []facts.Device{deviceFact(t, "0000:04:00.0 030000 10de:2204 1")}}}
	}
	stopped := func(lines string, files ...string) func(*facts.Snapshot) {
		return func(s *facts.Snapshot) {
			withContainer(t, lines, files...)(s)
			s.Guests.Value[len(s.Guests.Value)-1].Status = facts.Stopped
		}
	}
	backups := func(s *facts.Snapshot) {
		s.Backups = facts.Read[[]facts.BackupJob]{State: facts.OK, Value: []facts.BackupJob{{ID: "nightly", Enabled: true, All: true}}}
	}
	for _, c := range []struct {
		code   Code
		world  deviceWorld
		says   string // in the sentence
		params string // key=value, ";" between them
	}{
		{
			DeviceNotPresent,
			deviceWorld{devices: []string{deviceGPU, "0001:04:00.0 030000 10de:2204 1"}, vms: []string{"101 stopped hostpci0: 04:00.0"}},
			"Without a domain, 04:00.0 means 0000 only", "also=zero_domain;zero_devices=0001:04:00.0",
		},
		{
			DeviceNotPresent,
			deviceWorld{devices: []string{deviceGPU, "0001:04:00.0 030000 10de:2204 1"}, vms: []string{"101 stopped hostpci0: 0000:04:00.0"}},
			"in another domain", "also=other_domain;domain_devices=0001:04:00.0",
		},
		{
			DeviceNotPresent,
			deviceWorld{devices: []string{deviceGPU}, vms: []string{"101 stopped hostpci0: 04:00.0"}, change: other},
			"pve-b has a device with that address", "also=elsewhere;nodes=pve-b",
		},
		{
			DeviceNotPresent,
			deviceWorld{devices: []string{deviceGPU}, vms: []string{"101 stopped hostpci0: 01:00.4"}},
			"has to be made again", "also=same_slot, vf_again;slot_devices=0000:01:00.0;virtual=01:00.4",
		},
		{
			DeviceNotPresent,
			deviceWorld{devices: []string{deviceGPU}, vms: []string{"101 stopped hostpci0: 0000000:01:00.0"}},
			"is spelled otherwise", "also=other_spelling;spelled=0000:01:00.0",
		},
		{
			DeviceShared,
			deviceWorld{devices: []string{deviceGPU}, vms: []string{"101 running hostpci0: 01:00.0|[PENDING]|delete: hostpci0", "102 stopped hostpci0: 01:00.0"}},
			"gives it back when it stops", "variant=named;also=held, released;holder=101;waiting=102;vms=101, 102",
		},
		{
			GroupMateBound,
			deviceWorld{devices: []string{deviceGPU, deviceSound, deviceOther}, vms: []string{"101 stopped hostpci0: mapping=gpu"}, mappings: pool},
			"Starting VM 101 may bind", "variant=maybe;taken=0000:01:00.1 (0x040300)",
		},
		{
			GroupTakesHostDevice,
			deviceWorld{devices: []string{deviceGPU, nic}, vms: []string{"101 stopped hostpci0: 01:00.0"}, change: deviceUsed(1, deviceUseSwap, deviceUseScreen)},
			"loses the disk with its swap space and its console", "variant=certain;also=loses_swap, loses_console",
		},
		{
			GroupShared,
			deviceWorld{devices: []string{deviceGPU, "0000:02:00.0 030000 10de:2204 14"}, vms: []string{"101 stopped hostpci0: mapping=gpu", "102 stopped hostpci0: 01:00.0"}, mappings: pool},
			"VM 101 one of 0000:01:00.0 and 0000:02:00.0", "uses=101 (0000:01:00.0 | 0000:02:00.0), 102 (0000:01:00.0)",
		},
		{
			ContainerUsesDevice,
			deviceWorld{devices: []string{containerIGPU}, change: stopped("dev0: /dev/dri/renderD128", "/dev/dri/renderD128 0000:00:02.0")},
			"Container 201 (stopped)", "variant=certain;also=stopped",
		},
		{
			ContainerSharesDevice,
			deviceWorld{devices: []string{containerIGPU}, vms: []string{"101 stopped hostpci0: 00:02.0"}, change: stopped("mp0: /dev/dri,mp=/dev/dri")},
			"gives it every GPU of the driver", "variant=maybe;also=stopped, every_gpu;every_paths=/dev/dri;vms=101",
		},
		{
			ContainerDeviceHeldByVM,
			deviceWorld{devices: []string{containerIGPU}, vms: []string{"101 running hostpci0: 00:02.0"}, change: stopped("dev0: /dev/dri/renderD128")},
			"(stopped)", "also=stopped;paths=/dev/dri/renderD128;vms=101",
		},
		{
			ArgsPassesDevice,
			deviceWorld{vms: []string{"101 stopped template: 1|args: -device vfio-pci,host=01:00.0"}},
			"Its clones inherit them", "variant=template",
		},
		{
			BackupClaimsDevice,
			deviceWorld{
				devices: []string{deviceGPU}, change: backups,
				vms: []string{"101 stopped hostpci0: 01:00.0|scsi0: local-lvm:disk", "102 running hostpci0: 01:00.0"},
			},
			"it fails while VM 102 runs", "variant=fails;holders=102",
		},
	} {
		t.Run(string(c.code)+"/"+c.says, func(t *testing.T) {
			t.Parallel()
			f := firstOf(t, c.world.find(t), c.code)
			if !strings.Contains(f.Sentence, c.says) {
				t.Errorf("want %q in %s", c.says, f.Sentence)
			}
			for param := range strings.SplitSeq(c.params, ";") {
				if key, want, _ := strings.Cut(param, "="); f.Params[key] != want {
					t.Errorf("%s is %q, want %q", key, f.Params[key], want)
				}
			}
		})
	}
}

// TestSaidOfRunning: that a VM which cannot start again runs now is said of each
// refusal, and of no VM that is stopped.
func TestSaidOfRunning(t *testing.T) {
	t.Parallel()
	for _, c := range lineCases {
		for _, status := range []facts.Status{facts.Running, facts.Stopped} {
			world := c.world
			world.status = status
			for _, f := range world.find(t) {
				runs := slices.Contains(strings.Split(f.Params["also"], ", "), "running")
				if strings.Contains(f.Sentence, "runs, but cannot start again") != runs {
					t.Errorf("%s, %s: %v: %s", c.name, status, f.Params, f.Sentence)
				}
			}
		}
	}
}
