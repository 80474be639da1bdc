package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/gatewright/gatewright/runtime/audit"
	"github.com/gatewright/gatewright/runtime/state"
)

func (a *auditing) newRotate() *cobra.Command {
	return &cobra.Command{
		Use:   "rotate",
		Short: "Let the log go on in a new file",
		Long: `rotate gives the file of the log the name audit.N.jsonl, where N is the number of its
first entry, and lets the log go on in a new audit.jsonl. The new file begins with an
entry that names the old one and its last entry, so the chain goes through both.
Servers may be at work; they go on in the new file.

The files together are the log: verify, show, who and report read all of them. Leave
the old ones where they are: a log whose first files are missing is damaged.

Exit codes: 0 rotated, 1 the log is damaged, 2 it could not do its work.`,
		Example: "  gatewright audit rotate",
		Args:    cobra.NoArgs,
		RunE: a.at(func(ctx context.Context, folder *state.Folder, _ []string) error {
			entry, err := audit.Rotate(ctx, folder, person(), state.Session())
			switch {
			case errors.Is(err, audit.ErrNotPinned) || errors.Is(err, fs.ErrNotExist):
				return noLog(folder)
			case err != nil:
				return err
			}
			_, err = fmt.Fprintf(a.out, "entries up to %s are in %s; entry %d begins the new file\n", entry.Details["seq"], entry.Details["file"], entry.Seq)
			return printed(err)
		}),
	}
}
