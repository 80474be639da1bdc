package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gatewright/gatewright/protocols/greenfield/internal/refusal"
)

// A Repository reads from a git repository. It is safe for concurrent use.
type Repository struct {
	program   string // absolute path of git
	workTree  string // real path of the top folder
	gitDir    string // of this work tree
	commonDir string // of all work trees; it holds refs and objects
	settings  settings
}

// Open opens the repository whose work tree has its top at a folder.
func Open(ctx context.Context, folder string) (*Repository, error) {
	top, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return nil, fmt.Errorf("open the repository: %w", err)
	}
	r := &Repository{workTree: top}
	if r.program, err = findProgram(top); err != nil {
		return nil, err
	}
	if r.gitDir, err = findGitDir(top); err != nil {
		return nil, err
	}
	if r.commonDir, err = findCommonDir(r.gitDir); err != nil {
		return nil, err
	}
	if r.settings, err = r.readSettings(ctx); err != nil {
		return nil, err
	}
	return r, nil
}

// findGitDir returns the git folder of a work tree: .git, or the folder that a
// file .git names, as in a linked work tree.
func findGitDir(top string) (string, error) {
	dot := filepath.Join(top, ".git")
	info, err := os.Lstat(dot)
	switch {
	case errors.Is(err, fs.ErrNotExist) && isGitDir(top):
		return "", refusal.New(refusal.NotARepository, "%q is a bare repository: it has no work tree", top)
	case errors.Is(err, fs.ErrNotExist):
		return "", refusal.New(refusal.NotARepository, "%q is not the top of a git work tree: it has no .git", top)
	case err != nil:
		return "", fmt.Errorf("look for the git folder: %w", err)
	case info.Mode()&fs.ModeSymlink != 0:
		return "", refusal.New(refusal.NotARepository, "%q is a link", dot)
	case info.IsDir():
		return checkGitDir(dot)
	case !info.Mode().IsRegular():
		return "", refusal.New(refusal.NotARepository, "%q is neither a folder nor a file", dot)
	}
	named, found := strings.CutPrefix(readLine(dot), "gitdir: ")
	if !found {
		return "", refusal.New(refusal.NotARepository, "%q does not name a git folder", dot)
	}
	return checkGitDir(resolve(top, named))
}

func findCommonDir(gitDir string) (string, error) {
	named := readLine(filepath.Join(gitDir, "commondir"))
	if named == "" {
		if !isGitDir(gitDir) {
			return "", refusal.New(refusal.NotARepository, "%q is not a git folder", gitDir)
		}
		return gitDir, nil
	}
	common := resolve(gitDir, named)
	if !isGitDir(common) {
		return "", refusal.New(refusal.NotARepository, "%q is not a git folder", common)
	}
	return filepath.Clean(common), nil
}

func checkGitDir(folder string) (string, error) {
	if info, err := os.Stat(filepath.Join(folder, "HEAD")); err != nil || info.IsDir() {
		return "", refusal.New(refusal.NotARepository, "%q is not a git folder: it has no HEAD", folder)
	}
	return filepath.Clean(folder), nil
}

func isGitDir(folder string) bool {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
			return false
		}
	}
	return true
}

func resolve(folder, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(folder, name)
}

// readLine returns the first line of a small regular file, and nothing of
// anything else.
func readLine(name string) string {
	line, _, _ := bytes.Cut(readSmall(name, 4096), []byte("\n"))
	return strings.TrimSuffix(string(line), "\r")
}

// readSmall returns a regular file of at most limit bytes, and nil otherwise.
func readSmall(name string, limit int64) []byte {
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > limit {
		return nil
	}
	file, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer func() { _ = file.Close() }()
	data, err := io.ReadAll(io.LimitReader(file, limit))
	if err != nil {
		return nil
	}
	return data
}

// inGitDir runs a command that looks at refs or the configuration alone.
func (r *Repository) inGitDir(ctx context.Context, do run) ([]byte, error) {
	do.env = append(do.env, "GIT_DIR="+r.gitDir, "GIT_COMMON_DIR="+r.commonDir, "GIT_WORK_TREE="+r.workTree)
	return r.execute(ctx, do)
}
