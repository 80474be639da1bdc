package git

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/gatewright/gatewright/protocols/greenfield/internal/refusal"
)

// settings are the parts of a repository's configuration that are used. None
// of them names a program or a file.
type settings struct {
	format string   // of ids: sha1 or sha256
	sparse bool     // the work tree does not hold all files
	copied []string // key=value, for a shadow
}

// length is that of an id in hexadecimal digits.
func (s *settings) length() int {
	if s.format == "sha256" {
		return 64
	}
	return 40
}

// readSettings reads the repository's configuration. Reading it runs nothing.
func (r *Repository) readSettings(ctx context.Context) (settings, error) {
	s := settings{format: "sha1"}
	output, err := r.inGitDir(ctx, run{args: []string{"config", "--list", "--null", "--includes", "--show-scope"}})
	if err != nil {
		return s, refusal.New(refusal.RepositoryUnusable, "the configuration of the repository cannot be read: %v", err)
	}
	fields := strings.Split(strings.TrimSuffix(string(output), "\x00"), "\x00")
	if len(fields)%2 != 0 {
		return s, refusal.New(refusal.RepositoryUnusable, "the configuration of the repository cannot be understood")
	}
	for pair := range slices.Chunk(fields, 2) {
		if pair[0] == "command" { // our own
			continue
		}
		if err := s.take(pair[1]); err != nil {
			return s, err
		}
	}
	return s, nil
}

// take looks at one setting: a key, and a value where there is one.
func (s *settings) take(setting string) error {
	key, value, valued := strings.Cut(setting, "\n")
	if !valued {
		value = "true"
	}
	switch {
	case strings.HasPrefix(key, "hook."):
		return refusal.New(refusal.RepositoryConfig, "the configuration of the repository holds %q, which can run a program", key)
	case key == "extensions.objectformat":
		s.format = strings.ToLower(value)
		if s.format != "sha1" && s.format != "sha256" {
			return refusal.New(refusal.RepositoryUnusable, "the repository uses ids of an unknown kind, %q", value)
		}
	case key == "core.sparsecheckout":
		s.sparse = !slices.Contains([]string{"false", "no", "off", "0", ""}, strings.ToLower(value))
	case slices.Contains(harmless(), key) && regexp.MustCompile(`^[A-Za-z0-9]{1,8}$`).MatchString(value):
		s.copied = append(s.copied, fmt.Sprintf("%s=%s", key, value))
	}
	return nil
}

// harmless are the settings that say how files are stored, and no more.
func harmless() []string {
	return []string{"core.autocrlf", "core.eol", "core.filemode", "core.ignorecase", "core.symlinks", "core.precomposeunicode"}
}
