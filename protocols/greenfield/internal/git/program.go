package git

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/gatewright/gatewright/protocols/greenfield/internal/refusal"
)

// findProgram returns the absolute path of git, with links resolved. A git that
// lies in the work tree is refused: an agent may have written it.
func findProgram(workTree string) (string, error) {
	found, err := exec.LookPath("git")
	if err != nil {
		return "", refusal.New(refusal.GitMissing, "git was not found: %v", err)
	}
	if !filepath.IsAbs(found) {
		return "", refusal.New(refusal.GitMissing, "git was found as %q, which is no absolute path", found)
	}
	program, err := filepath.EvalSymlinks(found)
	if err != nil {
		return "", fmt.Errorf("find git: %w", err)
	}
	if within(found, workTree) || within(program, workTree) {
		return "", refusal.New(refusal.GitMissing, "the git that PATH finds, %q, lies in the work tree", found)
	}
	return program, nil
}

// within reports whether a real path lies in a real folder.
func within(name, folder string) bool {
	relative, err := filepath.Rel(folder, name)
	return err == nil && relative != ".." && !strings.HasPrefix(relative, ".."+string(filepath.Separator))
}
