package cli

import (
	"errors"
	"fmt"
	"strings"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pveapi"
	"pciatlas/internal/rights"
)

// adviseRights says on standard error which rights a credential of the API
// lacks, what that costs, and how to grant them.
func adviseRights(env Env, snapshot *facts.Snapshot) {
	if snapshot.Rights.State != facts.OK {
		return
	}
	shown := atlas.ShownRights(&snapshot.Rights.Value)
	gaps := rights.Missing(shown)
	if len(gaps) == 0 {
		return
	}
	p := &printer{w: env.Stderr}
	if rights.SeesNothing(shown) {
		p.line("The token %s holds no right at all, so Proxmox VE shows it empty lists without an error.", shown.User)
	} else {
		p.line("The token %s lacks rights for a complete answer:", shown.User)
		for _, gap := range gaps {
			how := ""
			if gap.Propagation {
				how = ", propagating"
			}
			p.line("  %s on %s%s: %s", gap.Privilege, gap.Path, how, gap.Cost)
		}
	}
	grant := rights.Grant(shown.User)
	if len(grant) == 0 {
		return
	}
	p.line("These commands, as root on a node, grant the least role that sees everything:")
	for _, command := range grant {
		p.line("  %s", command)
	}
	p.line("%s\n", rights.GrantCaution)
}

// advise adds to an error of the API what a person can do about it.
func (s *source) advise(err error, token pveapi.Token) error {
	if certificate, ok := errors.AsType[*pveapi.CertificateError](err); ok {
		return s.adviseCertificate(certificate)
	}
	failure, ok := errors.AsType[*pveapi.Error](err)
	switch {
	case !ok:
		return err
	case failure.Status == 401:
		return fmt.Errorf("%w.\nProxmox VE does not accept the token %s. It does not say why; look at these:\n"+
			"  - the name is complete, with realm and token: USER@REALM!NAME\n"+
			"  - the secret is the one shown when the token was made (it cannot be shown again)\n"+
			"  - neither the user nor the token has expired or is disabled: pveum user token list %s",
			err, token, quote(strings.Split(token.ID, "!")[0]))
	case failure.Status == 0:
		return fmt.Errorf("%w.\nNo entry node answers at %s. Is the address right, with port 8006, and reachable from here?",
			err, strings.Join(s.endpoints, ", "))
	default:
		return err
	}
}

// adviseCertificate leads from an unknown certificate to a pinned one.
func (s *source) adviseCertificate(e *pveapi.CertificateError) error {
	if e.Pinned {
		return fmt.Errorf("%w.\nIf the node's certificate was renewed, compare that fingerprint with what the node itself says:\n"+
			"  pvenode cert info\nand give it with --tls-fingerprint. If it was not renewed, something else answers at this address: do not go on", e)
	}
	return fmt.Errorf("%w (%w).\nThat is usual for a node with the certificate it made itself. Compare the fingerprint with what the node says:\n"+
		"  pvenode cert info\nIf they are equal, repeat the command with it:\n  %s", e, e.Err, s.commandWith(e.Seen))
}

// commandWith gives the command line once more with a fingerprint. Secrets are
// not in it: the token is in a file or a variable.
func (s *source) commandWith(fingerprint pveapi.Fingerprint) string {
	words := []string{"pciatlas", s.words}
	for _, endpoint := range s.endpoints {
		words = append(words, "--endpoint", quote(endpoint))
	}
	if s.tokenFile != "" {
		words = append(words, "--token-file", quote(s.tokenFile))
	}
	words = append(words, "--tls-fingerprint", fingerprint.String())
	return strings.Join(words, " ")
}
