package items

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/gatewright/gatewright/protocols/tracker/internal/refusal"
)

// create makes a tracker: a whole one under a name of its own, which is then
// given the name that others look for. Whoever is killed on the way leaves
// either nothing under that name or all of it, and of several who create at the
// same time one is first.
func (p *place) create(ctx context.Context) (err error) {
	// SQLite would take a journal that another database left for one of this.
	if !p.lacks(FileName+"-wal") && p.lacks(FileName) {
		return refusal.New(refusal.TrackerUnusable, "%s/%s-wal is there without its database", FolderName, FileName)
	}
	if err := p.ignore(); err != nil {
		return err
	}
	name := "new-" + strings.ToLower(rand.Text()) + ".db"
	made, err := p.folder.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		for _, suffix := range []string{"", "-journal", "-wal", "-shm"} {
			_ = p.folder.Remove(name + suffix) // left, it is in nobody's way
		}
	}()
	if err := made.Close(); err != nil {
		return err
	}
	file, err := p.look(name)
	if err != nil {
		return err
	}
	if err := p.fill(ctx, name, file); err != nil {
		return err
	}
	if err := p.folder.Link(name, FileName); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return p.sync()
}

// fill sets up an empty database.
func (p *place) fill(ctx context.Context, name string, file fs.FileInfo) (err error) {
	db, err := p.connect(name, file, readWrite)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var mode string
	if err := db.QueryRowContext(ctx, `PRAGMA journal_mode = WAL`).Scan(&mode); err != nil {
		return err
	}
	if mode != "wal" {
		return fmt.Errorf("its journal cannot be a write-ahead log but is %q", mode)
	}
	return within(ctx, db, func(tx *sql.Tx) error {
		for _, statement := range append(schema(), fmt.Sprintf(`PRAGMA application_id = %d`, applicationID), fmt.Sprintf(`PRAGMA user_version = %d`, version)) {
			if _, err := tx.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	})
}

// ignore keeps git from taking the tracker for a part of the work.
func (p *place) ignore() error {
	file, err := p.folder.OpenFile(".gitignore", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = file.WriteString("*\n")
	return errors.Join(err, file.Close())
}
