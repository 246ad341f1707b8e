package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"pciatlas/internal/atlas"
	"pciatlas/internal/auth"
	"pciatlas/internal/findings"
)

// Findings is what is worth acting on, and how much was read to find it.
type Findings struct {
	Cluster  string          `json:"cluster"`
	ReadAt   *time.Time      `json:"read_at" doc:"When the oldest read began; null if nothing was read."`
	Nodes    []NodeScope     `json:"nodes" doc:"How much of each node was read; what was not read gives no findings."`
	Findings []ListedFinding `json:"findings" doc:"The worst first."`
}

// FindingCodes documents all codes of findings.
type FindingCodes struct {
	Codes []FindingCode `json:"codes"`
}

// FindingCode documents one code of findings.
type FindingCode struct {
	Code     findings.Code `json:"code"`
	Family   string        `json:"family"`
	Severity string        `json:"severity" doc:"In words: it may depend on the case."`
	When     string        `json:"when"`
	Why      string        `json:"why"`
	Remedy   string        `json:"remedy"`
	Source   string        `json:"source" doc:"The part of Proxmox VE or the kernel that behaves so."`
	ToCome   bool          `json:"to_come" doc:"No rule gives the code yet."`
}

type findingsInput struct {
	Conditional
	ClusterPath

	Severity []string `query:"severity" maxItems:"3" enum:"info,warning,error" doc:"Only these, separated by commas."`
	Code     []string `query:"code" maxItems:"100" doc:"Only these, separated by commas."`
	Node     string   `query:"node" maxLength:"63" doc:"Only those about this node and about none in particular."`
	VMID     int      `query:"vmid" minimum:"100" maximum:"999999999" doc:"Only those about this VM and about what its lines name."`
	Device   string   `query:"device" maxLength:"20" doc:"Only those about this function of the node, and about lines and mappings that name it. Needs node." example:"0000:01:00.0"`
}

func (x *inventory) registerFindings() {
	read[Findings](x, huma.Operation{
		OperationID: "list-findings", Path: "/clusters/{cluster}/findings", Tags: []string{tagInventory},
		Summary: "What is worth acting on", Description: "All nodes are read, because findings compare them.",
	}, x.listFindings)
	schemaOf(x.huma.OpenAPI().Components.Schemas, reflect.TypeFor[FindingCodes]())
	register(x.API, huma.Operation{
		OperationID: "list-finding-codes", Method: http.MethodGet, Path: "/finding-codes", Tags: []string{tagInventory},
		Summary: "What each code of a finding means",
	}, auth.Auditor, func(context.Context, *struct{}) (*body[FindingCodes], error) {
		return &body[FindingCodes]{toFindingCodes()}, nil
	})
}

func toFindingCodes() FindingCodes {
	var codes FindingCodes
	for _, family := range findings.Families() {
		for _, e := range family.Entries {
			codes.Codes = append(codes.Codes, FindingCode{e.Code, family.Title, e.Severity, e.When, e.Why, e.Remedy, e.Source, e.ToCome})
		}
	}
	return codes
}

func (x *inventory) listFindings(ctx context.Context, input *findingsInput) (*renderedOutput, error) {
	for _, code := range input.Code {
		if !slices.ContainsFunc(findings.Registry(), func(e findings.Entry) bool { return string(e.Code) == code }) {
			return nil, invalid("code", "There is no finding with one of these codes. GET /finding-codes lists them.")
		}
	}
	v, err := x.lookAt(ctx, input.Cluster, Want{Details: true})
	if err != nil {
		return nil, err
	}
	about, err := v.filter(input)
	if err != nil {
		return nil, err
	}
	return x.answer(ctx, v, input.Conditional, input.what(), func(*subject) (any, error) {
		found, err := x.findings(v)
		if err != nil {
			return nil, err
		}
		return Findings{
			Cluster: v.report.Cluster, ReadAt: v.readAt(), Nodes: v.scopes(),
			Findings: v.listed(v.choose(found, input, about)),
		}, nil
	})
}

// what names the parameters.
func (input *findingsInput) what() string {
	slices.Sort(input.Severity)
	slices.Sort(input.Code)
	return fmt.Sprintf("findings %s %s %q %d %s", strings.Join(input.Severity, ","), strings.Join(input.Code, ","), input.Node, input.VMID, strings.ToLower(input.Device))
}

// findingsFilter is what findings are to be about.
type findingsFilter struct {
	node   *atlas.Node // nil: any
	device *atlas.Device
	vms    []*atlas.VM // of one number
}

// filter refuses a node, VM or function that is not there: an empty list would
// look as if nothing were wrong with it.
func (v view) filter(input *findingsInput) (about findingsFilter, err error) {
	if input.Node != "" {
		if about.node, err = v.node(input.Node); err != nil {
			return about, err
		}
	}
	if input.Device != "" {
		if about.device, err = v.findDevice(about.node, input.Device); err != nil {
			return about, err
		}
	}
	if input.VMID != 0 {
		if about.vms = v.report.FindVM(input.VMID); len(about.vms) == 0 {
			return about, v.noVM(input.VMID)
		}
	}
	return about, nil
}

func (v view) findDevice(node *atlas.Node, text string) (*atlas.Device, error) {
	if node == nil {
		return nil, invalid("device", "Name the node of the function, too.")
	}
	address, err := parseFunction("device", text)
	if err != nil {
		return nil, err
	}
	if device := node.Device(address); device != nil {
		return device, nil
	}
	return nil, v.noDevice(node, address)
}

// choose gives the findings that the parameters ask for.
func (v view) choose(found []findings.Finding, input *findingsInput, about findingsFilter) []findings.Finding {
	switch {
	case about.device != nil:
		found = findings.OfDevice(found, about.node, about.device)
	case about.node != nil:
		found = findings.OfNodes(found, []string{input.Node})
	}
	var chosen []findings.Finding
	for i := range found {
		f := &found[i]
		if (len(input.Severity) == 0 || slices.Contains(input.Severity, f.Severity.String())) &&
			(len(input.Code) == 0 || slices.Contains(input.Code, string(f.Code))) {
			chosen = append(chosen, *f)
		}
	}
	if input.VMID == 0 {
		return chosen
	}
	places := findings.ByVM(v.report, chosen)
	var ofVM []findings.Finding
	for i := range chosen {
		if slices.ContainsFunc(about.vms, func(vm *atlas.VM) bool { return slices.Contains(places[vm], i) }) {
			ofVM = append(ofVM, chosen[i])
		}
	}
	return ofVM
}
