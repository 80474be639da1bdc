package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gatewright/gatewright/protocols/greenfield/internal/refusal"
	"github.com/gatewright/gatewright/protocols/greenfield/internal/worktree"
)

// chunk is how many bytes of blobs are read at once.
const chunk = 16 << 20

// Names returns the files of the work tree that git would look at, tracked and
// new ones without the ignored, in a folder or under one name.
func (r *Repository) Names(ctx context.Context, below string) (names []string, err error) {
	clean, err := worktree.Parse(below)
	if err != nil {
		return nil, err
	}
	if worktree.Hidden(clean) {
		return nil, refusal.New(refusal.PathProtected, "%q cannot be searched: it belongs to git", below)
	}
	s, err := r.shadowWithFiles()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if err := s.borrowIndex(); err != nil {
		return nil, err
	}
	args := []string{"ls-files", "-z", "--cached", "--others", "--exclude-standard"}
	if clean != "." {
		args = append(args, "--", clean)
	}
	output, err := s.run(ctx, run{args: args, limit: largeOutput})
	if err != nil {
		return nil, fmt.Errorf("look for files: %w", err)
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(output), "\x00"), "\x00") {
		if name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// Search searches the files of a commit, in a folder or under one name.
func (r *Repository) Search(ctx context.Context, s *worktree.Searcher, commit, below string) error {
	clean, err := worktree.Parse(below)
	if err != nil {
		return err
	}
	if _, err := r.entry(ctx, commit, clean); err != nil {
		return err
	}
	args := []string{"-r", commit}
	if clean != "." {
		args = append(args, "--", clean)
	}
	entries, cut, err := r.tree(ctx, largeOutput, args...)
	if err != nil {
		return err
	}
	var batch []treeEntry
	var size int64
	for _, entry := range entries {
		if entry.kind != "blob" || entry.mode == modeLink || !worktree.Printable(entry.path) {
			s.Other++
			continue
		}
		wanted, done := s.Take(entry.size)
		if done {
			break
		}
		if !wanted {
			continue
		}
		if size+entry.size > chunk && len(batch) > 0 {
			if err := r.searchBlobs(ctx, s, batch, size); err != nil {
				return err
			}
			batch, size = batch[:0], 0
		}
		batch, size = append(batch, entry), size+entry.size
	}
	s.Truncated = s.Truncated || cut
	return r.searchBlobs(ctx, s, batch, size)
}

func (r *Repository) searchBlobs(ctx context.Context, s *worktree.Searcher, entries []treeEntry, size int64) error {
	if len(entries) == 0 {
		return nil
	}
	var ids strings.Builder
	for _, entry := range entries {
		ids.WriteString(entry.id + "\n")
	}
	output, err := r.inShadow(ctx, run{args: []string{"cat-file", "--batch"}, stdin: ids.String(), limit: int(size) + 128*len(entries)})
	if err != nil {
		return fmt.Errorf("read the files of the commit: %w", err)
	}
	for _, entry := range entries {
		about, rest, _ := bytes.Cut(output, []byte("\n"))
		fields := strings.Fields(string(about))
		if len(fields) != 3 || fields[1] != "blob" {
			return refusal.New(refusal.RepositoryUnusable, "the object %s is missing", entry.id)
		}
		length, err := strconv.Atoi(fields[2])
		if err != nil || length < 0 || length >= len(rest) {
			return refusal.New(refusal.RepositoryUnusable, "the object %s cannot be understood", entry.id)
		}
		s.Search(entry.path, rest[:length])
		output = rest[length+1:]
	}
	return nil
}
