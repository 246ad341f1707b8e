package cli

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/hostfs"
	"pciatlas/internal/pveapi"
)

// source holds the flags that say what is read: the files of this node, those
// below a folder, the API of a cluster, or a snapshot file.
type source struct {
	root         string
	from         string
	endpoints    []string
	tokenFile    string
	fingerprints []string
	caFile       string
	cluster      string
	limits       pveapi.Limits

	// flags are those of the command, to tell an empty value from none.
	flags *pflag.FlagSet
}

func (s *source) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	s.flags = flags
	flags.StringVar(&s.root, "root", "",
		"read the files below this `folder`, not those of this machine")
	flags.StringVar(&s.from, "from", "", "read this snapshot `file` (- for standard input) instead of a cluster")
	flags.StringArrayVar(&s.endpoints, "endpoint", nil,
		"ask the API at this `URL`: https://NODE:8006 (repeatable; PCIATLAS_ENDPOINT)")
	flags.StringVar(&s.tokenFile, "token-file", "",
		"`file` with USER@REALM!NAME=SECRET (or that text in PCIATLAS_TOKEN)")
	flags.StringArrayVar(&s.fingerprints, "tls-fingerprint", nil,
		"trust only the certificate with this `SHA-256` (repeatable)")
	flags.StringVar(&s.caFile, "ca-file", "", "trust the authorities in this PEM `file`, not those of the system")
	flags.StringVar(&s.cluster, "cluster", "", "`name` of the cluster in the answers")
	s.limits = pveapi.DefaultLimits()
	flags.IntVar(&s.limits.VMsPerNode, "max-vms", s.limits.VMsPerNode, "read at most this `number` of VMs of one node over the API")
	flags.DurationVar(&s.limits.NodeBudget, "node-budget", s.limits.NodeBudget, "let one node of the API keep us waiting for this `time`")
}

var errNoSource = &advice{
	err: errors.New("this machine is not a node of Proxmox VE (it has no /etc/pve), so there is nothing to read here"),
	text: ". Do one of these:\n" +
		"  - copy this program to a node and run it there as root\n" +
		"  - ask a cluster from here: --endpoint https://NODE:8006 --token-file FILE\n" +
		"  - give a folder with the files of a node: --root DIR\n" +
		"  - give a snapshot: --from FILE",
}

// report reads and computes, and gives what was read, too. nodes narrows what the
// API is asked for, and without details it is not asked for what only findings
// need; the other ways read everything.
func (s *source) report(ctx context.Context, env Env, nodes []string, details bool) (*atlas.Report, *facts.Snapshot, error) {
	snapshot, err := s.snapshot(ctx, env, pveapi.Request{Nodes: nodes, Policy: true, Details: details})
	if err != nil {
		return nil, nil, err
	}
	adviseRights(env, &snapshot)
	report := atlas.Build(&snapshot)
	if s.from != "" {
		report.FromSnapshot()
	}
	return report, &snapshot, nil
}

// checkEmpty refuses a flag that was given the empty text, as an unset variable of
// a shell does: read as absent, it would make another cluster the subject.
func checkEmpty(flags *pflag.FlagSet, names ...string) error {
	for _, name := range names {
		flag := flags.Lookup(name)
		if flag == nil || !flag.Changed {
			continue
		}
		values := []string{flag.Value.String()}
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		if slices.Contains(values, "") {
			return usage("--%s has an empty value; is a variable unset? Give a value or leave the flag out", name)
		}
	}
	return nil
}

// snapshot reads.
func (s *source) snapshot(ctx context.Context, env Env, request pveapi.Request) (facts.Snapshot, error) {
	if err := checkEmpty(s.flags, "root", "from", "endpoint", "token-file", "tls-fingerprint", "ca-file"); err != nil {
		return facts.Snapshot{}, err
	}
	ways := 0
	for _, given := range []bool{s.root != "", s.from != "", len(s.endpoints) > 0} {
		if given {
			ways++
		}
	}
	if len(s.endpoints) == 0 {
		s.endpoints = strings.Fields(strings.ReplaceAll(env.Getenv("PCIATLAS_ENDPOINT"), ",", " "))
	}
	switch {
	case ways > 1:
		return facts.Snapshot{}, usage("--root, --from and --endpoint name different things to read; give one of them")
	case s.limits.VMsPerNode < 1 || s.limits.NodeBudget <= 0:
		return facts.Snapshot{}, usage("--max-vms and --node-budget need values above 0")
	case s.from != "":
		return s.readFile(ctx, env)
	case s.root == "" && len(s.endpoints) > 0:
		return s.readAPI(ctx, env, request)
	default:
		return s.readHost(ctx, env)
	}
}

