package state

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
)

// Options say which state folder to open.
type Options struct {
	Dir       string // from --state-dir; empty for the default
	Protocol  string // id
	Workspace string // the folder the calls work on; it must exist
	Existing  bool   // make no folder; one that does not exist is an [Error] that says so
}

// Open opens the state folder, and makes it where it does not exist yet.
// Errors are of type *[Error].
func Open(options Options) (*Folder, error) {
	if options.Protocol == "" || strings.ContainsAny(options.Protocol, `/\`) || strings.HasPrefix(options.Protocol, ".") {
		return nil, &Error{Reason: BadOptions, Path: options.Protocol, Message: "a state folder needs a protocol id"}
	}
	workspace, err := realFolder(options.Workspace)
	if err != nil {
		return nil, &Error{Reason: BadOptions, Path: options.Workspace, Message: "the workspace cannot be opened", Err: err,
			Next: "name a workspace that exists"}
	}
	var base string
	var steps []string
	if options.Dir != "" {
		base, steps, err = given(options.Dir)
	} else {
		base, steps, err = standard(options.Protocol, workspace)
	}
	if err != nil {
		return nil, err
	}
	if inside(base, workspace) {
		return nil, &Error{Reason: InWorkspace, Path: filepath.Join(append([]string{base}, steps...)...),
			Message: "it lies inside the workspace " + workspace, Next: elsewhere}
	}
	root, err := descend(base, steps, options.Existing)
	if err != nil {
		return nil, err
	}
	if inside(workspace, root.Name()) {
		_ = root.Close()
		return nil, &Error{Reason: HoldsWorkspace, Path: root.Name(), Message: "it holds the workspace " + workspace, Next: elsewhere}
	}
	return &Folder{root: root, protocol: options.Protocol, workspace: workspace}, nil
}

// standard is the default place: below the home folder that the user database
// gives for this process's user. $HOME is not asked, because clients strip or
// set the environment.
func standard(protocol, workspace string) (base string, steps []string, err error) {
	account, err := user.LookupId(strconv.Itoa(os.Geteuid()))
	if err != nil {
		return "", nil, &Error{Reason: NoHome, Path: "uid " + strconv.Itoa(os.Geteuid()),
			Message: "the user database does not know this user", Err: err, Next: elsewhere}
	}
	if !filepath.IsAbs(account.HomeDir) {
		return "", nil, &Error{Reason: NoHome, Path: strconv.Quote(account.HomeDir),
			Message: "the user database gives no usable home folder", Next: elsewhere}
	}
	home, err := realFolder(account.HomeDir)
	if err != nil {
		return "", nil, &Error{Reason: NoHome, Path: account.HomeDir, Message: "the home folder cannot be opened", Err: err, Next: elsewhere}
	}
	sum := sha256.Sum256([]byte(workspace))
	return home, []string{".local", "state", "gatewright", protocol + "-" + hex.EncodeToString(sum[:16])}, nil
}

// given is the place of --state-dir. Links on the way to it are the caller's
// choice and are resolved now; the folder itself, and what does not exist yet,
// are left to be opened without following any.
func given(dir string) (base string, steps []string, err error) {
	path, err := filepath.Abs(dir)
	if err != nil {
		return "", nil, inaccessible(dir, "its path cannot be resolved", err)
	}
	for base = path; ; {
		parent, name := filepath.Dir(base), filepath.Base(base)
		if parent == base {
			return "", nil, &Error{Reason: BadOptions, Path: path, Message: "it cannot be the root of the file system", Next: elsewhere}
		}
		steps = append([]string{name}, steps...)
		base = parent
		found, err := realFolder(base)
		if err == nil {
			return found, steps, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", nil, inaccessible(base, "it cannot be opened", err)
		}
	}
}

// descend opens base and then each step below it, making what is missing
// unless it has to exist. The last step is the state folder, which must be ours alone.
func descend(base string, steps []string, existing bool) (*os.Root, error) {
	root, err := os.OpenRoot(base)
	if err != nil {
		return nil, inaccessible(base, "it cannot be opened", err)
	}
	for i, name := range steps {
		next, err := step(root, name, i == len(steps)-1, existing)
		_ = root.Close()
		if err != nil {
			return nil, err
		}
		root = next
	}
	return root, nil
}

// step opens the folder name in root. It looks at the name before it opens and
// at what was opened afterwards, so a link that is put there in between is not
// followed unnoticed.
func step(root *os.Root, name string, last, existing bool) (*os.Root, error) {
	path := filepath.Join(root.Name(), name)
	info, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		if existing {
			return nil, &Error{Reason: Missing, Path: path, Message: "it does not exist", Err: err}
		}
		if err := root.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, inaccessible(path, "it cannot be made", err)
		}
		info, err = root.Lstat(name)
	}
	switch {
	case err != nil:
		return nil, inaccessible(path, "it cannot be looked at", err)
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, &Error{Reason: IsLink, Path: path, Message: "it is a symbolic link, and links are not followed here",
			Next: "pass --state-dir with the real path"}
	case !info.IsDir():
		return nil, &Error{Reason: NotFolder, Path: path, Message: "it is not a folder", Next: "move it away, or pass --state-dir"}
	}
	next, err := root.OpenRoot(name)
	if err != nil {
		return nil, inaccessible(path, "it cannot be opened", err)
	}
	opened, err := next.Stat(".")
	switch {
	case err != nil:
		err = inaccessible(path, "it cannot be looked at", err)
	case !os.SameFile(info, opened):
		err = &Error{Reason: Replaced, Path: path, Message: "it was replaced while it was being opened", Next: "start again"}
	case last:
		err = ours(path, opened)
	}
	if err != nil {
		_ = next.Close()
		return nil, err
	}
	return next, nil
}

// ours refuses what belongs to somebody else or lets others in.
func ours(path string, info fs.FileInfo) error {
	owner, known := ownerOf(info)
	switch {
	case !known:
		return &Error{Reason: Unsupported, Path: path, Message: "its owner cannot be told on this system"}
	case owner != os.Geteuid():
		return &Error{Reason: NotOurs, Path: path, Message: "it belongs to uid " + strconv.Itoa(owner) + ", not to uid " + strconv.Itoa(os.Geteuid()),
			Next: "run as its owner, or pass --state-dir with a folder of your own"}
	case info.Mode().Perm()&0o077 != 0:
		return &Error{Reason: TooOpen, Path: path, Message: "its mode " + info.Mode().Perm().String() + " lets other users in",
			Next: "find out who opened it, then take their access away with chmod go= "}
	}
	return nil
}
