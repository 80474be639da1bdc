package worktree

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/gatewright/gatewright/protocols/greenfield/internal/refusal"
)

// A Writer also changes the files of a work tree. It is safe for concurrent
// use, also by several processes where the system has advisory locks.
type Writer struct{ *Tree }

// OpenWriter opens a work tree for writing. The protocol's guarded client alone
// calls it.
func OpenWriter(folder string) (*Writer, error) {
	tree, err := Open(folder)
	if err != nil {
		return nil, err
	}
	return &Writer{Tree: tree}, nil
}

// Create writes a new file, and the folders it needs.
func (w *Writer) Create(ctx context.Context, name string, data []byte) error {
	clean, err := writable(name)
	if err != nil {
		return err
	}
	return w.create(ctx, clean, data)
}

// WritePlan writes the plan in place of the one that is there.
func (w *Writer) WritePlan(ctx context.Context, data []byte) error {
	err := w.replace(ctx, Plan, func([]byte) ([]byte, error) { return data, nil })
	if refusal.Is(err, refusal.FileNotFound) {
		return w.create(ctx, Plan, data)
	}
	return err
}

// Replace gives the content of a file to change and writes what that returns in
// its place. The file's permissions stay.
func (w *Writer) Replace(ctx context.Context, name string, change func([]byte) ([]byte, error)) error {
	clean, err := writable(name)
	if err != nil {
		return err
	}
	return w.replace(ctx, clean, change)
}

// writable holds a path against the names that are not written.
func writable(name string) (string, error) {
	clean, err := Parse(name)
	if err != nil {
		return "", err
	}
	if why := Protected(clean); why != "" {
		return "", refusal.New(refusal.PathProtected, "%q cannot be written: %s", name, why)
	}
	if IsPlan(clean) {
		failure := refusal.New(refusal.PathProtected, "%q cannot be written here: it is the plan", name)
		failure.Next = "The plan is written by write_plan in mode plan. Hand the work back to that mode if the plan has to change."
		return "", failure
	}
	if clean == "." || strings.HasSuffix(name, "/") {
		return "", refusal.New(refusal.NotAFile, "%q is a folder", name)
	}
	return clean, nil
}

func (w *Writer) create(ctx context.Context, clean string, data []byte) error {
	return w.createAs(ctx, clean, data, 0)
}

// createAs writes a new file with a mode, or with that of new files where it
// is 0.
func (w *Writer) createAs(ctx context.Context, clean string, data []byte, mode fs.FileMode) error {
	if len(data) > MaxFile {
		return tooLarge(clean)
	}
	folder, err := w.descend(path.Dir(clean), stepMaking)
	if err != nil {
		return err
	}
	defer shut(folder)
	if ctx.Err() != nil {
		return fmt.Errorf("create %q: %w", clean, context.Cause(ctx))
	}
	name := path.Base(clean)
	file, err := folder.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return refusal.New(refusal.FileExists, "%q exists already", clean)
	}
	if err != nil {
		return fmt.Errorf("create %q: %w", clean, err)
	}
	if err := fill(file, data, mode); err != nil {
		return errors.Join(fmt.Errorf("create %q: %w", clean, err), folder.Remove(name))
	}
	return nil
}

func (w *Writer) replace(ctx context.Context, clean string, change func([]byte) ([]byte, error)) error {
	folder, release, err := w.hold(ctx, clean)
	if err != nil {
		return err
	}
	defer release()
	old, info, err := read(folder, clean)
	if err != nil {
		return err
	}
	if isNamed(folder, info, protectedFiles()...) {
		return sameAsProtected(clean)
	}
	data, err := change(old)
	if err != nil || bytes.Equal(data, old) {
		return err
	}
	if len(data) > MaxFile {
		return tooLarge(clean)
	}
	if ctx.Err() != nil {
		return fmt.Errorf("write %q: %w", clean, context.Cause(ctx))
	}
	return swap(folder, clean, data, info)
}

// swap puts a finished file in the place of the one that was read, unless that
// has changed since.
func swap(folder *os.Root, clean string, data []byte, was fs.FileInfo) error {
	name, temporary := path.Base(clean), temporaryName()
	file, err := folder.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write %q: %w", clean, err)
	}
	if err := fill(file, data, was.Mode().Perm()); err != nil {
		return errors.Join(fmt.Errorf("write %q: %w", clean, err), folder.Remove(temporary))
	}
	now, err := folder.Lstat(name)
	if err != nil || !unchanged(was, now) {
		return errors.Join(moved(clean), folder.Remove(temporary))
	}
	if err := folder.Rename(temporary, name); err != nil {
		return errors.Join(fmt.Errorf("write %q: %w", clean, err), folder.Remove(temporary))
	}
	return nil
}

func temporaryName() string { return temporaryStart + rand.Text() + temporaryEnd }

// fill writes a file to the disk and closes it. A mode of 0 leaves the mode.
func fill(file *os.File, data []byte, mode fs.FileMode) error {
	_, err := file.Write(data)
	if err == nil && mode != 0 {
		err = file.Chmod(mode)
	}
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// stepMaking makes a missing folder before it steps into it.
func stepMaking(folder *os.Root, name, walked string) (*os.Root, error) {
	if err := folder.Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("make the folder %q: %w", walked, err)
	}
	return stepToWrite(folder, name, walked)
}

// stepToWrite also refuses a protected folder under another name, and what
// belongs to another repository.
func stepToWrite(folder *os.Root, name, walked string) (*os.Root, error) {
	next, err := step(folder, name, walked)
	if err != nil {
		return nil, err
	}
	info, err := next.Stat(".")
	switch {
	case err != nil:
		err = fmt.Errorf("open %q: %w", walked, err)
	case isNamed(folder, info, protectedFolders()...):
		err = refusal.New(refusal.PathProtected, "%q cannot be written: it is the same folder as one that is protected", walked)
	case nested(next):
		err = refusal.New(refusal.PathProtected, "%q cannot be written: it is a repository of its own", walked)
	default:
		return next, nil
	}
	shut(next)
	return nil, err
}

// nested reports whether a folder is the top of another repository, or a git
// folder itself.
func nested(folder *os.Root) bool {
	if _, err := folder.Lstat(".git"); err == nil {
		return true
	}
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := folder.Lstat(name); err != nil {
			return false
		}
	}
	return true
}
