package httpapi

import (
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/findings"
	"pciatlas/internal/pci"
	"pciatlas/internal/plan"
)

// schemaOf gives the schema of a type that is answered. Huma makes it from the
// fields; what the types of the pure packages cannot say there is added here:
// closed lists of words, the notation of addresses, and which lists may be null.
func schemaOf(registry huma.Registry, t reflect.Type) *huma.Schema {
	registry.RegisterTypeAlias(reflect.TypeFor[findings.Subject](), reflect.TypeFor[FindingSubject]())
	schema := registry.Schema(t, true, "")
	refine(registry, t, map[reflect.Type]bool{})
	return schema
}

// FindingSubject is the form of findings.Subject in JSON.
type FindingSubject struct {
	Node    string       `json:"node,omitempty"`
	VMID    int          `json:"vmid,omitempty"`
	Slot    string       `json:"slot,omitempty" example:"hostpci0"`
	Mapping string       `json:"mapping,omitempty"`
	Device  *pci.Address `json:"device,omitempty"`
}

// nullLists are the lists for which null means not told, or not applicable.
var nullLists = map[string]string{
	"Answer.Devices":                "Null: not read.",
	"AnswerIssue.Devices":           "The devices that can be concerned; null: any device of the node.",
	"AnswerDevice.VirtualFunctions": "Null: not told.",
	"VMAnswer.Dropped":              "Lines of the file that Proxmox VE drops; null: this source cannot tell.",
	"VMAnswer.Snapshots":            "Lines that snapshots hold; null: not read.",
	"DeviceAnswer.GroupMembers":     "Null: no IOMMU group, or not told.",
	"DeviceHost.Uses":               "What the host is seen to use the function for; null: not told.",
	"VM.Tags":                       "Null: not told.",
	"NodeAnswer.HostDisplays":       "The displays, virtual functions left out; null: the devices were not read.",
	"DeviceDetail.Findings":         "Those about the function, and about lines and mappings that name it; null: not asked for.",
	"VM.Findings":                   "Those about the VM, and about functions and mappings that its lines name; null: not asked for.",
	"VM.Lines":                      "The values of hostpci0 to hostpci15 by slot and phase; null: the configuration was not read.",
	"VMRow.Lines":                   "The values of hostpci0 to hostpci15 by slot and phase; null: the configuration was not read.",
	"ClusterNodes.Nodes":            "Null: the list could not be read.",
	"MatrixAnswer.Mappings":         "Null: the list could not be read.",
	"MatrixMapping.Snapshots":       "Lines of snapshots that name the mapping; null: not all snapshots of all VMs were read.",
	"MatrixCell.PVE":                "What Proxmox VE's own check says; null: not asked for, or not read.",
	"MatrixEntry.Devices":           "Null: the devices of the node were not read.",
	"AnswerNode.Swap":               "Values that have to change places so that the VM starts; null: nothing to change, or no order helps.",
}

// patterns are how types are written that are text in JSON.
var patterns = map[reflect.Type]string{
	reflect.TypeFor[pci.Address](): `^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f]$`,
	reflect.TypeFor[pci.Class]():   `^0x[0-9a-f]{6}$`,
	reflect.TypeFor[pci.ID]():      `^[0-9a-f]{4}$`,
}

