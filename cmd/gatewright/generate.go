package main

import (
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gatewright/gatewright/cmd/gatewright/internal/tree"
	"github.com/gatewright/gatewright/gen/check"
	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/emit"
	"github.com/gatewright/gatewright/gen/handlers"
	"github.com/gatewright/gatewright/gen/protocol"
	"github.com/gatewright/gatewright/gen/schema"
)

func newGenerate() *cobra.Command {
	var checkOnly, showDiff bool
	var out string
	cmd := &cobra.Command{
		Use:   "generate [flags] PATH...",
		Short: "Generate the Go code of protocols",
		Long: `Generate writes the Go code of each protocol to generated/<id> in its module.
A PATH is a protocol file, a folder that holds a protocol.yaml, or a pattern
such as ./... for every protocol.yaml below a folder.

Everything is checked and rendered before anything is written: if one protocol
has an error, or a tree holds a file that is not gatewright's, nothing changes.
Handlers that are declared nowhere get a stub, once.

Exit codes: 0 done, or nothing to do; 1 there are findings, or with --check or
--diff something would change; 2 it could not do its work.`,
		Example: "  gatewright generate ./...\n  gatewright generate --check ./...\n  gatewright generate --diff ./protocols/deploy",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			// A thousand tools then take 60 MiB, and no more time.
			defer debug.SetGCPercent(debug.SetGCPercent(70))
			folder, err := outFolder(out)
			if err != nil {
				return err
			}
			g := &generation{
				out: cmd.OutOrStdout(), errs: cmd.ErrOrStderr(), check: checkOnly || showDiff, diff: showDiff, folder: folder,
				sources: diag.Files{}, modules: map[string]*goModule{},
			}
			defer g.close()
			return g.run(args)
		},
	}
	cmd.Flags().BoolVar(&checkOnly, "check", false, "change nothing; list what would change and exit with 1 if anything would")
	cmd.Flags().BoolVar(&showDiff, "diff", false, "as --check, and show how each file would change")
	cmd.Flags().StringVar(&out, "out", "generated", "folder for generated trees, in the module of each protocol")
	return cmd
}

// outFolder is the folder of generated trees, with slashes and within a module.
func outFolder(given string) (string, error) {
	clean := path.Clean(filepath.ToSlash(given))
	if !filepath.IsLocal(filepath.FromSlash(clean)) || clean == "." {
		return "", fmt.Errorf("--out %q: give a folder below that of the module, such as generated or internal/generated", given)
	}
	return clean, nil
}

// A generation is one run of the command.
type generation struct {
	out, errs io.Writer
	check     bool
	diff      bool   // with check: how, too
	folder    string // of generated trees, in a module
	sources   diag.Files
	found     []diag.Diagnostic
	modules   map[string]*goModule // by folder
	units     []*unit
	memory    *memory // nil with check
}

// A unit is one protocol on its way to its tree.
type unit struct {
	file     string // as given
	module   *goModule
	text     []byte
	protocol *protocol.Protocol
	schemas  *schema.Reader
	base     string // of the tree, in the module
	folder   string // of the handlers, in the module
	tree     *tree.Tree
	plan     handlers.Plan
}

func (g *generation) run(patterns []string) error {
	files, err := find(patterns)
	if err != nil {
		return err
	}
	if !g.check {
		g.memory = remember(g.folder, files)
		if g.memory.unchanged(files) {
			return nil
		}
	}
	for _, file := range files {
		if err := g.load(file); err != nil {
			return err
		}
	}
	g.owners()
	for _, u := range g.units {
		if err := g.render(u); err != nil {
			return err
		}
	}
	g.found = diag.Sort(g.found)
	if err := diag.Text(g.errs, g.found, g.sources, false); err != nil {
		return err
	}
	switch {
	case diag.HasErrors(g.found):
		fmt.Fprintln(g.errs, "nothing was written")
		return exitError{code: exitFindings}
	case g.check:
		return g.compare()
	}
	return g.write()
}

