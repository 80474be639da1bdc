package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/gatewright/gatewright/runtime/audit"
	"github.com/gatewright/gatewright/runtime/state"
)

// showing is one run of audit show.
type showing struct {
	filter       logFilter
	follow, json bool
	last         int
}

func (a *auditing) newShow() *cobra.Command {
	s := &showing{}
	cmd := &cobra.Command{
		Use:   "show [--follow] [--json]",
		Short: "Show entries of the log",
		Long: `show prints a line for each entry that fits the filters, the oldest first. Several
values of one filter are alternatives; filters of several kinds must all fit.

What agents and people wrote is quoted, and characters that a terminal would hide
or act on are written out. Long texts are cut in the table; --json prints the
entries whole, as the lines that the log holds.

Where the log is damaged, what stands before the damage is shown. What a stopped
process may be writing right now is left out.

Exit codes: 0 shown, 1 the log is damaged, 2 it could not do its work.`,
		Example: "  gatewright audit show --since 2h\n  gatewright audit show --event approval_decision --json\n  gatewright audit show --follow --mode review",
		Args:    cobra.NoArgs,
		RunE: a.at(func(ctx context.Context, folder *state.Folder, _ []string) error {
			if err := s.filter.ready(time.Now()); err != nil {
				return err
			}
			if s.last < 0 {
				return errors.New("--last takes a number from 0")
			}
			return a.show(ctx, folder, s)
		}),
	}
	s.filter.flags(cmd)
	cmd.Flags().BoolVarP(&s.follow, "follow", "f", false, "go on with what is written, until interrupted")
	cmd.Flags().BoolVar(&s.json, "json", false, "print the entries as JSON lines")
	cmd.Flags().IntVarP(&s.last, "last", "n", 0, "no more than this many, the last ones; 0 is all")
	return cmd
}

// A logPrinter prints entries. What it still holds, flush prints.
type logPrinter interface {
	put(e *audit.Entry, line []byte) error
	flush() error
}

func (a *auditing) show(ctx context.Context, folder *state.Folder, s *showing) error {
	var printer logPrinter = &jsonLines{bufio.NewWriter(a.out)}
	if !s.json {
		printer = newLogTable(a.out, wantsColour(a.out))
	}
	if s.follow {
		return a.followed(ctx, folder, s, printer)
	}
	kept := &lastLines{printer: printer, most: s.last}
	err := a.each(ctx, folder, func(e *audit.Entry, line []byte) error {
		if !s.filter.wants(e) {
			return nil
		}
		return kept.put(e, line)
	})
	return errors.Join(kept.flush(), err)
}

// followEvery is how often the log is looked at for more.
const followEvery = 200 * time.Millisecond

// followed shows what is there and then what comes, until it is interrupted.
func (a *auditing) followed(ctx context.Context, folder *state.Folder, s *showing, printer logPrinter) (err error) {
	reader := audit.NewFollower(folder)
	defer func() { err = errors.Join(err, reader.Close()) }()
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	var to logPrinter = &lastLines{printer: printer, most: s.last}
	for ctx.Err() == nil {
		entry, err := reader.Next()
		switch {
		case err == nil && s.filter.wants(&entry):
			if err := to.put(&entry, reader.Line()); err != nil {
				return err
			}
			continue
		case err == nil:
			continue
		case errors.Is(err, fs.ErrNotExist):
			return errors.Join(to.flush(), noLog(folder))
		case !errors.Is(err, io.EOF):
			return errors.Join(to.flush(), err)
		}
		if err := to.flush(); err != nil {
			return err
		}
		to = printer
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
	return to.flush()
}

// jsonLines prints entries as the log has them, in printable ASCII.
type jsonLines struct{ out *bufio.Writer }

func (j *jsonLines) put(_ *audit.Entry, line []byte) error {
	_, _ = j.out.Write(line) // the writer keeps its error
	return printed(j.out.WriteByte('\n'))
}

func (j *jsonLines) flush() error { return printed(j.out.Flush()) }

func printed(err error) error {
	if err != nil {
		return fmt.Errorf("print the entries: %w", err)
	}
	return nil
}

// lastLines passes on the last entries alone; with none to be counted, all.
type lastLines struct {
	printer logPrinter
	most    int
	kept    []keptLine // a ring, once it is full
	next    int
}

type keptLine struct {
	entry audit.Entry
	line  []byte
}

func (l *lastLines) put(e *audit.Entry, line []byte) error {
	switch {
	case l.most <= 0:
		return l.printer.put(e, line)
	case len(l.kept) < l.most:
		l.kept = append(l.kept, keptLine{*e, slices.Clone(line)})
	default:
		l.kept[l.next] = keptLine{*e, append(l.kept[l.next].line[:0], line...)}
		l.next = (l.next + 1) % l.most
	}
	return nil
}

func (l *lastLines) flush() error {
	for i := range l.kept {
		each := &l.kept[(l.next+i)%len(l.kept)]
		if err := l.printer.put(&each.entry, each.line); err != nil {
			return err
		}
	}
	l.kept = nil
	return l.printer.flush()
}
