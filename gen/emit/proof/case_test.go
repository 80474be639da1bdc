package proof_test

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
)

// A program is some packages below cases/<name>/: file names with slashes,
// relative to that.
type program map[string][]byte

// A proof is one file of testdata/cases: a program that must not compile, and
// a control, nearly the same, that compiles. What an attack is about stands
// above its files. Lines that are refused end in "// refused: CAUSE", with one
// cause or several.
type proof struct {
	name    string
	attack  program
	control program
	// behind is the cause with which the compiler's back end refuses an attack
	// that the type checker lets pass; empty for the others.
	behind string
}

// causes tell the reasons of refusals apart without holding on to words.
func causes() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		"constraint": regexp.MustCompile(`does not satisfy|cannot satisfy|does not implement`),
		"infer":      regexp.MustCompile(`cannot infer|without instantiation|does not match`),
		"outside":    regexp.MustCompile(`outside a type constraint|contains type constraints|contains specific type constraints`),
		"name":       regexp.MustCompile(`undefined|not exported|unexported|no package|could not import|missing method|not in std|is not in|no required module|cannot find module`),
		"internal":   regexp.MustCompile(`use of internal package`),
		"assign":     regexp.MustCompile(`cannot use .* as`),
		"convert":    regexp.MustCompile(`cannot convert|impossible type assertion`),
		"assertion":  regexp.MustCompile(`is not an interface|impossible type|cannot use type assertion`),
		"term":       regexp.MustCompile(`term cannot|cannot embed|embedded field type cannot|cannot be a type parameter|cannot use a type parameter|cannot use type parameter|in union`),
		"call":       regexp.MustCompile(`cannot call|too many arguments|not enough arguments|is not a type`),
		"receiver":   regexp.MustCompile(`invalid receiver|cannot define new methods|receiver`),
		"literal":    regexp.MustCompile(`invalid composite literal|unknown field|implicit assignment`),
		"cycle":      regexp.MustCompile(`invalid recursive|cycle`),
		"syntax":     regexp.MustCompile(`must have no type parameters|cannot have type parameters|expected|unexpected|requires go1`),
	}
}

// proofs reads a folder of testdata.
func proofs(t *testing.T, folder string) []proof {
	t.Helper()
	files, err := filepath.Glob("testdata/" + folder + "/*.txtar")
	require.NoError(t, err)
	var all []proof
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		require.NoError(t, err)
		p := proof{name: strings.TrimSuffix(filepath.Base(file), ".txtar"), attack: program{}, control: program{}}
		about := string(archive.Comment)
		if at := strings.Index(about, "behind: "); at >= 0 {
			p.behind = strings.TrimSpace(about[at+len("behind: "):])
			about = about[:at]
		}
		require.NotEmpty(t, strings.TrimSpace(about), "%s does not say what it attacks", file)
		for _, f := range archive.Files {
			switch side, _, _ := strings.Cut(f.Name, "/"); side {
			case "attack":
				p.attack[f.Name] = f.Data
			case "control":
				p.control[f.Name] = f.Data
			default:
				require.Fail(t, "a file is of neither program", "%s: %s", file, f.Name)
			}
		}
		require.NotEmpty(t, p.attack, file)
		require.NotEmpty(t, p.control, file)
		all = append(all, p)
	}
	return all
}

// A refusal is one error of the type checker, or of the internal rule.
type refusal struct {
	file string // relative to the module
	line int
	text string
}

func (r refusal) String() string { return fmt.Sprintf("%s:%d: %s", r.file, r.line, r.text) }

// marks returns what stands behind a word on the lines of an attack, by file
// and line.
func (p proof) marks(word string) map[string][]string {
	marked := map[string][]string{}
	for name, data := range p.attack {
		for i, line := range strings.Split(string(data), "\n") {
			_, list, found := strings.Cut(line, "// "+word+": ")
			if !found {
				continue
			}
			for cause := range strings.SplitSeq(list, ", ") {
				at := fmt.Sprintf("%s:%d", path.Join("cases", p.name, name), i+1)
				marked[at] = append(marked[at], strings.TrimSpace(cause))
			}
		}
	}
	return marked
}

// holds requires that every refusal stands on a marked line, for a cause that
// is named there, and that every mark is met.
func (p proof) holds(t *testing.T, refused []refusal) {
	t.Helper()
	marked := p.marks("refused")
	if p.behind != "" {
		require.Empty(t, refused, "%s is refused by the type checker already", p.name)
		require.Empty(t, marked, p.name)
		return
	}
	require.NotEmpty(t, marked, "%s has no mark", p.name)
	require.NotEmpty(t, refused, "%s compiles", p.name)
	met := map[string]bool{}
	for _, r := range refused {
		at := fmt.Sprintf("%s:%d", r.file, r.line)
		expected := false
		for _, cause := range marked[at] {
			require.NotNil(t, causes()[cause], "%s: there is no cause %q", p.name, cause)
			expected = expected || causes()[cause].MatchString(r.text)
		}
		require.True(t, expected, "%s: refused for something else than %v: %s", p.name, marked[at], r)
		met[at] = true
	}
	for at := range marked {
		require.True(t, met[at], "%s: %s is not refused", p.name, at)
	}
}

func write(t testing.TB, dir, name string, data []byte) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, data, 0o600))
}
