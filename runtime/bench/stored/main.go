// Command stored is an MCP server on the SDK and SQLite alone, for the
// benchmarks to compare two steps with. Its tool keeps a row, durably, before it
// answers.
package main

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	_ "modernc.org/sqlite" // the driver

	"github.com/gatewright/gatewright/runtime/bench/internal/tool"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: stored FILE")
		os.Exit(2)
	}
	if err := serve(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve keeps to the settings of the store of plans: a write-ahead log, synced
// at each transaction.
func serve(path string) error {
	settings := url.Values{"_pragma": {"journal_mode(WAL)", "synchronous(FULL)"}, "_txlock": {"immediate"}}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: path, RawQuery: settings.Encode()}).String())
	if err != nil {
		return fmt.Errorf("open the database: %w", err)
	}
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1)
	ctx := context.Background()
	if _, err := db.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS notes (seq INTEGER PRIMARY KEY, path TEXT NOT NULL) STRICT`); err != nil {
		return fmt.Errorf("make the table: %w", err)
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "stored", Version: "1.0.0"}, nil)
	mcp.AddTool(server, tool.Named("stored"), func(ctx context.Context, _ *mcp.CallToolRequest, in tool.Input) (*mcp.CallToolResult, tool.Output, error) {
		if _, err := db.ExecContext(ctx, `INSERT INTO notes (path) VALUES (?)`, in.Path); err != nil {
			return nil, tool.Output{}, fmt.Errorf("keep a row: %w", err)
		}
		return nil, tool.Look(in), nil
	})
	if err := server.Run(ctx, &mcp.StdioTransport{}); err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}
