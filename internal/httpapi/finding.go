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

	"pciatlas/internal/auth"
	"pciatlas/internal/findings"
)

// Findings is what is worth acting on, and how much was read to find it.
type Findings struct {
	Cluster  string             `json:"cluster"`
	ReadAt   *time.Time         `json:"read_at" doc:"When the oldest read began; null if nothing was read."`
	Nodes    []NodeScope        `json:"nodes" doc:"How much of each node was read; what was not read gives no findings."`
	Findings []findings.Finding `json:"findings" doc:"The worst first."`
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
	if err := v.checkFilter(input); err != nil {
		return nil, err
	}
	return x.answer(ctx, v, input.Conditional, input.what(), func(*subject) (any, error) {
		found, err := x.findings(v)
		if err != nil {
			return nil, err
		}
		return Findings{
			Cluster: v.report.Cluster, ReadAt: v.readAt(), Nodes: v.scopes(),
			Findings: noneAsEmpty(v.choose(found, input)),
		}, nil
	})
}

// what names the parameters.
func (input *findingsInput) what() string {
	slices.Sort(input.Severity)
	slices.Sort(input.Code)
	return fmt.Sprintf("findings %s %s %q %d", strings.Join(input.Severity, ","), strings.Join(input.Code, ","), input.Node, input.VMID)
}

// checkFilter refuses a node or VM that is not there: an empty list would look
// as if nothing were wrong with it.
func (v view) checkFilter(input *findingsInput) error {
	if input.Node != "" {
		if _, err := v.node(input.Node); err != nil {
			return err
		}
	}
	if input.VMID != 0 && len(v.report.FindVM(input.VMID)) == 0 {
		return v.noVM(input.VMID)
	}
	return nil
}

// choose gives the findings that the parameters ask for.
func (v view) choose(found []findings.Finding, input *findingsInput) []findings.Finding {
	if input.Node != "" {
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
	about := findings.ByVM(v.report, chosen)
	var ofVM []findings.Finding
	for i := range chosen {
		for _, vm := range v.report.FindVM(input.VMID) {
			if slices.Contains(about[vm], i) {
				ofVM = append(ofVM, chosen[i])
				break
			}
		}
	}
	return ofVM
}
