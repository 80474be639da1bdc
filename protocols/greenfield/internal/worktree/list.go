package worktree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"

	"github.com/gatewright/gatewright/protocols/greenfield/internal/refusal"
)

// maxFolder is how many entries of one folder are looked at.
const maxFolder = 100_000

// A Kind is what an [Entry] is.
type Kind string

// The kinds.
const (
	File      Kind = "file"
	Folder    Kind = "folder"
	Link      Kind = "link"
	Submodule Kind = "submodule" // a repository of its own
	Other     Kind = "other"
)

// An Entry is one file or folder.
type Entry struct {
	Path string
	Kind Kind
	Size int64 // of a file, in bytes
}

// A Listing is what a folder holds.
type Listing struct {
	Entries   []Entry
	Truncated bool
	Hidden    int // entries whose names are not printable
}

// List lists a folder and, where that is asked for, everything below it. It
// stops at limit entries.
func (t *Tree) List(ctx context.Context, name string, recursive bool, limit int) (Listing, error) {
	var listing Listing
	clean, err := Parse(name)
	if err != nil {
		return listing, err
	}
	if Hidden(clean) {
		return listing, refusal.New(refusal.PathProtected, "%q cannot be listed: %s", name, reason(".git"))
	}
	folder, err := t.walk(clean)
	if err != nil {
		return listing, err
	}
	defer shut(folder)
	l := lister{recursive: recursive, limit: limit, listing: &listing}
	if err := l.list(ctx, folder, clean); err != nil {
		return listing, err
	}
	slices.SortFunc(listing.Entries, func(a, b Entry) int { return cmp.Compare(a.Path, b.Path) })
	return listing, nil
}

type lister struct {
	recursive bool
	limit     int
	listing   *Listing
}

func (l *lister) list(ctx context.Context, folder *os.Root, at string) error {
	entries, err := l.entries(folder, at)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if ctx.Err() != nil {
			return fmt.Errorf("list %q: %w", at, context.Cause(ctx))
		}
		below := path.Join(at, entry.Name())
		switch {
		case alike(entry.Name(), ".git"), isTemporary(entry.Name()):
			continue
		case !Printable(entry.Name()) || len(below) > maxPath:
			l.listing.Hidden++
			continue
		case len(l.listing.Entries) == l.limit:
			l.listing.Truncated = true
			return nil
		}
		if err := l.add(ctx, folder, entry, below); err != nil {
			return err
		}
	}
	return nil
}

func (l *lister) add(ctx context.Context, folder *os.Root, dirEntry fs.DirEntry, below string) error {
	info, err := folder.Lstat(dirEntry.Name())
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it has gone
	}
	if err != nil {
		return fmt.Errorf("list %q: %w", below, err)
	}
	entry := Entry{Path: below, Kind: Other}
	switch {
	case info.Mode().IsRegular():
		entry.Kind, entry.Size = File, info.Size()
	case info.Mode()&fs.ModeSymlink != 0:
		entry.Kind = Link
	case info.IsDir():
		return l.folder(ctx, folder, entry)
	}
	l.listing.Entries = append(l.listing.Entries, entry)
	return nil
}

func (l *lister) folder(ctx context.Context, folder *os.Root, entry Entry) error {
	next, err := step(folder, path.Base(entry.Path), entry.Path)
	if err != nil {
		entry.Kind = Other // it cannot be entered, or is being changed; the rest still counts
		l.listing.Entries = append(l.listing.Entries, entry)
		return nil
	}
	defer shut(next)
	entry.Kind = Folder
	if _, err := next.Lstat(".git"); err == nil {
		entry.Kind = Submodule
	}
	l.listing.Entries = append(l.listing.Entries, entry)
	if l.recursive && entry.Kind == Folder {
		return l.list(ctx, next, entry.Path)
	}
	return nil
}

// entries reads a folder, in the order of names.
func (l *lister) entries(folder *os.Root, at string) ([]fs.DirEntry, error) {
	handle, err := folder.Open(".")
	if err != nil {
		return nil, fmt.Errorf("list %q: %w", at, err)
	}
	defer shut(handle)
	entries, err := handle.ReadDir(maxFolder)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("list %q: %w", at, err)
	}
	l.listing.Truncated = l.listing.Truncated || len(entries) == maxFolder
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return entries, nil
}
