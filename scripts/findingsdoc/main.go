// Command findingsdoc writes docs/findings.md from the registry of findings.
//
// Usage: findingsdoc FILE
package main

import (
	"fmt"
	"os"
	"strings"

	"pciatlas/internal/findings"
)

const head = `<!-- Written by make generate from internal/findings. Do not edit. -->

# Findings

A finding is something worth acting on in what was read: an error cannot work as it stands, a warning fails or hurts under the
condition it states, and a note is good to know. ` + "`pciatlas check`" + ` lists them all, ` + "`pciatlas scan -o wide`, `pciatlas vm` and `pciatlas device`" + `
those of their subject. Nothing is said about what could not be read: the last lines of each command tell what that was.

Three rules hold for all of them. A VM starts by itself if it has ` + "`onboot`" + ` and HA does not look after it, or if HA is to keep it
started. A template never holds a device. A stopped VM is judged by its configuration after all pending changes.

`

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: findingsdoc FILE")
		os.Exit(2)
	}
	if err := os.WriteFile(os.Args[1], []byte(page()), 0o644); err != nil { //nolint:gosec // a page for everybody
		fmt.Fprintln(os.Stderr, "findingsdoc:", err)
		os.Exit(1)
	}
}

func page() string {
	var b strings.Builder
	b.WriteString(head)
	var later []findings.Entry
	for _, family := range findings.Families() {
		fmt.Fprintf(&b, "## %s\n\n", family.Title)
		for _, entry := range family.Entries {
			if entry.ToCome {
				later = append(later, entry)
				continue
			}
			writeEntry(&b, entry)
		}
	}
	b.WriteString("## To come\n\nThese codes are reserved. No rule gives them yet, because the facts for them are not read.\n\n| code | needs |\n|---|---|\n")
	for _, entry := range later {
		fmt.Fprintf(&b, "| `%s` | %s |\n", entry.Code, entry.When)
	}
	return b.String()
}

func writeEntry(b *strings.Builder, entry findings.Entry) {
	fmt.Fprintf(b, "### %s\n\n", entry.Code)
	for _, part := range [][2]string{
		{"Severity", entry.Severity}, {"When", entry.When}, {"Why", entry.Why}, {"What to do", entry.Remedy}, {"Source", entry.Source},
	} {
		fmt.Fprintf(b, "**%s.** %s\n\n", part[0], part[1])
	}
}
