package auth_test

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"pciatlas/internal/auth"
)

// salted is a source of salts that is the same each time.
func salted() *bytes.Reader { return bytes.NewReader([]byte("0123456789abcdef0123456789abcdef")) }

func TestHashPassword(t *testing.T) {
	hash, err := auth.HashPassword(salted(), "correct horse battery")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$MDEyMzQ1Njc4OWFiY2RlZg$") {
		t.Error(hash)
	}
	if ok, outdated := auth.VerifyPassword(hash, "correct horse battery"); !ok || outdated {
		t.Errorf("the password: %v, %v", ok, outdated)
	}
	for _, password := range []string{"", "correct horse batter", "Correct horse battery", strings.Repeat("x", 1<<20)} {
		if ok, outdated := auth.VerifyPassword(hash, password); ok || outdated {
			t.Errorf("%.20q: %v, %v", password, ok, outdated)
		}
	}
	if _, err := auth.HashPassword(iotest.ErrReader(errors.New("dry")), "correct horse battery"); err == nil {
		t.Error("a hash is made without a salt")
	}
	if _, err := auth.HashPassword(strings.NewReader("short"), "correct horse battery"); err == nil {
		t.Error("a hash is made with half a salt")
	}
}

// TestVerifyVector checks against a hash of the reference implementation
// (src/test.c of phc-winner-argon2).
func TestVerifyVector(t *testing.T) {
	const hash = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	if ok, outdated := auth.VerifyPassword(hash, "password"); !ok || !outdated {
		t.Errorf("%v, %v", ok, outdated)
	}
	if ok, _ := auth.VerifyPassword(hash, "Password"); ok {
		t.Error("another password fits")
	}
}

func TestDummy(t *testing.T) {
	for _, password := range []string{"", "demo-only", strings.Repeat("\x00", 32)} {
		if ok, outdated := auth.VerifyPassword(auth.Dummy(), password); ok || outdated {
			t.Errorf("%q: %v, %v", password, ok, outdated)
		}
	}
	hash, err := auth.HashPassword(salted(), "correct horse battery")
	if err != nil {
		t.Fatal(err)
	}
	if len(hash) != len(auth.Dummy()) {
		t.Errorf("the dummy %s is not like a hash", auth.Dummy())
	}
}

// tampered are hashes that nobody made in earnest.
func tampered() []string {
	const salt, key = "c29tZXNhbHQ", "CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	hashes := []string{
		"", "$", "$$$$$", "plain", "$argon2id$v=19$", "$argon2i$v=19$m=19456,t=2,p=1$" + salt + "$" + key,
		"$argon2id$v=16$m=19456,t=2,p=1$" + salt + "$" + key, "$argon2id$m=19456,t=2,p=1$" + salt + "$" + key,
		"$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy",
		strings.Repeat("$", 1<<16), "$argon2id$v=19$m=19456,t=2,p=1$" + strings.Repeat("A", 1<<16) + "$" + key,
	}
	for _, parameters := range []string{
		"m=4294967295,t=2,p=1", "m=65537,t=2,p=1", "m=19456,t=4294967295,p=1", "m=19456,t=9,p=1", "m=19456,t=2,p=255", "m=19456,t=2,p=5",
		"m=0,t=2,p=1", "m=7,t=2,p=1", "m=19456,t=0,p=1", "m=19456,t=2,p=0", "m=-1,t=2,p=1", "m=19456,t=2,p=256", "m=99999999999999999999,t=2,p=1",
		"m=19456,t=2", "t=2,m=19456,p=1", "m=19456,t=2,p=1,x=1", "m=019456,t=2,p=1", "m=+19456,t=2,p=1", "m=19456, t=2,p=1", "m=0x10,t=2,p=1", "",
	} {
		hashes = append(hashes, fmt.Sprintf("$argon2id$v=19$%s$%s$%s", parameters, salt, key))
	}
	for _, parts := range []string{"$", salt + "$", "$" + key, salt + "$AA", "AA$" + key, salt + "$" + key + "=", salt + "$" + key + "\n", salt + "$" + key + "$x", salt + "$" + key[:42] + "d", salt + "$" + strings.Repeat("A", 200)} {
		hashes = append(hashes, "$argon2id$v=19$m=19456,t=2,p=1$"+parts)
	}
	return hashes
}

// TestTamperedHashes: whatever stands in the database fits no password and costs
// no more than an honest hash.
func TestTamperedHashes(t *testing.T) {
	for _, hash := range tampered() {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		ok, outdated := auth.VerifyPassword(hash, "password")
		runtime.ReadMemStats(&after)
		if ok || outdated {
			t.Errorf("%.90q: %v, %v", hash, ok, outdated)
		}
		if allocated := after.TotalAlloc - before.TotalAlloc; allocated < 19<<20 || allocated > 80<<20 {
			t.Errorf("%.90q takes %d bytes: it must cost what an honest hash does", hash, allocated)
		}
	}
}

func FuzzVerifyPassword(f *testing.F) {
	for _, hash := range tampered()[:4] {
		f.Add(hash, "password")
	}
	f.Add(auth.Dummy(), "")
	f.Fuzz(func(t *testing.T, hash, password string) {
		if ok, _ := auth.VerifyPassword(hash, password); ok {
			t.Errorf("%q fits %q", password, hash)
		}
	})
}
