package store

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"

	"pciatlas/internal/fleet"
)

// sealVersion begins every sealed text: VERSION.KEYID.BASE64(nonce and text).
const sealVersion = "1"

// ClusterSecret gives the secret of the cluster's token. ErrNoKey if the keyring
// lacks its key, ErrSealed if the stored text was altered.
func (s *Store) ClusterSecret(ctx context.Context, name string) (string, error) {
	_, secret, err := s.ClusterWithSecret(ctx, name)
	return secret, err
}

// ClusterWithSecret gives a cluster and the secret of its token, both of one
// moment: otherwise a new secret could be sent to an old address. Errors as for
// ClusterSecret.
func (s *Store) ClusterWithSecret(ctx context.Context, name string) (fleet.Cluster, string, error) {
	ctx, cancel := bounded(ctx, s.timeout)
	defer cancel()
	var (
		found  fleet.Cluster
		sealed string
	)
	err := s.db.row(ctx, append(clusterFields(&found), &sealed), `SELECT `+clusterColumns+`, secret FROM clusters WHERE name = $1`, name)
	if err != nil {
		return fleet.Cluster{}, "", fmt.Errorf("cluster %q: %w", name, err)
	}
	secret, err := s.unseal(name, found.TokenID, sealed)
	if err != nil {
		return fleet.Cluster{}, "", fmt.Errorf("token of cluster %q: %w", name, err)
	}
	return found, secret, nil
}

// storeSecret seals the secret of a cluster that is stored already.
func (s *Store) storeSecret(ctx context.Context, tx conn, name, tokenID, secret string) error {
	sealed, err := s.seal(name, tokenID, secret)
	if err != nil {
		return err
	}
	return tx.one(ctx, `UPDATE clusters SET secret = $1 WHERE name = $2`, sealed, name)
}

// seal must run within a change: RotateKey relies on it that nobody seals with an
// old key while it seals everything anew.
func (s *Store) seal(cluster, tokenID, secret string) (string, error) {
	if s.keyring == nil {
		return "", ErrNoKey
	}
	key, err := s.keyring.sealing()
	if err != nil {
		return "", err
	}
	return sealWith(key, s.random, cluster, tokenID, secret)
}

func (s *Store) unseal(cluster, tokenID, sealed string) (string, error) {
	if s.keyring == nil {
		return "", ErrNoKey
	}
	id, err := sealedWith(sealed)
	if err != nil {
		return "", err
	}
	key, err := s.keyring.find(id)
	if err != nil {
		return "", err
	}
	return unsealWith(key, cluster, tokenID, sealed)
}

// sealedWith gives the id of the key.
func sealedWith(sealed string) (string, error) {
	parts := strings.Split(sealed, ".")
	if len(parts) != 3 || parts[0] != sealVersion {
		return "", ErrSealed
	}
	return parts[1], nil
}

// belongsTo binds a sealed text to its cluster and token, so that it cannot be
// moved to another row.
func belongsTo(cluster, tokenID string) []byte {
	return []byte("pciatlas cluster token\x00" + cluster + "\x00" + tokenID)
}

func sealWith(key sealingKey, random io.Reader, cluster, tokenID, secret string) (string, error) {
	aead, err := newAEAD(key)
	if err != nil {
		return "", err
	}
	nonce := make([]byte, aead.NonceSize())
	if _, err := io.ReadFull(random, nonce); err != nil {
		return "", errors.New("there are no random bytes to seal a token with")
	}
	text := aead.Seal(nonce, nonce, []byte(secret), belongsTo(cluster, tokenID))
	return strings.Join([]string{sealVersion, key.id, base64.RawURLEncoding.EncodeToString(text)}, "."), nil
}

func unsealWith(key sealingKey, cluster, tokenID, sealed string) (string, error) {
	aead, err := newAEAD(key)
	if err != nil {
		return "", err
	}
	raw, err := base64.RawURLEncoding.DecodeString(sealed[strings.LastIndex(sealed, ".")+1:])
	if err != nil || len(raw) < aead.NonceSize() {
		return "", ErrSealed
	}
	text, err := aead.Open(nil, raw[:aead.NonceSize()], raw[aead.NonceSize():], belongsTo(cluster, tokenID))
	if err != nil {
		return "", ErrSealed
	}
	return string(text), nil
}

func newAEAD(key sealingKey) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key.bytes[:])
	if err != nil {
		return nil, fmt.Errorf("use a key: %w", err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("use a key: %w", err)
	}
	return aead, nil
}
