package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"github.com/gatewright/gatewright/protocols/greenfield/internal/refusal"
)

// Write writes a whole file: a new one, with the folders it needs, or in the
// place of one that is there, whose permissions stay.
func (w *Writer) Write(ctx context.Context, name string, data []byte) (created bool, err error) {
	clean, err := writable(name)
	if err != nil {
		return false, err
	}
	err = w.replace(ctx, clean, func([]byte) ([]byte, error) { return data, nil })
	if refusal.Is(err, refusal.FileNotFound) {
		return true, w.create(ctx, clean, data)
	}
	return false, err
}

// Delete removes a file, or a link but not what it leads to.
func (w *Writer) Delete(ctx context.Context, name string) error {
	clean, err := writable(name)
	if err != nil {
		return err
	}
	folder, release, err := w.hold(ctx, clean)
	if err != nil {
		return err
	}
	defer release()
	info, err := folder.Lstat(path.Base(clean))
	if err != nil {
		return missing(clean, err)
	}
	if info.Mode()&fs.ModeSymlink == 0 {
		if err := regular(folder, clean, info); err != nil {
			return err
		}
	}
	return remove(folder, clean, info)
}

// Move gives a file another name. What has that name already stays, and the
// move is refused. The new file is a copy, so that both folders are reached by
// their handles; a call that ends in between leaves both.
func (w *Writer) Move(ctx context.Context, from, to string) (size int, err error) {
	source, err := writable(from)
	if err != nil {
		return 0, err
	}
	target, err := writable(to)
	if err != nil {
		return 0, err
	}
	folder, release, err := w.hold(ctx, source)
	if err != nil {
		return 0, err
	}
	defer release()
	data, info, err := read(folder, source)
	if err != nil {
		return 0, err
	}
	if isNamed(folder, info, protectedFiles()...) {
		return 0, sameAsProtected(source)
	}
	if err := w.createAs(ctx, target, data, info.Mode().Perm()); err != nil {
		return 0, err
	}
	if err := remove(folder, source, info); err != nil {
		return 0, fmt.Errorf("the copy %q was made: %w", target, err)
	}
	return len(data), nil
}

// hold opens the folder of a path to write in, and keeps other calls from
// changing it meanwhile.
func (w *Writer) hold(ctx context.Context, clean string) (folder *os.Root, release func(), err error) {
	folder, err = w.descend(path.Dir(clean), stepToWrite)
	if err != nil {
		return nil, nil, err
	}
	unlock, err := lock(ctx, folder)
	if err != nil {
		shut(folder)
		return nil, nil, fmt.Errorf("wait for the folder of %q: %w", clean, err)
	}
	return folder, func() { unlock(); shut(folder) }, nil
}

// remove removes what was looked at, unless something else has its name now.
func remove(folder *os.Root, clean string, was fs.FileInfo) error {
	name := path.Base(clean)
	if isNamed(folder, was, protectedFiles()...) {
		return sameAsProtected(clean)
	}
	now, err := folder.Lstat(name)
	if err != nil || !unchanged(was, now) {
		return moved(clean)
	}
	if err := folder.Remove(name); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return moved(clean)
		}
		return fmt.Errorf("remove %q: %w", clean, err)
	}
	return nil
}

// unchanged reports whether a file is the one that was looked at.
func unchanged(was, now fs.FileInfo) bool {
	return os.SameFile(was, now) && was.ModTime().Equal(now.ModTime()) && was.Size() == now.Size() && was.Mode() == now.Mode()
}

func sameAsProtected(clean string) error {
	return refusal.New(refusal.PathProtected, "%q cannot be changed: it is the same file as one that is protected", clean)
}
