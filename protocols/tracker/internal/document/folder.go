package document

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gatewright/gatewright/protocols/tracker/internal/refusal"
)

// MaxSize is the size in bytes up to which documents are read.
const MaxSize = 256 << 10

// Bounds of looking at a folder.
const (
	maxFolder = 10_000 // entries that are looked at
	maxNamed  = 20     // documents that a refusal names
)

// A Folder is what documents are read from. It is safe for concurrent use.
type Folder struct{ root *os.Root }

// Open opens the workspace that the folder docs is in.
func Open(workspace string) (*Folder, error) {
	root, err := os.OpenRoot(workspace)
	if err != nil {
		return nil, fmt.Errorf("open the workspace: %w", err)
	}
	return &Folder{root: root}, nil
}

// Close releases the workspace. Nothing can be read from then on.
func (f *Folder) Close() error { return f.root.Close() }

// A Document is a document as it was read.
type Document struct {
	Name   string // its path in the workspace
	Text   string
	SHA256 string // of Text, in hexadecimal
}

// Read reads a document.
func (f *Folder) Read(name string) (Document, error) {
	clean, err := parsePath(name)
	if err != nil {
		return Document{}, err
	}
	folder, err := f.walk(path.Dir(clean))
	if err != nil {
		return Document{}, f.named(err)
	}
	defer shut(folder)
	data, err := read(folder, clean)
	if err != nil {
		return Document{}, f.named(err)
	}
	if bytes.IndexByte(data, 0) >= 0 || !utf8.Valid(data) {
		return Document{}, refusal.New(refusal.DocumentBinary, "%q is not UTF-8 text", clean)
	}
	sum := sha256.Sum256(data)
	return Document{Name: clean, Text: string(data), SHA256: hex.EncodeToString(sum[:])}, nil
}

// walk opens a folder component by component.
func (f *Folder) walk(clean string) (*os.Root, error) {
	folder, err := f.root.OpenRoot(".")
	if err != nil {
		return nil, fmt.Errorf("open the workspace: %w", err)
	}
	walked := ""
	for name := range strings.SplitSeq(clean, "/") {
		walked = path.Join(walked, name)
		next, err := step(folder, name, walked)
		shut(folder)
		if err != nil {
			return nil, err
		}
		folder = next
	}
	return folder, nil
}

// step opens a folder in a folder, and refuses what is no real one.
func step(folder *os.Root, name, walked string) (*os.Root, error) {
	seen, err := look(folder, name, walked)
	if err != nil {
		return nil, err
	}
	if !seen.IsDir() {
		return nil, notFound(walked)
	}
	next, err := folder.OpenRoot(name)
	if err != nil {
		return nil, failed(walked, err)
	}
	info, err := next.Stat(".")
	if err != nil || !os.SameFile(seen, info) {
		shut(next)
		return nil, moved(walked)
	}
	return next, nil
}

// read reads the last component of clean from its folder: a regular file, and
// the one that was looked at.
func read(folder *os.Root, clean string) ([]byte, error) {
	name := path.Base(clean)
	seen, err := look(folder, name, clean)
	if err != nil {
		return nil, err
	}
	if !seen.Mode().IsRegular() {
		return nil, refusal.New(refusal.NotADocument, "%q is no file", clean)
	}
	file, err := folder.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, failed(clean, err)
	}
	defer shut(file)
	info, err := file.Stat()
	if err != nil || !os.SameFile(seen, info) {
		return nil, moved(clean)
	}
	data, err := io.ReadAll(io.LimitReader(file, MaxSize+1))
	if err != nil {
		return nil, fmt.Errorf("read %q: %w", clean, err)
	}
	if len(data) > MaxSize {
		return nil, refusal.New(refusal.DocumentTooLarge, "%q is larger than %d bytes", clean, MaxSize)
	}
	return data, nil
}

// look looks at an entry of a folder. One that the file system finds under
// another spelling than its own is not there.
func look(folder *os.Root, name, walked string) (fs.FileInfo, error) {
	seen, err := folder.Lstat(name)
	if err != nil {
		return nil, failed(walked, err)
	}
	if seen.Mode()&fs.ModeSymlink != 0 {
		return nil, refusal.New(refusal.PathIsLink, "%q is a link", walked)
	}
	found, err := entries(folder)
	if err != nil {
		return nil, err
	}
	if len(found) < maxFolder && !slices.ContainsFunc(found, func(entry fs.DirEntry) bool { return entry.Name() == name }) {
		return nil, notFound(walked)
	}
	return seen, nil
}

// entries reads a folder, in the order of names.
func entries(folder *os.Root) ([]fs.DirEntry, error) {
	handle, err := folder.Open(".")
	if err != nil {
		return nil, fmt.Errorf("look at %q: %w", folder.Name(), err)
	}
	defer shut(handle)
	found, err := handle.ReadDir(maxFolder)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("look at %q: %w", folder.Name(), err)
	}
	slices.SortFunc(found, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return found, nil
}

// named adds to a refusal of a document that is not there which ones are, as
// far as they stand in docs itself.
func (f *Folder) named(err error) error {
	if !refusal.Is(err, refusal.DocumentNotFound) {
		return err
	}
	folder, walkErr := f.walk(top)
	if walkErr != nil {
		return err
	}
	defer shut(folder)
	found, lookErr := entries(folder)
	if lookErr != nil {
		return err
	}
	var names []string
	for _, entry := range found {
		if clean, err := parsePath(path.Join(top, entry.Name())); err == nil && entry.Type().IsRegular() {
			names = append(names, clean)
		}
	}
	switch {
	case len(names) == 0:
		return refusal.New(refusal.DocumentNotFound, "%v; docs holds no documents", err)
	case len(names) > maxNamed:
		return refusal.New(refusal.DocumentNotFound, "%v; docs holds %s and %d more", err, strings.Join(names[:maxNamed], ", "), len(names)-maxNamed)
	}
	return refusal.New(refusal.DocumentNotFound, "%v; docs holds %s", err, strings.Join(names, ", "))
}

func failed(walked string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return notFound(walked)
	}
	return fmt.Errorf("open %q: %w", walked, err)
}

func notFound(walked string) error {
	return refusal.New(refusal.DocumentNotFound, "there is no %q in the workspace", walked)
}

func moved(walked string) error {
	return refusal.New(refusal.PathMoved, "%q was changed while it was opened", walked)
}

// shut closes what was opened to read: nothing can be lost by it.
func shut(handle io.Closer) { _ = handle.Close() }
