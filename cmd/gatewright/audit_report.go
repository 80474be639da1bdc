package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/audit"
	"github.com/gatewright/gatewright/runtime/state"
)

// reporting is one run of audit report.
type reporting struct {
	filter logFilter
	output string
	last   int
}

func (a *auditing) newReport() *cobra.Command {
	r := &reporting{}
	cmd := &cobra.Command{
		Use:   "report -o FILE",
		Short: "Make a page of the log to look at",
		Long: `report writes one HTML page: a timeline of each mode, and every entry with all that it
holds, to be searched and filtered. The page needs no network and loads nothing; it
can be read, filtered and printed wherever it is opened, in a light or a dark room.

A page holds the last 10000 entries that fit the filters, or as many as --last says,
and tells how many it left out. For more than that, use show.

The chain is checked on the way. A page of a damaged log says so, and holds what
stands before the damage.

Exit codes: 0 made, 1 made and the log is damaged, 2 it could not do its work.`,
		Example: "  gatewright audit report -o report.html\n  gatewright audit report --since 7d --mode review -o review.html",
		Args:    cobra.NoArgs,
		RunE: a.at(func(ctx context.Context, folder *state.Folder, _ []string) error {
			if err := r.filter.ready(time.Now()); err != nil {
				return err
			}
			if r.last < 1 {
				return errors.New("--last takes a number from 1")
			}
			return a.report(ctx, folder, r)
		}),
	}
	r.filter.flags(cmd)
	cmd.Flags().StringVarP(&r.output, "output", "o", "", "file to write; - is standard output")
	cmd.Flags().IntVar(&r.last, "last", 10000, "no more entries than this, the last ones")
	_ = cmd.MarkFlagRequired("output")
	return cmd
}

func (a *auditing) report(ctx context.Context, folder *state.Folder, r *reporting) error {
	page := newLogPage(folder, r.last, time.Now())
	damage := a.each(ctx, folder, func(e *audit.Entry, _ []byte) error {
		page.add(e, r.filter.wants(e))
		return nil
	})
	if damage != nil && !damaged(damage) {
		return damage
	}
	if damage != nil {
		page.Damage = approval.Visible(damage.Error())
	}
	var text bytes.Buffer
	if err := page.write(&text); err != nil {
		return fmt.Errorf("make the page: %w", err)
	}
	if r.output == "-" {
		_, err := a.out.Write(text.Bytes())
		return errors.Join(printed(err), damage)
	}
	if err := putFile(r.output, text.Bytes()); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	fmt.Fprintf(a.errs, "%s: %s of %d\n", r.output, counted(uint64(len(page.Rows)), "entry", "entries"), page.Total)
	return damage
}

// putFile writes a file whole or not at all. It is for its owner's eyes, as the
// log is. What is no file, such as a terminal, stays what it is.
func putFile(path string, content []byte) (err error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a file; -o - is standard output", path)
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".gatewright-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	_, err = file.Write(content)
	err = errors.Join(err, file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	return err
}
