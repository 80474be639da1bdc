package program

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const maxLinks = 40

// A way leads from the root of the file system to a program, through every
// folder and link that decides what its path means.
type way struct {
	name      string
	workspace fs.FileInfo
	links     int
}

// walk resolves the links of an absolute path, and refuses what others could
// put something else in the place of.
func (w *way) walk(path string) (string, error) {
	at, left := split(path)
	if _, err := w.look(at); err != nil {
		return "", err
	}
	for left != "" {
		var step string
		step, left = cut(left)
		switch step {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at) // at has no links, and was walked
			continue
		}
		next := filepath.Join(at, step)
		info, err := w.look(next)
		switch {
		case err != nil:
			return "", err
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := w.follow(next)
			if err != nil {
				return "", err
			}
			if filepath.IsAbs(target) {
				at, target = split(target)
			}
			left = target + string(filepath.Separator) + left
			continue
		case info.IsDir():
		case strings.Trim(left, string(filepath.Separator)) != "":
			return "", w.refuse(Missing, next+" is not a folder", nil)
		case !info.Mode().IsRegular():
			return "", w.refuse(NotRegular, next+" is not a regular file", nil)
		default:
			return next, nil
		}
		at = next
	}
	return "", w.refuse(NotRegular, at+" is a folder", nil)
}

// split parts an absolute path into its root and the rest.
func split(path string) (root, left string) {
	volume := filepath.VolumeName(path)
	return volume + string(filepath.Separator), path[len(volume):]
}

// cut takes the first step off a path.
func cut(path string) (step, left string) {
	for i := range len(path) {
		if os.IsPathSeparator(path[i]) {
			return path[:i], path[i+1:]
		}
	}
	return path, ""
}

// look refuses one thing on the way.
func (w *way) look(path string) (fs.FileInfo, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, w.refuse(Missing, path+" does not exist", err)
	case err != nil:
		return nil, w.refuse(Unreadable, path+" cannot be looked at", err)
	case os.SameFile(info, w.workspace):
		return nil, w.refuse(InWorkspace, "it lies in the workspace "+path+", where an agent can change it", nil)
	}
	if doubt := exposed(info); doubt != "" {
		return nil, w.refuse(Exposed, path+" "+doubt+", so it could be replaced", nil)
	}
	return info, nil
}

func (w *way) follow(link string) (string, error) {
	if w.links++; w.links > maxLinks {
		return "", w.refuse(Unreadable, link+" is one link too many", nil)
	}
	target, err := os.Readlink(link)
	if err != nil {
		return "", w.refuse(Unreadable, link+" cannot be followed", err)
	}
	return target, nil
}

func (w *way) refuse(reason Reason, message string, err error) error {
	return &Error{Reason: reason, Program: w.name, Message: message, Err: err}
}
