package auth_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"pciatlas/internal/auth"
)

var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

func TestSessionValid(t *testing.T) {
	for _, c := range []struct {
		name          string
		created, used time.Duration // before noon
		want          bool
	}{
		{"new", 0, 0, true},
		{"in use", 11 * time.Hour, time.Minute, true},
		{"almost idle", 2 * time.Hour, time.Hour - 1, true},
		{"idle", 2 * time.Hour, time.Hour, false},
		{"almost over", 12*time.Hour - 1, 0, true},
		{"over in use", 12 * time.Hour, 0, false},
		{"another replica's clock", -time.Minute, -time.Minute, true},
		{"used in the future", time.Hour, -time.Minute - 1, false},
		{"made in the future", -time.Minute - 1, 0, false},
	} {
		session := auth.Session{CreatedAt: noon.Add(-c.created), UsedAt: noon.Add(-c.used)}
		if got := session.Valid(noon); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	for name, session := range map[string]auth.Session{
		"zero": {}, "never used": {CreatedAt: noon}, "never made": {UsedAt: noon}, "ancient": {CreatedAt: time.Unix(-1<<40, 0), UsedAt: noon},
	} {
		if session.Valid(noon) || (auth.Session{}).Valid(time.Time{}) {
			t.Errorf("%s: valid", name)
		}
	}
}

// TestSessionClockJumps lets the clock jump between uses: measured by a clock that
// only goes forward, a session is over after its time whatever the other one says.
func TestSessionClockJumps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		session := auth.Session{CreatedAt: noon, UsedAt: noon}
		clock, lived, back := noon, time.Duration(0), time.Duration(0)
		for range rapid.IntRange(1, 30).Draw(t, "uses") {
			passed := time.Duration(rapid.Int64Range(0, int64(2*time.Hour)).Draw(t, "passed"))
			jump := time.Duration(rapid.Int64Range(-int64(48*time.Hour), int64(48*time.Hour)).Draw(t, "jump"))
			if rapid.Bool().Draw(t, "steady") {
				jump = 0
			}
			clock, lived = clock.Add(passed+jump), lived+passed
			back += max(0, -jump)
			if !session.Valid(clock) {
				return
			}
			if clock.Before(session.UsedAt.Add(-time.Minute)) {
				t.Fatalf("valid at %v, before its last use at %v", clock, session.UsedAt)
			}
			if back == 0 && lived >= auth.SessionAbsolute {
				t.Fatalf("valid after %v", lived)
			}
			if clock.Sub(session.CreatedAt) >= auth.SessionAbsolute {
				t.Fatalf("valid %v after its start", clock.Sub(session.CreatedAt))
			}
			session.UsedAt = clock
		}
	})
}

func TestTokenValid(t *testing.T) {
	for name, c := range map[string]struct {
		expires time.Time
		want    bool
	}{
		"never": {time.Time{}, true}, "later": {noon.Add(1), true}, "now": {noon, false}, "before": {noon.Add(-time.Hour), false},
	} {
		if got := (auth.Token{ExpiresAt: c.expires}).Valid(noon); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestNewSecret(t *testing.T) {
	pattern := regexp.MustCompile(`^pa_[A-Za-z0-9_-]{43}$`)
	text, hash, err := auth.NewSecret(bytes.NewReader(bytes.Repeat([]byte{0xff}, 32)), auth.TokenPrefix)
	if err != nil || !pattern.MatchString(text) || hash != auth.HashSecret(text) || len(hash) != 64 {
		t.Errorf("%s, %s, %v", text, hash, err)
	}
	if other, _, _ := auth.NewSecret(bytes.NewReader(bytes.Repeat([]byte{0xfe}, 32)), auth.TokenPrefix); other == text {
		t.Error("the bytes do not matter")
	}
	if text, hash, err := auth.NewSecret(strings.NewReader("too short"), ""); err == nil || text != "" || hash != "" {
		t.Errorf("without enough randomness: %s, %s, %v", text, hash, err)
	}
	if got := auth.HashSecret("abc"); got != "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" {
		t.Errorf("HashSecret is not SHA-256: %s", got)
	}
	id, err := auth.NewTokenID(strings.NewReader("\x00\x01\xfe\xff\x80"))
	if err != nil || !regexp.MustCompile(`^[a-z2-7]{8}$`).MatchString(id) {
		t.Errorf("%s, %v", id, err)
	}
	if id, err := auth.NewTokenID(strings.NewReader("1234")); err == nil || id != "" {
		t.Errorf("without enough randomness: %s, %v", id, err)
	}
}
