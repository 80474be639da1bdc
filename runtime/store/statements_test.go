package store

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Statements are compiled once, whoever uses the store at the same time, and
// give what they gave before.
func TestStatementsAreKept(t *testing.T) {
	ctx := context.Background()
	store := unsynced(t, openStore(t, newFolder(t), nil))
	c := kept(t, store, `{"a":1}`)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range 10 {
				stored, err := store.Find(ctx, c)
				if err != nil || string(stored.Body) != `{"a":1}` {
					t.Error(stored, err)
				}
				made := kept(t, store, fmt.Sprint(i))
				if err := store.Begin(ctx, made); err != nil {
					t.Error(err)
				}
				if err := store.End(ctx, made, succeeded()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	require.NotNil(t, store.statements.compiled[planSelection+`WHERE hash = ?`])
	require.NoError(t, store.Close())
}
