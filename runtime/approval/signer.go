package approval

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
)

// KeySize is the size of a signing key, in bytes.
const KeySize = 32

// maxState bounds a signed state, in bytes: those made here have about 400.
const maxState = 2048

// A Signer signs what travels through a client, and knows it again.
type Signer struct{ key []byte }

// NewSigner returns a signer with a key of [KeySize] random bytes.
func NewSigner(key []byte) (*Signer, error) {
	if len(key) != KeySize {
		return nil, fmt.Errorf("a signing key has %d bytes, not %d", KeySize, len(key))
	}
	return &Signer{key: append([]byte(nil), key...)}, nil
}

// Sign returns a state as text: its JSON and an HMAC-SHA256 over that, both in
// base64url, with a dot between them.
func (s *Signer) Sign(state State) (string, error) {
	content, err := json.Marshal(state)
	if err != nil {
		return "", fmt.Errorf("sign a state: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(content) + "." + base64.RawURLEncoding.EncodeToString(s.sum(content)), nil
}

// Verify returns the state of a signed text. Whatever this key did not sign is
// an error.
func (s *Signer) Verify(text string) (State, error) {
	var state State
	if len(text) > maxState {
		return state, errForged
	}
	body, mac, ok := strings.Cut(text, ".")
	content, err := base64.RawURLEncoding.DecodeString(body)
	sum, macErr := base64.RawURLEncoding.DecodeString(mac)
	if !ok || err != nil || macErr != nil || !hmac.Equal(sum, s.sum(content)) {
		return state, errForged
	}
	if err := json.Unmarshal(content, &state, json.RejectUnknownMembers(true)); err != nil {
		return State{}, fmt.Errorf("read a state: %w", err)
	}
	if again, err := s.Sign(state); err != nil || again != text {
		return State{}, errForged // the same state spelled in another way
	}
	return state, nil
}

var errForged = errors.New("it was not signed by this server")

func (s *Signer) sum(content []byte) []byte {
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte("gatewright question v1\n"))
	mac.Write(content)
	return mac.Sum(nil)
}
