package hostfs

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pciatlas/internal/facts"
)

func TestROMFiles(t *testing.T) {
	config := map[string]string{
		"etc/pve/nodes/pve-a/qemu-server/100.conf": "hostpci0: 0000:01:00.0,romfile=here.rom\nhostpci1: 01:00.1,romfile=gone.rom\n" +
			"hostpci2: 01:00.2,romfile=../../../../etc/passwd\n[PENDING]\nhostpci0: 01:00.0,romfile=sub/later.rom\n",
		"etc/pve/nodes/pve-b/qemu-server/200.conf": "hostpci0: 0000:01:00.0,romfile=elsewhere.rom\n",
	}
	snapshot := mustRead(t, node().add(config).add(map[string]string{"usr/share/kvm/here.rom": "x", "usr/share/kvm/sub/later.rom": "x"}).write(t))
	read := snapshot.Nodes["pve-a"].ROMFiles
	want := []facts.ROMFile{{Name: "gone.rom"}, {Name: "here.rom", There: true}, {Name: "sub/later.rom", There: true}}
	if diff := cmp.Diff(want, read.Value); diff != "" || read.State != facts.Partial {
		t.Errorf("%v %s", read.State, diff)
	}
	if state := snapshot.Nodes["pve-b"].ROMFiles.State; state != facts.NotAsked {
		t.Errorf("the files of another node are %v", state)
	}
	checkJSON(t, snapshot)
	if state := mustRead(t, node().add(config).write(t)).Nodes["pve-a"].ROMFiles.State; state != facts.NotAsked {
		t.Errorf("without the folder it is %v", state)
	}
}
