package apply_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"pciatlas/internal/apply"
	"pciatlas/internal/plan"
	"pciatlas/internal/pveapi"
	"pciatlas/internal/pvesim"
)

// TestConvertAndBack converts a VM of the office to a new mapping, stops and starts
// it, and takes everything back.
func TestConvertAndBack(t *testing.T) {
	l := newLab(t, pvesim.DemoOffice())
	first := l.server.State()
	p := l.plan(t, plan.Intent{Kind: plan.Convert, VMs: []int{101}})
	if p.Stopped() || !p.RootOnly() || p.Confirm == "" {
		t.Fatalf("%+v", p.Answer())
	}
	if got := outcomes(l.run(t.Context(), t, p, l.token)); got[0] != apply.Done || got[1] != apply.Refused {
		t.Fatalf("a token can convert: %v", got)
	}
	p = l.plan(t, plan.Intent{Kind: plan.Convert, VMs: []int{101}})
	got := outcomes(l.run(t.Context(), t, p, l.root))
	if slices.ContainsFunc(got, func(o apply.Outcome) bool { return o != apply.Done && o != apply.Yours }) {
		t.Fatalf("%v: %s", got, p.Answer().Commands)
	}
	again := outcomes(l.run(t.Context(), t, p, l.root))
	if again[0] != apply.Already {
		t.Errorf("applied twice: %v", again)
	}
	if !strings.Contains(l.config(101), "mapping=") {
		t.Fatal(l.config(101))
	}
	if err := l.server.Stop(101); err != nil {
		t.Fatal(err)
	}
	if config := l.config(101); strings.Contains(config, "hostpci0: 0000:01:00") || !strings.Contains(config, "hostpci0: mapping=") {
		t.Fatal(config)
	}
	for _, step := range slices.Backward(p.Steps) {
		if step.Undo != nil {
			if err := l.root.Changes().Do(t.Context(), *step.Undo, ""); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got, want := l.config(101), configOf(first, 101); normal(got) != normal(want) {
		t.Errorf("the way back gives\n%s\nwant\n%s", got, want)
	}
}

func configOf(world *pvesim.World, vmid int) string {
	for _, guest := range world.Guests {
		if guest.VMID == vmid {
			return guest.Config
		}
	}
	return ""
}

// normal sorts the lines of a configuration.
func normal(config string) string {
	lines := strings.FieldsFunc(config, func(r rune) bool { return r == '\n' })
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// halfway refuses a request after the first line of it was written, as Proxmox VE may.
type halfway struct{ *pveapi.Changer }

type refusedError struct{}

func (refusedError) Error() string           { return "500 no" }
func (refusedError) Refused() (string, bool) { return "no", true }

func (h halfway) Do(ctx context.Context, request plan.Request, _ string) error {
	request.Params = request.Params[:1]
	if err := h.Changer.Do(ctx, request, ""); err != nil {
		return err
	}
	return refusedError{}
}

// TestRefusedHalfway: that a request was refused does not mean that nothing changed.
func TestRefusedHalfway(t *testing.T) {
	world := pvesim.DemoOffice()
	for i := range world.Guests {
		if world.Guests[i].VMID == 101 {
			world.Guests[i].Config += "hostpci5: 0000:81:00\n"
		}
	}
	l := newLab(t, world)
	for _, id := range []string{"first", "second"} {
		entry := map[string]string{
			"first":  "id=10de:24b0,iommugroup=20,node=office-a,path=0000:01:00,subsystem-id=10de:14ad",
			"second": "id=10de:2531,iommugroup=24,node=office-a,path=0000:81:00,subsystem-id=10de:151d",
		}[id]
		p := l.plan(t, plan.Intent{Kind: plan.Create, Mapping: id, Entries: []string{entry}})
		if result := l.run(t.Context(), t, p, l.root); !result.OK() {
			t.Fatalf("%+v", result)
		}
	}
	p := l.plan(t, plan.Intent{Kind: plan.Convert, VMs: []int{101}})
	if len(p.Steps) == 0 || len(p.Steps[0].Lines) != 2 {
		t.Fatalf("%+v", p.Answer())
	}
	result, err := apply.Run(t.Context(), p, halfway{l.root.Changes()}, apply.Options{})
	if err != nil || result.Steps[0].Outcome != apply.Partly || result.Steps[0].PVE != "no" {
		t.Errorf("%v %+v", err, result)
	}
}
