// Command findingsdoc writes docs/findings.md from the registry of findings, and the
// ways in which each code is said for the tests of the console's messages.
//
// Usage: findingsdoc PAGE WORDINGS
package main

import (
	"encoding/json"
	"errors"
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

The params of a finding in JSON say what its sentence does, in no language, so that it can be said in any: numbers, identifiers,
addresses, lists of them joined by ", ", what Proxmox VE says itself (` + "`message`" + `), and as ` + "`variant`" + ` which of several
wordings it is. ` + "`also`" + ` lists sentences that follow. Each param that is there has a value. What belongs to a member of a list stands
behind it in parentheses: ` + "`101 (hostpci0)`" + `. "≠" stands between what is configured and what is there, "→" between what was and
what is or what it serves, "+" between parts that go together, "|" between alternatives, and "—" for nothing. Names of PCI classes
are those of the PCI ID repository.

`

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: findingsdoc PAGE WORDINGS")
		os.Exit(2)
	}
	said, err := wordings()
	if err == nil {
		err = errors.Join(
			os.WriteFile(os.Args[1], []byte(page()), 0o644), //nolint:gosec // a page for everybody
			os.WriteFile(os.Args[2], said, 0o644),           //nolint:gosec // likewise
		)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "findingsdoc:", err)
		os.Exit(1)
	}
}

// saidCode are the ways in which a code is said.
type saidCode struct {
	Code     findings.Code      `json:"code"`
	Wordings []findings.Wording `json:"wordings"`
}

// wordings gives the ways in which each code is said, and the sentences that may
// follow.
func wordings() ([]byte, error) {
	var codes []saidCode
	for _, entry := range findings.Registry() {
		if said := findings.Wordings(entry.Code); len(said) > 0 {
			codes = append(codes, saidCode{entry.Code, said})
		}
	}
	text, err := json.MarshalIndent(struct {
		Codes     []saidCode          `json:"codes"`
		Additions []findings.Addition `json:"additions"`
	}{codes, findings.Additions()}, "", "  ")
	return append(text, '\n'), err
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
	writeAdditions(&b)
	b.WriteString("## To come\n\nThese codes are reserved. No rule gives them yet, because the facts for them are not read.\n\n| code | needs |\n|---|---|\n")
	for _, entry := range later {
		fmt.Fprintf(&b, "| `%s` | %s |\n", entry.Code, entry.When)
	}
	return b.String()
}

// writeAdditions writes what the words of also bring.
func writeAdditions(b *strings.Builder) {
	b.WriteString("## Sentences that may follow\n\nThese are the words of `also`, each with the params that it brings.\n\n| word | params |\n|---|---|\n")
	for _, addition := range findings.Additions() {
		params := "none"
		if len(addition.Params) > 0 {
			params = quotedList(addition.Params)
		}
		fmt.Fprintf(b, "| `%s` | %s |\n", addition.Word, params)
	}
	b.WriteString("\n")
}

func writeEntry(b *strings.Builder, entry findings.Entry) {
	fmt.Fprintf(b, "### %s\n\n", entry.Code)
	for _, part := range [][2]string{
		{"Severity", entry.Severity}, {"When", entry.When}, {"Why", entry.Why}, {"What to do", entry.Remedy}, {"Source", entry.Source},
	} {
		fmt.Fprintf(b, "**%s.** %s\n\n", part[0], part[1])
	}
	texts := make([]string, 0, 1)
	for _, said := range findings.Wordings(entry.Code) {
		texts = append(texts, wordingText(&said))
	}
	fmt.Fprintf(b, "**Params.** %s.\n\n", strings.Join(texts, "; "))
}

// wordingText writes the parameters of one way in which a code is said.
func wordingText(said *findings.Wording) string {
	text := quotedList(said.Params)
	if said.Variant != "" {
		text = "`variant` " + said.Variant + ": " + text
	}
	if len(said.Also) > 0 {
		text += ", and `also` with " + strings.Join(said.Also, ", ")
	}
	return text
}

func quotedList(words []string) string { return "`" + strings.Join(words, "`, `") + "`" }
