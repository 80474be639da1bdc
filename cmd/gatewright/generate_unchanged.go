package main

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// A memory lets generate skip protocols for which there was nothing to do and
// nothing to say the last time, with everything that was looked at then as it
// is now, byte for byte: the protocol, go.mod, the generated tree, the handlers
// and this program. It is a file for each protocol in the user's cache folder.
// Where there is none, or it cannot be written, everything is looked at anew;
// --check always does that.
type memory struct {
	folder string            // of the cache; empty for none
	run    string            // what all protocols of this run have in common
	marks  map[string]string // by protocol file: of everything as it was at the start
}

// A note is what is kept of one protocol.
type note struct {
	Mark     string `json:"mark"`
	Module   string `json:"module"`   // its folder
	Base     string `json:"base"`     // of the generated tree, in the module
	Handlers string `json:"handlers"` // in the module
}

// remember opens the memory for a run over some protocol files, whose trees go
// to a folder.
func remember(trees string, files []string) *memory {
	m := &memory{marks: map[string]string{}}
	program, err := os.Executable()
	if err != nil {
		return m
	}
	info, err := os.Stat(program)
	if err != nil {
		return m
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return m
	}
	here, err := os.Getwd()
	if err != nil {
		return m
	}
	m.folder = filepath.Join(cache, "gatewright", "generate")
	m.run = fmt.Sprintf("%s %d %d %s %s %q %q", program, info.Size(), info.ModTime().UnixNano(), runtime.Version(), here, trees, files)
	return m
}

// unchanged reports whether all protocols are as they were when there was
// nothing to do.
func (m *memory) unchanged(files []string) bool {
	if m.folder == "" {
		return false
	}
	same := true
	for _, file := range files {
		var kept note
		data, err := os.ReadFile(m.name(file))
		if err != nil || json.Unmarshal(data, &kept) != nil {
			return false
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return false
		}
		module, err := os.ReadFile(filepath.Join(kept.Module, "go.mod"))
		if err != nil {
			return false
		}
		mark, err := m.mark(kept, text, module)
		same = same && err == nil && mark == kept.Mark
	}
	return same
}

// begin marks how things are before they are looked at, with what has been read
// already: what changes from now on is noticed by the next run.
func (m *memory) begin(u *unit) {
	if m.folder == "" {
		return
	}
	if mark, err := m.mark(noteOf(u), u.text, u.module.text); err == nil {
		m.marks[u.file] = mark
	}
}

// keep notes that there was nothing to do for a protocol. What cannot be kept
// is looked at again.
func (m *memory) keep(u *unit) {
	kept := noteOf(u)
	if kept.Mark = m.marks[u.file]; kept.Mark == "" || os.MkdirAll(m.folder, 0o700) != nil {
		return
	}
	data, err := json.Marshal(kept)
	if err != nil {
		return
	}
	temp, err := os.CreateTemp(m.folder, "new-*")
	if err != nil {
		return
	}
	_, err = temp.Write(data)
	if closed := temp.Close(); err != nil || closed != nil || os.Rename(temp.Name(), m.name(u.file)) != nil {
		_ = os.Remove(temp.Name())
	}
}

func noteOf(u *unit) note {
	return note{Module: u.module.dir, Base: u.base, Handlers: u.folder}
}

func (m *memory) name(file string) string {
	full, err := filepath.Abs(file)
	if err != nil {
		full = file
	}
	sum := sha256.Sum256([]byte(full))
	return filepath.Join(m.folder, hex.EncodeToString(sum[:16])+".json")
}

// mark is a hash over everything that decides what is to be done.
func (m *memory) mark(at note, text, module []byte) (string, error) {
	h := sha256.New()
	add(h, []byte(m.run), []byte(at.Module), []byte(at.Base), []byte(at.Handlers), text, module)
	if err := addTree(h, filepath.Join(at.Module, filepath.FromSlash(at.Base)), true); err != nil {
		return "", err
	}
	if err := addTree(h, filepath.Join(at.Module, filepath.FromSlash(at.Handlers)), false); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// addTree adds a folder: names, kinds, and the content of Go files, or of all
// where the folder is gatewright's.
func addTree(h hash.Hash, folder string, all bool) error {
	resolved, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(resolved)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	add(h, []byte(resolved))
	return fs.WalkDir(root.FS(), ".", func(at string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		add(h, []byte(at), []byte(entry.Type().String()))
		switch {
		case entry.IsDir() && at != "." && !all:
			return fs.SkipDir
		case !entry.Type().IsRegular(), !all && !strings.HasSuffix(at, ".go"):
			return nil
		}
		data, err := root.ReadFile(at)
		add(h, data)
		return err
	})
}

// add adds parts so that no two lists of them give the same hash.
func add(h hash.Hash, parts ...[]byte) {
	for _, part := range parts {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		h.Write(part)
	}
}
