package git

import (
	"context"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/gatewright/gatewright/protocols/greenfield/internal/refusal"
	"github.com/gatewright/gatewright/protocols/greenfield/internal/worktree"
)

// Modes of what a tree holds.
const (
	modeTree = "040000"
	modeLink = "120000"
	modeGit  = "160000" // a submodule
	modeNone = "000000"
)

// commit returns the tree of a commit, and refuses an id that is not the full
// id of one.
func (r *Repository) commit(ctx context.Context, id string) (tree string, err error) {
	if !r.isID(id) {
		return "", refusal.New(refusal.CommitNotFound, "%q is not a full id of this repository", id)
	}
	output, err := r.inShadow(ctx, run{args: []string{"cat-file", "--batch-check"}, stdin: id + "\n" + id + "^{tree}\n"})
	if err != nil {
		return "", fmt.Errorf("look for commit %s: %w", id, err)
	}
	lines := strings.Split(string(output), "\n")
	if !strings.HasPrefix(lines[0], id+" commit ") || len(lines) < 2 {
		return "", refusal.New(refusal.CommitNotFound, "there is no commit %s", id)
	}
	tree, _, _ = strings.Cut(lines[1], " tree ")
	if !r.isID(tree) {
		return "", refusal.New(refusal.RepositoryUnusable, "the tree of commit %s is missing", id)
	}
	return tree, nil
}

// descends reports whether base is an ancestor of commit.
func (r *Repository) descends(ctx context.Context, commit, base string) (bool, error) {
	_, err := r.inShadow(ctx, run{args: []string{"merge-base", "--is-ancestor", base, commit}})
	if exited(err, 1) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("compare %s with %s: %w", commit, base, err)
	}
	return true, nil
}

// A treeEntry is one entry of a tree.
type treeEntry struct {
	mode, kind, id, path string
	size                 int64
}

// entry finds a path in a commit. The top folder is an entry as well.
func (r *Repository) entry(ctx context.Context, commit, clean string) (treeEntry, error) {
	tree, err := r.commit(ctx, commit)
	if err != nil {
		return treeEntry{}, err
	}
	if clean == "." {
		return treeEntry{mode: modeTree, kind: "tree", id: tree, path: clean}, nil
	}
	entries, _, err := r.tree(ctx, smallOutput, tree, "--", clean)
	if err != nil {
		return treeEntry{}, err
	}
	for _, entry := range entries {
		if entry.path == clean {
			return entry, nil
		}
	}
	return treeEntry{}, refusal.New(refusal.FileNotFound, "there is no %q in commit %s", clean, commit)
}

// tree reads entries of a tree. Output beyond the limit is cut off.
func (r *Repository) tree(ctx context.Context, limit int, args ...string) (entries []treeEntry, cut bool, err error) {
	output, err := r.inShadow(ctx, run{args: append([]string{"ls-tree", "-z", "-l", "--full-tree"}, args...), limit: limit, cut: true})
	if err != nil {
		return nil, false, fmt.Errorf("read a tree: %w", err)
	}
	cut = len(output) == limit
	for {
		record, rest, found := strings.Cut(string(output), "\x00")
		if !found { // the end, or a record that was cut
			return entries, cut, nil
		}
		output = output[len(output)-len(rest):]
		about, name, tab := strings.Cut(record, "\t")
		fields := strings.Fields(about)
		if !tab || len(fields) != 4 {
			return nil, false, refusal.New(refusal.RepositoryUnusable, "a tree cannot be understood")
		}
		size, _ := strconv.ParseInt(fields[3], 10, 64) // "-" for what has none
		entries = append(entries, treeEntry{mode: fields[0], kind: fields[1], id: fields[2], path: name, size: size})
	}
}

// Read returns a file as a commit has it.
func (r *Repository) Read(ctx context.Context, commit, name string) ([]byte, error) {
	clean, err := worktree.Parse(name)
	if err != nil {
		return nil, err
	}
	entry, err := r.entry(ctx, commit, clean)
	switch {
	case err != nil:
		return nil, err
	case entry.mode == modeLink:
		return nil, refusal.New(refusal.PathIsLink, "%q is a link in commit %s", clean, commit)
	case entry.kind != "blob":
		return nil, refusal.New(refusal.NotAFile, "%q is not a file in commit %s", clean, commit)
	case entry.size > worktree.MaxFile:
		return nil, refusal.New(refusal.FileTooLarge, "%q is larger than %d bytes", clean, worktree.MaxFile)
	}
	data, err := r.inShadow(ctx, run{args: []string{"cat-file", "blob", entry.id}, limit: worktree.MaxFile})
	if err != nil {
		return nil, fmt.Errorf("read %q in commit %s: %w", clean, commit, err)
	}
	return data, nil
}

// List lists a folder as a commit has it. It stops at limit entries.
func (r *Repository) List(ctx context.Context, commit, name string, recursive bool, limit int) (worktree.Listing, error) {
	var listing worktree.Listing
	clean, err := worktree.Parse(name)
	if err != nil {
		return listing, err
	}
	folder, err := r.entry(ctx, commit, clean)
	if err != nil {
		return listing, err
	}
	if folder.kind != "tree" {
		return listing, refusal.New(refusal.NotAFolder, "%q is not a folder in commit %s", clean, commit)
	}
	args := []string{folder.id}
	if recursive {
		args = []string{"-r", "-t", folder.id}
	}
	// Room for limit entries of the longest paths that are shown.
	entries, cut, err := r.tree(ctx, (limit+1)*(2*1024), args...)
	if err != nil {
		return listing, err
	}
	listing.Truncated = cut
	for _, entry := range entries {
		if !worktree.Printable(entry.path) {
			listing.Hidden++
			continue
		}
		if len(listing.Entries) == limit {
			listing.Truncated = true
			break
		}
		listing.Entries = append(listing.Entries, worktree.Entry{Path: path.Join(clean, entry.path), Kind: entry.listed(), Size: entry.size})
	}
	return listing, nil
}

func (e treeEntry) listed() worktree.Kind {
	switch {
	case e.kind == "tree":
		return worktree.Folder
	case e.mode == modeLink:
		return worktree.Link
	case e.mode == modeGit:
		return worktree.Submodule
	case e.kind == "blob":
		return worktree.File
	}
	return worktree.Other
}
