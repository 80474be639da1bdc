package items

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gatewright/gatewright/protocols/tracker/internal/refusal"
)

// Where a tracker is in its workspace.
const (
	FolderName = ".tracker"
	FileName   = "tracker.db"
)

// A place is the folder of a tracker, held open. Files are looked at through
// it, and never opened: a process that closes an opening of a file loses the
// locks that SQLite holds on that file elsewhere in the process.
type place struct {
	folder *os.Root
	path   string // of the folder
	info   fs.FileInfo
}

// findPlace opens the folder of a workspace's tracker; nil where there is none.
func findPlace(workspace string) (*place, error) {
	root, err := os.OpenRoot(workspace)
	if err != nil {
		return nil, fmt.Errorf("open the workspace: %w", err)
	}
	defer shut(root)
	if _, err := root.Lstat(FolderName); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return openPlace(root, filepath.Join(workspace, FolderName))
}

// makePlace makes the folder where it is missing.
func makePlace(workspace string) (*place, error) {
	root, err := os.OpenRoot(workspace)
	if err != nil {
		return nil, fmt.Errorf("open the workspace: %w", err)
	}
	defer shut(root)
	if err := root.Mkdir(FolderName, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, refusal.New(refusal.TrackerUnwritable, "the folder %s could not be made: %v", FolderName, err)
	}
	return openPlace(root, filepath.Join(workspace, FolderName))
}

func openPlace(root *os.Root, path string) (*place, error) {
	seen, err := root.Lstat(FolderName)
	if err != nil {
		return nil, fmt.Errorf("look at the folder %s: %w", FolderName, err)
	}
	switch {
	case seen.Mode()&fs.ModeSymlink != 0:
		return nil, refusal.New(refusal.TrackerUnusable, "%s is a link", FolderName)
	case !seen.IsDir():
		return nil, refusal.New(refusal.TrackerUnusable, "%s is no folder", FolderName)
	}
	if err := private(FolderName, seen); err != nil {
		return nil, err
	}
	folder, err := root.OpenRoot(FolderName)
	if err != nil {
		return nil, fmt.Errorf("open the folder %s: %w", FolderName, err)
	}
	info, err := folder.Stat(".")
	if err != nil || !os.SameFile(seen, info) {
		shut(folder)
		return nil, replaced(FolderName)
	}
	return &place{folder: folder, path: path, info: info}, nil
}

// look vouches for a file: a regular one of this user alone.
func (p *place) look(name string) (fs.FileInfo, error) {
	info, err := p.folder.Lstat(name)
	if err != nil {
		return nil, err
	}
	shown := FolderName + "/" + name
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, refusal.New(refusal.TrackerUnusable, "%s is a link", shown)
	case !info.Mode().IsRegular():
		return nil, refusal.New(refusal.TrackerUnusable, "%s is no file", shown)
	}
	return info, private(shown, info)
}

// lacks reports whether nothing has that name.
func (p *place) lacks(name string) bool {
	_, err := p.folder.Lstat(name)
	return errors.Is(err, fs.ErrNotExist)
}

// same reports whether the path that SQLite takes leads to a file that was
// vouched for.
func (p *place) same(name string, file fs.FileInfo) bool {
	folder, err := os.Lstat(p.path)
	if err != nil || !os.SameFile(folder, p.info) {
		return false
	}
	within, err := p.folder.Lstat(name)
	if err != nil || !os.SameFile(within, file) {
		return false
	}
	named, err := os.Lstat(filepath.Join(p.path, name))
	return err == nil && os.SameFile(named, file)
}

// sync makes the names in the folder durable, where the system can do that.
func (p *place) sync() error {
	handle, err := p.folder.Open(".")
	if err != nil {
		return err
	}
	defer shut(handle)
	return syncFolder(handle)
}

func (p *place) close() error { return p.folder.Close() }

func replaced(name string) error {
	return refusal.New(refusal.TrackerUnusable, "%s was replaced while it was used", name)
}

// shut closes what was opened to look: nothing can be lost by it.
func shut(handle io.Closer) { _ = handle.Close() }
