package test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/findings"
	"pciatlas/internal/pve"
)

// TestRemediesAreCommands: every command of a remedy is one that a shell takes as
// one command, with values that Proxmox VE accepts.
func TestRemediesAreCommands(t *testing.T) {
	t.Parallel()
	everySnapshot(t, func(t *testing.T, s *facts.Snapshot, _ *rand.Rand) {
		t.Helper()
		for _, f := range findings.Find(atlas.Build(s)) {
			for _, remedy := range f.Remedy {
				command := remedyCommand(remedy)
				if command == "" {
					continue
				}
				if err := checkCommand(command); err != nil {
					t.Errorf("%s: %s: %v", f.Code, remedy, err)
				}
			}
		}
	})
}

// remedyCommand gives the command that a remedy is or ends with, "" for none.
func remedyCommand(remedy string) string {
	at := remedyStart.FindStringIndex(remedy)
	if at == nil {
		return ""
	}
	return strings.TrimPrefix(remedy[at[0]:], ": ")
}

var remedyStart = regexp.MustCompile(`(^|: )(qm|pvesh|ha-manager) [a-z]+ [^ ]*`)

// placeholder is a word that a person has to replace.
var placeholder = regexp.MustCompile(`^(…|[A-Z]+$)`)

func checkCommand(command string) error {
	words, err := shellWords(command)
	if err != nil {
		return err
	}
	for i, word := range words {
		key, isOption := strings.CutPrefix(word, "--")
		if !isOption || key == "hostpciN" {
			continue
		}
		if i+1 == len(words) {
			return fmt.Errorf("option %s has no value", word)
		}
		value := words[i+1]
		if placeholder.MatchString(value) {
			continue
		}
		if err := checkOption(key, value); err != nil {
			return err
		}
	}
	return nil
}

func checkOption(key, value string) error {
	if _, isSlot := pve.ParseSlotKey(key); isSlot {
		_, err := pve.ParseHostPCI(strings.ReplaceAll(value, "ADDRESS", "00:00.0"))
		return err
	}
	switch key {
	case "map":
		_, err := pve.ParseEntry(value)
		return err
	case "delete":
		if _, isSlot := pve.ParseSlotKey(value); !isSlot {
			return fmt.Errorf("there is no slot %s to delete", value)
		}
	case "machine", "vga", "balloon", "onboot", "state", "mdev", "live-migration-capable", "resources", "nodes", "strict":
	default:
		return fmt.Errorf("option %s is not known", key)
	}
	return nil
}

// shellWords splits a command as a POSIX shell does, as far as single quotes and
// backslashes go. What else means something to a shell is an error.
func shellWords(command string) ([]string, error) {
	var words []string
	var word strings.Builder
	quoted, escaped, begun := false, false, false
	for _, r := range command {
		switch {
		case quoted && r == '\'':
			quoted = false
		case quoted || escaped:
			word.WriteRune(r)
			escaped = false
		case r == '\'':
			quoted, begun = true, true
		case r == '\\':
			escaped, begun = true, true
		case r == ' ':
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		case strings.ContainsRune(";&|<>()$`\"*?[]#~!{}\t\n", r):
			return nil, fmt.Errorf("%q means something to a shell", r)
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if quoted || escaped {
		return nil, fmt.Errorf("a quote does not end in %s", command)
	}
	if begun {
		words = append(words, word.String())
	}
	return words, nil
}

func TestShellWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		command string
		want    []string
	}{
		{"qm set 101 --hostpci0 01:00,pcie=1", []string{"qm", "set", "101", "--hostpci0", "01:00,pcie=1"}},
		{"qm set 101 --hostpci0 '01:00;02:00'", []string{"qm", "set", "101", "--hostpci0", "01:00;02:00"}},
		{`qm set 101 --hostpci0 '01:00,romfile=a'\''b'`, []string{"qm", "set", "101", "--hostpci0", "01:00,romfile=a'b"}},
		{"qm set 101 --hostpci0 01:00;02:00", nil},
		{"qm set 101 --hostpci0 '01:00", nil},
	} {
		words, err := shellWords(c.command)
		if !slices.Equal(words, c.want) || (err != nil) != (c.want == nil) {
			t.Errorf("%s: got %q, %v", c.command, words, err)
		}
	}
}
