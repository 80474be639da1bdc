package jsonschema_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/gen/check"
	"github.com/gatewright/gatewright/gen/diag"
)

// seen are the rules whose findings the schema of a protocol has, too.
func seen() []string {
	return []string{
		"key-unknown", "key-missing", "key-later", "value-kind", "value-set", "name-shape", "name-go", "effect-phases", "ref-duplicate",
		"waive-reason", "waive-refused", "schema-form", "schema-keyword", "schema-default", "schema-root",
	}
}

// partly are rules some of whose findings the schema has.
func partly() []string {
	return []string{"ref-mode", "ref-tool", "ref-exclusive", "name-reserved", "schema-format", "schema-unsupported", "schema-ref", "schema-number", "yaml-ambiguous"}
}

// A verdict is what the schema has to say about a file.
type verdict uint8

const (
	either verdict = iota
	valid
	invalid
)

// expected derives the verdict from what check finds.
func expected(found []diag.Diagnostic) (verdict, string) {
	want, why := valid, ""
	for _, d := range found {
		switch {
		case d.Level != diag.Error:
		case strings.HasPrefix(d.Rule, "yaml-") && d.Rule != "yaml-ambiguous":
			return either, d.Rule // read otherwise, or not at all
		case slices.Contains(seen(), d.Rule):
			want, why = invalid, d.Rule+": "+d.Message
		case slices.Contains(partly(), d.Rule) && want == valid:
			want, why = either, d.Rule
		}
	}
	return want, why
}

// unseen are findings that no schema can make: that a scalar is written and not
// left out, that a number is too long, that two names or two programs are one,
// and how long a duration is.
func unseen(found []diag.Diagnostic) bool {
	return slices.ContainsFunc(found, func(d diag.Diagnostic) bool {
		return strings.HasSuffix(d.Message, "has no value") || strings.HasSuffix(d.Message, "`deps` has that name") || strings.Contains(d.Message, "too large, too small or too long") ||
			strings.Contains(d.Message, "has to be between") || strings.HasPrefix(d.Message, "the provider `command /")
	})
}

func hold(t *testing.T, schema *jsonschema.Schema, text []byte) verdict {
	t.Helper()
	_, found := check.File("protocol.yaml", text, check.Options{})
	want, why := expected(found)
	if slices.ContainsFunc(found, func(d diag.Diagnostic) bool { return d.Rule == "key-duplicate" }) {
		want = either // a reader of JSON has one of the two
	}
	if want == either || unseen(found) {
		return either
	}
	value, err := fromYAML(text)
	if err != nil {
		require.NotEqual(t, valid, want, "%s", text)
		return either
	}
	err = schema.Validate(value)
	if want == valid {
		require.NoError(t, err, "%s", text)
	} else {
		require.Error(t, err, "%s\n%s", why, text)
	}
	return want
}

func TestProtocolsOfThisRepositoryFit(t *testing.T) {
	schema := compile(t, "protocol")
	paths, err := filepath.Glob("../../protocols/*/protocol.yaml")
	require.NoError(t, err)
	starters, err := filepath.Glob("../../templates/_*/protocol.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range append(paths, starters...) {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, valid, hold(t, schema, text), path)
	}
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	_, example, _ := strings.Cut(string(readme), "```yaml\n")
	example, _, _ = strings.Cut(example, "```")
	require.Equal(t, valid, hold(t, schema, []byte(strings.ReplaceAll("\n"+example, "\n   ", "\n"))))
}

// Every golden of check: what is found in its form the schema finds as well,
// and what is well-formed fits, whatever rule it breaks.
func TestGoldens(t *testing.T) {
	schema := compile(t, "protocol")
	count := map[verdict]int{}
	for _, pattern := range []string{"../check/testdata/*/*.txtar", "../emit/testdata/*.txtar", "../emit/testdata/*/*.txtar"} {
		paths, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, path := range paths {
			archive, err := txtar.ParseFile(path)
			require.NoError(t, err)
			for _, file := range archive.Files {
				switch {
				case file.Name == "protocol.quoted":
					for line := range strings.Lines(string(bytes.Clone(file.Data))) {
						_, err := strconv.Unquote(strings.TrimSpace(line))
						require.NoError(t, err)
					}
				case strings.HasSuffix(file.Name, ".yaml"):
					t.Run(filepath.Base(path)+" "+file.Name, func(t *testing.T) { count[hold(t, schema, file.Data)]++ })
				}
			}
		}
	}
	require.Greater(t, count[valid], 50)
	require.Greater(t, count[invalid], 15)
	t.Logf("%d fit, %d do not, %d are not for a schema to judge", count[valid], count[invalid], count[either])
}
