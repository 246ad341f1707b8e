package hostfs

import (
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pciatlas/internal/facts"
)

func TestMdev(t *testing.T) {
	name := "0000:01:00.0"
	card := func(more map[string]string) tree {
		return tree{Files: function(name, "0x10de", "0x2504", "0x030000", more)}
	}
	const vgpus = "ID    : vGPU Name\n558   : NVIDIA RTX5000-Ada-2B\n557   : NVIDIA RTX5000-Ada-1B\nx : y\n9\n"
	for what, c := range map[string]struct {
		tree   tree
		mdev   bool
		nvidia bool
		types  []facts.MdevType
		state  facts.ReadState
	}{
		"none": {card(nil), false, false, nil, facts.OK},
		"types": {card(map[string]string{
			"mdev_supported_types/nvidia-63/name": "GRID P40-1Q\n", "mdev_supported_types/nvidia-63/available_instances": "24\n",
			"mdev_supported_types/i915-GVTg_V5_4/available_instances": "1\n",
		}), true, false, []facts.MdevType{{Type: "i915-GVTg_V5_4", Available: 1}, {Type: "nvidia-63", Name: "GRID P40-1Q", Available: 24}}, facts.OK},
		"no number": {
			card(map[string]string{"mdev_supported_types/x/available_instances": "many\n"}), true, false,
			[]facts.MdevType{{Type: "x"}},
			facts.OK,
		},
		"nvidia": {card(map[string]string{"nvidia/creatable_vgpu_types": vgpus}), true, true, []facts.MdevType{
			{Type: "nvidia-557", Name: "NVIDIA RTX5000-Ada-1B", Available: 1},
			{Type: "nvidia-558", Name: "NVIDIA RTX5000-Ada-2B", Available: 1},
		}, facts.OK},
		"nvidia without types": {card(map[string]string{"nvidia/current_vgpu_type": "0"}), true, true, nil, facts.OK},
		"both": {
			card(map[string]string{"nvidia/creatable_vgpu_types": vgpus, "mdev_supported_types/x/available_instances": "0"}),
			true, false,
			[]facts.MdevType{{Type: "x"}},
			facts.OK,
		},
		"a file":       {card(map[string]string{"nvidia": ""}), false, false, nil, facts.OK},
		"link nowhere": {card(nil).link(devicesFolder+"/"+name+"/mdev_supported_types", "gone"), false, false, nil, facts.OK},
	} {
		t.Run(what, func(t *testing.T) {
			read := devicesOf(t, c.tree.write(t))
			device := read.Value[0]
			if read.State != c.state || device.Mdev != facts.Told(c.mdev) || device.NvidiaVGPU != c.nvidia {
				t.Errorf("%v %+v", read.Problems, device)
			}
			if diff := cmp.Diff(c.types, device.Host.MdevTypes); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestMdevUnreadable: types that could not all be read are not fewer types.
func TestMdevUnreadable(t *testing.T) {
	name := "0000:01:00.0"
	folder := devicesFolder + "/" + name + "/"
	card := func(more map[string]string) tree {
		return tree{Files: function(name, "0x10de", "0x2504", "0x030000", more)}
	}
	types := map[string]string{"mdev_supported_types/x/name": "X", "mdev_supported_types/x/available_instances": "2"}
	for what, c := range map[string]struct {
		tree   tree
		faults map[string]error
		want   int // problems
	}{
		"sound":     {tree: card(types)},
		"the list":  {card(types), map[string]error{folder + mdevFolder: syscall.EIO}, 1},
		"no number": {card(map[string]string{"mdev_supported_types/x/available_instances": "many"}), nil, 1},
		"vGPUs": {
			card(map[string]string{"nvidia/creatable_vgpu_types": "1 : x"}),
			map[string]error{folder + "nvidia/creatable_vgpu_types": syscall.EIO},
			1,
		},
	} {
		t.Run(what, func(t *testing.T) {
			snapshot := mustRead(t, c.tree.write(t), faulty(c.faults))
			checkJSON(t, snapshot)
			node := snapshot.Nodes[localOf(snapshot.Members.Value)]
			read, noted := node.MdevTypes[name]
			if noted != (c.want > 0) || len(read.Problems) != c.want || noted && read.State != facts.Partial {
				t.Errorf("%+v", read)
			}
			if node.Devices.State != facts.OK || node.Devices.Value[0].Mdev != facts.Told(true) {
				t.Errorf("%+v", node.Devices)
			}
		})
	}
}

func FuzzParseVGPUTypes(f *testing.F) {
	for _, text := range []string{"ID    : vGPU Name\n557   : NVIDIA RTX5000-Ada-1B\n", "1:", ":", "\xff : \xff\n", "5 : a : b"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, mdev := range parseVGPUTypes(text) {
			if !strings.HasPrefix(mdev.Type, "nvidia-") || !showable(mdev.Type) || mdev.Available != 1 {
				t.Errorf("%+v", mdev)
			}
		}
	})
}
