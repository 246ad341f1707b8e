// Command wordings writes how the reasons of placement and the readings of the doctor are
// said, for the tests of the console's messages.
//
// Usage: wordings FILE
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"pciatlas/internal/doctor"
	"pciatlas/internal/placement"
)

// said is what there is to be said in each language.
type said struct {
	Reasons  []placement.Wording `json:"reasons"`
	Readings []doctor.Wording    `json:"readings"`
	Fixes    []doctor.FixCode    `json:"fixes"`
	Good     []doctor.GoodCode   `json:"good"`
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: wordings FILE")
		os.Exit(2)
	}
	text, err := json.MarshalIndent(said{placement.Wordings(), doctor.Wordings(), doctor.FixCodes(), doctor.GoodCodes()}, "", "  ")
	if err == nil {
		err = os.WriteFile(os.Args[1], append(text, '\n'), 0o644) //nolint:gosec // a file for everybody
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "wordings:", err)
		os.Exit(1)
	}
}
