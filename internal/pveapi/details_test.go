package pveapi_test

import (
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pve"
	"pciatlas/internal/pveapi"
	"pciatlas/internal/pvesim"
)

func detailServer() *pvesim.Server {
	server := demoServer()
	server.World.Guests = append(server.World.Guests, pvesim.Guest{
		VMID: 500, Kind: pvesim.QEMU, Node: "pve-b",
		Config: "name: saved\nmemory: 1024\nhostpci1: 0000:0a:00.0\nparent: after\n\n" +
			"[before]\nmemory: 1024\nhostpci0: mapping=rtx-3090,pcie=1\nsnaptime: 1755000000\n\n" +
			"[after]\nmemory: 1024\nparent: before\nsnaptime: 1755000001\n",
	})
	return server
}

func TestDetails(t *testing.T) {
	snapshot, err := newClient(t, patient, serve(t, detailServer())).Read(t.Context(), pveapi.Request{Details: true})
	if err != nil {
		t.Fatal(err)
	}
	saved := snapshot.Nodes["pve-b"].VMs[500].Value.Snapshots
	want := []facts.VMSnapshot{
		{Name: "after"},
		{Name: "before", HostPCI: []pve.KeyValue{{Key: "hostpci0", Value: "mapping=rtx-3090,pcie=1"}}},
	}
	if diff := cmp.Diff(want, saved.Value); saved.State != facts.OK || diff != "" {
		t.Errorf("%+v: %s", saved, diff)
	}
	types := snapshot.Nodes["pve-b"].MdevTypes["0000:0a:00.0"]
	if types.State != facts.OK || len(types.Value) == 0 {
		t.Errorf("%+v", types)
	}
}

// TestDetailsFaults: whatever happens to a detail, nothing else is lost, and the
// detail is not told as if there were none.
func TestDetailsFaults(t *testing.T) {
	t.Parallel()
	sound, err := newClient(t, patient, serve(t, detailServer())).Read(t.Context(), pveapi.Request{Details: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/nodes/*/qemu/500/snapshot", "/nodes/*/qemu/500/config", "/nodes/*/hardware/pci/*/mdev"} {
		for _, kind := range pvesim.FaultKinds() {
			t.Run(kind.String()+" "+path, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { checkDetailsFault(t, &sound, &pvesim.Fault{Kind: kind, Path: path}) })
			})
		}
	}
}

func checkDetailsFault(t *testing.T, sound *facts.Snapshot, fault *pvesim.Fault) {
	t.Helper()
	server := detailServer()
	server.Inject(fault)
	got, err := pipeClient(t, quick, server).Read(t.Context(), pveapi.Request{Details: true})
	if err != nil {
		t.Fatal(err)
	}
	if fault.Hits() == 0 {
		t.Error("the fault hit nothing")
	}
	want := answers(sound)
	b, whole := got.Nodes["pve-b"], sound.Nodes["pve-b"]
	types := b.MdevTypes["0000:0a:00.0"]
	for name, answer := range answers(&got) {
		if answer.CheckedVMs != want[name].CheckedVMs || len(answer.Devices) != len(want[name].Devices) {
			t.Errorf("%s lost something: %+v", name, answer.Issues)
		}
		unread := types.State != facts.OK && fault.Kind != pvesim.FaultNotImplemented
		if said := codes(answer)[atlas.IssueMdevTypesUnreadable] > 0; name == "pve-b" && said != unread {
			t.Errorf("types %+v, and the issues are %+v", types, answer.Issues)
		}
	}
	saved := b.VMs[500].Value.Snapshots
	if diff := cmp.Diff(whole.VMs[500].Value.Snapshots.Value, saved.Value); diff != "" && saved.State == facts.OK {
		t.Errorf("snapshots: %s", diff)
	}
	if diff := cmp.Diff(whole.MdevTypes["0000:0a:00.0"].Value, types.Value); diff != "" && types.State == facts.OK {
		t.Errorf("types: %s", diff)
	}
}
