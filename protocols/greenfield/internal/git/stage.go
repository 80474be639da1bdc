package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gatewright/gatewright/protocols/greenfield/internal/refusal"
	"github.com/gatewright/gatewright/protocols/greenfield/internal/worktree"
)

// stage puts the changes of the work tree into the shadow's index, on top of a
// commit, and returns the tree that results.
func (s *shadow) stage(ctx context.Context, parent string) (tree string, skipped []Skipped, err error) {
	if _, err := s.run(ctx, run{args: []string{"read-tree", parent}}); err != nil {
		return "", nil, fmt.Errorf("read commit %s: %w", parent, err)
	}
	changed, skipped, err := s.changed(ctx)
	if err != nil {
		return "", nil, err
	}
	changed, filtered, err := s.unfiltered(ctx, changed)
	if err != nil {
		return "", nil, err
	}
	skipped = append(skipped, filtered...)
	if len(changed) == 0 {
		return "", nil, nothing(skipped)
	}
	_, err = s.run(ctx, run{
		args:  []string{"update-index", "--add", "--remove", "--replace", "-z", "--stdin"},
		stdin: strings.Join(changed, "\x00") + "\x00",
	})
	if err != nil {
		return "", nil, fmt.Errorf("take up the changes: %w", err)
	}
	output, err := s.run(ctx, run{args: []string{"write-tree"}})
	if err != nil {
		return "", nil, fmt.Errorf("write the tree: %w", err)
	}
	tree = strings.TrimSpace(string(output))
	if before, err := s.repository.commit(ctx, parent); err != nil || before == tree {
		return "", nil, nothing(skipped)
	}
	return tree, skipped, nil
}

func nothing(skipped []Skipped) error {
	message := "the work tree has no change that can be committed"
	if len(skipped) > 0 {
		message += fmt.Sprintf("; %q was left out: %s", skipped[0].Path, skipped[0].Reason)
	}
	return refusal.New(refusal.NothingToCommit, "%s", message)
}

// changed returns the paths that differ from the shadow's index, and those of
// them that are not committed.
func (s *shadow) changed(ctx context.Context) (changed []string, skipped []Skipped, err error) {
	output, err := s.run(ctx, run{
		args:  []string{"ls-files", "-z", "-t", "--stage", "--modified", "--deleted", "--others", "--exclude-standard"},
		limit: largeOutput,
	})
	if err != nil {
		return nil, nil, fmt.Errorf("look for changes: %w", err)
	}
	submodules, seen := map[string]bool{}, map[string]bool{}
	for record := range strings.SplitSeq(strings.TrimSuffix(string(output), "\x00"), "\x00") {
		if record == "" {
			continue
		}
		tag, rest, _ := strings.Cut(record, " ")
		name := rest
		if tag != "?" {
			about, path, _ := strings.Cut(rest, "\t")
			name = path
			submodules[name] = submodules[name] || strings.HasPrefix(about, modeGit)
		}
		if tag == "H" || seen[name] {
			continue
		}
		seen[name] = true
		if why := s.leaveOut(name, submodules[name]); why != "" {
			skipped = append(skipped, Skipped{Path: worktree.Shown(name), Reason: why})
			continue
		}
		changed = append(changed, name)
	}
	slices.Sort(changed)
	return changed, skipped, nil
}

// leaveOut says why a changed path is not committed.
func (s *shadow) leaveOut(name string, submodule bool) string {
	if why := worktree.Protected(strings.TrimSuffix(name, "/")); why != "" {
		return why
	}
	switch {
	case submodule, strings.HasSuffix(name, "/"):
		return "it is a repository of its own"
	case !worktree.Printable(name):
		return "its name holds characters that are not printable"
	}
	info, err := os.Lstat(filepath.Join(s.repository.workTree, filepath.FromSlash(name)))
	if err == nil && info.Size() > worktree.MaxFile {
		return fmt.Sprintf("it is larger than %d bytes", worktree.MaxFile)
	}
	return ""
}

// unfiltered leaves out the paths whose content is to pass through a filter.
// Filters are programs, so none runs here, and the bare content is not what the
// repository wants to store.
func (s *shadow) unfiltered(ctx context.Context, names []string) (kept []string, filtered []Skipped, err error) {
	if len(names) == 0 {
		return nil, nil, nil
	}
	output, err := s.run(ctx, run{
		args: []string{"check-attr", "-z", "--stdin", "filter"}, stdin: strings.Join(names, "\x00") + "\x00", limit: largeOutput,
	})
	if err != nil {
		return nil, nil, fmt.Errorf("look for filters: %w", err)
	}
	fields := strings.Split(strings.TrimSuffix(string(output), "\x00"), "\x00")
	if len(fields) != 3*len(names) {
		return nil, nil, refusal.New(refusal.RepositoryUnusable, "the attributes of the changes cannot be understood")
	}
	for triple := range slices.Chunk(fields, 3) {
		if value := triple[2]; value == "unspecified" || value == "unset" {
			kept = append(kept, triple[0])
			continue
		}
		filtered = append(filtered, Skipped{Path: triple[0], Reason: "its content is to pass through the filter " + worktree.Shown(triple[2]) + ", and no filter is run"})
	}
	return kept, filtered, nil
}
