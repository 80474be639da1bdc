package proof_test

import (
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A module is the module under attack, on disk, for the real go command.
type module struct {
	t   testing.TB
	dir string
}

// newModule writes the emitted tree and the handlers into a module that knows
// this repository by a replacement.
func newModule(t testing.TB, w *world) *module {
	t.Helper()
	m := &module{t: t, dir: t.TempDir()}
	m.header("", outer)
	for folder, files := range w.sources {
		if within, ok := strings.CutPrefix(folder, outer+"/"); ok {
			for name, data := range files {
				write(t, m.dir, path.Join(within, name), data)
			}
		}
	}
	return m
}

// header writes the go.mod of a module below the folder of m.
func (m *module) header(below, name string, lines ...string) {
	m.t.Helper()
	here, err := filepath.Abs("../../..")
	require.NoError(m.t, err)
	text := "module " + name + "\n\ngo 1.26\n\nrequire " + home + " v0.0.0\n\nreplace " + home + " => " + here + "\n" + strings.Join(lines, "\n") + "\n"
	write(m.t, m.dir, path.Join(below, "go.mod"), []byte(text))
	sums, err := os.ReadFile(filepath.Join(here, "go.sum"))
	require.NoError(m.t, err)
	write(m.t, m.dir, path.Join(below, "go.sum"), sums)
	// The go command keeps the result of a test until a file changes that the
	// test itself has read. The module is built with the runtime, so read it.
	require.NoError(m.t, filepath.WalkDir(filepath.Join(here, "runtime"), func(file string, entry fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(file, ".go") {
			_, err = os.ReadFile(file)
		}
		return err
	}))
}

func (m *module) put(name string, p program) {
	m.t.Helper()
	for file, data := range p {
		write(m.t, m.dir, path.Join("cases", name, file), data)
	}
}

// run runs the go command. It returns all that the command says.
func (m *module) run(below string, args ...string) (string, error) {
	command := exec.Command("go", args...)
	command.Dir = filepath.Join(m.dir, filepath.FromSlash(below))
	command.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", "GOTOOLCHAIN=local")
	output, err := command.CombinedOutput()
	return string(output), err
}

// said collects the refusals of a build, by case and side. The internal rule
// is said before anything is built, with its own form.
func said(output string) map[string][]refusal {
	errors := map[string][]refusal{}
	inside := ""
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\n")
		if name, ok := strings.CutPrefix(line, "# "+outer+"/cases/"); ok {
			inside = name
			continue
		}
		at := regexp.MustCompile(`^\t?(?:\./)?(\S+\.go):(\d+):\d+: (.*)$`).FindStringSubmatch(line)
		if at == nil {
			continue
		}
		number, _ := strconv.Atoi(at[2])
		about := inside
		if below, ok := strings.CutPrefix(at[1], "cases/"); ok {
			about = path.Dir(below)
		}
		errors[about] = append(errors[about], refusal{file: at[1], line: number, text: at[3]})
	}
	return errors
}

// The real compiler agrees with the type checker on every program, and its
// back end refuses those that the type checker lets pass.
func TestINV1_TheCompilerAgrees(t *testing.T) {
	w := newWorld(t)
	m := newModule(t, w)
	all := proofs(t, "cases")
	groups := map[string][]string{}
	for _, p := range all {
		m.put(p.name, p.attack)
		m.put(p.name, p.control)
		groups[p.stop()] = append(groups[p.stop()], "./cases/"+p.name+"/attack")
	}
	output, err := m.run("", append([]string{"build", "-gcflags=-e"}, controls(all)...)...)
	require.NoError(t, err, "a control does not compile\n%s", output)

	errors := map[string][]refusal{}
	for _, folders := range groups {
		output, err := m.run("", append([]string{"build", "-gcflags=-e"}, folders...)...)
		require.Error(t, err)
		maps.Copy(errors, said(output))
	}
	for _, p := range all {
		t.Run(p.name, func(t *testing.T) {
			p.built(t, errors[p.name+"/attack"])
		})
	}
	require.Len(t, errors, len(all))
}

func controls(all []proof) []string {
	var folders []string
	for _, p := range all {
		folders = append(folders, "./cases/"+p.name+"/control")
	}
	return folders
}

// stop names what stops the go command before it compiles an attack: it then
// compiles nothing else of the same run.
func (p proof) stop() string {
	for _, data := range p.attack {
		for spec := range strings.SplitSeq(string(data), `"`) {
			switch {
			case strings.HasPrefix(spec, root+"/internal/"), strings.HasPrefix(spec, home+"/runtime/internal/"):
				return "internal"
			case spec == root+"/permit":
				return "missing"
			}
		}
	}
	return ""
}

// built holds the errors of a real build against the marks.
func (p proof) built(t *testing.T, refused []refusal) {
	t.Helper()
	if p.behind == "" {
		p.holds(t, refused)
		return
	}
	require.NotEmpty(t, refused, "%s compiles", p.name)
	for _, r := range refused {
		require.Regexp(t, causes()[p.behind], r.text, p.name)
		require.NotContains(t, r.file, "cases/", "the conversion that refuses is in what is emitted, or in the runtime")
	}
}
