package main

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/gen/diag"
)

// words are paths that somebody may have, or may want to deceive with.
func words() []string {
	return []string{
		"/plain/path", "/with a blank", "/it's", `/say "hi"`, `/back\slash`, "/new\nline", "/tab\there", "/$HOME/${HOME}/`id`", "/a;b|c&d*?[e]{f}~#!",
		"/\x1b[31mred\x1b[0m", "/\u202eright to left", "/bell\a7", "/del\x7f", "/é/日本/🙂", "/tag\U000e0041x", "-n", "", "~", "%s%n", `\u0041`, `\`, "'", "$'x'",
	}
}

// What is printed for each client is read back as what was meant, and shows
// nothing that cannot be seen.
func TestQuotingKeepsEveryWord(t *testing.T) {
	for _, client := range clients() {
		for _, word := range words() {
			to := server{name: "notes", command: word, args: []string{"--workspace", word}}
			text, err := client.config(to)
			require.NoError(t, err)
			require.NotContains(t, strings.Map(visible, text), "\x00", "%s: %q", client.name, text)
			got := readBack(t, client.name, text)
			require.Equal(t, []string{word, "--workspace", word}, got, client.name)
			require.NotContains(t, strings.Map(visible, client.where(to)), "\x00")
		}
	}
}

func visible(r rune) rune {
	if diag.Invisible(r) {
		return 0
	}
	return r
}

func readBack(t *testing.T, client, text string) []string {
	t.Helper()
	if client == "codex" { // a basic string of TOML, as written here, is one of Go
		lines := strings.Split(text, "\n")
		require.Len(t, lines, 4)
		require.Equal(t, "[mcp_servers.notes]", lines[0])
		var all []string
		rest := strings.TrimPrefix(lines[1], "command = ") + ", " + strings.Trim(strings.TrimPrefix(lines[2], "args = "), "[]")
		for rest != "" {
			quoted, err := strconv.QuotedPrefix(rest)
			require.NoError(t, err, rest)
			plain, err := strconv.Unquote(quoted)
			require.NoError(t, err)
			all, rest = append(all, plain), strings.TrimPrefix(rest[len(quoted):], ", ")
		}
		return all
	}
	var value map[string]map[string]struct {
		Command any      `json:"command"`
		Args    []string `json:"args"`
	}
	require.NoError(t, json.Unmarshal([]byte(text), &value))
	for _, servers := range value {
		switch command := servers["notes"].Command.(type) {
		case string:
			return append([]string{command}, servers["notes"].Args...)
		case []any:
			var all []string
			for _, word := range command {
				all = append(all, word.(string))
			}
			return all
		}
	}
	return nil
}

// A shell takes the line that is printed for the words that were meant.
func TestShellWordsAreReadByShells(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "ksh"} {
		path, err := exec.LookPath(shell)
		if err != nil {
			continue
		}
		for _, word := range words() {
			line := `printf '%s\0' ` + shellWords([]string{word, "end"})
			output, err := exec.Command(path, "-c", line).Output()
			require.NoError(t, err, line)
			require.Equal(t, word+"\x00end\x00", string(output), "%s: %s", shell, line)
		}
	}
}

// A path that a client would turn into another one is refused.
func TestVariablesOfClientsAreRefused(t *testing.T) {
	bad := map[string][]string{
		"claude": {"/${HOME}"}, "gemini": {"/$HOME", "/${HOME}"}, "vscode": {"/${workspaceFolder}"}, "opencode": {"/{env:HOME}", "/{file:x}"},
	}
	for _, client := range clients() {
		for _, path := range bad[client.name] {
			require.Error(t, client.takes(server{command: path}), client.name)
			require.Error(t, client.takes(server{args: []string{path}}), client.name)
		}
		require.NoError(t, client.takes(server{command: "/home/x"}))
	}
}

func TestBrokenTextIsRefused(t *testing.T) {
	_, err := absolute("a\xff")
	require.ErrorContains(t, err, "not UTF-8")
	full, err := absolute("a b")
	require.NoError(t, err)
	require.True(t, filepath.IsAbs(full))
	for _, actor := range []string{" x", "x ", "a\nb", "a\xff", strings.Repeat("a", 101), "\u202e"} {
		require.Error(t, label(actor))
	}
	require.NoError(t, label("die Prüferin"))
}
