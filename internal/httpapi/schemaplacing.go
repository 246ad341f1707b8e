package httpapi

import (
	"reflect"

	"pciatlas/internal/doctor"
	"pciatlas/internal/placement"
)

// placingWords are the closed lists of placement and of the doctor.
var placingWords = map[reflect.Type][]any{
	reflect.TypeFor[placement.Verdict]():    {placement.CanStart, placement.CannotStart, placement.Unknown},
	reflect.TypeFor[placement.Effect]():     {placement.Refuses, placement.Open, placement.Outcome, placement.Remarked},
	reflect.TypeFor[placement.ReasonCode](): reasonCodes(),
	reflect.TypeFor[placement.MoveVerdict](): {
		placement.MoveAllowed, placement.MoveRootOnly, placement.MoveBlocked, placement.MoveUnverified, placement.MoveUnknown, placement.MoveNone,
	},
	reflect.TypeFor[placement.MoveCode](): {
		placement.MoveRaw, placement.MoveNoEntry, placement.MoveNoMapping, placement.MoveInvisible, placement.MoveNoLiveFlag,
		placement.MoveNodeOff, placement.MoveNodeUnread,
	},
	reflect.TypeFor[doctor.State](): {doctor.Passed, doctor.Failed, doctor.Unseen},
	reflect.TypeFor[doctor.CheckCode](): {
		doctor.CheckIOMMU, doctor.CheckDevices, doctor.CheckGroups, doctor.CheckDriver, doctor.CheckMapping, doctor.CheckConfig,
		doctor.CheckHeld, doctor.CheckReset, doctor.CheckBIOS,
	},
	reflect.TypeFor[doctor.ReadingCode](): readingCodes(),
	reflect.TypeFor[doctor.FixCode]():     anyOf(doctor.FixCodes()),
	reflect.TypeFor[doctor.GoodCode]():    anyOf(doctor.GoodCodes()),
}

func reasonCodes() []any {
	var codes []any
	for _, said := range placement.Wordings() {
		if len(codes) == 0 || codes[len(codes)-1] != any(said.Code) {
			codes = append(codes, said.Code)
		}
	}
	return codes
}

func readingCodes() []any {
	var codes []any
	for _, said := range doctor.Wordings() {
		codes = append(codes, said.Code)
	}
	return codes
}

func anyOf[T any](list []T) []any {
	values := make([]any, len(list))
	for i, value := range list {
		values[i] = value
	}
	return values
}
