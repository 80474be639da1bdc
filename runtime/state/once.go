package state

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// Once returns the content of a file that is made once, from made, by whichever
// process comes first. It has exactly the size that made has; a file of another
// size is damage.
func (f *Folder) Once(name string, made func() []byte) ([]byte, error) {
	fresh := made()
	content, err := f.bounded(name, len(fresh))
	if !errors.Is(err, fs.ErrNotExist) {
		return content, err
	}
	own := name + "." + rand.Text()
	defer func() { _ = f.root.Remove(own) }()
	if err := f.write(own, fresh); err != nil {
		return nil, err
	}
	// A link, unlike a rename, never takes the place of what is there.
	if err := f.root.Link(own, name); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, inaccessible(filepath.Join(f.Path(), name), "it cannot be made", err)
	}
	if err := f.Sync(); err != nil {
		return nil, err
	}
	return f.bounded(name, len(fresh))
}

// bounded reads a file of exactly size bytes.
func (f *Folder) bounded(name string, size int) ([]byte, error) {
	file, err := f.OpenFile(name, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	content := make([]byte, size+1)
	n, err := file.Read(content)
	if err != nil || n != size {
		return nil, &Error{Reason: Damaged, Path: filepath.Join(f.Path(), name), Message: fmt.Sprintf("it does not hold %d bytes", size), Err: err,
			Next: "find out who changed it; without it a new one is made"}
	}
	return content[:n], nil
}
