package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"

	"github.com/gatewright/gatewright/runtime/approval"
)

const (
	watchEvery = 500 * time.Millisecond // between two looks at the requests
	scanEvery  = 2 * time.Second        // between two looks for state folders
)

func (a *approvals) newWatch() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "watch [--bell]",
		Short: "Watch what waits for an approval, and decide it",
		Long: `watch shows what waits for an approval on a live screen, the whole of the request
that is selected, and what became of the last ones. Keys: tab, j, k and arrows to
move, page up and down, g and G to read, a to approve, d to deny, q to leave.

A decision is asked for once more and takes a "yes" that is typed. Keys that were
typed just before a request appeared decide nothing.`,
		Example: "  gatewright approvals watch\n  gatewright approvals watch --bell",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.out, a.errs = cmd.OutOrStdout(), cmd.ErrOrStderr()
			return a.watch(cmd.Context())
		},
	}
	cmd.Flags().BoolVar(&a.bell, "bell", false, "ring the bell of the terminal when a request appears")
	return cmd
}

func (a *approvals) watch(ctx context.Context) error {
	terminal, err := openTTY()
	if err != nil {
		return exitError{code: exitNoTerminal, err: errors.New("there is no terminal to watch at")}
	}
	defer func() { _ = terminal.Close() }()
	desk, err := openDesk(ctx, a.stateDir)
	if err != nil {
		return err
	}
	live := &liveDesk{ctx: ctx, desk: desk, scanned: time.Now()}
	flushTTY(terminal)
	model := newWatching(live, time.Now)
	model.bell = a.bell
	// The terminal itself is used, not what the standard streams lead to.
	program := tea.NewProgram(model, tea.WithContext(ctx), tea.WithInput(terminal), tea.WithOutput(terminal), tea.WithEnvironment(os.Environ()), tea.WithoutSignalHandler())
	_, err = program.Run()
	// What is being decided is decided before this goes on, and is told.
	for _, decided := range live.close() {
		fmt.Fprint(a.out, outcome(decided))
	}
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("watch: %w", err)
	}
	return nil
}

// A keeper is where a screen gets requests from, and decides them.
type keeper interface {
	// look returns what waits now, what became of what waits no longer, and what
	// there is to know of one that is selected.
	look(before []item, selected key) sight
	// know returns what there is to know of one beside itself.
	know(selected item) approval.CardOptions
	settle(shown item, status approval.Status, reason string) (approval.Request, error)
}

// A key tells a request apart from all others, also where two folders hold one
// id.
type key struct{ folder, id string }

func (i item) key() key { return key{i.drawer.folder.Path(), i.request.ID} }

// A sight is what one look saw.
type sight struct {
	waiting  []item
	gone     []item // as they are now
	problems []problem
	of       key                   // whose options these are
	options  *approval.CardOptions // nil where it waits no longer
}

// liveDesk is a desk that several commands of a screen use at a time.
type liveDesk struct {
	ctx     context.Context
	turn    sync.Mutex
	desk    *desk
	scanned time.Time
	failed  []problem          // of the last scan
	decided []approval.Request // here
}

func (l *liveDesk) look(before []item, selected key) sight {
	l.turn.Lock()
	defer l.turn.Unlock()
	if time.Since(l.scanned) >= scanEvery {
		l.scanned = time.Now()
		if err := l.desk.scan(l.ctx); err != nil {
			return sight{waiting: before, problems: []problem{{Path: "state folders", Err: err}}, of: selected}
		}
		l.failed = l.desk.problems
	}
	l.desk.problems = slices.Clone(l.failed)
	seen := sight{of: selected}
	seen.waiting = l.desk.waiting(l.ctx)
	seen.gone = l.gone(before, seen.waiting)
	for _, each := range seen.waiting {
		if each.key() == selected {
			options := each.cardOptions(l.ctx, time.Now())
			seen.options = &options
		}
	}
	seen.problems = l.desk.problems
	return seen
}

func (l *liveDesk) know(selected item) approval.CardOptions {
	l.turn.Lock()
	defer l.turn.Unlock()
	if !slices.Contains(l.desk.drawers, selected.drawer) {
		return approval.CardOptions{}
	}
	return selected.cardOptions(l.ctx, time.Now())
}

// gone finds out what became of those that wait no longer.
func (l *liveDesk) gone(before, waiting []item) []item {
	var gone []item
	for _, old := range before {
		if slices.ContainsFunc(waiting, func(each item) bool { return each.key() == old.key() }) || !slices.Contains(l.desk.drawers, old.drawer) {
			continue
		}
		if now, err := old.drawer.store.Get(l.ctx, old.request.ID); err == nil {
			gone = append(gone, item{now, old.drawer})
		}
	}
	return gone
}

func (l *liveDesk) settle(shown item, status approval.Status, reason string) (approval.Request, error) {
	l.turn.Lock()
	defer l.turn.Unlock()
	if !slices.Contains(l.desk.drawers, shown.drawer) {
		return shown.request, errors.New("nothing was decided: the state folder is gone")
	}
	decided, err := shown.drawer.settle(l.ctx, shown.request, status, reason)
	if err == nil {
		l.decided = append(l.decided, decided)
	}
	return decided, err
}

// close returns what was decided.
func (l *liveDesk) close() []approval.Request {
	l.turn.Lock()
	defer l.turn.Unlock()
	l.desk.close()
	l.desk.drawers = nil
	return l.decided
}
