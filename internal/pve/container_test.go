package pve_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pciatlas/internal/pve"
)

func TestContainerDevices(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		want       []pve.ContainerDevice
	}{
		{"devN and options", "dev0: /dev/dri/card0,gid=44\ndev1: path=/dev/dri/renderD128,gid=104", []pve.ContainerDevice{
			{Key: "dev0", Path: "/dev/dri/card0"}, {Key: "dev1", Path: "/dev/dri/renderD128"},
		}},
		{"mount points", "mp0: /dev/dri,mp=/dev/dri\nmp1: local-lvm:vm-1-disk-0,mp=/dev/dri", []pve.ContainerDevice{
			{Key: "mp0", Path: "/dev/dri"},
		}},
		{"raw lines, with either separator", "lxc.mount.entry = /dev/dri/by-path/pci-0000:01:00.0-card dev/x none bind\n" +
			"lxc.cgroup2.devices.allow: c 226:128 rwm\nlxc.cgroup.devices.allow: c 195:* rwm", []pve.ContainerDevice{
			{Key: "lxc.cgroup.devices.allow", Path: "/dev/nvidiactl", Numbers: "195:*"},
			{Key: "lxc.cgroup2.devices.allow", Path: "/dev/dri/renderD128", Numbers: "226:128"},
			{Key: "lxc.mount.entry", Path: "/dev/dri/by-path/pci-0000:01:00.0-card"},
		}},
		{"the last of a key that stands twice", "dev0: /dev/dri/card0\ndev0: /dev/ttyUSB0", []pve.ContainerDevice{}},
		{"what is no GPU", "dev0: /dev/apex_0\nlxc.cgroup2.devices.allow: c 506:* rwm\nlxc.cgroup2.devices.allow: a\n" +
			"lxc.mount.entry: /srv/secret srv none bind\nlxc.mount.entry:\nlxc.cgroup2.devices.allow: c 226:300 rwm", nil},
		{"what waits", "dev0: /dev/dri/card0\ndev1: /dev/kfd\n[pve:pending]\ndelete: dev1\ndev2: /dev/nvidia0\n", []pve.ContainerDevice{
			{Key: "dev0", Path: "/dev/dri/card0"},
			{Key: "dev1", Path: "/dev/kfd", Removal: true},
			{Key: "dev2", Path: "/dev/nvidia0", Pending: true},
		}},
		{"snapshots", "memory: 512\n[before]\ndev0: /dev/dri/card0\n", nil},
		{"remarks", "#dev0: /dev/dri/card0\n", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, pve.ContainerDevices(pve.ParseContainer(test.text))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestGPUFileKinds(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]pve.GPUFileKind{
		"/dev/dri": pve.DRIFolder, "/dev/dri/": pve.DRIFolder, "/dev/dri/by-path": pve.DRIFolder,
		"/dev/dri/../dri/card1": pve.DRIFile, "/dev/dri/by-path/pci-0000:41:00.0-render": pve.DRIFile,
		"/dev/nvidia7": pve.NvidiaFile, "/dev/nvidiactl": pve.NvidiaControl, "/dev/nvidia-uvm": pve.NvidiaControl,
		"/dev/nvidia-caps/nvidia-cap1": pve.NvidiaControl, "/dev/kfd": pve.KFD,
	} {
		if file, ok := pve.ParseGPUFile(name); !ok || file.Kind != want {
			t.Errorf("%s is %+v, %v", name, file, ok)
		}
	}
	for _, name := range []string{"", "dev/dri", "/dev", "/dev/dri/by-path/pci-x-card", "/dev/dri/by-path/platform-1-card", "/dev/nvidiaX", "/dev/dri/card0/x"} {
		if file, ok := pve.ParseGPUFile(name); ok {
			t.Errorf("%q is taken for %+v", name, file)
		}
	}
}

// FuzzContainer: whatever a file holds, nothing but names of device files is kept.
func FuzzContainer(f *testing.F) {
	f.Add("dev0: /dev/dri/card0,gid=44\nlxc.mount.entry: /dev/dri dev/dri none bind\n[pve:pending]\ndelete: dev0\n")
	f.Add("lxc.cgroup2.devices.allow: c 195:* rwm\nlxc.cgroup.devices.allow = c 226:0 rwm\nmp0: /dev/dri,mp=/x")
	f.Fuzz(func(t *testing.T, text string) {
		devices := pve.ContainerDevices(pve.ParseContainer(text))
		for i := range devices {
			if d := &devices[i]; !d.Valid() || !strings.HasPrefix(d.Path, "/dev/") {
				t.Errorf("%+v is kept", *d)
			}
		}
	})
}
