package config

import (
	"slices"
	"strings"
)

// find gives the field of a key, nil for none.
func find(key string) *field {
	at := slices.IndexFunc(fields, func(f field) bool { return f.key == key })
	if at < 0 {
		return nil
	}
	return &fields[at]
}

// isSection tells whether settings have this key and a dot in front.
func isSection(key string) bool {
	return slices.ContainsFunc(fields, func(f field) bool { return strings.HasPrefix(f.key, key+".") })
}

func lastPart(key string) string { return key[strings.LastIndexByte(key, '.')+1:] }

// safeKey gives an unknown key as it may be shown. What is no plain word may be a
// value that slipped to the left.
func safeKey(key string) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-."
	if len(key) <= 40 && strings.Trim(key, letters) == "" && key != "" {
		return key
	}
	return keyFile
}

// hint gives the setting that was probably meant by a key in a section, as the end
// of a sentence.
func hint(section, key string) string {
	full := join(section, key)
	best, least := "", 3 // more mistakes than two are another word
	for i := range fields {
		if fields[i].secret {
			continue
		}
		known := fields[i].key
		distance := min(edits(plainKey(full), plainKey(known)), edits(plainKey(lastPart(key)), plainKey(lastPart(known))))
		if distance < least && distance*3 <= len(lastPart(known)) {
			best, least = known, distance
		}
	}
	if best == "" {
		return "; pciatlas config example shows all there are"
	}
	switch in, name, ok := strings.Cut(best, "."); {
	case !ok && section != "":
		return "; do you mean " + best + ", outside of the section?"
	case ok && in != section:
		return "; do you mean " + name + " in the section " + in + "?"
	default:
		return "; do you mean " + lastPart(best) + "?"
	}
}

var plainWords = strings.NewReplacer("-", "", "_", "", ".", "", " ", "")

func plainKey(key string) string { return plainWords.Replace(strings.ToLower(key)) }

// edits counts the letters to be added, taken out or changed between two words.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
