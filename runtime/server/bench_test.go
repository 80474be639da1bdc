package server_test

import (
	"bufio"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/internal/seal"
	"github.com/gatewright/gatewright/runtime/server"
)

// A gated call in memory: line in, gate, audit log on disk, line out.
func BenchmarkCall(b *testing.B) {
	for name, call := range map[string]string{
		"read":  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":2}}}`,
		"write": `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"note","arguments":{"path":"a","text":"b"}}}`,
	} {
		b.Run(name, func(b *testing.B) {
			requests, in := io.Pipe()
			out, answers := io.Pipe()
			stop, err := server.Start(seal.Make(), fixture(), server.Place{
				Workspace: b.TempDir(), StateDir: filepath.Join(b.TempDir(), "state"), Actor: "bench",
			}, requests, answers, slog.New(slog.DiscardHandler))
			require.NoError(b, err)
			lines := bufio.NewReader(out)
			exchange := func(line string) string {
				_, err := io.WriteString(in, line+"\n")
				require.NoError(b, err)
				answer, err := lines.ReadString('\n')
				require.NoError(b, err)
				return answer
			}
			exchange(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"b","version":"1"}}}`)
			b.ReportAllocs()
			for b.Loop() {
				if answer := exchange(call); strings.Contains(answer, "isError") {
					b.Fatal(answer)
				}
			}
			require.NoError(b, stop())
		})
	}
}
