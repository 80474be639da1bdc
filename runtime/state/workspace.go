package state

import (
	"errors"
	"os"
	"path/filepath"
)

// realFolder returns the absolute path of an existing folder with every link
// resolved.
func realFolder(path string) (string, error) {
	if path == "" {
		return "", errors.New("no path was given")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		err = errors.New("it is not a folder")
	}
	return path, err
}

// inside reports whether the real path is folder or lies below it. It compares
// the folders themselves and not their names, so that it holds on file systems
// that fold case. A path that cannot be looked at counts as inside.
func inside(path, folder string) bool {
	outer, err := os.Stat(folder)
	if err != nil {
		return true
	}
	for {
		inner, err := os.Stat(path)
		if err != nil || os.SameFile(inner, outer) {
			return true
		}
		parent := filepath.Dir(path)
		if parent == path {
			return false
		}
		path = parent
	}
}
