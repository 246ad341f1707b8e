package placement

import "strings"

// Wording is one way in which the sentence of a reason is said. Of a code with several,
// the parameter "variant" says which it is.
type Wording struct {
	Code    ReasonCode `json:"code"`
	Variant string     `json:"variant,omitempty"`
	// Params are those that the sentence needs. A reason may have more.
	Params []string `json:"params"`
}

// Wordings gives the ways in which all reasons are said, in the order of the codes.
func Wordings() []Wording {
	all := make([]Wording, len(wordings))
	for i, text := range wordings {
		head, params, _ := strings.Cut(text, ": ")
		code, variant, _ := strings.Cut(head, " ")
		all[i] = Wording{Code: ReasonCode(code), Variant: variant, Params: strings.Fields(params)}
	}
	return all
}

// wordings are a code, its variant if there are several, and the parameters.
var wordings = []string{
	string(IsTemplate) + ": vmid",
	string(Locked) + ": vmid lock",
	string(LineRefused) + ": slot message",
	string(MappingNotFound) + ": slot mapping",
	string(MappingNoEntry) + ": slot mapping node",
	string(EntryInvalid) + ": slot mapping node path message properties",
	string(DeviceNotPresent) + ": slot node message",
	string(AssignedTwice) + ": vmid message",
	string(NoFreeDevice) + " held: slot node vms message",
	string(NoFreeDevice) + " nothing: slot node message",
	string(HeldByVM) + ": slot node vms devices message",
	string(NoneLeft) + ": vmid node vms",
	string(NoIOMMU) + ": node",
	string(NoGroup) + ": node devices",
	string(GroupHeldByVM) + ": vms devices message",
	string(KeepUnbound) + ": node slot devices",
	string(TypeUnknown) + ": node devices type",
	string(TypeExhausted) + ": node devices type",
	string(ParentHeld) + ": vms devices type",
	string(MemoryExceeds) + ": vmid node memory node_memory",
	string(ROMMissing) + ": slot node file",
	string(ConfigUnread) + ": vmid",
	string(NodeOff) + ": node",
	string(DevicesUnread) + ": slot node",
	string(MappingInvisible) + ": slot mapping",
	string(EntryUntold) + ": slot mapping node",
	string(GroupUnread) + ": node devices",
	string(DriverUnread) + ": node slot devices",
	string(TypesUnread) + ": node devices type",
	string(Sliced) + ": vmid vms devices",
	string(MayBeHeld) + ": vmid node vms",
	string(TooManyWays) + ": node vms",
	string(ScopeUnproven) + ": node",
	string(VMsUnseen) + ": node issue message",
	string(VMUnread) + ": node vms",
	string(VMArgs) + ": node vms",
	string(VMHook) + ": node vms",
	string(VMMappingGone) + ": node vms",
	string(OwnArgs) + ": vmid",
	string(Gets) + ": slot devices",
	string(MayGet) + ": slot devices",
	string(GetsSlice) + ": slot devices type",
	string(GroupTakes) + ": slot node devices groups",
	string(ROMUnseen) + ": slot node file",
}
