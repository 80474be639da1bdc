package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/audit"
	"github.com/gatewright/gatewright/runtime/state"
)

// auditing is one run of a command below audit.
type auditing struct {
	stateDir, workspace, protocol string

	here      bool // --workspace was given
	out, errs io.Writer
}

func newAudit() *cobra.Command {
	a := &auditing{}
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Read, verify and keep the audit log",
		Long: `audit reads the log of everything that servers were asked and what came of it.

Without --state-dir it is the log of the workspace, and where no server has worked
on that, the only log of this user. Nothing here changes an entry that was written;
rotate adds one.`,
		Example: "  gatewright audit show --since 2h --decision refused\n  gatewright audit verify\n  gatewright audit report -o report.html",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.PersistentFlags().StringVar(&a.stateDir, "state-dir", "", "folder of the audit log and the state, as the servers have it")
	cmd.PersistentFlags().StringVar(&a.workspace, "workspace", ".", "folder that the servers work on")
	cmd.PersistentFlags().StringVar(&a.protocol, "protocol", "", "id of the protocol, where a workspace has several, or where the folder has lost its state.json")
	cmd.AddCommand(a.newShow(), a.newWho(), a.newVerify(), a.newHead(), a.newAnchor(), a.newReport(), a.newRotate())
	return cmd
}

// at makes a command out of what it does with the open folder.
func (a *auditing) at(do func(ctx context.Context, folder *state.Folder, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) (err error) {
		a.out, a.errs = cmd.OutOrStdout(), cmd.ErrOrStderr()
		a.here = cmd.Flags().Changed("workspace")
		folder, err := a.find()
		if err != nil {
			return shown(err)
		}
		defer func() { err = errors.Join(err, folder.Close()) }()
		return shown(do(cmd.Context(), folder, args))
	}
}

// shown is an error in words that are safe in a terminal. One about a log that
// is not what was written is a finding.
func shown(err error) error {
	if err == nil {
		return nil
	}
	exit := exitError{code: exitFailed, err: err}
	if !errors.As(err, &exit) && damaged(err) {
		exit.code = exitFindings
	}
	if exit.err != nil {
		exit.err = errors.New(approval.Visible(exit.err.Error()))
	}
	return exit
}

// damaged reports whether an error says that the log, or state.json beside it,
// is not what was written.
func damaged(err error) bool {
	wrong, at := new(state.Error), new(audit.DamageError)
	return errors.As(err, &at) || errors.As(err, &wrong) && wrong.Reason == state.Damaged
}

// reader reads what is in the log now. Where a stopped process keeps the lock,
// it reads without.
func (a *auditing) reader(ctx context.Context, folder *state.Folder) (*audit.Reader, error) {
	reader, err := audit.NewReader(ctx, folder)
	held := new(audit.LockError)
	switch {
	case errors.As(err, &held) && ctx.Err() == nil:
		fmt.Fprintf(a.errs, "gatewright: %s; reading without it\n", approval.Visible(err.Error()))
		return audit.NewFollower(folder), nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, noLog(folder)
	}
	return reader, err
}

func noLog(folder *state.Folder) error {
	return fmt.Errorf("there is no audit log in %s", folder.Path())
}

// each reads the log and passes every entry on, with its line. It stops at the
// end, or at what is damaged, which is its error.
func (a *auditing) each(ctx context.Context, folder *state.Folder, do func(e *audit.Entry, line []byte) error) (err error) {
	reader, err := a.reader(ctx, folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	for ctx.Err() == nil {
		entry, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = do(&entry, reader.Line())
		}
		if err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}
