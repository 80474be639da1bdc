package protocol_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/gen/protocol"
)

func TestRecallReadsBackWhatCanonicalWrote(t *testing.T) {
	recalled := 0
	for _, pattern := range []string{"../*/testdata/*.txtar", "../*/testdata/*/*.txtar"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, name := range files {
			archive, err := txtar.ParseFile(name)
			require.NoError(t, err)
			for _, file := range archive.Files {
				if filepath.Ext(file.Name) != ".yaml" {
					continue
				}
				p, found := protocol.Load(file.Name, file.Data)
				if p == nil || len(found) > 0 {
					continue
				}
				canonical := p.Canonical()
				again, err := protocol.Recall("protocol.json", canonical)
				require.NoError(t, err, "%s: %s\n%s", name, file.Name, canonical)
				require.Equal(t, p.Digest(), again.Digest())
				recalled++
			}
		}
	}
	require.Greater(t, recalled, 20)
}

func TestRecallTakesCharactersThatAFileMayOnlyEscape(t *testing.T) {
	text := []byte("protocol_id: a\ninitial_mode: m\ntools:\n  t:\n    description: \"a\\tb ☃ 𝄞 \\\\ \\\"\"\n    input: {properties: {\"\\u202e\\u0007\\x7f\": {const: \"\\u2028\", enum: [123456789012345678901234567890, 1.5e300]}}}\nmodes: {m: {tools: [t]}}\n")
	p, found := protocol.Load("a.yaml", text)
	require.Empty(t, found)
	again, err := protocol.Recall("a.json", p.Canonical())
	require.NoError(t, err)
	require.Equal(t, p.Digest(), again.Digest())
}

func TestRecallRefusesAnotherForm(t *testing.T) {
	p, found := protocol.Load("a.yaml", []byte("protocol_id: a\ninitial_mode: m\ntools: {t: {}}\nmodes: {m: {tools: [t]}}\n"))
	require.Empty(t, found)
	canonical := p.Canonical()
	for _, text := range [][]byte{
		nil, []byte("{}"), []byte("\xff"), append([]byte(" "), canonical...),
		bytes.Replace(canonical, []byte(`"strict":false`), []byte(`"strict":null`), 1),
		bytes.Replace(canonical, []byte(`"deps":"",`), nil, 1),
		[]byte("protocol_id: a\ninitial_mode: m\ntools: {t: {}}\nmodes: {m: {tools: [t]}}\n"),
	} {
		_, err := protocol.Recall("a.json", text)
		require.Error(t, err, "%s", text)
	}
}
