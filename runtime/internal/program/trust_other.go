//go:build !unix

package program

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

func withExtension(path string) string {
	if filepath.Ext(path) == "" {
		return path + ".exe"
	}
	return path
}

// executable takes programs alone: a batch file would be run by a shell.
func executable(path string, info fs.FileInfo) bool {
	return info.Mode().IsRegular() && strings.EqualFold(filepath.Ext(path), ".exe")
}

// exposed knows nothing of access control lists.
func exposed(fs.FileInfo) string { return "" }

func identify(file *os.File) (identity, error) {
	info, err := file.Stat()
	return identity{info: info}, err
}
