package storetest

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // registers the driver "pgx"

	"pciatlas/internal/store"
)

// startTimeout bounds making and starting a server.
const startTimeout = time.Minute

// Server is a PostgreSQL server that listens on a socket in a folder of its own
// only, and ends with the test process however that ends.
type Server struct {
	admin       *sql.DB // the database postgres
	folder      string
	say         io.WriteCloser
	hear        *bufio.Reader
	count       atomic.Int64
	template    sync.Once
	templateErr error
}

// errNoPostgres is the reason of the skip.
var errNoPostgres = errors.New("PostgreSQL's initdb is neither in PATH nor in /usr/lib/postgresql/*/bin: nothing was tested on PostgreSQL (Debian package postgresql)")

// shared gives the server of this test process.
var sharedServer = sync.OnceValues(startServer)

func shared(t testing.TB) *Server {
	t.Helper()
	server, err := sharedServer()
	return usable(t, server, err)
}

// Postgres starts a server for one test that wants to stop it. It is empty but for
// the database postgres; see DSN.
func Postgres(t testing.TB) *Server {
	t.Helper()
	server, err := startServer()
	server = usable(t, server, err)
	t.Cleanup(func() {
		_ = server.admin.Close()
		_ = server.say.Close()
	})
	return server
}

func usable(t testing.TB, server *Server, err error) *Server {
	t.Helper()
	if errors.Is(err, errNoPostgres) {
		t.Skip("SKIPPED: " + err.Error())
	}
	if err != nil {
		t.Fatalf("start PostgreSQL: %v", err)
	}
	return server
}

// DSN gives the address of a database of the server.
func (s *Server) DSN(database string) string {
	return "postgres:///" + database + "?" + url.Values{"host": {s.folder}, "user": {"pciatlas"}}.Encode()
}

// Stop ends the server as a crash does: at once, without a word to anybody.
func (s *Server) Stop(t testing.TB) {
	t.Helper()
	s.command(t, "stop")
}

// Start starts it again and waits until it answers.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	s.command(t, "start")
	if err := s.wait(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (s *Server) command(t testing.TB, word string) {
	t.Helper()
	if _, err := io.WriteString(s.say, word+"\n"); err != nil {
		t.Fatalf("%s PostgreSQL: %v", word, err)
	}
	if answer, err := s.hear.ReadString('\n'); err != nil || answer != "ready\n" {
		t.Fatalf("%s PostgreSQL: %q, %v", word, answer, err)
	}
}

// keeper runs the server as long as its standard input is open, and then removes
// the folder. So nothing stays behind, even if the tests are killed.
const keeper = `
bin=$1 folder=$2
start() {
  "$bin/postgres" -D "$folder/data" -k "$folder" -c listen_addresses= -c max_connections=300 \
    -c shared_buffers=16MB -c autovacuum=off -F >>"$folder/log" 2>&1 </dev/null &
  pid=$!
}
stop() { kill -QUIT "$pid" 2>/dev/null; wait "$pid" 2>/dev/null; }
if "$bin/initdb" -D "$folder/data" -U pciatlas -A trust -E UTF8 --no-locale --no-sync --wal-segsize=1 >>"$folder/log" 2>&1 </dev/null; then
  start
  echo ready
fi
while read -r word; do
  $word
  echo ready
done
stop
rm -rf "$folder"
`

func startServer() (*Server, error) {
	bin, err := programs()
	if err != nil {
		return nil, err
	}
	// Not in the folder of the test: another user runs the server and has to get
	// there, and the path of a socket may not be long.
	folder, err := os.MkdirTemp("/tmp", "pciatlas-pg-")
	if err != nil {
		return nil, err
	}
	command := exec.CommandContext(context.Background(), "/bin/sh", "-c", keeper, "keeper", bin, folder)
	command.Dir = folder
	if command.SysProcAttr, err = unprivileged(folder); err != nil {
		return nil, err
	}
	say, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	hear, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	server := &Server{folder: folder, say: say, hear: bufio.NewReader(hear)}
	if _, err := server.hear.ReadString('\n'); err != nil {
		return nil, fmt.Errorf("initdb: %w", server.explain(err))
	}
	if server.admin, err = sql.Open("pgx", server.DSN("postgres")); err != nil {
		return nil, err
	}
	if err := server.wait(context.Background()); err != nil {
		return nil, err
	}
	return server, nil
}

// wait returns when the server answers.
func (s *Server) wait(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for {
		err := s.run(ctx, "SELECT 1")
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return s.explain(err)
		case <-ticker.C:
		}
	}
}

func (s *Server) explain(err error) error {
	log, _ := os.ReadFile(filepath.Join(s.folder, "log")) // without it, the error alone has to do
	return fmt.Errorf("%w\n%s", err, log)
}

// run runs a statement in the database postgres.
func (s *Server) run(ctx context.Context, statement string) error {
	_, err := s.admin.ExecContext(ctx, statement)
	return err
}

// fresh makes a database with the schema in it, and drops it after the test.
func (s *Server) fresh(t testing.TB) string {
	t.Helper()
	s.template.Do(func() { s.templateErr = s.makeTemplate() })
	if s.templateErr != nil {
		t.Fatal(s.templateErr)
	}
	name := "test_" + strconv.FormatInt(s.count.Add(1), 10)
	if err := s.run(t.Context(), "CREATE DATABASE "+name+" TEMPLATE atlas"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.run(context.WithoutCancel(t.Context()), "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	return s.DSN(name)
}

func (s *Server) makeTemplate() error {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	if err := s.run(ctx, "CREATE DATABASE atlas"); err != nil {
		return err
	}
	made, err := store.Open(ctx, store.Options{Database: s.DSN("atlas")})
	if err != nil {
		return err
	}
	return made.Close()
}

// Empty makes a database without a schema. It stays until the server ends.
func (s *Server) Empty(t testing.TB) string {
	t.Helper()
	name := "empty_" + strconv.FormatInt(s.count.Add(1), 10)
	if err := s.run(t.Context(), "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	return s.DSN(name)
}

// Shared gives the server of this test process, which no test may stop.
func Shared(t testing.TB) *Server {
	t.Helper()
	return shared(t)
}

// programs finds the folder of PostgreSQL's server programs.
func programs() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(path), nil
		}
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		return "", errNoPostgres
	}
	return filepath.Dir(found[len(found)-1]), nil
}

// unprivileged gives the folder to a user under whom PostgreSQL runs, which root
// is not.
func unprivileged(folder string) (*syscall.SysProcAttr, error) {
	if os.Geteuid() != 0 {
		return &syscall.SysProcAttr{}, nil
	}
	account, err := user.Lookup("postgres")
	if err != nil {
		if account, err = user.Lookup("nobody"); err != nil {
			return nil, err
		}
	}
	uid, err := strconv.ParseUint(account.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(account.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	if err := os.Chown(folder, int(uid), int(gid)); err != nil {
		return nil, err
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
}

// Files gives the folders and files that hold what is stored at the place. A
// PostgreSQL server is told to write everything to its files first.
func Files(t testing.TB, place Place) []string {
	t.Helper()
	if !strings.HasPrefix(place.Database, "postgres://") {
		return []string{filepath.Dir(place.Database)}
	}
	server := shared(t)
	if err := server.run(t.Context(), "CHECKPOINT"); err != nil {
		t.Fatal(err)
	}
	return []string{filepath.Join(server.folder, "data", "base"), filepath.Join(server.folder, "data", "pg_wal")}
}
