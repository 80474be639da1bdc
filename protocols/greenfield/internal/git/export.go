package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// export writes files of a commit, all of them where none is named, into a
// folder of our own, as the repository wants them in a work tree: with its line
// ends, and without any filter.
func (s *shadow) export(ctx context.Context, commit, folder string, names []string) error {
	do := run{args: []string{"read-tree", commit}}
	if _, err := s.run(ctx, do); err != nil {
		return fmt.Errorf("read commit %s: %w", commit, err)
	}
	do = run{args: []string{"checkout-index", "--all", "--force", "--quiet"}, env: []string{"GIT_WORK_TREE=" + folder}}
	if names != nil {
		do.args = []string{"checkout-index", "--force", "--quiet", "-z", "--stdin"}
		do.stdin = strings.Join(names, "\x00") + "\x00"
	}
	do.folder = folder
	if _, err := s.run(ctx, do); err != nil {
		return fmt.Errorf("write the files of commit %s: %w", commit, err)
	}
	return nil
}

// exportFolder makes a folder in the shadow to export to.
func (s *shadow) exportFolder() (string, error) {
	folder := filepath.Join(s.folder, "export")
	if err := os.Mkdir(folder, 0o700); err != nil {
		return "", fmt.Errorf("make a folder: %w", err)
	}
	return folder, nil
}
