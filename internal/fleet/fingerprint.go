package fleet

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"strings"
)

// CheckFingerprint reads the SHA-256 of a certificate in hexadecimal digits, with
// or without colons, and gives it as `pvenode cert info` shows it: AA:BB:….
func CheckFingerprint(text string) (string, error) {
	raw, err := hex.DecodeString(strings.ReplaceAll(strings.TrimSpace(text), ":", ""))
	if err != nil || len(raw) != sha256.Size {
		return "", errors.New("a certificate's fingerprint is 32 bytes in hexadecimal digits, such as 15:95:E3:…, the SHA-256 that `pvenode cert info` shows")
	}
	parts := make([]string, len(raw))
	for i, b := range raw {
		parts[i] = strings.ToUpper(hex.EncodeToString([]byte{b}))
	}
	return strings.Join(parts, ":"), nil
}

// maxCAs bounds the text of trusted certificates, in bytes.
const maxCAs = 64 << 10

// checkCAs gives certificates in PEM without what stands around them. A private
// key among them is refused, since the text is shown to everyone who signs in.
func checkCAs(text string) (string, error) {
	if strings.TrimSpace(text) == "" {
		return "", nil
	}
	if len(text) > maxCAs {
		return "", errors.New("the certificates are longer than 64 KiB; only those of the authorities that signed the nodes' are needed")
	}
	var plain strings.Builder
	rest := []byte(text)
	for {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if strings.Contains(block.Type, "PRIVATE KEY") {
			return "", errors.New("there is a private key among the certificates: keep it to yourself and give the certificates alone")
		}
		if block.Type != "CERTIFICATE" {
			return "", errors.New("among the certificates is a PEM block of another kind; each must begin with -----BEGIN CERTIFICATE-----")
		}
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			return "", errors.New("one of the certificates cannot be read; copy it again, for example from /etc/pve/pve-root-ca.pem")
		}
		plain.Write(pem.EncodeToMemory(&pem.Block{Type: block.Type, Bytes: block.Bytes}))
	}
	if plain.Len() == 0 || strings.Contains(string(rest), "-----BEGIN ") {
		return "", errors.New("trusted certificates are given in PEM, whole from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----")
	}
	return plain.String(), nil
}
