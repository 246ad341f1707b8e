package httpapi

import (
	"context"
	"fmt"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"pciatlas/internal/atlas"
	"pciatlas/internal/findings"
	"pciatlas/internal/plan"
)

// Mappings is all resource mappings on all nodes, and how much was read to judge
// them.
type Mappings struct {
	atlas.MatrixAnswer

	ReadAt   *time.Time         `json:"read_at" doc:"When the oldest read began; null if nothing was read."`
	Scopes   []NodeScope        `json:"scopes" doc:"How much of each node was read."`
	Findings []findings.Finding `json:"findings" doc:"Those about mappings, the worst first."`
}

// Suggestions is the mappings that the hardware asks for.
type Suggestions struct {
	plan.SuggestionsAnswer

	ReadAt *time.Time  `json:"read_at" doc:"When the oldest read began; null if nothing was read."`
	Scopes []NodeScope `json:"scopes" doc:"How much of each node was read."`
}

// MappingExport is mappings written down.
type MappingExport struct {
	Format plan.Format `json:"format" enum:"commands,terraform,json"`
	Text   string      `json:"text"`
}

type mappingsInput struct {
	Conditional
	ClusterPath
}

type exportInput struct {
	Conditional
	ClusterPath

	Format    string `query:"format" enum:"commands,terraform,json" default:"commands"`
	Suggested bool   `query:"suggested" doc:"Write down what is suggested, not what is there."`
	Mapping   string `query:"mapping" maxLength:"200" doc:"Only this one."`
}

func (x *inventory) registerMappings() {
	read[Mappings](x, huma.Operation{
		OperationID: "list-mappings", Path: "/clusters/{cluster}/mappings", Tags: []string{tagInventory},
		Summary:     "Resource mappings on all nodes, with our check beside that of Proxmox VE",
		Description: "All nodes are read. A mapping that is not here may not have been visible: scope tells.",
	}, x.listMappings)
	read[Suggestions](x, huma.Operation{
		OperationID: "suggest-mappings", Path: "/clusters/{cluster}/mappings/suggestions", Tags: []string{tagInventory},
		Summary:     "Resource mappings that the hardware of all nodes asks for",
		Description: "Text until somebody applies it: nothing is changed.",
	}, x.suggestMappings)
	read[MappingExport](x, huma.Operation{
		OperationID: "export-mappings", Path: "/clusters/{cluster}/mappings/export", Tags: []string{tagInventory},
		Summary: "Resource mappings as commands, for Terraform or as JSON",
	}, x.exportMappings)
}

func (x *inventory) listMappings(ctx context.Context, input *mappingsInput) (*renderedOutput, error) {
	v, err := x.lookAt(ctx, input.Cluster, Want{Details: true})
	if err != nil {
		return nil, err
	}
	return x.answer(ctx, v, input.Conditional, "mappings", func(*subject) (any, error) {
		found, err := x.findings(v)
		if err != nil {
			return nil, err
		}
		answer := Mappings{MatrixAnswer: v.report.MatrixAnswer(), ReadAt: v.readAt(), Scopes: v.scopes(), Findings: []findings.Finding{}}
		for i := range found {
			if found[i].Subject.Mapping != "" {
				answer.Findings = append(answer.Findings, found[i])
			}
		}
		return answer, nil
	})
}

func (x *inventory) suggestMappings(ctx context.Context, input *mappingsInput) (*renderedOutput, error) {
	v, err := x.lookAtMappings(ctx, input.Cluster)
	if err != nil {
		return nil, err
	}
	return x.answer(ctx, v, input.Conditional, "suggestions", func(*subject) (any, error) {
		suggestions := plan.Suggest(v.report)
		return Suggestions{SuggestionsAnswer: suggestions.Answer(v.report), ReadAt: v.readAt(), Scopes: v.scopes()}, nil
	})
}

func (x *inventory) exportMappings(ctx context.Context, input *exportInput) (*renderedOutput, error) {
	v, err := x.lookAtMappings(ctx, input.Cluster)
	if err != nil {
		return nil, err
	}
	what := fmt.Sprintf("export %s %t %s", input.Format, input.Suggested, input.Mapping)
	return x.answer(ctx, v, input.Conditional, what, func(*subject) (any, error) {
		list := plan.ExportExisting(v.report)
		if input.Suggested {
			suggestions := plan.Suggest(v.report)
			list = suggestions.ExportSuggested()
		}
		if input.Mapping != "" {
			list = only(list, input.Mapping)
			if len(list) == 0 {
				return nil, v.noMapping(input.Mapping)
			}
		}
		text, err := plan.Export(plan.Format(input.Format), list)
		return MappingExport{Format: plan.Format(input.Format), Text: text}, err
	})
}

// lookAtMappings reads a cluster for what rests on the list of its mappings. A list that
// was not read must not look like an empty one: nothing would be written down, and
// everything proposed once more.
func (x *inventory) lookAtMappings(ctx context.Context, cluster string) (view, error) {
	v, err := x.lookAt(ctx, cluster, Want{Details: true})
	if err != nil {
		return view{}, err
	}
	read := v.report.Facts.Mappings
	if read.State.Answered() {
		return v, nil
	}
	reason := ""
	if len(read.Problems) > 0 {
		reason = " " + sentence(read.Problems[0].Message)
	}
	return view{}, newProblem("pve_refused", "The resource mappings could not be read, so nothing can be said of them."+reason)
}

func only(list []plan.Exported, id string) []plan.Exported {
	for _, one := range list {
		if one.ID == id {
			return []plan.Exported{one}
		}
	}
	return nil
}

// noMapping says how sure it is that a mapping does not exist.
func (v view) noMapping(id string) *Problem {
	if !v.report.MappingsShown() {
		return notFound("mapping", "Resource mapping "+id+" is not visible here; whether it exists is not known.")
	}
	return notFound("mapping", "There is no resource mapping "+id+"; names are case-sensitive.")
}
