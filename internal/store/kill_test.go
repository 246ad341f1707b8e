package store_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"pciatlas/internal/fleet"
	"pciatlas/internal/store"
	"pciatlas/internal/store/storetest"
)

// writerEnv names the database to a test binary that shall only write.
const writerEnv = "PCIATLAS_TEST_WRITER"

func TestMain(m *testing.M) {
	if database := os.Getenv(writerEnv); database != "" {
		fmt.Fprintln(os.Stderr, writeUntilKilled(database, os.Getenv(writerEnv+"_FROM")))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// writeUntilKilled registers desktops, and prints each VMID when it is stored.
func writeUntilKilled(database, from string) error {
	first, err := strconv.Atoi(from)
	if err != nil {
		return err
	}
	ctx := context.Background()
	s, err := store.Open(ctx, store.Options{Database: database})
	if err != nil {
		return err
	}
	for vmid := first; ; vmid++ {
		d := fleet.Desktop{Cluster: "lab", VMID: vmid, Name: fmt.Sprint("desktop ", vmid), Note: strings.Repeat("n", vmid%400)}
		if _, err := s.PutDesktop(ctx, d, done()); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(os.Stdout, vmid); err != nil {
			return err
		}
	}
}

// TestKilledWriter ends a process without warning while it writes. Whatever it
// was told to be stored is there, with its audit entry, and nothing is half there.
func TestKilledWriter(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("-short: writers are not killed")
	}
	const rounds = 10
	storetest.RunAt(t, func(t storetest.T, place storetest.Place) {
		s := place.Open(t)
		addLab(t, s)
		from := 100
		for round := range rounds {
			acknowledged := runWriter(t, place.Database, from, 3+7*round)
			stored := got(s.Desktops(t.Context(), "lab"))(t)
			missing := from + acknowledged - 100 - len(stored)
			if missing > 0 {
				t.Fatalf("round %d: %d of %d acknowledged desktops are lost", round, missing, acknowledged)
			}
			if missing < -1 {
				t.Fatalf("round %d: %d desktops more than acknowledged", round, -missing)
			}
			for i, d := range stored {
				if d.VMID != 100+i || d.Name != fmt.Sprint("desktop ", d.VMID) || len(d.Note) != d.VMID%400 {
					t.Fatalf("round %d: desktop %d is %v", round, i, d)
				}
			}
			same(t, store.Count(t, s, `SELECT COUNT(*) FROM audit_log`), 1+len(stored))
			from = 100 + len(stored)
		}
		if !strings.HasPrefix(place.Database, "postgres") {
			same(t, store.Count(t, s, `SELECT COUNT(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'`), 1)
		}
	})
}

// runWriter runs a writer, kills it when it has acknowledged so many, and gives
// how many it has acknowledged.
func runWriter(t testing.TB, database string, from, killAfter int) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	writer := exec.CommandContext(ctx, os.Args[0])
	writer.Env = append(os.Environ(), writerEnv+"="+database, writerEnv+"_FROM="+strconv.Itoa(from))
	writer.Stderr = os.Stderr
	out := got(writer.StdoutPipe())(t)
	ok(t, writer.Start())
	acknowledged := 0
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if lines.Text() != strconv.Itoa(from+acknowledged) {
			t.Fatalf("the writer says %q", lines.Text())
		}
		acknowledged++
		if acknowledged == killAfter {
			ok(t, writer.Process.Kill())
		}
	}
	if err := writer.Wait(); err == nil || acknowledged < killAfter {
		t.Fatalf("the writer ended by itself after %d: %v", acknowledged, err)
	}
	return acknowledged
}
