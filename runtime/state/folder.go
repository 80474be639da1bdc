package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A Folder is an open state folder. Its files are reached through it alone. It
// is safe for concurrent use.
type Folder struct {
	root      *os.Root
	protocol  string
	workspace string
}

// Path returns where the folder was when it was opened.
func (f *Folder) Path() string { return f.root.Name() }

// Workspace returns the real path of the workspace the folder belongs to.
func (f *Folder) Workspace() string { return f.workspace }

// Close closes the folder. Files opened from it stay open.
func (f *Folder) Close() error { return f.root.Close() }

// OpenFile opens a file of the folder with the given flags of package os; one
// that it creates has mode 0600. It follows no link, and refuses with an
// *[Error] whatever is not a regular file of this user's alone. A file that
// does not exist is an error that matches [fs.ErrNotExist].
func (f *Folder) OpenFile(name string, flag int) (*os.File, error) {
	path := filepath.Join(f.Path(), name)
	// A pipe would block in open, so what is there is looked at first.
	if info, err := f.root.Lstat(name); err == nil {
		if err := regular(path, info); err != nil {
			return nil, err
		}
	}
	file, err := f.root.OpenFile(name, flag, 0o600)
	if err != nil {
		return nil, inaccessible(path, "it cannot be opened", err)
	}
	if err := f.vouch(path, name, file); err != nil {
		_ = file.Close()
		return nil, err
	}
	return file, nil
}

// vouch checks that an open file is the one of that name, and ours.
func (f *Folder) vouch(path, name string, file *os.File) error {
	opened, err := file.Stat()
	if err != nil {
		return inaccessible(path, "it cannot be looked at", err)
	}
	named, err := f.root.Lstat(name)
	if err != nil || !os.SameFile(opened, named) {
		return &Error{Reason: Replaced, Path: path, Message: "it was replaced while it was being opened", Err: err, Next: "try again"}
	}
	if err := regular(path, opened); err != nil {
		return err
	}
	return ours(path, opened)
}

func regular(path string, info fs.FileInfo) error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return &Error{Reason: IsLink, Path: path, Message: "it is a symbolic link, and links are not followed here", Next: "move it away"}
	case !info.Mode().IsRegular():
		return &Error{Reason: NotRegular, Path: path, Message: "it is not a regular file", Next: "move it away"}
	}
	return nil
}

// Same reports whether an open file is still the one of that name in the
// folder.
func (f *Folder) Same(name string, opened fs.FileInfo) bool {
	named, err := f.root.Lstat(name)
	return err == nil && os.SameFile(opened, named)
}

// Sync makes the names in the folder durable: files created, replaced or
// removed in it.
func (f *Folder) Sync() error {
	dir, err := f.root.Open(".")
	if err != nil {
		return inaccessible(f.Path(), "it cannot be opened", err)
	}
	defer func() { _ = dir.Close() }()
	if err := dir.Sync(); err != nil {
		return inaccessible(f.Path(), "it cannot be synced", err)
	}
	return nil
}

// Replace puts a file with this content in the place of name, durably and
// whole: after a crash the old content is there or the new, never a mixture.
// Callers that may run at the same time must hold a lock.
func (f *Folder) Replace(name string, content []byte) error {
	fresh := name + ".new"
	if err := f.root.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return inaccessible(filepath.Join(f.Path(), fresh), "what a crash left there cannot be removed", err)
	}
	if err := f.write(fresh, content); err != nil {
		_ = f.root.Remove(fresh)
		return err
	}
	if err := f.root.Rename(fresh, name); err != nil {
		return inaccessible(filepath.Join(f.Path(), name), "it cannot be replaced", err)
	}
	return f.Sync()
}

// write makes a new file and its content durable.
func (f *Folder) write(name string, content []byte) (err error) {
	file, err := f.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return inaccessible(filepath.Join(f.Path(), name), "it cannot be written", err)
	}
	return nil
}

func (f *Folder) String() string { return fmt.Sprintf("state folder %s", f.Path()) }
