package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gatewright/gatewright/gen/check"
	"github.com/gatewright/gatewright/gen/diag"
)

func newCheck() *cobra.Command {
	var options check.Options
	report := reporter{format: "text"}
	cmd := &cobra.Command{
		Use:   "check [--strict] [--format text|json|sarif|github] PATH...",
		Short: "Hold protocols against the rules",
		Long: `check reads protocols and reports everything that is wrong with them, each with
its place, the reason and what to do. It writes nothing.

PATH is a protocol file, a folder with a protocol.yaml, or a folder and /...
for every protocol.yaml below it. Without PATH it is the current folder.

Exit codes: 0 nothing is in the way, 1 there are errors, 2 it could not do its work.`,
		Example: "  gatewright check protocols/greenfield/protocol.yaml\n  gatewright check --strict --format github ./...",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := report.valid(); err != nil {
				return err
			}
			if len(args) == 0 {
				args = []string{"."}
			}
			paths, err := find(args)
			if err != nil {
				return err
			}
			var found []diag.Diagnostic
			for _, path := range paths {
				text, err := os.ReadFile(path)
				if err != nil {
					return fmt.Errorf("read a protocol: %w", err)
				}
				report.read(path, text)
				_, more := check.File(path, text, options)
				found = append(found, more...)
			}
			return report.write(cmd.OutOrStdout(), found)
		},
	}
	cmd.Flags().BoolVar(&options.Strict, "strict", false, "treat warnings as errors")
	report.flag(cmd)
	return cmd
}

// A reporter shows diagnostics in the form that the user asked for.
type reporter struct {
	format string
	files  diag.Files
}

func formats() []string { return []string{"text", "json", "sarif", "github"} }

func (r *reporter) flag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&r.format, "format", "text", "form of the findings: "+strings.Join(formats(), ", "))
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formats(), cobra.ShellCompDirectiveNoFileComp)) // fails only for a flag that is not there
}

func (r *reporter) valid() error {
	if slices.Contains(formats(), r.format) {
		return nil
	}
	return fmt.Errorf("no format %q: choose one of %s", r.format, strings.Join(formats(), ", "))
}

// read keeps a file's text, to show lines of it.
func (r *reporter) read(path string, text []byte) {
	if r.files == nil {
		r.files = diag.Files{}
	}
	r.files[path] = diag.NewSource(path, text)
}

// write shows the findings, sorted, and turns errors among them into the exit
// code for findings.
func (r *reporter) write(out io.Writer, found []diag.Diagnostic) error {
	found = diag.Sort(found)
	var err error
	switch r.format {
	case "json":
		err = diag.JSON(out, found)
	case "sarif":
		err = diag.SARIF(out, found, version(), ruleInfos())
	case "github":
		err = diag.GitHub(out, found)
	default:
		err = diag.Text(out, found, r.files, wantsColour(out))
	}
	if err != nil {
		return err
	}
	if diag.HasErrors(found) {
		return exitError{code: exitFindings}
	}
	return nil
}

func ruleInfos() []diag.RuleInfo {
	var infos []diag.RuleInfo
	for _, rule := range check.Rules() {
		infos = append(infos, diag.RuleInfo{ID: rule.ID, Purpose: rule.Purpose, Help: rule.Help, Level: rule.Level})
	}
	return infos
}
