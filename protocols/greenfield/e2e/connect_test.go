//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every client that runs without a model connects to the server of every mode
// with what gatewright connect prints, put where it says; and says so where the
// server is not there.
func TestE2EClientsConnectAsPrinted(t *testing.T) {
	modes := builtModes(t)
	for _, way := range ways() {
		for _, mode := range modes {
			t.Run(way.name+"/"+mode, func(t *testing.T) {
				t.Parallel()
				d := newDesk(t, way, mode, binaries)
				way.place(d, d.print())
				require.True(t, way.list(d), "%s does not connect", way.client)
				log := d.log()
				require.NotEmpty(t, log)
				for _, entry := range log {
					require.Equal(t, mode, entry.Mode)
					require.Equal(t, d.actor, entry.Actor)
				}
			})
		}
		t.Run(way.name+"/no server", func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, way, modes[0], t.TempDir())
			way.place(d, d.print())
			require.False(t, way.list(d), "%s connects to what is not there", way.client)
			require.NoDirExists(t, d.state)
		})
	}
}

// builtModes are the modes that servers were built of.
func builtModes(t *testing.T) []string {
	t.Helper()
	servers, err := filepath.Glob(binary("*"))
	require.NoError(t, err)
	require.NotEmpty(t, servers)
	var modes []string
	for _, server := range servers {
		modes = append(modes, strings.TrimPrefix(server, binary("")))
	}
	return modes
}

// A way is one of the ways to give a client the server of a mode.
type way struct {
	name   string
	client string            // as connect knows it
	home   map[string]string // what its user has set in the home folder; {folder} is where the agent is started
	env    []string
	place  func(*desk, printed)
	list   func(*desk) bool // the client lists the server as connected; if not, as not connected
}

// ways turn off what clients fetch and report unasked, by settings of their own,
// and consent to the server where a client asks its user first.
func ways() []way {
	claude := way{
		name: "claude", client: "claude", place: (*desk).placeFile, list: (*desk).listClaude,
		home: map[string]string{".claude/settings.json": `{"enabledMcpjsonServers": ["greenfield"]}`},
		env:  []string{"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1"},
	}
	line := claude
	line.name, line.place, line.home = "claude mcp add", (*desk).runLine, nil
	return []way{claude, line, {
		name: "codex", client: "codex", place: (*desk).placeFile, list: (*desk).listCodex,
		home: map[string]string{".codex/config.toml": "check_for_update_on_startup = false\n\n[analytics]\nenabled = false\n\n[features]\nplugins = false\n\n"},
	}, {
		name: "gemini", client: "gemini", place: (*desk).placeFile, list: (*desk).listGemini,
		home: map[string]string{
			".gemini/settings.json":       `{"general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false}, "privacy": {"usageStatisticsEnabled": false}}`,
			".gemini/trustedFolders.json": `{"{folder}": "TRUST_FOLDER"}`,
		},
	}, {
		name: "opencode", client: "opencode", place: (*desk).placeFile, list: (*desk).listOpencode,
		env: []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1", "npm_config_offline=true"},
	}}
}

// placeFile puts the configuration at the end of the file that connect names:
// in the home folder, or where the agent is started.
func (d *desk) placeFile(p printed) {
	sentence, _, _ := strings.Cut(p.advice, "\n")
	path := regexp.MustCompile(`(~/)?[\w.]+(/[\w.]+)*\.(json|toml)`).FindString(sentence)
	require.NotEmpty(d.t, path, "%s names no file", sentence)
	root := d.folder
	if below, ok := strings.CutPrefix(path, "~/"); ok {
		root, path = d.home, below
	} else {
		require.Contains(d.t, sentence, "in the folder in which the agent is started")
	}
	path = filepath.Join(root, path)
	require.NoError(d.t, os.MkdirAll(filepath.Dir(path), 0o700))
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(d.t, err)
	defer file.Close()
	_, err = file.WriteString(p.config)
	require.NoError(d.t, err)
}

// runLine runs the line that connect offers in place of a file.
func (d *desk) runLine(p printed) {
	line := regexp.MustCompile(`(?m)^  claude .*$`).FindString(p.advice)
	require.NotEmpty(d.t, line, "%s offers no line", p.advice)
	d.run("sh", "-c", line)
}

func (d *desk) listClaude() bool {
	said := d.run("claude", "mcp", "list")
	server := "greenfield: " + d.server + " - "
	return d.either(said, server+"✔ Connected\n", server+"✘ Failed to connect")
}

func (d *desk) listGemini() bool {
	said := d.run("gemini", "mcp", "list")
	return d.either(said, "✓ greenfield: "+d.server+" (stdio) - Connected\n", "✗ greenfield: "+d.server+" (stdio) - Disconnected\n")
}

func (d *desk) listOpencode() bool {
	said := d.run("opencode", "mcp", "list")
	require.Contains(d.t, said, d.server+"\n")
	return d.either(said, "✓ greenfield connected\n", "✗ greenfield failed\n")
}

// either holds that a client said one of two things, and tells whether it was
// the first.
func (d *desk) either(said, connected, failed string) bool {
	d.t.Helper()
	yes, no := strings.Contains(said, connected), strings.Contains(said, failed)
	require.NotEqual(d.t, yes, no, "%s", said)
	return yes
}
