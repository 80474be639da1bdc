package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gatewright/gatewright/protocols/greenfield/internal/refusal"
	"github.com/gatewright/gatewright/protocols/greenfield/internal/worktree"
)

// Bounds of a clone.
const (
	maxClone      = 1 << 30 // bytes of its files
	maxCloneFiles = 200_000
)

// A Clone is a repository of its own that holds one commit and nothing else. It
// shares no file with the repository it was made from, and does not name it.
type Clone struct {
	Folder string // its work tree
	Home   string // an empty folder beside it

	top string
}

// Close removes the clone.
func (c *Clone) Close() error {
	// A program may have taken away its own rights to remove things.
	_ = filepath.WalkDir(c.top, func(name string, entry os.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			_ = os.Chmod(name, 0o700) //nolint:gosec // folders, which are removed at once
		}
		return nil
	})
	return os.RemoveAll(c.top)
}

// Clone makes a throw-away clone of one commit.
func (r *Repository) Clone(ctx context.Context, commit string) (clone *Clone, err error) {
	if err := r.cloneable(ctx, commit); err != nil {
		return nil, err
	}
	s, err := r.shadow()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	top, err := os.MkdirTemp("", "gatewright-tests-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the clone: %w", err)
	}
	clone = &Clone{Folder: filepath.Join(top, "clone"), Home: filepath.Join(top, "home"), top: top}
	if err := clone.fill(ctx, s, commit); err != nil {
		return nil, errors.Join(err, clone.Close())
	}
	return clone, nil
}

// cloneable refuses a commit that is too large.
func (r *Repository) cloneable(ctx context.Context, commit string) error {
	if _, err := r.commit(ctx, commit); err != nil {
		return err
	}
	entries, cut, err := r.tree(ctx, largeOutput, "-r", commit)
	if err != nil {
		return err
	}
	var size int64
	for _, entry := range entries {
		size += entry.size
	}
	if cut || len(entries) > maxCloneFiles || size > maxClone {
		return refusal.New(refusal.CommitTooLarge, "commit %s has %d files of %d bytes, and at most %d of %d are cloned", commit, len(entries), size, maxCloneFiles, maxClone)
	}
	return nil
}

// fill makes the folders, moves the objects of the commit, and writes its files.
func (c *Clone) fill(ctx context.Context, s *shadow, commit string) error {
	own := filepath.Join(c.Folder, ".git")
	for _, folder := range []string{filepath.Join(c.Home, "tmp"), filepath.Join(own, "objects", "pack"), filepath.Join(own, "refs", "heads"), filepath.Join(own, "info")} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return fmt.Errorf("make the clone: %w", err)
		}
	}
	for name, text := range map[string]string{
		"HEAD": commit + "\n", "shallow": commit + "\n", "config": s.config(false), "info/exclude": worktree.TemporaryPattern + "\n",
	} {
		if err := os.WriteFile(filepath.Join(own, filepath.FromSlash(name)), []byte(text), 0o600); err != nil {
			return fmt.Errorf("make the clone: %w", err)
		}
	}
	pack := filepath.Join(own, "objects", "pack", "pack")
	do := run{args: []string{"pack-objects", "--quiet", "--revs", pack}, stdin: "--shallow " + commit + "\n" + commit + "\n"}
	if _, err := s.run(ctx, do); err != nil {
		return fmt.Errorf("copy the objects of commit %s: %w", commit, err)
	}
	// From here on the clone is on its own.
	for _, args := range [][]string{{"read-tree", commit}, {"checkout-index", "--all", "--force", "--quiet", "--index"}} {
		do := run{args: args, folder: c.Folder, env: []string{"GIT_DIR=" + own, "GIT_WORK_TREE=" + c.Folder}}
		if _, err := s.repository.execute(ctx, do); err != nil {
			return fmt.Errorf("write the files of commit %s: %w", commit, err)
		}
	}
	return nil
}
