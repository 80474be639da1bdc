package program

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A Program is a file that may be run. Only [Resolve] makes one; the zero
// value does not run.
type Program struct {
	name      string // argv[0]: where it was found, links as they are
	path      string // with every link resolved
	sum       string
	identity  identity
	workspace fs.FileInfo
}

// Path returns where the program is, with every link resolved.
func (p Program) Path() string { return p.path }

// SHA256 returns the digest of the program's file, in hexadecimal.
func (p Program) SHA256() string { return p.sum }

// Resolve finds a program by its absolute path, or by a bare name in the
// folders of PATH, of which relative ones do not count. It is refused with an
// *[Error] unless it is a regular file that this user may execute, and every
// file, folder and link on the way to it lies outside the workspace, belongs
// to root or this user, and can be written by nobody else. A folder that
// others can write is taken if it is sticky, as /tmp is.
//
// Where there are no owners and modes, as on Windows, these are not looked at.
func Resolve(name, workspace string) (Program, error) {
	outer, err := os.Stat(workspace)
	if err == nil && !outer.IsDir() {
		err = errors.New("it is not a folder")
	}
	if err != nil {
		return Program{}, &Error{Reason: Unreadable, Program: name, Message: "the workspace cannot be looked at", Err: err}
	}
	found, err := find(name)
	if err != nil {
		return Program{}, err
	}
	way := way{name: name, workspace: outer}
	path, err := way.walk(found)
	if err != nil {
		return Program{}, err
	}
	sum, identity, err := read(name, path)
	if err != nil {
		return Program{}, err
	}
	return Program{name: found, path: path, sum: sum, identity: identity, workspace: outer}, nil
}

// verify refuses a program that is not what was resolved, or that others can
// write by now. A file whose status alone has changed is read again: its
// content may be as old as its time of modification says, or not.
func (p Program) verify() error {
	way := way{name: p.name, workspace: p.workspace}
	path, err := way.walk(p.path)
	if err != nil {
		return err
	}
	changed := &Error{Reason: Changed, Program: p.name, Message: p.path + " is not the file that it was when this server started"}
	file, err := os.Open(path)
	if err != nil {
		return &Error{Reason: Unreadable, Program: p.name, Message: p.path + " cannot be opened", Err: err}
	}
	now, err := identify(file)
	_ = file.Close()
	switch {
	case err != nil:
		return &Error{Reason: Unreadable, Program: p.name, Message: p.path + " cannot be looked at", Err: err}
	case path != p.path || !now.same(p.identity):
		return changed
	case now.equal(p.identity):
		return nil
	}
	sum, _, err := read(p.name, path)
	if err == nil && sum != p.sum {
		return changed
	}
	return err
}

// find returns the absolute path that a name stands for.
func find(name string) (string, error) {
	switch {
	case name == "" || strings.ContainsRune(name, 0):
		return "", &Error{Reason: BadName, Program: name, Message: "this names no program"}
	case filepath.IsAbs(name):
		return withExtension(name), nil
	case name != filepath.Base(name) || name == "." || name == ".." || filepath.VolumeName(name) != "":
		return "", &Error{Reason: BadName, Program: name, Message: "a program is named by an absolute path, or by a name to be looked up in PATH"}
	}
	err := &Error{Reason: Missing, Program: name, Message: "no folder of PATH has it"}
	for _, folder := range filepath.SplitList(os.Getenv("PATH")) {
		if !filepath.IsAbs(folder) {
			continue // what it means depends on where the server was started
		}
		path := withExtension(strings.TrimRight(folder, string(filepath.Separator)) + string(filepath.Separator) + name) // Join would take ".." off a link
		info, failed := os.Stat(path)
		switch {
		case failed != nil || info.IsDir():
		case executable(path, info):
			return path, nil
		default:
			err = &Error{Reason: NotExecutable, Program: name, Message: path + " cannot be executed"}
		}
	}
	return "", err
}

// read digests the file of a program, and tells how to know it again.
func read(name, path string) (sum string, seen identity, err error) {
	unreadable := func(err error) error {
		return &Error{Reason: Unreadable, Program: name, Message: path + " cannot be read", Err: err}
	}
	file, err := os.Open(path)
	if err != nil {
		return "", seen, unreadable(err)
	}
	defer func() { _ = file.Close() }()
	before, err := identify(file)
	if err != nil {
		return "", seen, unreadable(err)
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", seen, unreadable(err)
	}
	after, err := identify(file)
	switch {
	case err != nil:
		return "", seen, unreadable(err)
	case !before.equal(after):
		return "", seen, &Error{Reason: Changed, Program: name, Message: path + " changed while it was being read"}
	case !executable(path, after.info):
		return "", seen, &Error{Reason: NotExecutable, Program: name, Message: path + " cannot be executed by this user"}
	}
	return hex.EncodeToString(hash.Sum(nil)), after, nil
}
