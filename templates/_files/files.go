// Package files reaches the text files of a workspace, and nothing else.
//
// A path is walked from the open workspace, component by component, and each
// has to be a real folder: a link is refused wherever it stands, so no name
// stands for another. What decides about agents is not written: see protected.
package files

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/gatewright/gatewright/runtime/gate"
)

const (
	maxText    = 1 << 20 // bytes of a file that is read or written
	maxEntries = 1000    // of one listing
)

// A Tree reads the files of a workspace.
type Tree struct{ root *os.Root }

// Open opens a workspace for reading.
func Open(workspace string) (*Tree, error) {
	root, err := os.OpenRoot(workspace)
	if err != nil {
		return nil, fmt.Errorf("open the workspace: %w", err)
	}
	return &Tree{root: root}, nil
}

// Close gives the workspace back.
func (t *Tree) Close() error { return t.root.Close() }

// An Entry is one file or folder of a listing.
type Entry struct {
	Path string
	Kind string // file, folder or other; links are other and are not followed
	Size int64  // of a file, in bytes
}

// List returns what a folder holds, sorted, and whether there is more. No
// folder is the workspace.
func (t *Tree) List(folder string) (entries []Entry, more bool, err error) {
	inside := "."
	if folder != "" && folder != "." {
		if folder, err = parse(strings.TrimSuffix(folder, "/")); err != nil {
			return nil, false, err
		}
		inside = folder + "/."
	}
	at, _, err := t.enter(inside, false)
	if err != nil {
		return nil, false, err
	}
	defer at.Close()
	found, err := fs.ReadDir(at.FS(), ".")
	if err != nil {
		return nil, false, fmt.Errorf("list %q: %w", folder, err)
	}
	for _, each := range found {
		switch {
		case !printable(each.Name()) || strings.EqualFold(each.Name(), ".git"):
			continue
		case len(entries) == maxEntries:
			return entries, true, nil
		}
		entry := Entry{Path: path.Join(folder, each.Name()), Kind: "other"}
		switch info, err := each.Info(); {
		case err != nil: // gone in the meantime
			continue
		case info.IsDir():
			entry.Kind = "folder"
		case info.Mode().IsRegular():
			entry.Kind, entry.Size = "file", info.Size()
		}
		entries = append(entries, entry)
	}
	return entries, false, nil
}

// Read returns the text of a file and the digest that names exactly this text.
func (t *Tree) Read(name string) (text, digest string, err error) {
	clean, err := parse(name)
	if err != nil {
		return "", "", err
	}
	at, base, err := t.enter(clean, false)
	if err != nil {
		return "", "", err
	}
	defer at.Close()
	data, err := content(at, base, maxText+1)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", "", refuse("FILE_NOT_FOUND", "List the folder to see what there is.", "there is no file %q", name)
	case err != nil:
		return "", "", fmt.Errorf("read %q: %w", name, err)
	case len(data) > maxText:
		return "", "", refuse("FILE_TOO_LARGE", "Leave this file as it is.", "%q is larger than %d bytes", name, maxText)
	case !utf8.Valid(data) || strings.ContainsRune(string(data), 0):
		return "", "", refuse("NOT_TEXT", "Leave this file as it is.", "%q is not a text file", name)
	}
	return string(data), Digest(string(data)), nil
}

// Digest names a text: an approval of a digest is an approval of that text.
func Digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// content reads a regular file up to a limit.
func content(at *os.Root, base string, limit int64) ([]byte, error) {
	before, err := at.Lstat(base)
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, refuse("NOT_A_FILE", "Name a file. Links are not followed.", "%q is not a file", base)
	}
	file, err := at.Open(base)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if now, err := file.Stat(); err != nil || !os.SameFile(before, now) {
		return nil, errors.Join(errors.New("it was replaced while it was opened"), err)
	}
	return io.ReadAll(io.LimitReader(file, limit))
}

