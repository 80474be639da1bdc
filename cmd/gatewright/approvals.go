package main

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/store"
)

// approvals is one run of the command or of one below it.
type approvals struct {
	stateDir  string
	all, json bool
	reason    string
	bell      bool
	out, errs io.Writer
}

func newApprovals() *cobra.Command {
	a := &approvals{}
	cmd := &cobra.Command{
		Use:   "approvals",
		Short: "See and decide what waits for an approval",
		Long: `approvals lists the calls that wait for somebody to approve them. It looks at every
state folder of this user, or at the one that --state-dir names. A folder that
cannot be used is reported, and hides no other.

To decide, use watch, approve or deny. They ask at the terminal, show the whole
request there, and take nothing but an explicit answer.

Exit codes: 0 done, 1 nothing was decided, 2 it could not do its work, 3 there is no terminal to ask at.`,
		Example: "  gatewright approvals\n  gatewright approvals watch\n  gatewright approvals approve 4f9a21bc",
		Args:    cobra.NoArgs,
		RunE:    a.listed,
	}
	cmd.PersistentFlags().StringVar(&a.stateDir, "state-dir", "", "folder of the audit log and the state, as the servers have it; all of this user's without it")
	a.listFlags(cmd)
	cmd.AddCommand(a.newList(), a.newShow(), a.newApprove(), a.newDeny(), a.newWatch())
	return cmd
}

func (a *approvals) listFlags(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.all, "all", false, "also those that ended within a day")
	cmd.Flags().BoolVar(&a.json, "json", false, "print JSON")
}

func (a *approvals) newList() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list [--all] [--json]",
		Short: "List what waits for an approval",
		Long: `list prints a line for each request that waits, the oldest first; with --all also
those that ended within a day. An id is cut to what tells it apart.

` + jsonShape,
		Example: "  gatewright approvals list --all\n  gatewright approvals list --json",
		Args:    cobra.NoArgs,
		RunE:    a.listed,
	}
	a.listFlags(cmd)
	return cmd
}

func (a *approvals) newShow() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show [--json] ID",
		Short: "Show one request, whole",
		Long: `show prints everything that there is of one request. Nothing is cut. What the agent
or a tool says is quoted, each line behind a bar; characters that a terminal would
hide or act on are written out. An id may be cut to six characters or more.

With --json it prints one element of "approvals" as list has them.`,
		Example:           "  gatewright approvals show 4f9a21bc",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completions,
		RunE: a.at(func(ctx context.Context, desk *desk, args []string) error {
			found, err := desk.find(ctx, args[0])
			if err != nil {
				return err
			}
			if a.json {
				return printJSON(a.out, shapeOf(found))
			}
			_, err = io.WriteString(a.out, approval.Card(found.request, found.cardOptions(ctx, time.Now())))
			return err
		}),
	}
	cmd.Flags().BoolVar(&a.json, "json", false, "print JSON")
	return cmd
}

func (a *approvals) newApprove() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "approve [--reason TEXT] ID",
		Short: "Approve one request, at the terminal",
		Long: `approve shows one request whole and asks whether to approve it. What was typed
before the question does not count, and a bare return decides nothing. Approving
lets exactly this call run, once.

Who decided is kept with the decision and in the audit log: user, terminal, and
the processes that led here. That proves a terminal, and no person.

Exit codes: 0 approved, 1 nothing was decided, 2 it could not do its work, 3 there is no terminal to ask at.`,
		Example:           "  gatewright approvals approve 4f9a21bc",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completions,
		RunE: a.at(func(ctx context.Context, desk *desk, args []string) error {
			return a.decide(ctx, desk, args[0], approval.StatusApproved)
		}),
	}
	cmd.Flags().StringVar(&a.reason, "reason", "", "why, kept with the decision")
	return cmd
}

func (a *approvals) newDeny() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "deny [--reason TEXT] ID",
		Short: "Deny one request, at the terminal",
		Long: `deny shows one request whole, asks for a reason where --reason gives none, and asks
whether to deny it. The agent reads the reason.

Exit codes: 0 denied, 1 nothing was decided, 2 it could not do its work, 3 there is no terminal to ask at.`,
		Example:           "  gatewright approvals deny --reason 'the tests are missing' 4f9a21bc",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completions,
		RunE: a.at(func(ctx context.Context, desk *desk, args []string) error {
			return a.decide(ctx, desk, args[0], approval.StatusDenied)
		}),
	}
	cmd.Flags().StringVar(&a.reason, "reason", "", "why, which the agent reads")
	return cmd
}

// at makes a command out of what it does with the open folders.
func (a *approvals) at(do func(ctx context.Context, desk *desk, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		a.out, a.errs = cmd.OutOrStdout(), cmd.ErrOrStderr()
		return atDesk(cmd, a.stateDir, func(desk *desk) error { return do(cmd.Context(), desk, args) })
	}
}

func (a *approvals) listed(cmd *cobra.Command, args []string) error {
	return a.at(func(ctx context.Context, desk *desk, _ []string) error {
		wanted := a.filter(time.Now())
		wanted.Brief = !a.json
		found := desk.list(ctx, wanted)
		if a.json {
			return printJSON(a.out, listOf(found, desk.problems))
		}
		return printList(a.out, found, time.Now(), a.all)
	})(cmd, args)
}

// recently is for how long a request that ended is of interest.
const recently = 24 * time.Hour

func (a *approvals) filter(now time.Time) store.Filter {
	if a.all {
		return store.Filter{Since: now.Add(-recently)}
	}
	return store.Filter{Status: []approval.Status{approval.StatusPending}}
}

// completions offers the ids of what waits.
func (a *approvals) completions(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	return completed(cmd, args, a.stateDir, func(desk *desk) (ids []string) {
		for _, found := range desk.list(cmd.Context(), store.Filter{Brief: true, Status: []approval.Status{approval.StatusPending}}) {
			ids = append(ids, approval.CardQuote(found.request.ID)+"\t"+approval.CardQuote(found.request.Tool))
		}
		return ids
	})
}
