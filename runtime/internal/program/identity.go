package program

import (
	"io/fs"
	"os"
)

// An identity tells whether an open file is one that was seen before.
type identity struct {
	info    fs.FileInfo
	touched int64 // when its status changed, where the system says; writing to it cannot be without that
}

// same reports whether it is the same file with the same size and time of
// modification.
func (i identity) same(other identity) bool {
	return i.info != nil && other.info != nil && os.SameFile(i.info, other.info) &&
		i.info.Size() == other.info.Size() && i.info.ModTime().Equal(other.info.ModTime())
}

// equal reports whether nothing at all has happened to it.
func (i identity) equal(other identity) bool { return i.same(other) && i.touched == other.touched }
