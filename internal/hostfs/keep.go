package hostfs

import (
	"strings"
	"unicode/utf8"
)

// keeper copies texts that are parts of a larger one into one that is no larger
// than they are together.
type keeper struct {
	texts []*string
	size  int
}

// add takes texts in. What is not UTF-8 in them is replaced by a mark.
func (k *keeper) add(texts ...*string) {
	for _, text := range texts {
		if !utf8.ValidString(*text) {
			*text = keep(*text)
		}
		k.size += len(*text)
	}
	k.texts = append(k.texts, texts...)
}

// copy makes all texts that were taken in parts of one new text.
func (k *keeper) copy() {
	all := make([]byte, 0, k.size)
	for _, text := range k.texts {
		all = append(all, *text...)
	}
	whole := string(all)
	for _, text := range k.texts {
		*text, whole = whole[:len(*text)], whole[len(*text):]
	}
}

// keep copies a text that stays, with a mark in place of what is not UTF-8.
func keep(s string) string { return strings.Clone(strings.ToValidUTF8(s, "\uFFFD")) }

func keepValue(s *string) *string {
	if s == nil {
		return nil
	}
	kept := keep(*s)
	return &kept
}