// load reads and checks one protocol.
func (g *generation) load(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read the protocol: %w", err)
	}
	shown := filepath.ToSlash(file)
	g.sources[shown] = diag.NewSource(shown, text)
	schemas := schema.NewReader()
	p, found := check.File(shown, text, check.Options{Schemas: schemas})
	g.found = append(g.found, found...)
	if p == nil || diag.HasErrors(found) {
		return nil
	}
	m, err := g.module(filepath.Dir(file))
	if err != nil {
		return err
	}
	folder, err := m.within(filepath.Join(filepath.Dir(file), filepath.FromSlash(p.Go.Package.Value)))
	if err != nil {
		return fmt.Errorf("the package of the handlers of %s: %w", shown, err)
	}
	if folder == g.folder || strings.HasPrefix(folder, g.folder+"/") {
		g.found = append(g.found, diag.Diagnostic{
			Rule: handlers.RulePackage, Level: diag.Error, Span: p.Go.Package.Span,
			Message: "the handlers would be in a generated tree, where Go lets them reach what only the gate may",
			Help:    "keep them beside the protocol: go: {package: ./}",
		})
		return nil
	}
	g.units = append(g.units, &unit{file: file, module: m, text: text, protocol: p, schemas: schemas, base: path.Join(g.folder, p.ID.Value), folder: folder})
	return nil
}

// owners refuses two protocols for one tree.
func (g *generation) owners() {
	first := map[string]*unit{}
	for _, u := range g.units {
		key := u.module.dir + "\x00" + u.base
		if other, taken := first[key]; taken {
			g.found = append(g.found, diag.Diagnostic{
				Rule: tree.RuleOwner, Level: diag.Error, Span: u.protocol.ID.Span,
				Message: fmt.Sprintf("two protocols of one module have the id %q", u.protocol.ID.Value),
				Help:    "rename one of them; the id is also the name of the tree and of the audit log",
				Related: []diag.Related{{Span: other.protocol.ID.Span, Message: "the other one"}},
			})
			continue
		}
		first[key] = u
	}
}

// render makes the files of one protocol in memory and compares them with what
// is there.
func (g *generation) render(u *unit) error {
	if g.memory != nil {
		g.memory.begin(u)
	}
	source, err := u.module.within(u.file)
	if err != nil {
		return err
	}
	contracts := path.Join(u.module.path, u.base)
	files, err := emit.Emit(u.protocol, emit.Options{
		ImportPath: contracts, Handlers: path.Join(u.module.path, u.folder), Source: source, Schemas: u.schemas,
	})
	if err != nil {
		return err
	}
	if u.tree, err = tree.Plan(u.module.root, u.base, files); err != nil {
		return err
	}
	g.problems(u, source)
	folder, err := u.module.sources(u.folder)
	if err != nil {
		return err
	}
	plan, found, err := handlers.Find(u.protocol, contracts, folder)
	if err != nil {
		return err
	}
	u.plan = plan
	g.found = append(g.found, found...)
	return nil
}

func (g *generation) problems(u *unit, source string) {
	for _, problem := range u.tree.Problems {
		g.found = append(g.found, diag.Diagnostic{
			Rule: problem.Rule, Level: diag.Error, Message: problem.Message, Help: problem.Help,
			Span: diag.Span{File: problem.Path, Line: 1, Column: 1, EndLine: 1, EndColumn: 1},
		})
	}
	old := u.tree.Old
	if old.Source == "" || old.Source == source || !u.module.declares(old.Source, u.protocol.ID.Value) {
		return
	}
	g.found = append(g.found, diag.Diagnostic{
		Rule: tree.RuleOwner, Level: diag.Error, Span: u.protocol.ID.Span,
		Message: fmt.Sprintf("%s was generated from %s, which has the same id", u.base, old.Source),
		Help:    "rename one of the two protocols, or remove the other",
	})
}
