//go:build !linux

package store

import (
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gatewright/gatewright/runtime/state"
)

// look vouches for a file of the folder without opening it: whenever a process
// closes an opening of a file, it loses the locks that SQLite holds on that
// file elsewhere in the process. Nobody else can put a file into the folder,
// whose owner and mode were looked at when it was opened.
func look(folder *state.Folder, name string) (fs.FileInfo, error) {
	path := filepath.Join(folder.Path(), name)
	info, err := os.Lstat(path)
	refuse := func(reason state.Reason, message string) (fs.FileInfo, error) {
		return nil, &state.Error{Reason: reason, Path: path, Message: message, Next: "move it away"}
	}
	switch {
	case err != nil:
		return nil, err
	case info.Mode()&fs.ModeSymlink != 0:
		return refuse(state.IsLink, "it is a symbolic link, and links are not followed here")
	case !info.Mode().IsRegular():
		return refuse(state.NotRegular, "it is not a regular file")
	case info.Mode().Perm()&0o077 != 0:
		return refuse(state.TooOpen, "its mode "+info.Mode().Perm().String()+" lets other users in")
	case !folder.Same(name, info):
		return refuse(state.Replaced, "it was replaced while it was being opened")
	}
	return info, nil
}
