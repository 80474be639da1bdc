package audit

import (
	"io"
	"io/fs"
	"os"
)

// Names of the log's files in the state folder.
const (
	FileName = "audit.jsonl"
	LockName = "audit.lock"
)

// A file is what the log needs of the open audit.jsonl, which is opened for
// appending.
type file interface {
	io.Writer
	io.ReaderAt
	io.Closer
	Stat() (fs.FileInfo, error)
	Truncate(size int64) error
	Sync() error // makes the content durable, and what is needed to read it
}

// systemFile is the real one.
type systemFile struct{ *os.File }