// enter opens the folder that holds name, and returns it with the last part of
// name. With create it makes the folders that are missing.
func (t *Tree) enter(name string, create bool) (at *os.Root, base string, err error) {
	at, err = t.root.OpenRoot(".")
	if err != nil {
		return nil, "", fmt.Errorf("open the workspace: %w", err)
	}
	parts := strings.Split(name, "/")
	for _, part := range parts[:len(parts)-1] {
		next, err := step(at, part, create)
		_ = at.Close() // it was only read
		if err != nil {
			return nil, "", err
		}
		at = next
	}
	return at, parts[len(parts)-1], nil
}

// step opens a folder in a folder, and no link to one.
func step(at *os.Root, part string, create bool) (*os.Root, error) {
	if create {
		if err := at.Mkdir(part, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("make the folder %q: %w", part, err)
		}
	}
	before, err := at.Lstat(part)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, refuse("FILE_NOT_FOUND", "List the folder above to see what there is.", "there is no folder %q", part)
	case err != nil:
		return nil, fmt.Errorf("look at %q: %w", part, err)
	case !before.IsDir():
		return nil, refuse("NOT_A_FOLDER", "Name a folder. Links are not followed.", "%q is not a folder", part)
	}
	next, err := at.OpenRoot(part)
	if err != nil {
		return nil, fmt.Errorf("open the folder %q: %w", part, err)
	}
	if now, err := next.Stat("."); err != nil || !os.SameFile(before, now) {
		_ = next.Close()
		return nil, fmt.Errorf("the folder %q was replaced while it was opened", part)
	}
	return next, nil
}

// A Writer also writes.
type Writer struct{ Tree }

// OpenWriter opens a workspace for writing.
func OpenWriter(workspace string) (*Writer, error) {
	tree, err := Open(workspace)
	if err != nil {
		return nil, err
	}
	return &Writer{Tree: *tree}, nil
}

// Write creates or replaces a file, unless it is one that decides about agents.
func (w *Writer) Write(name, text string) error {
	clean, err := parse(name)
	if err != nil {
		return err
	}
	if protected(clean) {
		return refuse("PATH_PROTECTED", "Ask a person if this has to change.", "%q decides what agents may do, or says what they did", name)
	}
	return w.replace(clean, text)
}

// WritePlan replaces the plan.
func (w *Writer) WritePlan(text string) error { return w.replace(Plan, text) }

// Remove removes a file that Write may write.
func (w *Writer) Remove(name string) error {
	clean, err := parse(name)
	if err != nil {
		return err
	}
	at, base, err := w.enter(clean, false)
	if err != nil {
		return err
	}
	defer at.Close()
	if err := at.Remove(base); err != nil {
		return fmt.Errorf("remove %q: %w", name, err)
	}
	return nil
}

// replace writes a file beside the old one and renames it, so that nobody sees
// half of it and a link in its place is replaced and not followed.
func (w *Writer) replace(clean, text string) error {
	if len(text) > maxText {
		return refuse("FILE_TOO_LARGE", "Write less.", "the text is larger than %d bytes", maxText)
	}
	at, base, err := w.enter(clean, true)
	if err != nil {
		return err
	}
	defer at.Close()
	if info, err := at.Lstat(base); err == nil && !info.Mode().IsRegular() {
		return refuse("NOT_A_FILE", "Name a file. Links are not followed.", "%q is not a file", clean)
	}
	temporary := ".gatewright-" + rand.Text() + ".tmp"
	if err := at.WriteFile(temporary, []byte(text), 0o644); err != nil {
		return errors.Join(fmt.Errorf("write %q: %w", clean, err), at.Remove(temporary))
	}
	if err := at.Rename(temporary, base); err != nil {
		return errors.Join(fmt.Errorf("write %q: %w", clean, err), at.Remove(temporary))
	}
	return nil
}

// refuse makes a failure with a code of its own and what to do about it.
func refuse(code gate.Code, next, format string, args ...any) error {
	return &gate.Failure{Code: code, Message: fmt.Sprintf(format, args...), Next: next}
}
