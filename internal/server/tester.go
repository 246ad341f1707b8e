package server

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"strings"
	"time"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/fleet"
	"pciatlas/internal/httpapi"
	"pciatlas/internal/pveapi"
	"pciatlas/internal/rights"
)

// testTime bounds a test of a connection as a whole.
const testTime = 12 * time.Second

// testStep bounds each of its steps: the certificates, the first question, and what
// the token may see.
const testStep = testTime / 3

// tester tries out connections.
type tester struct{ *clusters }

var _ httpapi.Tester = tester{}

// Test looks at the certificates of all addresses first, and sends the token only
// if every one that answers is trusted. Without a secret it stops there.
func (t tester) Test(ctx context.Context, cluster fleet.Cluster, secret string) (httpapi.ConnectionTest, error) {
	ctx, cancel := context.WithTimeout(ctx, testTime)
	defer cancel()
	var test httpapi.ConnectionTest
	options, err := t.clientOptions(cluster, secret)
	if err != nil {
		return test, err
	}
	options.Token.ID = cmp.Or(options.Token.ID, noToken)
	options.Limits.Request = min(cmp.Or(options.Limits.Request, testStep), testStep)
	client, err := pveapi.New(options)
	if err != nil {
		return test, fmt.Errorf("test a connection: %w", err)
	}
	defer client.Close()
	shown := foremost(client.Probe(ctx))
	if ctx.Err() != nil {
		return test, tooSlow(ctx)
	}
	test.Certificate = t.certificate(shown)
	test.Reachable = test.Certificate != nil
	switch {
	case shown.Err != nil:
		test.Problem = sentence(shown.Err)
		return test, nil
	case secret == "":
		return test, nil
	}
	test.TokenUser = cluster.TokenID
	return t.readRights(ctx, client, test)
}

// noToken stands in where only certificates are looked at; it is never sent.
const noToken = "nobody@pam!none"

// tooSlow is the error of a test that took too long; that a caller gave up stays what
// it is.
func tooSlow(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &clusterError{pveapi.CodeTimeout, "no address answered in time", ctx.Err()}
	}
	return ctx.Err()
}

// foremost gives what a person should see: an address whose certificate is not
// trusted, else the first that answers, else the first.
func foremost(all []pveapi.Shown) pveapi.Shown {
	for _, shown := range all {
		if shown.Err != nil && shown.Certificate != nil {
			return shown
		}
	}
	for _, shown := range all {
		if shown.Err == nil {
			return shown
		}
	}
	return all[0]
}

func (t tester) certificate(shown pveapi.Shown) *httpapi.Certificate {
	if shown.Certificate == nil {
		return nil
	}
	certificate := &httpapi.Certificate{
		Fingerprint: shown.Fingerprint.String(), Trusted: shown.Err == nil,
		Subject: shown.Certificate.Subject.String(), NotAfter: shown.Certificate.NotAfter,
	}
	if shown.Err != nil {
		certificate.Reason = distrust(shown.Err, t.now())
	}
	return certificate
}

// distrust says in a sentence why a certificate is not trusted.
func distrust(err error, now time.Time) string {
	if pinned, ok := errors.AsType[*pveapi.CertificateError](err); ok && pinned.Pinned {
		return "It is not the expected one. If it was renewed, compare the fingerprint with what `pvenode cert info` says on the node; " +
			"if it was not, something else answers at this address."
	}
	if name, ok := errors.AsType[x509.HostnameError](err); ok {
		return "It is not for " + name.Host + ", but for " + certificateNames(name.Certificate) + "."
	}
	invalid, ok := errors.AsType[x509.CertificateInvalidError](err)
	if !ok || invalid.Reason != x509.Expired || invalid.Cert == nil {
		return "No authority that is trusted here has signed it. That is usual for a node with the certificate it made itself: " +
			"compare the fingerprint with what `pvenode cert info` says on the node."
	}
	if now.Before(invalid.Cert.NotBefore) {
		return "It is valid from " + day(invalid.Cert.NotBefore) + " on only, and the clock of the server says " + day(now) + "."
	}
	return "It expired on " + day(invalid.Cert.NotAfter) + "; renew it on the node."
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

func certificateNames(certificate *x509.Certificate) string {
	names := append([]string(nil), certificate.DNSNames...)
	for _, ip := range certificate.IPAddresses {
		names = append(names, ip.String())
	}
	if len(names) == 0 {
		return "no name at all"
	}
	return strings.Join(names, ", ")
}

func sentence(failure *pveapi.Error) string {
	text := explain(failure)
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// readRights asks with the token who it is and what it may see.
func (t tester) readRights(ctx context.Context, client *pveapi.Client, test httpapi.ConnectionTest) (httpapi.ConnectionTest, error) {
	version, err := client.Version(ctx)
	if err != nil {
		if failure, ok := errors.AsType[*pveapi.Error](err); ok && failure.Status == 401 {
			test.TokenOK = new(false)
		}
		return notRead(test, err)
	}
	test.Version, test.TokenOK = version.String(), new(true)
	part, err := client.ReadCluster(ctx, false)
	if err != nil {
		return notRead(test, err)
	}
	snapshot := part.Snapshot()
	if snapshot.Rights.State != facts.OK {
		test.Problem = "Proxmox VE did not tell the rights of the token."
		return test, nil
	}
	shown := atlas.ShownRights(&snapshot.Rights.Value)
	test.Scope = string(rights.VMs(shown).State)
	gaps := rights.Missing(shown)
	for _, gap := range gaps {
		test.Missing = append(test.Missing, httpapi.MissingPrivilege{Privilege: gap.Privilege, Path: gap.Path, Cost: gap.Cost})
	}
	if len(gaps) > 0 {
		test.Commands = commands(rights.Advise(shown, gaps))
	}
	return test, nil
}

// notRead ends a test with why it came no further. That a caller gave up is an error.
func notRead(test httpapi.ConnectionTest, err error) (httpapi.ConnectionTest, error) {
	failure, ok := errors.AsType[*pveapi.Error](err)
	switch {
	case ok:
		test.Problem = sentence(failure)
	case errors.Is(err, context.DeadlineExceeded):
		test.Problem = fmt.Sprintf("The cluster did not answer all questions within %.0f s.", testTime.Seconds())
	default:
		return test, err
	}
	return test, nil
}

// commands gives the commands of an advice, with what goes with them as comments of
// the shell.
func commands(advice rights.Advice) []string {
	all := []string{}
	for _, path := range advice.Blocked {
		all = append(all, fmt.Sprintf("# On %s a rule %s outweighs every other role: nothing granted there helps while it stands.", path, rights.NoAccess))
	}
	all = append(all, advice.Commands...)
	if advice.Caution != "" {
		all = append(all, "# "+advice.Caution)
	}
	return all
}
