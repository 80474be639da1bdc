package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/gatewright/gatewright/gen/diag"
)

// A client is one row of the clients that connect knows.
type client struct {
	name, what string
	config     func(server) (string, error)
	where      func(server) string // what to do with it
	expands    *regexp.Regexp      // what the client takes for a variable; nil where nothing
}

func clients() []client {
	return []client{
		{
			name: "claude", what: "Claude Code: .mcp.json, and the line that does the same",
			config: mcpServers("stdio"), expands: regexp.MustCompile(`\$\{`),
			where: func(s server) string {
				return "This is .mcp.json, in the folder in which the agent is started; Claude Code asks its user once before it uses one. Or, in that folder:\n\n  claude mcp add " +
					shellWords(append([]string{s.name, "--", s.command}, s.args...)) + "\n"
			},
		},
		{
			name: "codex", what: "Codex: a table of ~/.codex/config.toml",
			config: func(s server) (string, error) {
				return fmt.Sprintf("[mcp_servers.%s]\ncommand = %s\nargs = %s\n", s.name, tomlText(s.command), tomlTexts(s.args)), nil
			},
			where: said("This goes into ~/.codex/config.toml."),
		},
		{
			name: "gemini", what: "Gemini CLI: .gemini/settings.json",
			config: mcpServers(""), expands: regexp.MustCompile(`\$[A-Za-z_{]|%[A-Za-z_]+%`),
			where: said("This goes into .gemini/settings.json, in the folder in which the agent is started."),
		},
		{
			name: "opencode", what: "opencode: opencode.json",
			config: func(s server) (string, error) {
				type local struct {
					Type    string   `json:"type"`
					Command []string `json:"command"`
					Enabled bool     `json:"enabled"`
				}
				return indented(map[string]any{"mcp": map[string]local{s.name: {"local", append([]string{s.command}, s.args...), true}}})
			},
			expands: regexp.MustCompile(`\{(env|file):`),
			where:   said("This goes into opencode.json, in the folder in which the agent is started."),
		},
		{
			name: "vscode", what: "VS Code: .vscode/mcp.json",
			config: func(s server) (string, error) {
				return indented(map[string]any{"servers": map[string]entry{s.name: {"stdio", s.command, s.args}}})
			},
			expands: regexp.MustCompile(`\$\{`),
			where:   said("This is .vscode/mcp.json, in the folder that is opened."),
		},
		{
			name: "json", what: `any other: {"mcpServers": ...}, as most clients read it`,
			config: mcpServers(""),
			where:  said("Most clients read this from a file of settings; their manual says which."),
		},
	}
}

func said(words string) func(server) string { return func(server) string { return words } }

type entry struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

func mcpServers(kind string) func(server) (string, error) {
	return func(s server) (string, error) {
		return indented(map[string]any{"mcpServers": map[string]entry{s.name: {kind, s.command, s.args}}})
	}
}

// takes refuses a path that the client would turn into another one.
func (c client) takes(s server) error {
	for _, word := range append([]string{s.command}, s.args...) {
		if c.expands != nil && c.expands.MatchString(word) {
			return fmt.Errorf("%s takes a part of %s for a variable, and has no way to say that it is none: use another path", c.name, diag.Quote(word))
		}
	}
	return nil
}

// indented writes JSON in which nothing is invisible.
func indented(value any) (string, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return "", fmt.Errorf("write the configuration: %w", err)
	}
	return escaped(out.String(), `\u%04x`, ""), nil
}

// escaped spells invisible characters out: those that 16 bits hold in the first
// form, others in the second, or as two surrogates where there is none.
func escaped(text, short, long string) string {
	var out strings.Builder
	for _, r := range text {
		switch {
		case !diag.Invisible(r):
			out.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&out, short, r)
		case long != "":
			fmt.Fprintf(&out, long, r)
		default:
			fmt.Fprintf(&out, short+short, 0xd800+(r-0x10000)>>10, 0xdc00+(r-0x10000)&0x3ff)
		}
	}
	return out.String()
}

// tomlText is a basic string of TOML.
func tomlText(text string) string {
	text = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(text)
	return `"` + escaped(text, `\u%04X`, `\U%08X`) + `"`
}

func tomlTexts(texts []string) string {
	quoted := make([]string, 0, len(texts))
	for _, text := range texts {
		quoted = append(quoted, tomlText(text))
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// shellWord is a word as a shell takes it: in single quotes where it has to be,
// and spelled out, which bash, zsh and ksh read, where it has invisible
// characters.
func shellWord(word string) string {
	switch {
	case regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`).MatchString(word):
		return word
	case strings.ContainsFunc(word, func(r rune) bool { return diag.Invisible(r) || r == '\n' || r == '\t' }):
		return "$'" + ansiC(word) + "'"
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func shellWords(words []string) string {
	quoted := make([]string, 0, len(words))
	for _, word := range words {
		quoted = append(quoted, shellWord(word))
	}
	return strings.Join(quoted, " ")
}

// ansiC is the inside of $'…': bytes in octal, of which a shell takes three
// digits and no more.
func ansiC(word string) string {
	var out strings.Builder
	for _, r := range word {
		switch {
		case r == '\\' || r == '\'':
			out.WriteString(`\` + string(r))
		case r == '\n':
			out.WriteString(`\n`)
		case diag.Invisible(r) || r == '\t':
			for _, b := range []byte(string(r)) {
				fmt.Fprintf(&out, `\%03o`, b)
			}
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}
