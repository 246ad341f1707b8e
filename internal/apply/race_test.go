package apply_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pciatlas/internal/apply"
	"pciatlas/internal/plan"
	"pciatlas/internal/pve"
	"pciatlas/internal/pveapi"
	"pciatlas/internal/pvesim"
)

// meddler lets somebody else change the cluster between any two requests of a run.
type meddler struct {
	*pveapi.Changer

	lab   *lab
	draw  func(request string) string // which change to make before a request, "" for none
	made  []string                    // the changes that were made
	sent  []plan.Request
	known []pve.Mapping // the mappings right before the last request that was sent
}

var meddlings = []string{"", "", "", "other mapping", "same mapping", "new mapping", "same mapping goes", "line of the VM", "tags of the VM", "lock"}

func (m *meddler) meddle(ctx context.Context, request string) {
	what := m.draw(request)
	if what == "" {
		return
	}
	changes, number := m.lab.root.Changes(), len(m.made)
	var err error
	switch what {
	case "other mapping", "same mapping":
		id := map[string]string{"other mapping": "bystander", "same mapping": "pool"}[what]
		err = changes.Do(ctx, plan.Request{Method: "PUT", Path: "/cluster/mapping/pci/" + id, Params: []plan.Param{
			{Name: "map", Value: bystanderEntry}, {Name: "description", Value: fmt.Sprint("foreign ", number)},
		}}, "")
	case "new mapping":
		err = changes.Do(ctx, plan.Request{Method: "POST", Path: "/cluster/mapping/pci", Params: []plan.Param{
			{Name: "id", Value: fmt.Sprint("foreign-", number)}, {Name: "map", Value: bystanderEntry},
		}}, "")
	case "same mapping goes":
		err = changes.Do(ctx, plan.Request{Method: "DELETE", Path: "/cluster/mapping/pci/pool"}, "")
	case "line of the VM":
		err = m.setVM(ctx, "hostpci3", "mapping=bystander")
	case "tags of the VM":
		err = m.setVM(ctx, "tags", fmt.Sprint("foreign", number))
	case "lock":
		m.lab.server.Update(func(w *pvesim.World) {
			for i := range w.Guests {
				if w.Guests[i].VMID == 101 && !strings.Contains(w.Guests[i].Config, "lock:") {
					w.Guests[i].Config += "lock: backup\n"
				}
			}
		})
	}
	if err == nil {
		m.made = append(m.made, what)
	}
}

func (m *meddler) setVM(ctx context.Context, key, value string) error {
	return m.lab.root.Changes().Do(ctx, plan.Request{
		Method: "PUT", Node: "office-a", Path: "/nodes/office-a/qemu/101/config", Params: []plan.Param{{Name: key, Value: value}},
	}, "")
}

const bystanderEntry = "id=10de:24b0,iommugroup=22,node=office-b,path=0000:03:00,subsystem-id=10de:14ad"

func (m *meddler) Mappings(ctx context.Context) ([]pve.Mapping, error) {
	m.meddle(ctx, "read mappings")
	return m.Changer.Mappings(ctx)
}

func (m *meddler) VM(ctx context.Context, node string, vmid int) ([]pve.Item, error) {
	m.meddle(ctx, "read VM")
	return m.Changer.VM(ctx, node, vmid)
}

func (m *meddler) Do(ctx context.Context, request plan.Request, digest string) error {
	m.meddle(ctx, request.Method)
	m.known, _ = m.Changer.Mappings(ctx)
	err := m.Changer.Do(ctx, request, digest)
	if err == nil {
		m.sent = append(m.sent, request)
	}
	return err
}

// TestRaces applies plans while somebody else changes the cluster at any point:
// nothing that they changed is written over where Proxmox VE can guard it, what did
// not end as planned is told, and nothing follows it.
func TestRaces(t *testing.T) {
	intents := []plan.Intent{
		{Kind: plan.Create, Mapping: "pool", Entries: []string{"id=10de:24b0,iommugroup=20,node=office-a,path=0000:01:00,subsystem-id=10de:14ad"}},
		{Kind: plan.Change, Mapping: "pool", Entries: []string{"id=10de:24b0,iommugroup=20,node=office-a,path=0000:01:00,subsystem-id=10de:14ad", bystanderEntry}},
		{Kind: plan.Delete, Mapping: "pool"},
		{Kind: plan.Convert, VMs: []int{101}},
		{Kind: plan.Convert, VMs: []int{101}, Mapping: "converted"},
	}
	ended := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		l := raceLab
		if l == nil {
			l = newLab(t, pvesim.DemoOffice())
			raceLab = l
			raceWorld = l.server.State()
		}
		l.server.Update(func(w *pvesim.World) { *w = *raceWorld.Clone() })
		intent := rapid.SampledFrom(intents).Draw(rt, "intent")
		create(rt, l, "bystander")
		if intent.Kind != plan.Create {
			create(rt, l, "pool")
		}
		p := l.plan(t, intent)
		if p.Stopped() {
			rt.Fatalf("%+v", p.Notes)
		}
		m := &meddler{Changer: l.root.Changes(), lab: l}
		m.draw = func(request string) string { return rapid.SampledFrom(meddlings).Draw(rt, "before "+request) }
		result, err := apply.Run(t.Context(), p, m, apply.Options{})
		if err != nil {
			rt.Fatal(err)
		}
		checkRace(rt, l, p, m, &result)
		ended[fmt.Sprintf("ok %t, others changed something %t", result.OK(), len(m.made) > 0)]++
	})
	raceLab = nil
	if len(ended) != 3 || ended["ok false, others changed something false"] > 0 {
		t.Errorf("the runs ended as %v", ended)
	}
}