func (s *source) readHost(ctx context.Context, env Env) (facts.Snapshot, error) {
	root := s.root
	if root == "" {
		root = env.Root
		if !isNode(root) {
			return facts.Snapshot{}, failed(errNoSource)
		}
	}
	snapshot, err := hostfs.Read(ctx, hostfs.Options{Root: root, Now: env.Now, Cluster: s.cluster})
	if err != nil {
		return facts.Snapshot{}, failed(err)
	}
	return snapshot, nil
}

// isNode tells whether a folder is the root of a node of Proxmox VE. A folder
// that is there but may not be read counts: reading it then says why it fails.
func isNode(root string) bool {
	info, err := os.Stat(filepath.Join(root, "etc", "pve"))
	return err == nil && info.IsDir() || errors.Is(err, fs.ErrPermission)
}

func (s *source) readFile(ctx context.Context, env Env) (facts.Snapshot, error) {
	data, err := readInput(ctx, env, s.from, maxSnapshot)
	if err != nil {
		return facts.Snapshot{}, failed(fmt.Errorf("read the snapshot: %w", err))
	}
	snapshot, err := facts.Decode(data)
	if err != nil {
		return facts.Snapshot{}, failed(fmt.Errorf("%s: %w", s.from, err))
	}
	return snapshot, nil
}

func (s *source) readAPI(ctx context.Context, env Env, request pveapi.Request) (facts.Snapshot, error) {
	options, err := s.apiOptions(ctx, env)
	if err != nil {
		return facts.Snapshot{}, err
	}
	client, err := pveapi.New(options)
	if err != nil {
		return facts.Snapshot{}, usage("%w", err)
	}
	defer client.Close()
	done := showProgress(env, "asking "+strings.Join(options.Endpoints, ", "))
	snapshot, err := client.Read(ctx, request)
	done()
	if err != nil {
		return facts.Snapshot{}, failed(s.advise(env, err, options.Token))
	}
	return snapshot, nil
}

// showProgress says on a terminal what is waited for.
func showProgress(env Env, what string) (done func()) {
	if !env.Terminal {
		return func() {}
	}
	fmt.Fprint(env.Stderr, clean(what)+" …")
	return func() { fmt.Fprint(env.Stderr, "\r\x1b[K") }
}

func (s *source) apiOptions(ctx context.Context, env Env) (pveapi.Options, error) {
	options := pveapi.Options{Cluster: s.cluster, Endpoints: s.endpoints, Limits: s.limits, Now: env.Now}
	if options.Cluster == "" {
		options.Cluster = "default"
	}
	var err error
	if options.Token, err = s.token(env); err != nil {
		return options, err
	}
	for _, text := range s.fingerprints {
		fingerprint, err := pveapi.ParseFingerprint(text)
		if err != nil {
			return options, usage("--tls-fingerprint: %w", err)
		}
		options.Fingerprints = append(options.Fingerprints, fingerprint)
	}
	if s.caFile == "" {
		return options, nil
	}
	pem, err := readInput(ctx, env, s.caFile, maxAuthorities)
	if err != nil {
		return options, failed(fmt.Errorf("read the authorities: %w", err))
	}
	options.CAs = x509.NewCertPool()
	if !options.CAs.AppendCertsFromPEM(pem) {
		return options, failed(fmt.Errorf("%s holds no certificate in PEM form", s.caFile))
	}
	return options, nil
}

// quote makes a word safe for a shell. What a terminal could not show is written
// with the escapes of $'…'.
func quote(word string) string {
	switch {
	case strings.ContainsFunc(word, unprintable):
		return "$'" + escapeWord(word) + "'"
	case word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@=,+%") == "":
		return word
	default:
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
}

func escapeWord(word string) string {
	var b strings.Builder
	for word != "" {
		r, size := utf8.DecodeRuneInString(word)
		switch {
		case r == '\'' || r == '\\':
			b.WriteString("\\" + word[:size])
		case unprintable(r):
			for _, c := range []byte(word[:size]) {
				fmt.Fprintf(&b, "\\%03o", c)
			}
		default:
			b.WriteString(word[:size])
		}
		word = word[size:]
	}
	return b.String()
}
