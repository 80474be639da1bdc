package main

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/gatewright/gatewright/runtime/approval"
)

// commits is one run of the command or of one below it.
type commits struct {
	stateDir      string
	all, json     bool
	outcome, note string
	out, errs     io.Writer
}

func newCommits() *cobra.Command {
	c := &commits{}
	cmd := &cobra.Command{
		Use:   "commits",
		Short: "See and resolve commits that were interrupted",
		Long: `commits lists the plans of two-phase tools whose commit was interrupted: it was
begun, and the process that carried it out is gone, so nobody knows how far it
got. Such a plan is never run again by itself. It looks at every state folder of
this user, or at the one that --state-dir names. A folder that cannot be used is
reported, and hides no other.

Once you have looked at what was done, resolve records it, and the agent is told
so when it asks for that commit again.

` + commitsShape + `

Exit codes: 0 done, 1 nothing was recorded, 2 it could not do its work, 3 there is no terminal to ask at.`,
		Example: "  gatewright commits\n  gatewright commits --all\n  gatewright commits resolve 4f9a21bc",
		Args:    cobra.NoArgs,
		RunE:    c.listed,
	}
	cmd.PersistentFlags().StringVar(&c.stateDir, "state-dir", "", "folder of the audit log and the state, as the servers have it; all of this user's without it")
	cmd.Flags().BoolVar(&c.all, "all", false, "also those that go on, and those that were begun within 30 days")
	cmd.Flags().BoolVar(&c.json, "json", false, "print JSON")
	cmd.AddCommand(c.newShow(), c.newResolve())
	return cmd
}

func (c *commits) newShow() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show [--json] ID",
		Short: "Show one commit, whole",
		Long: `show prints everything that there is of one commit, and its plan for as long as it
is kept: until the commit has ended. Nothing is cut. What is not gatewright's own
is quoted, each line behind a bar; characters that a terminal would hide or act on
are written out. An id may be cut to six characters or more. It is not the handle,
which is kept nowhere.

With --json it prints one element of "commits" as the list has them.`,
		Example:           "  gatewright commits show 4f9a21bc",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: c.completions,
		RunE: c.at(func(ctx context.Context, desk *desk, args []string) error {
			found, err := findCommit(ctx, desk, args[0])
			if err != nil {
				return err
			}
			if c.json {
				return printJSON(c.out, commitShape(found))
			}
			_, err = io.WriteString(c.out, commitCard(found, time.Now(), 0))
			return err
		}),
	}
	cmd.Flags().BoolVar(&c.json, "json", false, "print JSON")
	return cmd
}

func (c *commits) newResolve() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "resolve [--outcome done|not_done|partly] [--note TEXT] ID",
		Short: "Record what an interrupted commit did, at the terminal",
		Long: `resolve shows one interrupted commit and its plan, asks what was done of it where
--outcome and --note do not say, and asks whether to record that. What was typed
before a question does not count, and a bare return records nothing.

Whatever is recorded, the plan is not run again. The agent is told the outcome and
the note, and may preview what is left. Who recorded it is kept with it and in the
audit log: user, terminal, and the processes that led here. That proves a
terminal, and no person.

Exit codes: 0 recorded, 1 nothing was recorded, 2 it could not do its work, 3 there is no terminal to ask at.`,
		Example:           "  gatewright commits resolve 4f9a21bc\n  gatewright commits resolve --outcome partly --note 'pages 1 to 3 are there' 4f9a21bc",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: c.completions,
		RunE: c.at(func(ctx context.Context, desk *desk, args []string) error {
			return c.resolve(ctx, desk, args[0])
		}),
	}
	cmd.Flags().StringVar(&c.outcome, "outcome", "", "what was done: done, not_done or partly")
	cmd.Flags().StringVar(&c.note, "note", "", "what you found, which the agent reads")
	return cmd
}

// at makes a command out of what it does with the open folders.
func (c *commits) at(do func(ctx context.Context, desk *desk, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		c.out, c.errs = cmd.OutOrStdout(), cmd.ErrOrStderr()
		return atDesk(cmd, c.stateDir, func(desk *desk) error { return do(cmd.Context(), desk, args) })
	}
}

func (c *commits) listed(cmd *cobra.Command, args []string) error {
	return c.at(func(ctx context.Context, desk *desk, _ []string) error {
		now := time.Now()
		found := interruptedCommits(ctx, desk)
		if c.all {
			found = append(found, otherCommits(ctx, desk, now)...)
		}
		if c.json {
			return printJSON(c.out, commitsOf(oldestBegun(found), desk.problems))
		}
		return printCommits(c.out, oldestBegun(found), now, c.all)
	})(cmd, args)
}

// completions offers the ids of what was interrupted.
func (c *commits) completions(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	return completed(cmd, args, c.stateDir, func(desk *desk) (ids []string) {
		for _, found := range interruptedCommits(cmd.Context(), desk) {
			ids = append(ids, found.ID+"\t"+approval.CardQuote(found.Tool))
		}
		return ids
	})
}
