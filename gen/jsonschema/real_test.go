package jsonschema_test

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/gen/check"
	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/runtime/audit"
	"github.com/gatewright/gatewright/runtime/gate"
)

func fits(t *testing.T, schema *jsonschema.Schema, text []byte) map[string]any {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err, "%s", text)
	require.NoError(t, schema.Validate(value), "%s", text)
	return value.(map[string]any)
}

// members are the JSON names of a struct's fields, and those of them that are
// always there.
func members(of reflect.Type) (all, always []string) {
	for field := range of.Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		all = append(all, name)
		if options == "" {
			always = append(always, name)
		}
	}
	slices.Sort(all)
	slices.Sort(always)
	return all, always
}

func texts(value any) []string {
	var all []string
	for _, item := range value.([]any) {
		all = append(all, item.(string))
	}
	slices.Sort(all)
	return all
}

// A member that is added to the log's entry alone, or here alone, fails.
func TestMembersOfEntriesAreThoseOfTheLog(t *testing.T) {
	root := document(t, "audit")
	all, always := members(reflect.TypeFor[audit.Entry]())
	require.Equal(t, all, sortedKeys(root["properties"].(map[string]any)))
	require.Equal(t, always, texts(root["required"]))
	for _, name := range []string{"audit", "result"} {
		approval := document(t, name)["properties"].(map[string]any)["approval"].(map[string]any)
		all, always = members(reflect.TypeFor[gate.Approval]())
		require.Equal(t, all, sortedKeys(approval["properties"].(map[string]any)))
		require.Equal(t, always, texts(approval["required"]))
	}
}

// The decisions on a request are those of the gate, and what it says of a commit
// that was carried out in part fits.
func TestDecisionsAndPartialsAreThoseOfTheGate(t *testing.T) {
	decision := document(t, "audit")["properties"].(map[string]any)["decision"].(map[string]any)
	require.ElementsMatch(t, []string{gate.Admitted, gate.Refused, gate.Replayed}, texts(decision["enum"]))
	result := compile(t, "result")
	for _, partial := range []gate.Partial{
		{}, {Message: "x", Finished: []string{"a"}, Failed: []gate.FailedItem{{Item: "b", Reason: "c"}}}, {Finished: []string{}, Failed: []gate.FailedItem{}},
	} {
		text, err := json.Marshal(map[string]any{"code": gate.CommitPartial, "message": "m", "next": "n", "retryable": false, "call": "c", "partial": partial})
		require.NoError(t, err)
		fits(t, result, text)
	}
	all, always := members(reflect.TypeFor[gate.FailedItem]())
	require.Equal(t, all, always)
	partial := document(t, "result")["properties"].(map[string]any)["partial"].(map[string]any)
	failed := partial["properties"].(map[string]any)["failed"].(map[string]any)["items"].(map[string]any)
	require.Equal(t, all, sortedKeys(failed["properties"].(map[string]any)))
}

// The events of the log are the constants of their type.
func TestEventsAreThoseOfTheCode(t *testing.T) {
	var events []string
	for _, pattern := range []string{"../../runtime/gate/*.go", "../../runtime/audit/*.go", "../../runtime/server/*.go", "../../runtime/state/*.go"} {
		paths, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, path := range paths {
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			require.NoError(t, err)
			ast.Inspect(file, func(n ast.Node) bool {
				if spec, ok := n.(*ast.ValueSpec); ok && !strings.HasSuffix(path, "_test.go") && isEvent(spec.Type) {
					for _, value := range spec.Values {
						event, err := strconv.Unquote(value.(*ast.BasicLit).Value)
						require.NoError(t, err)
						events = append(events, event)
					}
				}
				return true
			})
		}
	}
	known := texts(document(t, "audit")["properties"].(map[string]any)["event"].(map[string]any)["enum"])
	require.Contains(t, events, "tool_call")
	require.Subset(t, known, events)
}

func isEvent(kind ast.Expr) bool {
	switch kind := kind.(type) {
	case *ast.Ident:
		return kind.Name == "Event"
	case *ast.SelectorExpr:
		return kind.Sel.Name == "Event"
	}
	return false
}

func TestDiagnosticsOfEveryGoldenFit(t *testing.T) {
	schema := compile(t, "diagnostics")
	paths, err := filepath.Glob("../check/testdata/*/*.txtar")
	require.NoError(t, err)
	levels, keys := map[string]int{}, map[string]int{}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		require.NoError(t, err)
		for _, file := range archive.Files {
			if !strings.HasSuffix(file.Name, ".yaml") {
				continue
			}
			_, found := check.File(file.Name, file.Data, check.Options{})
			var out bytes.Buffer
			require.NoError(t, diag.JSON(&out, found))
			for _, d := range fits(t, schema, out.Bytes())["diagnostics"].([]any) {
				levels[d.(map[string]any)["level"].(string)]++
				for key := range d.(map[string]any) {
					keys[key]++
				}
			}
		}
	}
	for _, level := range []string{"error", "warning", "note"} {
		require.NotZero(t, levels[level])
	}
	properties := document(t, "diagnostics")["$defs"].(map[string]any)["diagnostic"].(map[string]any)["properties"].(map[string]any)
	require.Len(t, properties, len(keys))
	var out bytes.Buffer
	require.NoError(t, diag.JSON(&out, []diag.Diagnostic{check.Crash("", "trouble", nil)}))
	fits(t, schema, out.Bytes())
}

