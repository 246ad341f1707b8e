package findings

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Wording is one way in which the sentence of a code is said. The parameters of a
// finding say what Sentence does, in no language: numbers, identifiers, addresses,
// lists of them joined by ", ", and as message what Proxmox VE says itself. Each has
// a value.
type Wording struct {
	// Variant is the parameter variant. A code with one wording has none.
	Variant string `json:"variant,omitempty"`
	// Params are the other parameters, which each finding of the wording has.
	Params []string `json:"params"`
	// Also are the words of sentences that may follow. Those that do are the
	// parameter also, a list; each brings parameters of its own, see Additions.
	Also []string `json:"also,omitempty"`
}

// Wordings gives the ways in which a code is said, none for one that no rule gives.
func Wordings(code Code) []Wording {
	texts := wordings[code]
	said := make([]Wording, len(texts))
	for i, text := range texts {
		head, also, _ := strings.Cut(text, ";")
		variant, params, several := strings.Cut(head, ":")
		if !several {
			variant, params = "", head
		}
		said[i] = Wording{strings.TrimSpace(variant), strings.Fields(params), strings.Fields(also)}
	}
	return said
}

// Addition is a sentence that may follow that of several codes.
type Addition struct {
	Word   string   `json:"word"`
	Params []string `json:"params"`
}

// Additions gives the sentences that Wording.Also speaks of, by word.
func Additions() []Addition {
	said := make([]Addition, 0, len(additions))
	for word, params := range additions {
		said = append(said, Addition{word, append([]string{}, strings.Fields(params)...)})
	}
	slices.SortFunc(said, func(a, b Addition) int { return strings.Compare(a.Word, b.Word) })
	return said
}

// also adds a sentence for translation, with its parameters.
func (f *Finding) also(word string, params map[string]string) {
	known := f.Params["also"]
	switch {
	case known == "":
		f.Params["also"] = word
	case !slices.Contains(strings.Split(known, ", "), word):
		f.Params["also"] = known + ", " + word
	}
	maps.Copy(f.Params, params)
}

// alsoOf adds a sentence about some of a kind, nothing if there is none. Said again,
// it is about them, too.
func (f *Finding) alsoOf(word, key string, those []string) {
	if len(those) == 0 {
		return
	}
	f.also(word, nil)
	var known []string
	if f.Params[key] != "" {
		known = strings.Split(f.Params[key], ", ")
	}
	for _, one := range those {
		if !slices.Contains(known, one) {
			known = append(known, one)
		}
	}
	f.Params[key] = joined(known)
}

// joined makes a parameter of a list.
func joined(words []string) string { return strings.Join(words, ", ") }

// joinedInts makes a parameter of numbers.
func joinedInts(numbers []int) string {
	words := make([]string, len(numbers))
	for i, number := range numbers {
		words[i] = strconv.Itoa(number)
	}
	return joined(words)
}

// with writes a member of a list and what belongs to it: "101 (hostpci0)".
func with(one, its string) string { return one + " (" + its + ")" }

// orDash writes a value, and a dash for none.
func orDash(value string) string {
	if value == "" {
		return "—"
	}
	return value
}

// Wording gives the way in which the finding is said, and whether its parameters are
// exactly those of it, each with a value.
func (f *Finding) Wording() (said Wording, exact bool) {
	for _, said = range Wordings(f.Code) {
		if said.Variant == f.Params["variant"] {
			exact = said.fits(f.Params)
			return said, exact
		}
	}
	return Wording{}, false
}

// fits tells whether parameters are those of the wording.
func (w *Wording) fits(params map[string]string) bool {
	wanted := slices.Clone(w.Params)
	if w.Variant != "" {
		wanted = append(wanted, "variant")
	}
	if also := params["also"]; also != "" {
		wanted = append(wanted, "also")
		for word := range strings.SplitSeq(also, ", ") {
			if !slices.Contains(w.Also, word) {
				return false
			}
			wanted = append(wanted, strings.Fields(additions[word])...)
		}
	}
	slices.Sort(wanted)
	wanted = slices.Compact(wanted)
	if len(params) != len(wanted) {
		return false
	}
	return !slices.ContainsFunc(wanted, func(key string) bool { return params[key] == "" })
}
