package approval

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func signer(t testing.TB, fill byte) *Signer {
	t.Helper()
	s, err := NewSigner(bytes.Repeat([]byte{fill}, KeySize))
	require.NoError(t, err)
	return s
}

func signed(t testing.TB, s *Signer) (State, string) {
	t.Helper()
	state := State{ID: "R", Binding: "sha256:b", Call: "C", Round: 2, ExpiresAt: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)}
	text, err := s.Sign(state)
	require.NoError(t, err)
	return state, text
}

func TestSignedStateComesBack(t *testing.T) {
	state, text := signed(t, signer(t, 1))
	again, err := signer(t, 1).Verify(text)
	require.NoError(t, err)
	require.Equal(t, state, again)
	require.Less(t, len(text), maxState)
}

func TestINV5_WhatThisKeyDidNotSignDoesNotCount(t *testing.T) {
	s := signer(t, 1)
	_, text := signed(t, s)
	body, mac, _ := strings.Cut(text, ".")
	_, other := signed(t, signer(t, 2))
	otherState := base64.RawURLEncoding.EncodeToString([]byte(`{"id":"R","binding":"sha256:evil","call":"C","round":2,"expires_at":"2026-01-02T03:04:05Z"}`))
	for _, forged := range []string{
		"", ".", body, body + ".", "." + mac, body + "." + body, otherState + "." + mac, other, text + "A", "A" + text, text + "." + mac,
		strings.Repeat("A", maxState+1), body + "." + mac[:len(mac)-2], body + "\n." + mac + "\n", "\x00" + text,
	} {
		_, err := s.Verify(forged)
		require.Error(t, err, "%q", forged)
	}
	for i := range len(text) {
		changed := []byte(text)
		changed[i] ^= 1
		if state, err := s.Verify(string(changed)); err == nil {
			require.Fail(t, "a changed state was taken", "byte %d: %v", i, state)
		}
	}
}

func TestAKeyHasItsSize(t *testing.T) {
	for _, key := range [][]byte{nil, {}, make([]byte, KeySize-1), make([]byte, KeySize+1)} {
		_, err := NewSigner(key)
		require.Error(t, err)
	}
}

func FuzzVerify(f *testing.F) {
	s := signer(f, 1)
	_, text := signed(f, s)
	_, other := signed(f, signer(f, 2))
	f.Add(text)
	f.Add(other)
	f.Add(".")
	f.Fuzz(func(t *testing.T, given string) {
		if _, err := s.Verify(given); err == nil && given != text {
			t.Fatalf("%q was taken", given)
		}
	})
}
