package refused

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// A Case is one attack, read from testdata.
type Case struct {
	Name      string
	Causes    []string // any of these will do
	At        string   // import path of the program
	Guarantee string   // INV1 or INV6
	Build     string   // whether the go command is tried as well: empty, "yes", "internal", or "compiler" where nothing else refuses
	Bad, Good string
}

// Cases reads the corpus.
func Cases() ([]Case, error) {
	names, err := fs.Glob(testdata, "testdata/*.txtar")
	if err != nil {
		return nil, err
	}
	var all []Case
	for _, name := range names {
		data, err := testdata.ReadFile(name)
		if err != nil {
			return nil, err
		}
		c := Case{Name: strings.TrimSuffix(path.Base(name), ".txtar"), Guarantee: "INV1"}
		c.At = Module + "/outside/" + c.Name
		if err := c.read(txtar.Parse(data)); err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		all = append(all, c)
	}
	return all, nil
}

func (c *Case) read(archive *txtar.Archive) error {
	files := map[string]string{}
	for _, file := range archive.Files {
		files[file.Name] = string(file.Data)
	}
	c.Bad, c.Good = files["bad.go"], files["good.go"]
	for line := range strings.Lines(files["want"]) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "cause":
			c.Causes = strings.Split(value, "|")
		case "at":
			c.At = value
		case "guarantee":
			c.Guarantee = value
		case "build":
			c.Build = value
		default:
			return fmt.Errorf("there is no key %q in want", key)
		}
	}
	if c.Bad == "" || c.Good == "" || len(c.Causes) == 0 || len(archive.Comment) == 0 {
		return errors.New("a case has a comment, a cause, bad.go and good.go")
	}
	return nil
}

// Marked returns the lines of bad.go at which it has to be refused.
func (c *Case) Marked() []int {
	var marked []int
	number := 0
	for line := range strings.Lines(c.Bad) {
		if number++; strings.HasSuffix(strings.TrimSpace(line), "// want") {
			marked = append(marked, number)
		}
	}
	return marked
}

// CauseOf says to which class a message of the type checker or of the go
// command belongs, in the words of this corpus; it is empty for any other.
func CauseOf(message string) string {
	for _, row := range []struct{ part, cause string }{
		{"use of internal package", "internal-import"},
		{"not an importable package", "program"},
		{"outside a type constraint", "constraint-as-type"},
		{"cannot infer", "cannot-infer"},
		{"does not satisfy", "does-not-satisfy"},
		{"without instantiation", "not-instantiated"},
		{"must be instantiated", "not-instantiated"},
		{"method must have no type parameters", "syntax"},
		{"in union", "union"},
		{"cannot use type parameter", "type-parameter"},
		{"cannot use a type parameter", "type-parameter"},
		{"cannot be a type parameter", "type-parameter"},
		{"cannot be a (pointer to a) type parameter", "type-parameter"},
		{"invalid use of ~", "union"},
		{"not exported", "unexported"},
		{"unexported", "unexported"},
		{"undefined", "undefined"},
		{"cannot convert", "mismatched"},
		{"cannot use", "mismatched"},
	} {
		if strings.Contains(message, row.part) {
			return row.cause
		}
	}
	return ""
}
