package files

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The files that have tools of their own.
const (
	Plan      = "PLAN.md"         // what is to be done
	approvals = "APPROVALS.jsonl" // see Approval
)

// parse takes a path that somebody wrote, relative to the workspace and with
// slashes, and returns it without redundant parts.
func parse(name string) (string, error) {
	clean := path.Clean(name)
	if name == "" || len(name) > 1024 || clean == "." || strings.HasSuffix(name, "/") || strings.Contains(name, `\`) ||
		!printable(name) || slices.Contains(strings.Split(name, "/"), "..") || !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", refuse("PATH_INVALID", "Write the path of a file with forward slashes, relative to the workspace, as list shows it.", "%q is no path of a file", name)
	}
	return clean, nil
}

func printable(name string) bool {
	if !utf8.ValidString(name) {
		return false
	}
	for _, r := range name {
		if !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}

// protected says whether a clean path is not to be written by a tool that
// writes any file: the protocol and what was made of it, git's own files, the
// configuration of clients, and the files that have tools of their own. Names
// are compared as file systems do that fold case, drop dots and blanks at the
// end, or have short names and streams.
func protected(clean string) bool {
	for part := range strings.SplitSeq(clean, "/") {
		part = strings.TrimRight(part, " .")
		if strings.ContainsAny(part, ":~") {
			return true
		}
		for _, name := range []string{
			".git", "generated", "protocols", "protocol.yaml", "protocol.yml", "protocol.lock.json", "go.mod", "go.sum",
			".mcp.json", ".claude", ".claude.json", ".codex", ".gemini", ".opencode", "opencode.json", "opencode.jsonc", ".cursor", ".vscode",
			Plan, approvals,
		} {
			if strings.EqualFold(part, name) {
				return true
			}
		}
	}
	return false
}
