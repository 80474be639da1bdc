package items

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"time"

	"modernc.org/sqlite"

	"github.com/gatewright/gatewright/protocols/tracker/internal/refusal"
)

// patience is how long a connection waits for others.
const patience = 5 * time.Second

// An access is what a connection may do.
type access string

const (
	readOnly  access = "ro"
	readWrite access = "rw" // makes no file
)

// A connector opens a file of a place by its path, which is all that SQLite
// takes, and makes sure before and after that it is the one vouched for.
type connector struct {
	driver.Connector

	place *place
	name  string
	file  fs.FileInfo
}

// connect opens a database with one connection, which holds every setting.
func (p *place) connect(name string, file fs.FileInfo, access access) (*sql.DB, error) {
	inner, err := sqlite.NewConnector(address(filepath.Join(p.path, name), access))
	if err != nil {
		return nil, fmt.Errorf("address the tracker: %w", err)
	}
	db := sql.OpenDB(&connector{Connector: inner, place: p, name: name, file: file})
	db.SetMaxOpenConns(1)
	db.SetMaxIdleConns(1)
	return db, nil
}

// address is the file and what a connection to it keeps to: it runs nothing
// that a schema asks for beyond this program's own, and checks pages.
func address(path string, access access) string {
	settings := url.Values{
		"mode": {string(access)}, "_defensive": {"1"}, "_dqs": {"0"}, "_error_rc": {"1"},
		"_pragma": {
			fmt.Sprintf("busy_timeout(%d)", patience.Milliseconds()), "synchronous(FULL)", "foreign_keys(1)", "trusted_schema(0)",
			"cell_size_check(1)", "temp_store(MEMORY)", "journal_size_limit(4194304)",
		},
	}
	if access == readOnly {
		settings.Add("_pragma", "query_only(1)")
	} else {
		settings.Set("_txlock", "immediate")
	}
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: settings.Encode()}).String()
}

// Connect implements [driver.Connector].
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// check refuses another file than the one vouched for, and beside it whatever
// SQLite would use and is not as it makes it. A tracker never has a rollback
// journal: one that is there was put there.
func (c *connector) check() error {
	if !c.place.same(c.name, c.file) {
		return replaced(FolderName + "/" + c.name)
	}
	for _, suffix := range []string{"-wal", "-shm"} {
		if _, err := c.place.look(c.name + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if !c.place.lacks(c.name + "-journal") {
		return refusal.New(refusal.TrackerUnusable, "%s/%s-journal is there, which no tracker has", FolderName, c.name)
	}
	return nil
}
