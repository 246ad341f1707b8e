package httpapi

import (
	"context"
	"slices"
	"strings"
	"time"
	"weak"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/findings"
	"pciatlas/internal/fleet"
)

// view is one read of a cluster, with the state of what is registered for it.
type view struct {
	cluster  fleet.Cluster
	report   *atlas.Report
	desktops int64 // revision
}

// subject is what an answer is made of beside the view.
type subject struct {
	desktops fleet.Index
	options  atlas.AnswerOptions // with the managed VMs of the report
}

// lookAt reads a cluster by name.
func (x *inventory) lookAt(ctx context.Context, name string, want Want) (view, error) {
	cluster, err := x.findCluster(ctx, name)
	if err != nil {
		return view{}, err
	}
	return x.look(ctx, cluster, want)
}

func (x *inventory) look(ctx context.Context, cluster fleet.Cluster, want Want) (view, error) {
	report, err := x.Live.Report(ctx, cluster.Name, want)
	if err != nil {
		return view{}, err
	}
	revision, err := x.Store.DesktopsRevision(ctx, cluster.Name)
	if isNotFound(err) {
		err = noCluster()
	}
	return view{cluster, report, revision}, err
}

// answer renders an answer once for all who ask for the same. What names the
// operation and its parameters.
func (x *inventory) answer(ctx context.Context, v view, condition Conditional, what string, compose func(*subject) (any, error)) (*renderedOutput, error) {
	key := answerKey{weak.Make(v.report), what, v.cluster.Revision, v.desktops}
	r, err := x.answers.get(key, func() (rendered, error) {
		s, err := x.subject(context.WithoutCancel(ctx), v) // others may wait for it
		if err != nil {
			return rendered{}, err
		}
		value, err := compose(s)
		if err != nil {
			return rendered{}, err
		}
		return render(value)
	})
	if err != nil {
		return nil, err
	}
	return r.output(condition), nil
}

func (x *inventory) subject(ctx context.Context, v view) (*subject, error) {
	desktops, err := x.Store.Desktops(ctx, v.cluster.Name)
	if isNotFound(err) {
		err = noCluster()
	}
	if err != nil {
		return nil, err
	}
	s := &subject{desktops: fleet.NewIndex(desktops, v.cluster.DesktopTag)}
	s.options.Desktops, s.options.Undecided = map[int]atlas.Desktop{}, map[int]bool{}
	told := v.templatesTold()
	for _, vm := range v.report.VMs {
		if !s.desktops.Decides(vm.VMID, tagsTold(vm, told)) {
			s.options.Undecided[vm.VMID] = true
		}
		if managed, is := s.desktops.Managed(vm.VMID, vm.Name, vm.Tags); is {
			s.options.Desktops[vm.VMID] = atlas.Desktop{Name: managed.Name}
		}
	}
	return s, nil
}

// tagsTold says whether the tags of a VM are known: the configuration has them, and
// a list of VMs that tells templates tells tags, too.
func tagsTold(vm *atlas.VM, told map[guestKey]bool) bool {
	return vm.Config != nil || told[guestKey{vm.Node, vm.VMID}]
}

// managed says whether and as which desktop a VM is managed; null where its tags are
// not known and may decide.
func (s *subject) managed(vm *atlas.VM, told map[guestKey]bool) (is *bool, name *string) {
	if !s.desktops.Decides(vm.VMID, tagsTold(vm, told)) {
		return nil, nil
	}
	managed, yes := s.desktops.Managed(vm.VMID, vm.Name, vm.Tags)
	return &yes, textOrNull(managed.Name)
}

// findings gives the findings of a report, which are found once for all who ask.
// They must not be changed. The report is one of all nodes, with details.
func (x *inventory) findings(v view) ([]findings.Finding, error) {
	return x.found.get(weak.Make(v.report), func() ([]findings.Finding, error) {
		found := findings.Find(v.report)
		for i := range found {
			if found[i].Evidence == nil {
				found[i].Evidence = []string{}
			}
			if found[i].Remedy == nil {
				found[i].Remedy = []string{}
			}
		}
		x.tally.note(v.cluster.Name, v.began(), found)
		return found, nil
	})
}

// sizeOfFindings guesses how many bytes findings hold.
func sizeOfFindings(found []findings.Finding) int { return 1024 * (1 + len(found)) }

// noneAsEmpty makes an empty list of findings one that is told and empty.
func noneAsEmpty(found []findings.Finding) []findings.Finding {
	if found == nil {
		return []findings.Finding{}
	}
	return found
}

// node gives the answer for a node of the report.
func (v view) node(name string) (*atlas.Node, error) {
	if node := v.report.Node(name); node != nil {
		return node, nil
	}
	members := v.report.Facts.Members
	if members.State != facts.OK {
		return nil, notFound("node", "Nothing is known of a node with this name; the list of nodes could not be read completely.")
	}
	names := make([]string, len(members.Value))
	for i := range members.Value {
		names[i] = members.Value[i].Name
	}
	slices.Sort(names)
	return nil, notFound("node", "There is no node with this name in cluster "+v.cluster.Name+". Its nodes are "+strings.Join(names, ", ")+"; names are case-sensitive.")
}

// NodeScope says how much of a node was read, and what was not.
type NodeScope struct {
	Node        string              `json:"node"`
	ReadAt      *time.Time          `json:"read_at" doc:"When the first read began; null if nothing was read."`
	Complete    bool                `json:"complete" doc:"All references to devices of the node are known."`
	Scope       atlas.ScopeState    `json:"scope" doc:"How sure it is that all VMs were visible."`
	ScopeReason *string             `json:"scope_reason" doc:"Why that is not proven."`
	VisibleVMs  int                 `json:"visible_vms"`
	CheckedVMs  int                 `json:"checked_vms"`
	DevicesRead bool                `json:"devices_read"`
	Issues      []atlas.AnswerIssue `json:"issues" doc:"What could not be read or resolved."`
}

// scopes gives how much of each node was read.
func (v view) scopes() []NodeScope {
	scopes := make([]NodeScope, len(v.report.Nodes))
	for i := range v.report.Nodes {
		node := &v.report.Nodes[i]
		scopes[i] = NodeScope{
			Node: node.Name, ReadAt: timestampOrNull(node.ReadAt), Complete: node.Complete,
			Scope: node.Scope.State, ScopeReason: textOrNull(node.Scope.Reason),
			VisibleVMs: node.VisibleVMs, CheckedVMs: node.CheckedVMs, DevicesRead: node.DevicesRead,
			Issues: node.AnswerIssues(),
		}
	}
	return scopes
}

// readAt is when the oldest of the reads began; nil if nothing was read.
func (v view) readAt() *time.Time { return timestampOrNull(v.began()) }

// began is readAt, not rounded; zero if nothing was read.
func (v view) began() time.Time {
	var oldest time.Time
	for i := range v.report.Nodes {
		if at := v.report.Nodes[i].ReadAt; !at.IsZero() && (oldest.IsZero() || at.Before(oldest)) {
			oldest = at
		}
	}
	return oldest
}
