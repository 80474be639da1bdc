package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"sync"

	"github.com/gofrs/flock"

	"github.com/gatewright/gatewright/runtime/state"
)

// Whoever carries plans out holds the lock of a file of its own for as long as
// its process lives, and each plan that is begun names that file. So whether a
// commit goes on is told by the system, which gives the lock back whatever the
// process dies of, at once and at a reboot as well. Ids of processes, which are
// used again, do not come into it.
//
// An owner locks its file for itself alone. Who looks takes the lock together
// with others who look, so that one look is never taken for an owner.
const (
	ownerPrefix = "commits-"
	ownerSuffix = ".lock"
)

// An owner is this process among those that carry plans out. The zero owner
// with a folder is ready, and makes its file when a plan is first begun.
type owner struct {
	folder *state.Folder

	mu      sync.Mutex
	names   []string       // the last is that of the file
	held    []*flock.Flock // the same; all but the last are of files that somebody took away
	file    fs.FileInfo
	running int // plans begun and not ended
}

// enter counts one more plan, and returns the name of the file to look at.
func (o *owner) enter(ctx context.Context) (string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.names) == 0 || !o.folder.Same(o.names[len(o.names)-1], o.file) {
		if err := o.arrive(ctx); err != nil {
			return "", err
		}
	}
	o.running++
	return o.names[len(o.names)-1], nil
}

// leave counts one less.
func (o *owner) leave() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.running--
}

// is reports whether a name is one of this process.
func (o *owner) is(name string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Contains(o.names, name)
}

// close gives the lock back, unless a handler may still be at work: then it is
// held until the process ends, past every collection of garbage.
func (o *owner) close() (failed error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	held := o.held
	o.names, o.held = nil, nil
	if o.running > 0 && len(held) > 0 {
		go func() {
			<-make(chan struct{})
			runtime.KeepAlive(held)
		}()
		return nil
	}
	for _, each := range held {
		if info, err := each.Stat(); err == nil && o.folder.Same(filepath.Base(each.Path()), info) {
			failed = errors.Join(failed, os.Remove(each.Path()))
		}
		failed = errors.Join(failed, each.Unlock())
	}
	return failed
}

// arrive makes a file and takes its lock, after removing what died left. One
// process does so at a time, so that none removes what another has made and not
// yet locked.
func (o *owner) arrive(ctx context.Context) error {
	return alone(ctx, o.folder, func() error {
		if err := o.tidy(); err != nil {
			return err
		}
		name := ownerPrefix + rand.Text() + ownerSuffix
		path := filepath.Join(o.folder.Path(), name)
		file, err := o.folder.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL)
		if err != nil {
			return err
		}
		vouched, err := file.Stat()
		if err = errors.Join(err, file.Close()); err != nil {
			return fmt.Errorf("look at %s: %w", path, err)
		}
		held := flock.New(path, flock.SetFlag(os.O_RDWR))
		taken, err := held.TryLock()
		if err == nil && taken {
			var locked fs.FileInfo
			locked, err = held.Stat()
			taken = err == nil && os.SameFile(vouched, locked) && o.folder.Same(name, locked)
		}
		if err != nil || !taken {
			refused := &Error{Reason: Replaced, Path: path, Message: "somebody else took it while it was being locked", Err: err, Next: "try again"}
			return errors.Join(refused, held.Close())
		}
		o.names, o.held, o.file = append(o.names, name), append(o.held, held), vouched
		return nil
	})
}

// tidy removes the files that nobody holds any more.
func (o *owner) tidy() error {
	entries, err := os.ReadDir(o.folder.Path())
	if err != nil {
		return fmt.Errorf("look for those who carry plans out: %w", err)
	}
	for _, entry := range entries {
		if !ownerName(entry.Name()) {
			continue
		}
		if _, err := alive(o.folder, entry.Name()); err != nil {
			return err
		}
	}
	return nil
}

func ownerName(name string) bool {
	return regexp.MustCompile(`^` + ownerPrefix + `[A-Z2-7]{26}` + regexp.QuoteMeta(ownerSuffix) + `$`).MatchString(name)
}

// alive reports whether somebody holds the lock of an owner's file. A file that
// nobody holds is removed: nobody comes back to it.
func alive(folder *state.Folder, name string) (bool, error) {
	path := filepath.Join(folder.Path(), name)
	vouched, err := look(folder, name)
	if gone(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	probe := flock.New(path, flock.SetFlag(os.O_RDWR))
	taken, err := probe.TryRLock()
	switch {
	case gone(err):
		return false, probe.Close()
	case err != nil:
		return false, errors.Join(&Error{Reason: Inaccessible, Path: path, Message: "it cannot be locked", Err: err,
			Next: "make it accessible to this user"}, probe.Close())
	case !taken:
		return true, probe.Close()
	}
	locked, err := probe.Stat()
	if err == nil && os.SameFile(vouched, locked) && folder.Same(name, locked) {
		_ = os.Remove(path) // whoever looks next does it
	}
	return false, errors.Join(err, probe.Unlock())
}

// gone reports whether a file is not there, or was removed in the moment in
// which it was opened: an owner's file is removed when nobody holds it.
func gone(err error) bool {
	refused, ok := errors.AsType[*state.Error](err)
	return errors.Is(err, fs.ErrNotExist) || ok && refused.Reason == state.Replaced
}
