//go:build unix

package approval

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// programReads returns what a program reads of an inquiry.
func programReads(t *testing.T, inquiry Inquiry) string {
	t.Helper()
	file := filepath.Join(safeFolder(t), "given")
	answer, err := commandOf(t, `cat >"$1"; echo '{"decision":"denied"}'`, file).Ask(t.Context(), inquiry)
	require.NoError(t, err)
	require.Equal(t, Denied, answer.Decision)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(text)
}

func TestAProgramReadsTheWholeRequest(t *testing.T) {
	const head = `{"v":1,"id":"R1","protocol":"greenfield","digest":"sha256:d","mode":"review","tool":"merge","actor":"someone","session":"1:2",` +
		`"workspace":"/w","call":"C1","arguments":{"a":9007199254740993,"b":"<&>\u001b","c":[1e400,0.10]},"why":"it cannot be undone",`
	const times = `"asked_at":"2026-01-02T02:04:05.0000006Z","expires_at":"2026-01-02T03:04:05.0000006Z"}` + "\n"
	asked := commandInquiry()
	require.Equal(t, head+times, programReads(t, asked))
	asked.Request.Shown = `{"diff":["-a",12345678901234567890]}`
	require.Equal(t, head+`"shown":{"diff":["-a",12345678901234567890]},`+times, programReads(t, asked))
}

func TestARequestFitsItsSchema(t *testing.T) {
	fits := commandSchema(t, "request.schema.json")
	for _, change := range []func(*Request){
		func(*Request) {},
		func(r *Request) { r.Shown = `null` },
		func(r *Request) { r.Shown = `{"a":1}` },
		func(r *Request) { r.Why, r.Actor, r.Session = "", "", "" },
		func(r *Request) { r.Arguments = []byte(`{"text":"` + strings.Repeat("x", 1<<20) + `"}`) },
	} {
		asked := commandInquiry()
		asked.Request.Arguments = []byte(`{"a":1}`)
		change(&asked.Request)
		var document map[string]any
		require.NoError(t, json.Unmarshal([]byte(programReads(t, asked)), &document))
		require.NoError(t, fits.Validate(document))
		for key := range document {
			less := map[string]any{}
			for other, value := range document {
				if other != key {
					less[other] = value
				}
			}
			require.Equal(t, key == "shown", fits.Validate(less) == nil, "without %s", key)
		}
		document["other"] = 1
		require.Error(t, fits.Validate(document))
	}
}

func TestINV4_ARequestThatCannotBeWrittenIsNotAsked(t *testing.T) {
	marker := filepath.Join(safeFolder(t), "ran")
	c := commandOf(t, `touch "$1"; echo '{"decision":"approved"}'`, marker)
	for name, spoil := range map[string]func(*Request){
		"no arguments":      func(r *Request) { r.Arguments = nil },
		"a list":            func(r *Request) { r.Arguments = []byte(`[]`) },
		"null":              func(r *Request) { r.Arguments = []byte(`null`) },
		"cut off":           func(r *Request) { r.Arguments = []byte(`{"a":1`) },
		"more than one":     func(r *Request) { r.Arguments = []byte(`{"a":1},"tool":"list"`) },
		"a key twice":       func(r *Request) { r.Arguments = []byte(`{"a":1,"a":2}`) },
		"arguments not UTF": func(r *Request) { r.Arguments = []byte("{\"a\":\"\xff\"}") },
		"actor not UTF":     func(r *Request) { r.Actor = "\xff" },
		"shown is no JSON":  func(r *Request) { r.Shown = "plain" },
		"shown adds keys":   func(r *Request) { r.Shown = `1,"tool":"list"` },
	} {
		asked := commandInquiry()
		spoil(&asked.Request)
		answer, err := c.Ask(t.Context(), asked)
		isNo(t, answer, err, name)
		require.NoFileExists(t, marker, name)
	}
}

// Text of an agent cannot become another member of the document.
func TestForeignTextStaysAString(t *testing.T) {
	asked := commandInquiry()
	asked.Request.Actor = "x\",\"tool\":\"list\n\x00\u2028$(id)`id`"
	asked.Request.Why, asked.Request.Arguments = "</script>", []byte(`{}`)
	var document map[string]any
	require.NoError(t, json.Unmarshal([]byte(programReads(t, asked)), &document))
	require.Equal(t, asked.Request.Actor, document["actor"])
	require.Equal(t, "merge", document["tool"])
	require.Equal(t, "</script>", document["why"])
}

func TestAProgramKnowsOnlyWhatItIsGiven(t *testing.T) {
	t.Setenv("GATEWRIGHT_TEST_SECRET", "s")
	t.Setenv("GATEWRIGHT_TEST_GIVEN", "g")
	file := filepath.Join(safeFolder(t), "seen")
	path := decider(t, safeFolder(t), `{ pwd; echo "$#"; /usr/bin/env; } >"$1"; echo '{"decision":"denied"}'`)
	workspace := safeFolder(t)
	c, err := NewCommand(Source{Provider: CommandProvider, Command: []string{path, file, "$(id)"}, Env: []string{"GATEWRIGHT_TEST_GIVEN"}}, workspace)
	require.NoError(t, err)
	_, err = c.Ask(t.Context(), commandInquiry())
	require.NoError(t, err)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(text), "/\n2\n"), string(text))
	require.Contains(t, string(text), "GATEWRIGHT_TEST_GIVEN=g\n")
	require.NotContains(t, string(text), "GATEWRIGHT_TEST_SECRET")
	require.NotContains(t, string(text), workspace)
}
