package proof_test

import (
	"fmt"
	"go/format"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/gen/check"
	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/emit"
)

// A running is one file of testdata/run: a handler that compiles and has to be
// refused when it runs, and a control that is not.
type running struct {
	name            string
	about           string
	effect, refused string
	calls           string // how often the tool is called; the last call is refused
	attack, control []byte
}

func runnings(t *testing.T) []running {
	t.Helper()
	files, err := filepath.Glob("testdata/run/*.txtar")
	require.NoError(t, err)
	var all []running
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		require.NoError(t, err)
		r := running{name: strings.TrimSuffix(filepath.Base(file), ".txtar")}
		parts := regexp.MustCompile(`^(?s:(.*))\n\neffect: (read|write)\ncalls: (\d)\nrefused: (.*)\n$`).FindStringSubmatch(string(archive.Comment))
		require.NotNil(t, parts, file)
		r.about, r.effect, r.calls, r.refused = parts[1], parts[2], parts[3], parts[4]
		require.Len(t, archive.Files, 2, file)
		r.attack, r.control = archive.Files[0].Data, archive.Files[1].Data
		all = append(all, r)
	}
	return all
}

// protocol has a tool for each attack and each control.
func protocolOf(all []running) []byte {
	var tools, names strings.Builder
	for _, r := range all {
		for _, name := range []string{r.name, r.name + "_control"} {
			fmt.Fprintf(&tools, "  %s: {effect: %s, description: An attack or its control.}\n", name, r.effect)
			fmt.Fprintf(&names, "%s, ", name)
		}
	}
	return []byte("protocol_id: run\nversion: 1.0.0\ninitial_mode: work\ntools:\n" + tools.String() +
		"modes:\n  work: {description: Attack., tools: [" + strings.TrimSuffix(names.String(), ", ") + "]}\n")
}

// driver is a test that calls every tool by the test kit, through the gate.
func driver(t *testing.T, all []running) []byte {
	t.Helper()
	var out strings.Builder
	out.WriteString("package run_test\n\nimport (\n\"testing\"\n\n\"example.com/s/generated/run\"\n\"example.com/s/generated/run/runtest\"\n)\n")
	for _, r := range all {
		name := camel(r.name)
		fmt.Fprintf(&out, `
func Test%[1]s(t *testing.T) {
	client := runtest.New(t, t.TempDir()).Work(t)
	refused(t, %[2]s, %[3]q, func() error { return client.%[1]s(t.Context(), run.%[1]sInput{}) })
	allowed(t, %[2]s, func() error { return client.%[1]sControl(t.Context(), run.%[1]sControlInput{}) })
}
`, name, r.calls, r.refused)
	}
	text, err := format.Source([]byte(out.String()))
	require.NoError(t, err)
	return text
}

func camel(name string) string {
	var out strings.Builder
	for part := range strings.SplitSeq(name, "_") {
		out.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return out.String()
}

func newRunning(t *testing.T, all []running) *module {
	t.Helper()
	m := &module{t: t, dir: t.TempDir()}
	m.header("", outer)
	p, found := check.File("protocol.yaml", protocolOf(all), check.Options{})
	require.False(t, diag.HasErrors(found), "%v", found)
	files, err := emit.Emit(p, emit.Options{ImportPath: outer + "/generated/run", Handlers: outer + "/protocols/run", Source: "protocols/run/protocol.yaml"})
	require.NoError(t, err)
	for name, data := range files {
		write(t, m.dir, path.Join("generated/run", name), data)
	}
	for _, r := range all {
		write(t, m.dir, "protocols/run/"+r.name+".attack.go", r.attack)
		write(t, m.dir, "protocols/run/"+r.name+".control.go", r.control)
	}
	for _, name := range []string{"shared.go", "outside_test.go"} {
		data, err := os.ReadFile("testdata/run/" + name + ".txt")
		require.NoError(t, err)
		write(t, m.dir, "protocols/run/"+name, data)
	}
	write(t, m.dir, "protocols/run/driver_test.go", driver(t, all))
	return m
}

// What compiles, since a handler may make a permit of its own tool, keep one or
// build a gate of nothing, is refused when it runs.
func TestINV1_UngatedExecutionIsRefusedWhenItRuns(t *testing.T) {
	all := runnings(t)
	require.GreaterOrEqual(t, len(all), 12)
	m := newRunning(t, all)
	output, err := m.run("", "test", "-count=1", "-v", "./protocols/run")
	require.NoError(t, err, "%s", output)
	for _, r := range all {
		require.Contains(t, output, "--- PASS: Test"+camel(r.name)+" ", r.about)
	}
	require.Contains(t, output, "--- PASS: TestOwnServer ")
}

// A testing.TB can be had outside a test, by embedding one. The test kit is of
// no use with it.
func TestINV1_TheTestKitRefusesToRunOutsideATest(t *testing.T) {
	m := newRunning(t, runnings(t))
	write(t, m.dir, "cases/kit/main.go", []byte(`package main

import (
	"testing"

	"example.com/s/generated/run/runtest"
)

type fake struct{ testing.TB }

func (fake) Helper()         {}
func (fake) TempDir() string { return "." }

func main() {
	runtest.New(fake{}, ".").Work(fake{})
	println("served")
}
`))
	output, err := m.run("", "run", "./cases/kit")
	require.Error(t, err)
	require.Contains(t, output, "servertest is for tests")
	require.NotContains(t, output, "served")
}
