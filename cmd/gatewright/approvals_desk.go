package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/state"
	"github.com/gatewright/gatewright/runtime/store"
)

// minPrefix is how short an id can be cut, in characters.
const minPrefix = 6

// A desk is where requests come in, from every state folder that is looked at.
type desk struct {
	places   func() ([]state.Place, error)
	drawers  []*drawer
	problems []problem // what could not be used when it was last looked at
}

// A drawer is one state folder and the requests in it.
type drawer struct {
	folder *state.Folder
	info   fs.FileInfo // of the folder, when it was opened
	store  *store.Store

	kept   []approval.Request // what waited when it was last looked at
	mark   string             // of the files then
	looked time.Time
	failed bool // it is opened anew when there is a scan
}

// A problem is a folder that cannot be used.
type problem struct {
	Path string
	Err  error
}

func (p problem) String() string {
	text := p.Err.Error()
	if !strings.Contains(text, p.Path) {
		text = p.Path + ": " + text
	}
	return diag.Visible(text)
}

// An item is a request and where it is kept.
type item struct {
	request approval.Request
	drawer  *drawer
}

// openDesk opens the folder of --state-dir, which must be usable, or whatever
// is usable of all.
func openDesk(ctx context.Context, dir string) (*desk, error) {
	d := &desk{places: state.Places}
	if dir != "" {
		d.places = func() ([]state.Place, error) {
			place, err := state.PlaceAt(dir)
			return []state.Place{place}, err
		}
	}
	if err := d.scan(ctx); err != nil {
		return nil, err
	}
	if dir != "" && len(d.problems) > 0 {
		d.close()
		return nil, d.problems[0].Err
	}
	return d, nil
}

// scan opens what has come, and closes what is gone or was replaced.
func (d *desk) scan(ctx context.Context) error {
	places, err := d.places()
	if err != nil {
		return err
	}
	d.problems = nil
	var drawers []*drawer
	for _, place := range places {
		if i := slices.IndexFunc(d.drawers, func(old *drawer) bool { return old.is(place.Path()) }); i >= 0 {
			drawers = append(drawers, d.drawers[i])
			continue
		}
		opened, err := openDrawer(ctx, place)
		switch {
		case err != nil:
			d.problems = append(d.problems, problem{place.Path(), err})
		case opened != nil:
			drawers = append(drawers, opened)
		}
	}
	for _, old := range d.drawers {
		if !slices.Contains(drawers, old) {
			old.close()
		}
	}
	d.drawers = drawers
	return nil
}

// openDrawer returns nothing where no call has ever asked for an approval.
func openDrawer(ctx context.Context, place state.Place) (*drawer, error) {
	folder, err := place.Open()
	if err != nil {
		return nil, err
	}
	info, err := os.Lstat(folder.Path())
	if err != nil {
		return nil, errors.Join(err, folder.Close())
	}
	opened, err := store.Open(ctx, folder, store.Options{Existing: true})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, folder.Close()
	}
	if err != nil {
		return nil, errors.Join(err, folder.Close())
	}
	return &drawer{folder: folder, info: info, store: opened}, nil
}

// is reports whether a path still leads to this folder, and all is well there.
func (d *drawer) is(path string) bool {
	info, err := os.Lstat(path)
	return !d.failed && err == nil && os.SameFile(info, d.info)
}

func (d *drawer) close() { _ = errors.Join(d.store.Close(), d.folder.Close()) }

func (d *desk) close() {
	for _, drawer := range d.drawers {
		drawer.close()
	}
}

// list returns requests, the oldest first. A folder whose requests cannot be
// read becomes a problem.
func (d *desk) list(ctx context.Context, wanted store.Filter) []item {
	var found []item
	for _, drawer := range d.drawers {
		requests, err := drawer.store.List(ctx, wanted)
		if err != nil {
			d.problems = append(d.problems, problem{drawer.folder.Path(), err})
			continue
		}
		for _, request := range requests {
			found = append(found, item{request, drawer})
		}
	}
	return oldestFirst(found)
}

