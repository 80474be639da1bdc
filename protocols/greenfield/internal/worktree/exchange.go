package worktree

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"github.com/gatewright/gatewright/protocols/greenfield/internal/refusal"
)

// A Form is what stands under a path.
type Form string

// The forms that are exchanged.
const (
	Absent  Form = "absent"
	Regular Form = "file"
	Symlink Form = "link"
)

// A Version is what stands under a path at one time. Of a file it knows the
// digest, so that many can be kept.
type Version struct {
	Form   Form
	digest [sha256.Size]byte
}

// A Content is what is to stand under a path: a file, a link to Data, or
// nothing.
type Content struct {
	Form       Form
	Data       []byte
	Executable bool
}

// Version looks at a path that may be exchanged. Links are looked at and not
// followed.
func (t *Tree) Version(name string) (Version, error) {
	clean, err := exchangeable(name)
	if err != nil {
		return Version{}, err
	}
	folder, err := t.walk(path.Dir(clean))
	if refusal.Is(err, refusal.FileNotFound) || refusal.Is(err, refusal.NotAFolder) {
		return Version{Form: Absent}, nil
	}
	if err != nil {
		return Version{}, err
	}
	defer shut(folder)
	version, _, err := versionOf(folder, clean)
	return version, err
}

// Exchange puts content under a path on which a version stands, and refuses
// with PATH_MOVED where another does. It is for content that comes from the
// repository, so it may be the plan. Folders that it leaves empty are removed.
func (w *Writer) Exchange(ctx context.Context, name string, was Version, content Content) error {
	clean, err := exchangeable(name)
	if err != nil {
		return err
	}
	if content.Form == Absent {
		return w.clear(ctx, clean, was)
	}
	if len(content.Data) > MaxFile {
		return tooLarge(clean)
	}
	folder, err := w.descend(path.Dir(clean), stepMaking)
	if err != nil {
		return err
	}
	defer shut(folder)
	release, err := lock(ctx, folder)
	if err != nil {
		return fmt.Errorf("wait for the folder of %q: %w", clean, err)
	}
	defer release()
	info, err := expect(folder, clean, was)
	if err != nil {
		return err
	}
	return place(folder, clean, content, info)
}

// MakeFolder makes a folder for what is kept elsewhere, such as a submodule.
func (w *Writer) MakeFolder(name string) error {
	clean, err := exchangeable(name)
	if err != nil {
		return err
	}
	folder, err := w.descend(path.Dir(clean), stepMaking)
	if err != nil {
		return err
	}
	defer shut(folder)
	if err := folder.Mkdir(path.Base(clean), 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make the folder %q: %w", clean, err)
	}
	return nil
}

func exchangeable(name string) (string, error) {
	clean, err := Parse(name)
	if err != nil {
		return "", err
	}
	if why := Protected(clean); why != "" {
		return "", refusal.New(refusal.PathProtected, "%q cannot be written: %s", name, why)
	}
	return clean, nil
}

// clear removes a path, and the folders above it that are empty then.
func (w *Writer) clear(ctx context.Context, clean string, was Version) error {
	folder, release, err := w.hold(ctx, clean)
	if err != nil {
		return err
	}
	defer release()
	info, err := expect(folder, clean, was)
	if err != nil || info == nil {
		return err
	}
	if err := remove(folder, clean, info); err != nil {
		return err
	}
	for at := path.Dir(clean); at != "."; at = path.Dir(at) {
		above, err := w.descend(path.Dir(at), stepToWrite)
		if err != nil {
			return nil // it is being changed: an empty folder may stay
		}
		err = above.Remove(path.Base(at))
		shut(above)
		if err != nil {
			return nil
		}
	}
	return nil
}

// expect refuses unless a version stands under the path, and returns nil where
// that is nothing.
func expect(folder *os.Root, clean string, was Version) (fs.FileInfo, error) {
	now, info, err := versionOf(folder, clean)
	if err != nil {
		return nil, err
	}
	if now != was {
		return nil, moved(clean)
	}
	if info != nil && isNamed(folder, info, protectedFiles()...) {
		return nil, sameAsProtected(clean)
	}
	return info, nil
}

// versionOf takes the version of the last component of clean.
func versionOf(folder *os.Root, clean string) (Version, fs.FileInfo, error) {
	name := path.Base(clean)
	info, err := folder.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return Version{Form: Absent}, nil, nil
	}
	if err != nil {
		return Version{}, nil, fmt.Errorf("look at %q: %w", clean, err)
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := folder.Readlink(name)
		if err != nil {
			return Version{}, nil, moved(clean)
		}
		return Version{Form: Symlink, digest: sha256.Sum256([]byte(target))}, info, nil
	}
	data, info, err := read(folder, clean)
	if err != nil {
		return Version{}, nil, err
	}
	return Version{Form: Regular, digest: sha256.Sum256(data)}, info, nil
}

// place makes content under a temporary name and gives it its own, in the place
// of what was looked at; info is nil where that was nothing.
func place(folder *os.Root, clean string, content Content, info fs.FileInfo) error {
	name, temporary := path.Base(clean), temporaryName()
	if err := content.make(folder, temporary); err != nil {
		return fmt.Errorf("write %q: %w", clean, err)
	}
	now, err := folder.Lstat(name)
	switch {
	case info == nil && errors.Is(err, fs.ErrNotExist):
		// A link refuses to take the place of anything; where the system has no
		// hard links, renaming has to do.
		if content.Form == Regular && folder.Link(temporary, name) == nil {
			return folder.Remove(temporary)
		}
	case info == nil, err != nil, !unchanged(info, now):
		return errors.Join(moved(clean), folder.Remove(temporary))
	}
	if err := folder.Rename(temporary, name); err != nil {
		return errors.Join(fmt.Errorf("write %q: %w", clean, err), folder.Remove(temporary))
	}
	return nil
}

// make makes a new file or link.
func (c Content) make(folder *os.Root, name string) error {
	if c.Form == Symlink {
		return folder.Symlink(string(c.Data), name)
	}
	mode := fs.FileMode(0o666)
	if c.Executable {
		mode = 0o777
	}
	file, err := folder.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	if err := fill(file, c.Data, 0); err != nil {
		return errors.Join(err, folder.Remove(name))
	}
	return nil
}
