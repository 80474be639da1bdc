package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// text writes a file and returns its path.
func textFile(tb testing.TB, text string) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "file")
	require.NoError(tb, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestAnAnchorHoldsTheLog(t *testing.T) {
	j := newJournal(t)
	require.NoError(t, j.fill(t.Context(), 100))
	at := func(args ...string) auditRun { return runAudit(t.Context(), append(args, "--state-dir", j.dir)...) }
	key := filepath.Join(t.TempDir(), "log.key")
	made := at("anchor", "--new-key", "example.com/log", "--key", key)
	require.Zero(t, made.code, made.err)
	verifier := strings.TrimSpace(made.out)
	info, err := os.Stat(key)
	require.NoError(t, err)
	require.EqualValues(t, 0o600, info.Mode().Perm())
	again := at("anchor", "--new-key", "example.com/log", "--key", key)
	require.Equal(t, exitFailed, again.code, "a key is not written over")
	secret, err := os.ReadFile(key)
	require.NoError(t, err)
	require.NotContains(t, made.out+made.err, strings.TrimSpace(string(secret)))

	signed := at("anchor", "--key", key)
	require.Zero(t, signed.code, signed.err)
	head := strings.Fields(at("head").out)
	seq, hash, _ := strings.Cut(head[0], ":")
	require.True(t, strings.HasPrefix(signed.out,
		"gatewright audit log v1\nprotocol notes\nseq "+seq+"\nhash "+hash+"\ntime "+head[1]+"\n\n\u2014 example.com/log "), signed.out)
	anchor := textFile(t, signed.out)
	holds := func(anchor, verifier string) auditRun {
		return at("verify", "--anchor", anchor, "--verifier", verifier)
	}
	require.Zero(t, holds(anchor, verifier).code)
	require.Zero(t, holds(anchor, textFile(t, made.out)).code)
	text := j.content(t)
	require.NoError(t, j.fill(t.Context(), 150))
	require.Zero(t, holds(anchor, verifier).code, "the log has grown")
	run := holds(anchor, verifier)
	require.Contains(t, run.out, "held       entry "+seq+" is the one that was kept")

	other := at("anchor", "--new-key", "example.com/log", "--key", filepath.Join(t.TempDir(), "other"))
	require.Equal(t, exitFailed, holds(anchor, strings.TrimSpace(other.out)).code, "another key")
	require.Equal(t, exitFailed, holds(textFile(t, strings.Replace(signed.out, "\nseq ", "\nseq 1", 1)), verifier).code)
	require.Equal(t, exitFailed, holds(textFile(t, signed.out[:len(signed.out)-9]+"\n"), verifier).code)

	last := strings.LastIndexByte(strings.TrimSuffix(string(text), "\n"), '\n') + 1
	j.write(t, text[:last])
	run = holds(anchor, verifier)
	require.Equal(t, exitFindings, run.code)
	require.Contains(t, run.err, "the log ends with entry ")
	fresh := newJournal(t)
	fresh.at = fresh.at.Add(1)
	require.NoError(t, fresh.fill(t.Context(), 200))
	j.write(t, fresh.content(t))
	require.Zero(t, j.verify(t, "--protocol", "notes").code, "by itself another log may be whole")
	require.Contains(t, holds(anchor, verifier).err, "is not the one that was there before")
}

func TestWhatIsSignedIsAWholeLogOrNothing(t *testing.T) {
	j := newJournal(t)
	require.NoError(t, j.fill(t.Context(), 20))
	key := filepath.Join(t.TempDir(), "log.key")
	require.Zero(t, runAudit(t.Context(), "anchor", "--new-key", "me", "--key", key).code)
	for _, name := range []string{"", "a b", "a+b", "a\nb"} {
		path := filepath.Join(t.TempDir(), "bad.key")
		require.NotZero(t, runAudit(t.Context(), "anchor", "--new-key", name, "--key", path).code, "%q", name)
		require.NoFileExists(t, path)
	}
	sign := func() auditRun { return runAudit(t.Context(), "anchor", "--key", key, "--state-dir", j.dir) }
	text := j.content(t)
	text[len(text)/2] ^= 1
	j.write(t, text)
	run := sign()
	require.Equal(t, exitFindings, run.code)
	require.Empty(t, run.out)
	text[len(text)/2] ^= 1
	j.write(t, text)
	require.NoError(t, os.Chmod(key, 0o640))
	run = sign()
	require.Equal(t, exitFailed, run.code)
	require.Contains(t, run.err, "lets others at the key")
	require.NoError(t, os.Chmod(key, 0o600))
	require.Zero(t, sign().code)
	require.Equal(t, exitFailed, runAudit(t.Context(), "anchor", "--key", textFile(t, "no key"), "--state-dir", j.dir).code)
}

// A note that is signed and says something else is no anchor.
func TestOnlyTheTextOfAnAnchorIsOne(t *testing.T) {
	good := "gatewright audit log v1\nprotocol notes\nseq 7\nhash " + strings.Repeat("a", 64) + "\ntime 2026-03-01T09:00:00.5Z\n"
	made, err := parseAnchor(good)
	require.NoError(t, err)
	require.Equal(t, good, made.String())
	require.EqualValues(t, 7, made.head.Seq)
	for old, changed := range map[string]string{
		"v1": "v2", "seq 7": "seq 07", "seq ": "seq -", "00.5Z": "00.50Z", "Z\n": "+01:00\n", "protocol notes": "protocol ", "hash a": "hash A", "\ntime": "\nmore x\ntime",
		"seq 7\n": "seq 99999999999999999999\n",
	} {
		_, err := parseAnchor(strings.Replace(good, old, changed, 1))
		require.Error(t, err, changed)
	}
	_, err = parseAnchor(good + "more\n")
	require.Error(t, err)
}
