package store

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/gate"
)

// What a plan held is in no file any more once the plan is over: not in free
// pages, and in the write-ahead log no longer than that is used.
func TestINV6_WhatAPlanHeldIsOverwritten(t *testing.T) {
	ctx, clock, folder := context.Background(), newClock(), newFolder(t)
	store := openStore(t, folder, clock.now)
	for _, size := range []int{1, 3000} { // in a page with others, and in pages of its own
		secret := strings.Repeat("the secret of a plan ", size)
		ended, expires := kept(t, store, secret), kept(t, store, secret)
		other := kept(t, store, "{}")
		require.NoError(t, store.Begin(ctx, ended))
		require.NoError(t, store.End(ctx, ended, succeeded()))
		clock.forward(time.Hour)
		_, err := store.Find(ctx, expires)
		requireCode(t, gate.HandleExpired, err)
		_, err = store.Find(ctx, other)
		requireCode(t, gate.HandleExpired, err)
	}
	require.NoError(t, store.Close())
	for _, name := range append(beside(), FileName) {
		content, err := os.ReadFile(filepath.Join(folder.Path(), name))
		if err == nil {
			require.NotContains(t, string(content), "the secret of a plan", name)
		}
	}
}
