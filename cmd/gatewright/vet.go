package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/emit"
	"github.com/gatewright/gatewright/gen/vet"
)

// runtimePath is what generated code imports.
const runtimePath = "github.com/gatewright/gatewright/runtime"

func newVet() *cobra.Command {
	report := reporter{format: "text"}
	var flags []string
	cmd := &cobra.Command{
		Use:   "vet [--format text|json|sarif|github] [PACKAGE...]",
		Short: "Find Go code that could reach a handler beside the gate",
		Long: `vet looks for what the compiler lets pass and no program near a permit needs:
reflect, unsafe and linkname beside permits, the one gap of the type checker,
permits that an exported API gives away, and packages, of whatever module, that
place themselves where they may import what is internal to a generated tree. Of
handlers it reports those that make nothing of their permit, and guarded clients
whose opening function has a name that other code can call.

PACKAGE is what the go command takes; without one it is ./... . Give the flags
of your build with --build-flag, since what they bring in is part of the program.

Exit codes: 0 nothing was found, 1 something was, 2 it could not do its work.`,
		Example: "  gatewright vet ./...\n  gatewright vet --build-flag=-tags=release ./...",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := report.valid(); err != nil {
				return err
			}
			if len(args) == 0 {
				args = []string{"./..."}
			}
			found, err := analyse(cmd, flags, args)
			if err != nil {
				return err
			}
			strangers, err := strangers(cmd, flags, args)
			if err != nil {
				return err
			}
			found = append(found, strangers...)
			for _, each := range found {
				if text, err := os.ReadFile(each.Span.File); err == nil {
					report.read(each.Span.File, text)
				}
			}
			return report.write(cmd.OutOrStdout(), found)
		},
	}
	cmd.Flags().StringArrayVar(&flags, "build-flag", nil, "a flag of go build, may be given several times")
	report.flag(cmd)
	return cmd
}

// analyse runs the analyzer over packages and their tests.
func analyse(cmd *cobra.Command, flags, patterns []string) ([]diag.Diagnostic, error) {
	loaded, err := packages.Load(&packages.Config{
		Context: cmd.Context(), Mode: packages.LoadAllSyntax, Tests: true, BuildFlags: flags,
	}, patterns...)
	if err != nil {
		return nil, fmt.Errorf("load packages: %w", err)
	}
	if len(loaded) == 0 {
		return nil, errors.New("load packages: there are none")
	}
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			return nil, fmt.Errorf("load packages: %w", p.Errors[0])
		}
	}
	graph, err := checker.Analyze([]*analysis.Analyzer{vet.Analyzer()}, loaded, nil)
	if err != nil {
		return nil, fmt.Errorf("look at packages: %w", err)
	}
	found := map[diag.Span]diag.Diagnostic{} // a package and its test variant share files
	for _, root := range graph.Roots {
		if root.Err != nil {
			return nil, fmt.Errorf("look at %s: %w", root.Package.PkgPath, root.Err)
		}
		for _, each := range root.Diagnostics {
			span := span(root.Package, each)
			found[span] = diag.Diagnostic{Rule: "vet-" + each.Category, Level: diag.Error, Message: each.Message, Span: span}
		}
	}
	return slices.Collect(maps.Values(found)), nil
}

func span(p *packages.Package, found analysis.Diagnostic) diag.Span {
	at := p.Fset.Position(found.Pos)
	file := relative(at.Filename)
	end := at
	if found.End.IsValid() {
		end = p.Fset.Position(found.End)
	}
	return diag.Span{File: file, Line: at.Line, Column: at.Column, EndLine: end.Line, EndColumn: max(end.Column, at.Column+1)}
}

// strangers asks the go command for every package of the build and reports
// those that import what is internal and was not generated.
func strangers(cmd *cobra.Command, flags, patterns []string) ([]diag.Diagnostic, error) {
	args := append([]string{"list", "-deps", "-test", "-json"}, flags...)
	list := exec.CommandContext(cmd.Context(), "go", append(append(args, "--"), patterns...)...)
	var problems bytes.Buffer
	list.Stderr = &problems
	output, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("list packages: %w: %s", err, problems.String())
	}
	rows, err := vet.Rows(bytes.NewReader(output))
	if err != nil {
		return nil, err
	}
	trees, err := trees(rows)
	if err != nil {
		return nil, err
	}
	var found []diag.Diagnostic
	for _, stranger := range vet.Importers(rows, trees, runtimePath) {
		found = append(found, diag.Diagnostic{
			Rule: "vet-importer", Level: diag.Error, Message: "a package imports what is internal and does not belong to it: " + stranger.String(),
			Span: diag.Span{File: relative(stranger.Dir)},
		})
	}
	return found, nil
}

// trees finds the generated trees of a build: packages beside a manifest.
func trees(rows []vet.Row) ([]vet.Tree, error) {
	known := map[string]vet.Tree{}
	for _, row := range rows {
		if row.ForTest != "" || row.Dir == "" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(row.Dir, emit.ManifestFile))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read a manifest: %w", err)
		}
		manifest, err := emit.ReadManifest(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", row.Dir, err)
		}
		known[row.ImportPath] = vet.Tree{ImportPath: row.ImportPath, Dir: row.Dir, Files: slices.Sorted(maps.Keys(manifest.Files))}
	}
	return slices.Collect(maps.Values(known)), nil
}

// relative shortens a path that lies below the current folder.
func relative(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	if short, err := filepath.Rel(here, path); err == nil && filepath.IsLocal(short) {
		return short
	}
	return path
}
