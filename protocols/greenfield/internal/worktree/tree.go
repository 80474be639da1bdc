package worktree

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/gatewright/gatewright/protocols/greenfield/internal/refusal"
)

// MaxFile is the size in bytes up to which files are read and written.
const MaxFile = 8 << 20

// A Tree reads the files of one work tree. It is safe for concurrent use.
type Tree struct{ root *os.Root }

// Open opens the work tree whose top folder is given.
func Open(folder string) (*Tree, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("open the work tree: %w", err)
	}
	return &Tree{root: root}, nil
}

// Close releases the top folder. Nothing can be reached from then on.
func (t *Tree) Close() error { return t.root.Close() }

// Read returns the content of a file.
func (t *Tree) Read(name string) ([]byte, error) {
	clean, err := Parse(name)
	if err != nil {
		return nil, err
	}
	if Hidden(clean) {
		return nil, refusal.New(refusal.PathProtected, "%q cannot be read: %s", name, reason(".git"))
	}
	folder, err := t.walk(path.Dir(clean))
	if err != nil {
		return nil, err
	}
	defer shut(folder)
	data, _, err := read(folder, clean)
	return data, err
}

// read reads the last component of clean from its folder.
func read(folder *os.Root, clean string) ([]byte, fs.FileInfo, error) {
	file, info, err := open(folder, clean)
	if err != nil {
		return nil, nil, err
	}
	defer shut(file)
	if info.Size() > MaxFile {
		return nil, nil, tooLarge(clean)
	}
	data, err := io.ReadAll(io.LimitReader(file, MaxFile+1))
	if err != nil {
		return nil, nil, fmt.Errorf("read %q: %w", clean, err)
	}
	if len(data) > MaxFile {
		return nil, nil, tooLarge(clean)
	}
	return data, info, nil
}

// open opens the last component of clean, which has to be a regular file and
// the one that was looked at.
func open(folder *os.Root, clean string) (*os.File, fs.FileInfo, error) {
	name := path.Base(clean)
	seen, err := folder.Lstat(name)
	if err != nil {
		return nil, nil, missing(clean, err)
	}
	if err := regular(folder, clean, seen); err != nil {
		return nil, nil, err
	}
	file, err := folder.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, nil, missing(clean, err)
	}
	info, err := file.Stat()
	if err != nil || !os.SameFile(seen, info) {
		shut(file)
		return nil, nil, moved(clean)
	}
	return file, info, nil
}

// regular refuses what is no regular file.
func regular(folder *os.Root, clean string, info fs.FileInfo) error {
	switch {
	case info.Mode().IsRegular():
		return nil
	case info.Mode()&fs.ModeSymlink != 0:
		return link(folder, clean)
	case info.IsDir():
		return refusal.New(refusal.NotAFile, "%q is a folder", clean)
	}
	return refusal.New(refusal.NotAFile, "%q is a device, a pipe or a socket", clean)
}

// A stepper opens one folder within another. walked is the path up to it.
type stepper func(folder *os.Root, name, walked string) (*os.Root, error)

// walk opens a folder to read from.
func (t *Tree) walk(clean string) (*os.Root, error) { return t.descend(clean, step) }

// descend opens a folder component by component.
func (t *Tree) descend(clean string, into stepper) (*os.Root, error) {
	folder, err := t.root.OpenRoot(".")
	if err != nil {
		return nil, fmt.Errorf("open the work tree: %w", err)
	}
	if clean == "." {
		return folder, nil
	}
	walked := ""
	for name := range strings.SplitSeq(clean, "/") {
		walked = path.Join(walked, name)
		next, err := into(folder, name, walked)
		shut(folder)
		if err != nil {
			return nil, err
		}
		folder = next
	}
	return folder, nil
}

// step refuses what is no real folder, and a git folder under another name.
func step(folder *os.Root, name, walked string) (*os.Root, error) {
	seen, err := folder.Lstat(name)
	if err != nil {
		return nil, missing(walked, err)
	}
	switch {
	case seen.Mode()&fs.ModeSymlink != 0:
		return nil, link(folder, walked)
	case !seen.IsDir():
		return nil, refusal.New(refusal.NotAFolder, "%q is not a folder", walked)
	case isNamed(folder, seen, ".git"):
		return nil, refusal.New(refusal.PathProtected, "%q cannot be reached: %s", walked, reason(".git"))
	}
	next, err := folder.OpenRoot(name)
	if err != nil {
		return nil, missing(walked, err)
	}
	info, err := next.Stat(".")
	if err != nil || !os.SameFile(seen, info) {
		shut(next)
		return nil, moved(walked)
	}
	return next, nil
}

// isNamed reports whether a file is also found in the folder under one of the
// names: however a file system compares names, or mounts one folder twice, the
// file is the same.
func isNamed(folder *os.Root, info fs.FileInfo, names ...string) bool {
	for _, name := range names {
		if other, err := folder.Lstat(name); err == nil && os.SameFile(info, other) {
			return true
		}
	}
	return false
}

func link(folder *os.Root, clean string) error {
	if target, err := folder.Readlink(path.Base(clean)); err == nil && Printable(target) {
		return refusal.New(refusal.PathIsLink, "%q is a link to %q", clean, target)
	}
	return refusal.New(refusal.PathIsLink, "%q is a link", clean)
}

func moved(clean string) error {
	return refusal.New(refusal.PathMoved, "%q was changed while it was opened", clean)
}

func tooLarge(clean string) error {
	return refusal.New(refusal.FileTooLarge, "%q is larger than %d bytes", clean, MaxFile)
}

func missing(clean string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return refusal.New(refusal.FileNotFound, "there is no %q in the work tree", clean)
	}
	return fmt.Errorf("open %q: %w", clean, err)
}

// shut closes what was opened to read or to look: nothing can be lost by it.
func shut(handle io.Closer) { _ = handle.Close() }
