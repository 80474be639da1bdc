package store

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/approval"
)

// bulky is a request with more details than are kept of one that has ended.
func bulky(name string) approval.Request {
	request := asked(name)
	request.Tool, request.Shown = name, `"`+strings.Repeat("x", maxText-2)+`"`
	return request
}

// bytesKept is how much there is of the details of all requests.
func bytesKept(t *testing.T, store *Store) (kept int) {
	t.Helper()
	require.NoError(t, store.db.QueryRow(`SELECT coalesce(sum(length(arguments) + length(shown)), 0) FROM details`).Scan(&kept))
	return kept
}

// What ended keeps what is small of the newest, and the rest of it goes.
func TestDetailsAreKeptWithinBounds(t *testing.T) {
	ctx := context.Background()
	store := unsynced(t, openStore(t, newFolder(t), nil))
	end := func(request approval.Request) {
		t.Helper()
		_, _, err := store.Ask(ctx, request, time.Hour)
		require.NoError(t, err)
		_, err = store.Decide(ctx, request.ID, approval.Ruling{Status: approval.StatusDenied})
		require.NoError(t, err)
	}
	big, small := bulky("big"), asked("small")
	end(big)
	end(small)
	pending(t, store, "next")
	found, err := store.Get(ctx, big.ID)
	require.NoError(t, err)
	require.Empty(t, found.Shown)
	require.Empty(t, found.Arguments)
	require.Equal(t, approval.StatusDenied, found.Status)
	found, err = store.Get(ctx, small.ID)
	require.NoError(t, err)
	require.Equal(t, small.Arguments, found.Arguments)

	for i := range keptEnded + 10 {
		end(asked("again " + strconv.Itoa(i)))
	}
	found, err = store.Get(ctx, small.ID)
	require.NoError(t, err)
	require.Empty(t, found.Arguments, "the newest are kept")
	waiting, err := store.Pending(ctx)
	require.NoError(t, err)
	require.NotEmpty(t, waiting[0].Arguments, "what is live stays, however old")
}

func TestWhatIsLiveIsBoundedInBytes(t *testing.T) {
	ctx := context.Background()
	store := unsynced(t, openStore(t, newFolder(t), nil))
	var last approval.Request
	for i := 0; ; i++ {
		request := bulky("tool " + strconv.Itoa(i))
		if _, _, err := store.Ask(ctx, request, time.Hour); err != nil {
			require.ErrorIs(t, err, approval.ErrFull)
			break
		}
		last = request
	}
	require.LessOrEqual(t, bytesKept(t, store), maxLive)
	require.Greater(t, bytesKept(t, store), maxLive-2*maxText)
	_, err := store.Decide(ctx, last.ID, approval.Ruling{Status: approval.StatusDenied})
	require.NoError(t, err)
	_, _, err = store.Ask(ctx, bulky("after"), time.Hour)
	require.NoError(t, err)
}

// A list of thousands does not read what each of them was about.
func TestABriefListReadsNoDetails(t *testing.T) {
	ctx := context.Background()
	store := openStore(t, newFolder(t), nil)
	request := pending(t, store, "a")
	_, err := store.db.Exec(`DELETE FROM details`)
	require.NoError(t, err)
	_, err = store.List(ctx, Filter{})
	require.Error(t, err)
	found, err := store.List(ctx, Filter{Brief: true})
	require.NoError(t, err)
	require.Equal(t, request.ID, found[0].ID)
	require.Empty(t, found[0].Arguments)
	found, err = store.Recent(ctx, request.Subject, "", time.Time{})
	require.NoError(t, err)
	require.Equal(t, request.ID, found[0].ID)
}
