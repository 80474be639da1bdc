package state

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/gofrs/flock"
)

// Presence files are named present-<pid>-<random>.json. The server that one
// speaks of holds a lock on it, which the system takes back when the process
// dies. All of them are looked at under presence.lock, so that nobody takes
// somebody else's short look for a server.
const (
	presencePrefix = "present-"
	presenceSuffix = ".json"
	presenceLock   = "presence.lock"
	maxPresence    = 4 << 10 // bytes
	presenceWait   = 2 * time.Second
)

// A Presence says that a process serves a mode.
type Presence struct {
	Session string `json:"session"` // see [Session]
	Mode    string `json:"mode"`
	PID     int    `json:"pid"`
}

// An Attendance is the presence of this process. It is safe for concurrent use.
type Attendance struct {
	folder *Folder
	self   Presence
	name   string
	held   *flock.Flock

	mu     sync.Mutex
	seen   map[string]bool // names of files that were looked at
	turned bool            // it has left
}

// Attend makes it known that this process serves a mode, until it ends or
// [Attendance.Leave] is called.
func (f *Folder) Attend(ctx context.Context, mode string) (*Attendance, error) {
	a := &Attendance{folder: f, self: Presence{Session: Session(), Mode: mode, PID: os.Getpid()}, seen: map[string]bool{}}
	random := make([]byte, 8)
	if _, err := rand.Read(random); err != nil {
		return nil, fmt.Errorf("name a presence file: %w", err)
	}
	a.name = presencePrefix + strconv.Itoa(a.self.PID) + "-" + hex.EncodeToString(random) + presenceSuffix
	a.seen[a.name] = true
	file, err := f.OpenFile(presenceLock, os.O_RDWR|os.O_CREATE)
	if err == nil {
		err = file.Close()
	}
	if err != nil {
		return nil, err
	}
	if err := f.amongPresent(ctx, a.arrive); err != nil {
		return nil, err
	}
	return a, nil
}

// arrive writes the file of this process and locks it.
func (a *Attendance) arrive() error {
	path := filepath.Join(a.folder.Path(), a.name)
	content, err := json.Marshal(a.self)
	if err != nil {
		return fmt.Errorf("encode a presence: %w", err)
	}
	file, err := a.folder.OpenFile(a.name, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	_, err = file.Write(content) // it need not survive the machine, so it is not synced
	if err = errors.Join(err, file.Close()); err != nil {
		return inaccessible(path, "it cannot be written", err)
	}
	held, taken, err := a.folder.tryLock(a.name)
	if err == nil && !taken {
		err = &Error{Reason: Replaced, Path: path, Message: "somebody else holds its lock", Next: "start again"}
	}
	a.held = held
	return err
}

// Others returns the servers of other modes that whoever started this process
// has running, each once: those that are new since the last time. It costs a
// look at the names in the folder where there are none.
func (a *Attendance) Others(ctx context.Context) ([]Presence, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	names, err := a.folder.presenceFiles()
	names = slices.DeleteFunc(names, func(name string) bool { return a.seen[name] })
	if err != nil || len(names) == 0 || a.turned {
		return nil, err
	}
	var others []Presence
	err = a.folder.amongPresent(ctx, func() error {
		for _, name := range names {
			a.seen[name] = true // also where it cannot be read, which is said once
			there, alive, err := a.folder.look(name)
			if err != nil {
				return err
			}
			if alive && there.Session == a.self.Session && there.Mode != a.self.Mode {
				others = append(others, there)
			}
		}
		return nil
	})
	return others, err
}

// Leave takes the presence of this process back.
func (a *Attendance) Leave() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.turned {
		return nil
	}
	a.turned = true
	err := a.folder.root.Remove(a.name)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, a.held.Unlock())
}

// presenceFiles lists the names of presence files, sorted.
func (f *Folder) presenceFiles() ([]string, error) {
	dir, err := f.root.Open(".")
	if err != nil {
		return nil, inaccessible(f.Path(), "it cannot be opened", err)
	}
	defer func() { _ = dir.Close() }()
	all, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, inaccessible(f.Path(), "it cannot be listed", err)
	}
	names := slices.DeleteFunc(all, func(name string) bool {
		return !strings.HasPrefix(name, presencePrefix) || !strings.HasSuffix(name, presenceSuffix)
	})
	slices.Sort(names)
	return names, nil
}

// look reads a presence file. One that nobody holds the lock of was left by a
// process that died, and is removed.
func (f *Folder) look(name string) (there Presence, alive bool, err error) {
	held, taken, err := f.tryLock(name)
	switch {
	case left(err):
		return there, false, nil
	case err != nil:
		return there, false, err
	case taken:
		return there, false, errors.Join(f.root.Remove(name), held.Unlock())
	}
	file, err := f.OpenFile(name, os.O_RDONLY)
	if left(err) {
		return there, false, nil
	}
	if err != nil {
		return there, false, err
	}
	defer func() { _ = file.Close() }()
	content, err := io.ReadAll(io.LimitReader(file, maxPresence))
	if err == nil {
		err = json.Unmarshal(content, &there, json.RejectUnknownMembers(true))
	}
	if err != nil {
		return there, false, &Error{Reason: Damaged, Path: filepath.Join(f.Path(), name), Message: "it does not say who is there", Err: err, Next: "remove it"}
	}
	return there, true, nil
}

// left reports whether a file could not be opened because its process removed
// it meanwhile.
func left(err error) bool {
	refused := new(Error)
	return errors.Is(err, fs.ErrNotExist) || errors.As(err, &refused) && refused.Reason == Replaced
}

// amongPresent does something while no other process looks at or adds a
// presence file.
func (f *Folder) amongPresent(ctx context.Context, do func() error) error {
	ctx, cancel := context.WithTimeout(ctx, presenceWait)
	defer cancel()
	for {
		held, taken, err := f.tryLock(presenceLock)
		if err != nil {
			return err
		}
		if taken {
			return errors.Join(do(), held.Unlock())
		}
		select {
		case <-ctx.Done():
			return &Error{Reason: Inaccessible, Path: filepath.Join(f.Path(), presenceLock), Message: "its lock could not be taken",
				Err: context.Cause(ctx), Next: "the process that holds it may have been stopped"}
		case <-time.After(time.Millisecond):
		}
	}
}

// tryLock takes the lock of a file that is there, unless somebody else has it.
// The library opens the file by its path, so what was locked is compared with
// what the folder holds.
func (f *Folder) tryLock(name string) (held *flock.Flock, taken bool, err error) {
	path := filepath.Join(f.Path(), name)
	if info, err := f.root.Lstat(name); err != nil {
		return nil, false, inaccessible(path, "it cannot be looked at", err)
	} else if err := regular(path, info); err != nil {
		return nil, false, err
	}
	held = flock.New(path, flock.SetFlag(os.O_RDWR|noFollow))
	taken, err = held.TryLock()
	if err != nil || !taken {
		if err != nil {
			err = inaccessible(path, "its lock cannot be taken", err)
		}
		return nil, false, errors.Join(err, held.Close())
	}
	info, err := held.Stat()
	if err == nil && !f.Same(name, info) {
		err = &Error{Reason: Replaced, Path: path, Message: "it was replaced while it was being locked", Next: "try again"}
	}
	if err != nil {
		return nil, false, errors.Join(err, held.Unlock())
	}
	return held, true, nil
}