// A world is a workspace with the servers of a protocol.
type world struct {
	t                     *testing.T
	bin, workspace, state string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, bin: t.TempDir(), workspace: t.TempDir(), state: filepath.Join(t.TempDir(), "state")}
	w.run("go", "build", "-o", w.bin+string(filepath.Separator), "../../generated/greenfield/cmd/greenfield-plan", "../../generated/greenfield/cmd/greenfield-implement")
	return w
}

func (w *world) run(name string, args ...string) {
	w.t.Helper()
	output, err := exec.Command(name, args...).CombinedOutput()
	require.NoError(w.t, err, "%s", output)
}

// call makes one call; what it prints is the structured content that a client
// would get.
func (w *world) call(mode, tool, arguments string) ([]byte, error) {
	command := exec.Command(filepath.Join(w.bin, "greenfield-"+mode), "--workspace", w.workspace, "--state-dir", w.state, "--actor", "tester", "call", tool, arguments)
	return command.Output()
}

func (w *world) log() []byte {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.state, "audit.jsonl"))
	require.NoError(w.t, err)
	return text
}

// What servers answer and log fits, as printed by real ones.
func TestAnswersAndLogsOfRealServersFit(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, os.WriteFile(filepath.Join(w.workspace, "a.txt"), []byte("hello\n"), 0o600))
	result, entry := compile(t, "result"), compile(t, "audit")

	_, err := w.call("plan", "read", `{"path": "a.txt"}`)
	require.NoError(t, err)
	var codes []string
	for _, call := range [][3]string{
		{"plan", "read", `{"path": "missing.txt"}`},                         // a code of the tool's own
		{"plan", "read", `{"PATH": "a.txt"}`},                               // ARGUMENTS_MALFORMED
		{"plan", "read", `{"path": 5}`},                                     // ARGUMENTS_INVALID
		{"plan", "nothing", `{}`},                                           // UNKNOWN_TOOL
		{"plan", "merge", `{"commit": "a", "base": "b"}`},                   // TOOL_NOT_IN_MODE, wf1_violation
		{"implement", "create", `{"path": "b.txt", "text": "text"}`},        // nobody to approve it
		{"plan", "read", `{"path": "` + strings.Repeat("é", 20_000) + `"}`}, // long words
	} {
		out, err := w.call(call[0], call[1], call[2])
		require.Error(t, err)
		codes = append(codes, fits(t, result, out)["code"].(string))
	}
	require.Equal(t, []string{
		"FILE_NOT_FOUND", "ARGUMENTS_MALFORMED", "ARGUMENTS_INVALID", "UNKNOWN_TOOL", "TOOL_NOT_IN_MODE", "APPROVAL_NO_PROVIDER", "ARGUMENTS_INVALID",
	}, codes)

	// A line that a crash left behind.
	log, err := os.OpenFile(filepath.Join(w.state, "audit.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = log.WriteString(`{"v":1,"seq":`)
	require.NoError(t, err)
	require.NoError(t, log.Close())
	_, err = w.call("plan", "list", `{}`)
	require.NoError(t, err)

	seen := map[string]bool{}
	for line := range bytes.Lines(w.log()) {
		seen[fits(t, entry, line)["event"].(string)] = true
	}
	for _, event := range []string{"tool_call", "tool_result", "wf1_violation", "protocol_pinned", "log_repaired"} {
		require.True(t, seen[event], event)
	}
	spoilt(t, entry, bytes.SplitAfter(w.log(), []byte("\n")))
}

// spoilt holds that the schema of entries refuses entries that no server
// writes: each line without one of its members, or with one more.
func spoilt(t *testing.T, entry *jsonschema.Schema, lines [][]byte) {
	t.Helper()
	needed := []string{"v", "seq", "time", "event", "protocol", "digest", "mode", "prev", "hash"}
	for _, line := range lines {
		var whole map[string]any
		if len(line) == 0 {
			continue
		}
		require.NoError(t, json.Unmarshal(line, &whole))
		also := slices.Clone(needed)
		if whole["event"] == "tool_call" {
			also = append(also, "tool", "call", "args", "decision")
		}
		if whole["decision"] == "refused" {
			also = append(also, "code")
		}
		for _, name := range also {
			kept := whole[name]
			delete(whole, name)
			require.Error(t, entry.Validate(whole), "without %s: %s", name, line)
			whole[name] = kept
		}
		whole["more"] = "x"
		require.Error(t, entry.Validate(whole))
	}
}
