package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/preview"
	"github.com/gatewright/gatewright/runtime/state"
)

// Options say how to open a store.
type Options struct {
	Now      func() time.Time // nil is the system's clock
	Existing bool             // make nothing: a store that does not exist is an error that matches fs.ErrNotExist
}

// A Store is an open store. It is safe for concurrent use, and shares its file
// with other processes.
type Store struct {
	db         *sql.DB
	file       *connector
	now        func() time.Time
	owner      owner
	statements statements
	closed     atomic.Bool
}

var (
	_ approval.Book = (*Store)(nil)
	_ preview.Plans = (*Store)(nil)
)

// OpenBook opens the store of a state folder, and makes it where there is none.
func OpenBook(ctx context.Context, folder *state.Folder) (approval.Book, error) {
	store, err := Open(ctx, folder, Options{})
	if err != nil {
		return nil, err
	}
	return store, nil
}

// OpenPlans opens the store of a state folder, and makes it where there is none.
func OpenPlans(ctx context.Context, folder *state.Folder) (preview.Plans, error) {
	store, err := Open(ctx, folder, Options{})
	if err != nil {
		return nil, err
	}
	return store, nil
}

// Open opens the store of a state folder. The folder must stay open as long.
// Errors match *[Error], or *[state.Error] where the folder refuses a file, or
// are those of ctx.
func Open(ctx context.Context, folder *state.Folder, options Options) (*Store, error) {
	if options.Now == nil {
		options.Now = time.Now
	}
	path := filepath.Join(folder.Path(), FileName)
	if options.Existing {
		if _, err := look(folder, FileName); err != nil {
			return nil, fmt.Errorf("open the store: %w", missing(path, err))
		}
	}
	store := &Store{now: options.Now}
	store.owner.folder = folder
	err := alone(ctx, folder, func() error { return store.open(ctx, folder, options.Existing) })
	if err != nil {
		return nil, fmt.Errorf("open the store: %w", errors.Join(told(ctx, path, err), store.close()))
	}
	return store, nil
}

// open makes the file where it is missing, and sets it up. The caller holds the
// lock of the set-up.
func (s *Store) open(ctx context.Context, folder *state.Folder, existing bool) error {
	file, err := look(folder, FileName)
	if errors.Is(err, fs.ErrNotExist) && !existing {
		file, err = create(folder)
	}
	if err != nil {
		return missing(filepath.Join(folder.Path(), FileName), err)
	}
	if s.file, err = newConnector(folder, file); err != nil {
		return err
	}
	s.db = sql.OpenDB(s.file)
	s.db.SetMaxOpenConns(1) // one writer is all that SQLite has, and one connection holds every setting
	s.db.SetMaxIdleConns(1)
	return s.setUp(ctx)
}

// create makes an empty file, durably. Nobody opens it before the caller gives
// back the lock of the set-up, so closing it here takes no lock from anybody.
func create(folder *state.Folder) (fs.FileInfo, error) {
	file, err := folder.OpenFile(FileName, os.O_RDWR|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	return info, errors.Join(err, file.Close(), folder.Sync())
}

// missing gives an error of a file that does not exist the words of this
// package.
func missing(path string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return &Error{Reason: Missing, Path: path, Message: "there is no store", Err: fs.ErrNotExist}
}

// Close closes the store. Whoever closes it last moves what is in the -wal into
// the file. What was begun through it and has not ended stays in progress until
// this process ends.
func (s *Store) Close() error {
	if err := s.close(); err != nil {
		return fmt.Errorf("close the store: %w", explain(s.file.path, err))
	}
	return nil
}

func (s *Store) close() error {
	s.closed.Store(true)
	var err error
	if s.db != nil {
		err = s.db.Close()
	}
	return errors.Join(err, s.owner.close())
}
