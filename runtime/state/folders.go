package state

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json"
)

// A Place is where a state folder is or may be, known by its path alone: which
// workspace it belongs to cannot be told from that.
type Place struct {
	base     string
	steps    []string
	standard bool // it is named after its protocol
}

// Path returns where the place is.
func (p Place) Path() string { return filepath.Join(append([]string{p.base}, p.steps...)...) }

// PlaceAt is the place of --state-dir.
func PlaceAt(dir string) (Place, error) {
	base, steps, err := given(dir)
	return Place{base: base, steps: steps}, err
}

// Places returns what there is in the default place for state folders of this
// user, in the order of the names; nothing there is no error. Whether one can
// be used shows when it is opened. Errors are of type *[Error].
func Places() ([]Place, error) {
	base, steps, err := standard("", "")
	if err != nil {
		return nil, err
	}
	return placesIn(base, steps[:len(steps)-1])
}

// placesIn goes down without following links, as [Open] does.
func placesIn(base string, steps []string) ([]Place, error) {
	root, err := os.OpenRoot(base)
	if err != nil {
		return nil, inaccessible(base, "it cannot be opened", err)
	}
	for _, name := range steps {
		next, err := step(root, name, false, true)
		_ = root.Close()
		if refused := new(Error); errors.As(err, &refused) && refused.Reason == Missing {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		root = next
	}
	defer func() { _ = root.Close() }()
	found, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, inaccessible(root.Name(), "what is in it cannot be listed", err)
	}
	places := make([]Place, len(found))
	for i, entry := range found {
		places[i] = Place{base: base, steps: append(append([]string(nil), steps...), entry.Name()), standard: true}
	}
	return places, nil
}

// Open opens the state folder of a place, which must exist, for a program that
// is no server. Its protocol is the one that state.json or, where that is
// missing, the folder's name tells; its workspace is not known. Errors are of
// type *[Error].
func (p Place) Open() (*Folder, error) {
	root, err := descend(p.base, p.steps, true)
	if err != nil {
		return nil, err
	}
	folder := &Folder{root: root}
	if folder.protocol, err = p.protocolOf(folder); err != nil {
		_ = root.Close()
		return nil, err
	}
	return folder, nil
}

// Protocol returns the id of the protocol the folder belongs to.
func (f *Folder) Protocol() string { return f.protocol }

func (p Place) protocolOf(folder *Folder) (string, error) {
	var named string
	if p.standard {
		parts := regexp.MustCompile(`^(.+)-[0-9a-f]{32}$`).FindStringSubmatch(filepath.Base(p.Path()))
		if parts == nil {
			return "", &Error{Reason: Damaged, Path: p.Path(), Message: "its name is not that of a state folder", Next: "move it away"}
		}
		named = parts[1]
	}
	content, err := folder.Read()
	if errors.Is(err, fs.ErrNotExist) && named != "" {
		return named, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "", &Error{Reason: Missing, Path: filepath.Join(p.Path(), FileName), Message: "it does not exist, so this is no state folder that a server has used", Err: err,
			Next: "name the folder that the servers have"}
	}
	if err != nil {
		return "", err
	}
	var header struct {
		Protocol string `json:"protocol"`
	}
	// What is wrong with the file, Parse says.
	_ = json.Unmarshal(content, &header)
	if named != "" {
		header.Protocol = named
	}
	if strings.TrimSpace(header.Protocol) != "" {
		folder.protocol = header.Protocol
	}
	read, err := folder.Parse(content)
	return read.Protocol, err
}
