//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"slices"

	"github.com/stretchr/testify/require"
)

// listCodex asks Codex through its app server, the one way it has to say what
// it connected to without a model. It refuses a configuration with a key that
// Codex does not know.
func (d *desk) listCodex() bool {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), patience)
	defer cancel()
	command := d.start(ctx, "codex", "app-server", "--strict-config")
	var errs bytes.Buffer
	command.Stderr = &errs
	stdin, err := command.StdinPipe()
	require.NoError(d.t, err)
	stdout, err := command.StdoutPipe()
	require.NoError(d.t, err)
	require.NoError(d.t, command.Start())
	app := &appServer{d: d, requests: json.NewEncoder(stdin), messages: json.NewDecoder(stdout)}
	defer func() {
		cancel()
		_ = command.Wait() // ended by then, or killed with what it started
		if d.t.Failed() {
			d.t.Log(errs.String())
		}
	}()

	app.ask("initialize", map[string]any{"clientInfo": map[string]string{"name": "e2e", "version": "1"}}, &struct{}{})
	require.NoError(d.t, app.requests.Encode(map[string]string{"method": "initialized"}))
	var listed struct {
		Data []codexServer `json:"data"`
	}
	app.ask("mcpServerStatus/list", map[string]any{}, &listed)
	require.NoError(d.t, stdin.Close())
	_, err = io.Copy(io.Discard, stdout)
	require.NoError(d.t, err)
	require.NoError(d.t, command.Wait())

	require.Len(d.t, listed.Data, 1)
	return d.codexConnected(listed.Data[0])
}

// A codexServer is what Codex found behind one table of mcp_servers.
type codexServer struct {
	Name       string                     `json:"name"`
	ServerInfo *struct{ Name string }     `json:"serverInfo"`
	ToolsError *string                    `json:"toolsError"`
	Tools      map[string]json.RawMessage `json:"tools"`
}

// codexConnected holds that Codex sees the tools that any other client of this
// mode sees, or has an error and sees none.
func (d *desk) codexConnected(server codexServer) bool {
	d.t.Helper()
	require.Equal(d.t, "greenfield", server.Name)
	if server.ToolsError != nil {
		require.Contains(d.t, *server.ToolsError, "No such file")
		require.Nil(d.t, server.ServerInfo)
		require.Empty(d.t, server.Tools)
		return false
	}
	require.NotNil(d.t, server.ServerInfo)
	require.Equal(d.t, "greenfield-"+d.mode, server.ServerInfo.Name)
	listed, err := newSite(d.t).connect(d.mode, "legacy").session.ListTools(d.t.Context(), nil)
	require.NoError(d.t, err)
	var tools []string
	for _, tool := range listed.Tools {
		tools = append(tools, tool.Name)
	}
	require.NotEmpty(d.t, tools)
	require.ElementsMatch(d.t, tools, slices.Collect(maps.Keys(server.Tools)))
	return true
}

// An appServer is a conversation with codex app-server: JSON-RPC, one message a
// line, without the member jsonrpc.
type appServer struct {
	d        *desk
	requests *json.Encoder
	messages *json.Decoder
	last     int
}

// ask sends a request and reads up to its answer, past what else is reported.
func (a *appServer) ask(method string, params, result any) {
	a.d.t.Helper()
	a.last++
	require.NoError(a.d.t, a.requests.Encode(map[string]any{"id": a.last, "method": method, "params": params}))
	for {
		var message struct {
			ID     int             `json:"id"`
			Method string          `json:"method"`
			Error  json.RawMessage `json:"error"`
			Result json.RawMessage `json:"result"`
		}
		err := a.messages.Decode(&message)
		require.NoError(a.d.t, err, "no answer to %s", method)
		if message.ID != a.last || message.Method != "" {
			continue
		}
		require.Empty(a.d.t, message.Error, "%s", method)
		require.NoError(a.d.t, json.Unmarshal(message.Result, result))
		return
	}
}