// waiting is list of what waits, for whoever asks again and again: a folder
// whose files have not changed is not read, but for once in a while.
func (d *desk) waiting(ctx context.Context) []item {
	var found []item
	for _, drawer := range d.drawers {
		if err := drawer.look(ctx); err != nil {
			drawer.failed = true
			d.problems = append(d.problems, problem{drawer.folder.Path(), err})
			continue
		}
		for _, request := range drawer.kept {
			found = append(found, item{request, drawer})
		}
	}
	return oldestFirst(found)
}

// look reads what waits, where that can have changed.
func (d *drawer) look(ctx context.Context) error {
	const seldom = 3 * time.Second
	now, mark := time.Now(), d.filesNow()
	over := slices.ContainsFunc(d.kept, func(r approval.Request) bool { return !r.ExpiresAt.After(now) })
	if age := now.Sub(d.looked); mark == d.mark && !over && age >= 0 && age < seldom {
		return nil
	}
	kept, err := d.store.List(ctx, store.Filter{Status: []approval.Status{approval.StatusPending}})
	if err == nil {
		d.kept, d.mark, d.looked = kept, mark, now
	}
	return err
}

// filesNow tells one state of the store's files from another.
func (d *drawer) filesNow() string {
	var mark strings.Builder
	for _, name := range []string{store.FileName, store.FileName + "-wal"} {
		if info, err := os.Lstat(filepath.Join(d.folder.Path(), name)); err == nil {
			fmt.Fprintf(&mark, "%d %d;", info.Size(), info.ModTime().UnixNano())
		}
	}
	return mark.String()
}

func oldestFirst(found []item) []item {
	slices.SortStableFunc(found, func(a, b item) int {
		if c := a.request.AskedAt.Compare(b.request.AskedAt); c != 0 {
			return c
		}
		return strings.Compare(a.request.ID, b.request.ID)
	})
	return found
}

// find returns the one request that an id, or the start of one, means.
func (d *desk) find(ctx context.Context, id string) (item, error) {
	if len(id) < minPrefix {
		return item{}, refusedTo("%s is too short for an id: give %d characters or more", approval.CardQuote(id), minPrefix)
	}
	for _, drawer := range d.drawers {
		if request, err := drawer.store.Get(ctx, id); err == nil {
			return item{request, drawer}, nil
		}
	}
	var found []item
	for _, each := range d.list(ctx, store.Filter{Brief: true}) {
		if strings.HasPrefix(each.request.ID, id) {
			found = append(found, each)
		}
	}
	switch len(found) {
	case 0:
		return item{}, refusedTo("there is no request %s", approval.CardQuote(id))
	case 1:
		request, err := found[0].drawer.store.Get(ctx, found[0].request.ID)
		return item{request, found[0].drawer}, err
	}
	var lines strings.Builder
	for _, each := range found {
		fmt.Fprintf(&lines, "\n  %s  %s, %s", approval.CardQuote(each.request.ID), approval.CardQuote(each.request.Tool), approval.Fate(each.request, time.Now()))
	}
	return item{}, refusedTo("%s is the start of several ids:%s", approval.CardQuote(id), lines.String())
}

// cardOptions gathers what a card tells beside the request. What cannot be read
// is left out: it is no part of what is asked.
func (i item) cardOptions(ctx context.Context, now time.Time) approval.CardOptions {
	options := approval.CardOptions{Now: now, Folder: i.drawer.folder.Path()}
	options.Identical, _ = i.drawer.store.Recent(ctx, i.request.Subject, i.request.ID, now.Add(-recently))
	if content, err := i.drawer.folder.Read(); err == nil {
		if in, err := i.drawer.folder.Parse(content); err == nil {
			options.InForce = in.Digest
		}
	}
	return options
}