// words are the closed lists.
var words = map[reflect.Type][]any{
	reflect.TypeFor[pci.Kind]():         {pci.Display, pci.Accelerator, pci.Other},
	reflect.TypeFor[atlas.Source]():     {atlas.SourceAPI, atlas.SourceHost, atlas.SourceSnapshot, atlas.SourceMerged},
	reflect.TypeFor[atlas.ScopeState](): {atlas.Proven, atlas.Assumed, atlas.Unproven},
	reflect.TypeFor[atlas.State]():      {atlas.Referenced, atlas.MultiReferenced, atlas.Unreferenced, atlas.NeedsReview},
	reflect.TypeFor[atlas.Phase]():      {atlas.Current, atlas.Pending, atlas.PendingRemoval},
	reflect.TypeFor[atlas.Via]():        {atlas.ViaAddress, atlas.ViaMapping},
	reflect.TypeFor[atlas.Certainty]():  {atlas.Exact, atlas.Candidate},
	reflect.TypeFor[atlas.Reason](): {
		atlas.DeviceNotPresent, atlas.MappingNotFound, atlas.MappingInvisible, atlas.MappingNoEntryForNode, atlas.DevicesNotRead,
	},
	reflect.TypeFor[atlas.IssueCode](): {
		atlas.IssueScopeUnproven, atlas.IssueVMHidden, atlas.IssueVMUnreadable, atlas.IssueVMLimit, atlas.IssueTimeBudget,
		atlas.IssueCustomArgs, atlas.IssueHookscript, atlas.IssueHostPCIInvalid, atlas.IssueMappingNotFound,
		atlas.IssueMappingInvisible, atlas.IssueMappingNoEntry, atlas.IssueMappingAmbiguous, atlas.IssueDevicesUnreadable,
		atlas.IssueNodeUnreachable, atlas.IssueContainerUnreadable, atlas.IssueMdevTypesUnreadable,
		atlas.IssuePolicyUnreadable, atlas.IssueTooOld,
	},
	reflect.TypeFor[atlas.CellVerdict](): {atlas.CellOK, atlas.CellInvalid, atlas.CellMissing, atlas.CellUnreadable},
	reflect.TypeFor[plan.Kind]():         texts(plan.Kinds()),
	reflect.TypeFor[plan.NoteCode]():     texts(plan.NoteCodes()),
	reflect.TypeFor[plan.Action]():       {plan.CreateMapping, plan.ChangeMapping, plan.DeleteMapping, plan.SetVM, plan.RestartVM},
	reflect.TypeFor[plan.GuardKind]():    {plan.GuardFileDigest, plan.GuardVMDigest, plan.GuardReadBack, plan.GuardNone},
	reflect.TypeFor[plan.RootReason]():   {plan.RootRawLine, plan.RootROMFile},
	reflect.TypeFor[plan.LeftReason](): {
		plan.LeftCovered, plan.LeftFaulty, plan.LeftBMC, plan.LeftBootDisplay, plan.LeftHasVFs, plan.LeftUntold,
	},
	reflect.TypeFor[facts.ReadState](): {
		facts.NotAsked.String(), facts.OK.String(), facts.Partial.String(), facts.Filtered.String(), facts.Failed.String(),
	},
	reflect.TypeFor[facts.Status]():      {facts.Running, facts.Stopped, facts.UnknownStatus},
	reflect.TypeFor[facts.UseKind]():     {facts.UseStorage, facts.UseNetwork, facts.UseConsole},
	reflect.TypeFor[findings.Severity](): {findings.Info.String(), findings.Warning.String(), findings.Error.String()},
	reflect.TypeFor[findings.Code]():     findingCodes(),
}

func findingCodes() []any {
	var codes []any
	for _, entry := range findings.Registry() {
		codes = append(codes, entry.Code)
	}
	return codes
}

// refine goes through the fields of a type and of the types that it holds.
func refine(registry huma.Registry, t reflect.Type, seen map[reflect.Type]bool) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		refine(registry, t.Elem(), seen)
		return
	case reflect.Struct:
	default:
		return
	}
	if t == reflect.TypeFor[findings.Subject]() {
		t = reflect.TypeFor[FindingSubject]()
	}
	schema := registry.Schema(t, false, "")
	if seen[t] || len(schema.Properties) == 0 {
		return
	}
	seen[t] = true
	for _, field := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		property := schema.Properties[name]
		if name == "" || property == nil {
			continue
		}
		refine(registry, field.Type, seen)
		schema.Properties[name] = refineField(property, declaring(t, field).Name()+"."+field.Name, field.Type, strings.Contains(options, "omit"))
	}
}

// declaring is the type whose field a promoted field is.
func declaring(t reflect.Type, field reflect.StructField) reflect.Type {
	for _, i := range field.Index[:len(field.Index)-1] {
		t = t.Field(i).Type
	}
	return t
}

// refineField completes the schema of one field.
func refineField(schema *huma.Schema, name string, t reflect.Type, optional bool) *huma.Schema {
	if meaning, may := nullLists[name]; may {
		schema.Nullable, schema.Description = true, meaning
	}
	if t.Kind() == reflect.Pointer && schema.Ref != "" && !optional {
		return &huma.Schema{OneOf: []*huma.Schema{{Ref: schema.Ref}, {Type: "null"}}, Description: schema.Description}
	}
	refineText(schema, t)
	return schema
}

// refineText completes the schema of texts and of lists of texts.
func refineText(schema *huma.Schema, t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer:
		t = t.Elem()
	case reflect.Slice:
		refineText(schema.Items, t.Elem())
		return
	default:
	}
	if pattern, known := patterns[t]; known {
		schema.Pattern = pattern
	}
	list, known := words[t]
	if !known {
		list, known = placingWords[t]
	}
	if !known {
		return
	}
	schema.Enum = append([]any{}, list...)
	if schema.Nullable {
		schema.Enum = append(schema.Enum, nil)
	}
}

// texts gives words as plain texts, which is what a body that is checked holds.
func texts[T ~string](values []T) []any {
	all := make([]any, len(values))
	for i, value := range values {
		all[i] = string(value)
	}
	return all
}
