// Package config makes the settings of the server out of flags, PCIATLAS_*
// variables, one YAML file and defaults, in this order of precedence, and can say
// where each value came from. It opens no files, sockets or databases itself: what
// it needs of the process is part of its input. Only cli and server import it.
package config

import (
	"io/fs"
	"log/slog"
	"net/netip"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// Config holds the settings of the server. All paths in it are absolute if the
// working directory of the input is.
type Config struct {
	// Listen is HOST:PORT; port 0 takes a free one, an empty host all addresses.
	Listen string
	// Data is the folder for what the server keeps.
	Data string
	// Database is sqlite:PATH, or a postgres:// URL that has its password in it.
	Database Secret
	// KeyFile holds the keys that seal the tokens of clusters.
	KeyFile string
	// TLSCert and TLSKey are PEM files that fit together, or both "".
	TLSCert, TLSKey string
	// PublicURL is where browsers find the server, without a slash at its end;
	// "" is unknown.
	PublicURL string
	// TrustedProxies are the networks whose word on a caller's address counts.
	TrustedProxies []netip.Prefix
	// AllowLocalEndpoints lets clusters have loopback and link-local addresses.
	AllowLocalEndpoints bool
	// MetricsOpen shows metrics without a token.
	MetricsOpen bool
	// LogFormat is LogText or LogJSON.
	LogFormat string
	LogLevel  slog.Level
	// Share is how old an answer may be that is given to a second caller.
	Share time.Duration
	// Limits apply to clusters that have none of their own; none is zero.
	Limits Limits
	OIDC   OIDC

	rows []Row
}

// The values of LogFormat.
const (
	LogText = "text"
	LogJSON = "json"
)

// Limits bound what the server does to one cluster. The fields are those of the
// limits of a cluster, so that one converts into the other.
type Limits struct {
	VMsPerNode, PerNode, PerEntry, PerCluster int
	NodeBudget, Request                       time.Duration
}

// OIDC holds the settings of OpenID Connect. An empty Issuer turns it off; with
// one, ClientID and PublicURL are set, too.
type OIDC struct {
	Issuer, ClientID string
	// ClientSecret is empty for a public client.
	ClientSecret Secret
	// Name is what the button for signing in calls it.
	Name   string
	Scopes []string
	// RoleClaim is the claim whose values RoleMap turns into roles.
	RoleClaim string
	RoleMap   map[string]string
	// DefaultRole is for people without a value in RoleMap; "" refuses them.
	DefaultRole string
}

// Input is what the settings are made of.
type Input struct {
	// Flags are those of AddFlags after parsing; nil: none.
	Flags *pflag.FlagSet
	// Getenv gives a variable of the environment, "" if it is not set.
	Getenv func(string) string
	// ReadFile reads a regular file and gives its mode.
	ReadFile func(path string) ([]byte, fs.FileMode, error)
	// Dir is the working directory, to which relative paths of flags and variables
	// belong; those in the file belong to its folder.
	Dir string
	// Root tells that the process runs as root.
	Root bool
}

// Fault is one reason why the settings cannot be used.
type Fault struct {
	Key     string // the setting, "config" for the file as a whole
	Source  string // where the value came from, as in Row
	Message string // what is wrong and what to do; never a secret
}

func (f Fault) String() string {
	if f.Source == "" {
		return f.Key + ": " + f.Message
	}
	return f.Key + " (" + f.Source + "): " + f.Message
}

// InvalidError says all that is wrong with the settings.
type InvalidError struct{ Faults []Fault }

// Error gives one line for each fault.
func (e *InvalidError) Error() string {
	lines := make([]string, len(e.Faults))
	for i, fault := range e.Faults {
		lines[i] = fault.String()
	}
	return strings.Join(lines, "\n")
}

// Load gives the settings, or an InvalidError with everything that is wrong.
func Load(in Input) (*Config, error) {
	config, faults := Check(in)
	if len(faults) > 0 {
		return nil, &InvalidError{faults}
	}
	return config, nil
}

// Check gives the settings, which are not to be used but to be explained if there
// are faults.
func Check(in Input) (*Config, []Fault) {
	r := &reader{in: in, config: &Config{}, given: map[string]value{}}
	r.readFile()
	for i := range fields {
		r.field(&fields[i])
	}
	r.finishDatabase()
	r.finishTLS()
	r.finishOIDC()
	return r.config, r.faults
}
