package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gatewright/gatewright/protocols/greenfield/internal/refusal"
	"github.com/gatewright/gatewright/protocols/greenfield/internal/worktree"
)

// A shadow is a git folder of our own that lives for one operation. It has the
// repository's objects and the harmless part of its configuration, and no
// hooks, drivers, filters, attributes, refs or remotes.
type shadow struct {
	repository *Repository
	folder     string
	files      bool // the work tree is in sight
}

// shadow makes a shadow that sees objects alone.
func (r *Repository) shadow() (*shadow, error) { return r.makeShadow(false) }

// shadowWithFiles makes a shadow that also sees the files of the work tree, and
// has an empty index of its own.
func (r *Repository) shadowWithFiles() (*shadow, error) { return r.makeShadow(true) }

func (r *Repository) makeShadow(files bool) (*shadow, error) {
	folder, err := os.MkdirTemp("", "gatewright-git-")
	if err != nil {
		return nil, fmt.Errorf("make a git folder: %w", err)
	}
	s := &shadow{repository: r, folder: folder, files: files}
	if err := s.fill(); err != nil {
		return nil, errors.Join(fmt.Errorf("make a git folder: %w", err), s.close())
	}
	return s, nil
}

func (s *shadow) close() error { return os.RemoveAll(s.folder) }

func (s *shadow) fill() error {
	r := s.repository
	if own, err := filepath.EvalSymlinks(s.folder); err != nil || within(own, r.workTree) {
		return refusal.New(refusal.RepositoryUnusable, "the folder for temporary files lies in the work tree")
	}
	for _, name := range []string{"refs", "info"} {
		if err := os.Mkdir(filepath.Join(s.folder, name), 0o700); err != nil {
			return err
		}
	}
	exclude := string(readSmall(filepath.Join(r.commonDir, "info", "exclude"), smallOutput)) + "\n" + worktree.TemporaryPattern + "\n"
	contents := map[string]string{
		"HEAD": "ref: refs/heads/none\n", "config": s.config(!s.files), "info/exclude": exclude,
	}
	if shallow := readSmall(filepath.Join(r.commonDir, "shallow"), largeOutput); shallow != nil {
		contents["shallow"] = string(shallow)
	}
	for name, content := range contents {
		if err := os.WriteFile(filepath.Join(s.folder, filepath.FromSlash(name)), []byte(content), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// config words the shadow's configuration.
func (s *shadow) config(bare bool) string {
	var text strings.Builder
	fmt.Fprintf(&text, "[core]\n\trepositoryformatversion = 1\n\tbare = %t\n\tquotePath = false\n", bare)
	for _, setting := range s.repository.settings.copied {
		key, value, _ := strings.Cut(strings.TrimPrefix(setting, "core."), "=")
		fmt.Fprintf(&text, "\t%s = %s\n", key, value)
	}
	if format := s.repository.settings.format; format != "sha1" {
		fmt.Fprintf(&text, "[extensions]\n\tobjectFormat = %s\n", format)
	}
	return text.String()
}

// run runs a command in the shadow.
func (s *shadow) run(ctx context.Context, do run) ([]byte, error) {
	env := []string{"GIT_DIR=" + s.folder, "GIT_OBJECT_DIRECTORY=" + filepath.Join(s.repository.commonDir, "objects"),
		"GIT_INDEX_FILE=" + filepath.Join(s.folder, "index")}
	if s.files {
		env = append(env, "GIT_WORK_TREE="+s.repository.workTree)
	}
	do.env = append(env, do.env...)
	return s.repository.execute(ctx, do)
}

// inShadow runs one command on objects alone.
func (r *Repository) inShadow(ctx context.Context, do run) (output []byte, err error) {
	s, err := r.shadow()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	return s.run(ctx, do)
}
