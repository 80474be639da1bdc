package store

import (
	"io/fs"

	"golang.org/x/sys/unix"

	"github.com/gatewright/gatewright/runtime/state"
)

// look vouches for a file of the folder. It does so without opening it for
// reading or writing: whenever a process closes such an opening of a file, it
// loses the locks that SQLite holds on that file elsewhere in the process.
func look(folder *state.Folder, name string) (fs.FileInfo, error) {
	file, err := folder.OpenFile(name, unix.O_PATH)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return file.Stat()
}