// raceLab is served once for all draws.
var (
	raceLab   *lab
	raceWorld *pvesim.World
)

func create(t *rapid.T, l *lab, id string) {
	err := l.root.Changes().Do(context.Background(), plan.Request{Method: "POST", Path: "/cluster/mapping/pci", Params: []plan.Param{
		{Name: "id", Value: id}, {Name: "map", Value: bystanderEntry},
	}}, "")
	if err != nil {
		t.Fatal(err)
	}
}

func checkRace(t *rapid.T, l *lab, p *plan.Plan, m *meddler, result *apply.Result) {
	good := true
	for i, step := range result.Steps {
		if !good && step.Outcome != apply.NotTried {
			t.Fatalf("step %d after a failure: %s", i+1, step.Outcome)
		}
		bad := step.Outcome != apply.Done && step.Outcome != apply.Already && step.Outcome != apply.Yours
		if bad && step.Outcome != apply.NotTried && step.Problem == "" {
			t.Fatalf("step %d ended as %s without a word", i+1, step.Outcome)
		}
		good = good && !bad
	}
	if good {
		checkReached(t, l, p)
	}
	mappings, err := l.root.Changes().Mappings(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	config := l.config(101)
	for i, what := range m.made {
		switch {
		case what == "new mapping" && find(mappings, fmt.Sprint("foreign-", i)) == nil:
			t.Fatal("a mapping of somebody else is gone")
		case what == "line of the VM" && !strings.Contains(config, "hostpci3: mapping=bystander"):
			t.Fatalf("a line of somebody else is gone:\n%s", config)
		case what == "tags of the VM" && !strings.Contains(config, "tags: foreign"):
			t.Fatalf("tags of somebody else are gone:\n%s", config)
		case what == "other mapping" && (find(mappings, "bystander") == nil || find(mappings, "bystander").Description == nil):
			t.Fatal("a description of somebody else is gone")
		}
	}
	for _, request := range m.sent {
		if request.Method == http.MethodPut && request.Path == "/cluster/mapping/pci/pool" && !plan.SameMapping(find(m.known, "pool"), p.Steps[0].Before) {
			t.Fatalf("a change of somebody else was written over: %+v", find(m.known, "pool"))
		}
	}
}

// checkReached looks whether the cluster is as the plan says, up to what others did
// after it was read back, which is nothing.
func checkReached(t *rapid.T, l *lab, p *plan.Plan) {
	mappings, err := l.root.Changes().Mappings(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	last := &p.Steps[0]
	for i := range p.Steps {
		if p.Steps[i].Request != nil {
			last = &p.Steps[i]
		}
	}
	if last.Action == plan.SetVM {
		if config := l.config(last.VMID); !strings.Contains(config, pve.SlotKey(last.Lines[0].Slot)+": "+last.Lines[0].After) {
			t.Fatalf("not as planned:\n%s", config)
		}
		return
	}
	now := find(mappings, last.Mapping)
	if (now == nil) != (last.After == nil) || now != nil && !plan.SameMapping(now, last.After) {
		t.Fatalf("not as planned: %+v, want %+v", now, last.After)
	}
}

func find(list []pve.Mapping, id string) *pve.Mapping {
	for i := range list {
		if list[i].ID == id {
			return &list[i]
		}
	}
	return nil
}

// TestAuditFirst: a step that cannot be written down is not sent.
func TestAuditFirst(t *testing.T) {
	l := newLab(t, pvesim.DemoOffice())
	p := l.plan(t, plan.Intent{Kind: plan.Create, Mapping: "pool", Entries: []string{bystanderEntry}})
	result, err := apply.Run(t.Context(), p, l.root.Changes(), apply.Options{Observe: func(int, *apply.StepResult) error { return errors.New("the disk is full") }})
	if err != nil || result.Steps[0].Outcome != apply.Failed {
		t.Fatalf("%v %+v", err, result)
	}
	mappings, err := l.root.Changes().Mappings(t.Context())
	if err != nil || find(mappings, "pool") != nil {
		t.Fatal("it was sent")
	}
}
