package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"modernc.org/sqlite"

	"github.com/gatewright/gatewright/runtime/state"
)

// FileName is the file that the store is kept in, beside its -wal and -shm.
const FileName = "store.db"

// beside are the files that SQLite keeps next to the store.
func beside() []string { return []string{FileName + "-wal", FileName + "-shm", FileName + "-journal"} }

// A connector opens the file by its path, which is all that SQLite takes, and
// makes sure before and after that it is the file of the state folder.
type connector struct {
	driver.Connector

	folder *state.Folder
	path   string
	file   fs.FileInfo // that was vouched for
}

func newConnector(folder *state.Folder, file fs.FileInfo) (*connector, error) {
	path := filepath.Join(folder.Path(), FileName)
	inner, err := sqlite.NewConnector(address(path))
	if err != nil {
		return nil, fmt.Errorf("address the store %s: %w", path, err)
	}
	return &connector{Connector: inner, folder: folder, path: path, file: file}, nil
}

// address is the file and what every connection to it keeps to. Temporary
// tables stay in memory; mode=rw makes no file.
func address(path string) string {
	settings := url.Values{
		"mode": {"rw"}, "_txlock": {"immediate"}, "_defensive": {"1"}, "_dqs": {"0"}, "_error_rc": {"1"},
		"_pragma": {
			fmt.Sprintf("busy_timeout(%d)", patience.Milliseconds()), "synchronous(FULL)", "foreign_keys(1)", "trusted_schema(0)",
			"cell_size_check(1)", "secure_delete(1)", "temp_store(MEMORY)", "journal_size_limit(4194304)",
		},
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: settings.Encode()}).String()
}

// Connect implements [driver.Connector].
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, explain(c.path, err)
	}
	if err := c.check(); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// check refuses whatever is not the file that was vouched for, and what stands
// beside it where SQLite would use it.
func (c *connector) check() error {
	if !c.same() {
		return c.replaced()
	}
	for _, name := range beside() {
		if _, err := look(c.folder, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// same looks at the name in the opened folder, and at the path.
func (c *connector) same() bool {
	named, err := os.Lstat(c.path)
	return err == nil && os.SameFile(named, c.file) && c.folder.Same(FileName, c.file)
}

func (c *connector) replaced() error {
	return &Error{Reason: Replaced, Path: c.path, Message: "it is no longer the file that was opened", Next: "find out who moved it, and start again"}
}
