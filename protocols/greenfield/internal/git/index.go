package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gatewright/gatewright/protocols/greenfield/internal/refusal"
)

// git compares files that are as new as the index whenever it writes one, and
// runs filters for that. So the index is changed in a shadow as well, and put
// back under git's own lock.

// index makes the index of the work tree agree with a commit in what the commit
// changes, and returns the paths of that. What else is staged stays.
func (w *Writer) index(ctx context.Context, parent, commit string) (files []string, err error) {
	lines, files, err := w.indexLines(ctx, parent, commit)
	if err != nil {
		return nil, err
	}
	lock, err := w.lockIndex()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lock.release()) }()
	s, err := w.shadowWithFiles()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if err := s.borrowIndex(); err != nil {
		return nil, err
	}
	if _, err := s.run(ctx, run{args: []string{"update-index", "--replace", "-z", "--index-info"}, stdin: lines}); err != nil {
		return nil, fmt.Errorf("update the index: %w", err)
	}
	return files, lock.commit(filepath.Join(s.folder, "index"))
}

// indexLines words what a commit changes as update-index takes it: what goes
// first, since a folder may take the place of a file.
func (w *Writer) indexLines(ctx context.Context, parent, commit string) (lines string, files []string, err error) {
	raw, err := w.diffTree(ctx, run{limit: largeOutput}, "--raw", "-z", parent, commit)
	if err != nil {
		return "", nil, err
	}
	var removed, kept strings.Builder
	fields := strings.Split(strings.TrimSuffix(string(raw), "\x00"), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		about := strings.Fields(fields[i])
		if len(about) != 5 {
			return "", nil, refusal.New(refusal.RepositoryUnusable, "a comparison of trees cannot be understood")
		}
		mode, id, name := about[1], about[3], fields[i+1]
		if mode == modeNone {
			fmt.Fprintf(&removed, "0 %s\t%s\x00", w.none(), name)
		} else {
			fmt.Fprintf(&kept, "%s %s\t%s\x00", mode, id, name)
		}
		files = append(files, name)
	}
	return removed.String() + kept.String(), files, nil
}

// borrowIndex copies the index of the work tree into the shadow.
func (s *shadow) borrowIndex() error {
	name := filepath.Join(s.repository.gitDir, "index")
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("look at the index: %w", err)
	case !info.Mode().IsRegular():
		return refusal.New(refusal.RepositoryUnusable, "the index is not a regular file")
	}
	target, err := os.OpenFile(filepath.Join(s.folder, "index"), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("copy the index: %w", err)
	}
	return copyTo(target, name)
}

// copyTo fills an open file with another file and closes it.
func copyTo(target *os.File, source string) error {
	from, err := os.Open(source)
	if err != nil {
		return errors.Join(fmt.Errorf("copy the index: %w", err), target.Close())
	}
	defer func() { _ = from.Close() }()
	_, err = io.Copy(target, from)
	if err := errors.Join(err, target.Close()); err != nil {
		return fmt.Errorf("copy the index: %w", err)
	}
	return nil
}

// An indexLock is git's own lock of an index: index.lock, which no two have.
type indexLock struct {
	file *os.File
	name string // of the index
}

func (w *Writer) lockIndex() (*indexLock, error) {
	name := filepath.Join(w.gitDir, "index")
	file, err := os.OpenFile(name+".lock", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, refusal.New(refusal.IndexLocked, "something else is changing the index")
	}
	if err != nil {
		return nil, fmt.Errorf("lock the index: %w", err)
	}
	lock := &indexLock{file: file, name: name}
	if info, err := os.Lstat(name); err == nil {
		if err := file.Chmod(info.Mode().Perm()); err != nil {
			return nil, errors.Join(fmt.Errorf("lock the index: %w", err), lock.release())
		}
	}
	return lock, nil
}

// commit puts a file in the place of the index.
func (l *indexLock) commit(source string) error {
	if err := copyTo(l.file, source); err != nil {
		return err
	}
	l.file = nil
	if err := os.Rename(l.name+".lock", l.name); err != nil {
		return errors.Join(fmt.Errorf("replace the index: %w", err), os.Remove(l.name+".lock"))
	}
	return nil
}

// release gives the lock back where nothing was committed.
func (l *indexLock) release() error {
	if l.file == nil {
		return nil
	}
	_ = l.file.Close() // it may be closed already
	return os.Remove(l.name + ".lock")
}
