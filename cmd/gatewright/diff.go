package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gatewright/gatewright/gen/compare"
	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/protocol"
)

func newDiff() *cobra.Command {
	var noWeaker bool
	format := "text"
	formats := []string{"text", "json"}
	cmd := &cobra.Command{
		Use:   "diff [--no-weaker] [--format text|json] OLD NEW",
		Short: "Say what changes in duties between two protocols",
		Long: `diff compares two protocol files: which mode gains or loses which tool, what
confers approval, where transitions lead, what tools take, and what models
read of them. A change that guards less than before is shown first, as weaker,
with the reason.

It compares what the files say. Whether they keep the rules is what check is for.

Exit codes: 0 done, 1 something is weaker and --no-weaker was given, 2 it could not do its work.`,
		Example: "  gatewright diff old.yaml protocols/greenfield/protocol.yaml\n  git show main:protocol.yaml > /tmp/old.yaml && gatewright diff --no-weaker /tmp/old.yaml protocol.yaml",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(formats, format) {
				return fmt.Errorf("no format %q: choose one of %s", format, strings.Join(formats, ", "))
			}
			before, err := readForm(cmd.ErrOrStderr(), args[0])
			if err != nil {
				return err
			}
			after, err := readForm(cmd.ErrOrStderr(), args[1])
			if err != nil {
				return err
			}
			changes := compare.Compare(before, after)
			out := cmd.OutOrStdout()
			if format == "json" {
				err = compare.JSON(out, changes)
			} else {
				err = compare.Text(out, changes, wantsColour(out))
			}
			if err == nil && noWeaker && len(compare.Weakenings(changes)) > 0 {
				err = exitError{code: exitFindings}
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&noWeaker, "no-weaker", false, "exit with 1 where the new protocol guards less than the old one")
	cmd.Flags().StringVar(&format, "format", format, "form of the changes: "+strings.Join(formats, ", "))
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp)) // fails only for a flag that is not there
	return cmd
}

// readForm reads a protocol that may break the rules, but not those of form.
func readForm(errs io.Writer, path string) (*protocol.Protocol, error) {
	path, text, err := readProtocol(path)
	if err != nil {
		return nil, err
	}
	p, found := protocol.Load(path, text)
	if p != nil && !diag.HasErrors(found) {
		return p, nil
	}
	if err := diag.Text(errs, found, diag.Files{path: diag.NewSource(path, text)}, wantsColour(errs)); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("%s cannot be read as a protocol", path)
}

// readProtocol reads a protocol file, or the protocol.yaml of a folder.
func readProtocol(path string) (file string, text []byte, err error) {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		path = filepath.Join(path, protocolFile)
	}
	text, err = os.ReadFile(path)
	if err != nil {
		if place, ok := errors.AsType[*os.PathError](err); ok {
			err = fmt.Errorf("%s: %w", place.Path, place.Err)
		}
		return "", nil, fmt.Errorf("read a protocol: %w", err)
	}
	return filepath.ToSlash(path), text, nil
}
