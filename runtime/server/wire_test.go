package server_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/gatewright/gatewright/runtime/internal/seal"
	"github.com/gatewright/gatewright/runtime/server"
)

// A wire is a server in this process, spoken to line by line.
type wire struct {
	t     *testing.T
	in    *io.PipeWriter
	lines *bufio.Reader
	state string
	stop  func() error
}

func dial(t *testing.T, mode server.Mode) *wire {
	t.Helper()
	requests, in := io.Pipe()
	out, answers := io.Pipe()
	w := &wire{t: t, in: in, lines: bufio.NewReader(out), state: stateDir(t)}
	var err error
	w.stop, err = server.Start(seal.Make(), mode, server.Place{Workspace: t.TempDir(), StateDir: w.state, Actor: "wire"},
		requests, answers, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = in.Close()
		_ = out.Close()
		_ = w.stop()
	})
	return w
}

func (w *wire) send(line string) {
	w.t.Helper()
	_, err := io.WriteString(w.in, line+"\n")
	require.NoError(w.t, err)
}

func (w *wire) receive() string {
	w.t.Helper()
	line, err := w.lines.ReadString('\n')
	require.NoError(w.t, err)
	return line
}

// ids of calls differ from run to run.
var callID = regexp.MustCompile(`"call":"[A-Z2-7]+"`)

// tidy puts an answer into one form.
func tidy(t *testing.T, line string) string {
	t.Helper()
	var value any
	decoder := json.NewDecoder(strings.NewReader(line))
	decoder.UseNumber()
	require.NoError(t, decoder.Decode(&value), line)
	text, err := json.Marshal(value)
	require.NoError(t, err)
	return callID.ReplaceAllString(string(text), `"call":"ID"`)
}

// Each file is one session: lines of the client, and what the server answers.
// A client line that starts with a quote is a Go string, for bytes that an
// archive cannot hold. With UPDATE=1 the answers are written anew.
func TestWire(t *testing.T) {
	files, err := filepath.Glob("testdata/wire/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			w := dial(t, fixture())
			for i, part := range archive.Files {
				lines := strings.Split(strings.TrimSuffix(string(part.Data), "\n"), "\n")
				if part.Name == "client" {
					for _, line := range lines {
						w.send(unquote(t, line))
					}
					continue
				}
				var got strings.Builder
				for range lines {
					fmt.Fprintln(&got, tidy(t, w.receive()))
				}
				if os.Getenv("UPDATE") != "" {
					archive.Files[i].Data = []byte(got.String())
					continue
				}
				require.Equal(t, string(part.Data), got.String())
			}
			if os.Getenv("UPDATE") != "" {
				require.NoError(t, os.WriteFile(file, txtar.Format(archive), 0o644))
			}
		})
	}
}

func unquote(t *testing.T, line string) string {
	t.Helper()
	if !strings.HasPrefix(line, `"`) {
		return line
	}
	text, err := strconv.Unquote(line)
	require.NoError(t, err, line)
	return text
}
