package store

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/preview"
)

func TestAPlanLivesToTheLastNanosecond(t *testing.T) {
	ctx, clock := context.Background(), newClock()
	store := openStore(t, newFolder(t), clock.now)
	first, second := kept(t, store, "{}"), kept(t, store, "{}")
	clock.forward(time.Hour - 1)
	require.NoError(t, store.Begin(ctx, first))
	clock.forward(1)
	refusal := refusedEverywhere(t, store, second, gate.HandleExpired)
	require.Contains(t, refusal.Message, "until 2026-05-01T13:00:00Z")
	require.NoError(t, store.End(ctx, first, succeeded()), "what was begun in time may end later")
}

// Whatever is done first once the time of a plan has come, the plan is over,
// and the clock cannot bring it back.
func TestINV6_APlanThatIsOverStaysOver(t *testing.T) {
	ctx, clock := context.Background(), newClock()
	store := openStore(t, newFolder(t), clock.now)
	request := pending(t, store, "a")
	ways := ways(store, request)
	ways["keep a plan"] = func(ctx context.Context) error { _, err := store.Keep(ctx, planned("{}")); return err }
	ways["commits"] = func(ctx context.Context) error { _, err := store.Commits(ctx, CommitFilter{}); return err }
	ways["find nothing"] = func(ctx context.Context) error { _, err := store.Find(ctx, gate.Commitment{}); return err }
	for name, do := range ways {
		c := kept(t, store, "{}")
		clock.forward(time.Hour)
		_ = do(ctx)
		clock.forward(-time.Hour + time.Second)
		refusedEverywhere(t, store, c, gate.HandleExpired)
		require.NotEmpty(t, name)
	}
}

// A clock that is set back would let a plan live for as long again.
func TestINV6_AClockSetBackGivesAPlanNoMoreTime(t *testing.T) {
	ctx, clock := context.Background(), newClock()
	store := openStore(t, newFolder(t), clock.now)
	c := kept(t, store, "{}")
	clock.forward(-backwards)
	_, err := store.Find(ctx, c)
	require.NoError(t, err, "a clock may be corrected a little")
	clock.forward(-1)
	refusedEverywhere(t, store, c, gate.HandleExpired)
	clock.forward(backwards + 1)
	refusedEverywhere(t, store, c, gate.HandleExpired)
}

// A clock that jumps forward takes that much time from a plan, and no more.
func TestAClockSetForwardTakesWhatItJumped(t *testing.T) {
	ctx, clock := context.Background(), newClock()
	store := openStore(t, newFolder(t), clock.now)
	c := kept(t, store, "{}")
	clock.forward(30 * time.Minute)
	_, err := store.Find(ctx, c)
	require.NoError(t, err)
	clock.forward(30*time.Minute - 1)
	require.NoError(t, store.Begin(ctx, c))
}

func TestWaitingKeepsAPlanForTwoDaysAtMost(t *testing.T) {
	ctx, clock := context.Background(), newClock()
	store := openStore(t, newFolder(t), clock.now)
	start := clock.now()
	c := kept(t, store, "{}")
	require.NoError(t, store.Hold(ctx, c, time.Time{}))
	require.NoError(t, store.Hold(ctx, c, start.Add(time.Minute)))
	clock.forward(time.Hour - 1)
	_, err := store.Find(ctx, c)
	require.NoError(t, err, "it is never shortened")
	require.NoError(t, store.Hold(ctx, c, start.Add(2*time.Hour)))
	clock.forward(time.Hour)
	_, err = store.Find(ctx, c)
	require.NoError(t, err)
	require.NoError(t, store.Hold(ctx, c, start.Add(100*time.Hour)))
	clock.at.Store(start.Add(preview.MaxHeld - 1).UnixNano())
	require.NoError(t, store.Hold(ctx, c, start.Add(200*time.Hour)))
	clock.forward(1)
	refusedEverywhere(t, store, c, gate.HandleExpired)
	require.Error(t, store.Hold(ctx, c, start.Add(300*time.Hour)))
}

// Whoever is asked as late as can be has all of the time of an approval.
func TestINV5_APlanLivesAsLongAsTheApprovalOfIt(t *testing.T) {
	ctx, clock := context.Background(), newClock()
	store := openStore(t, newFolder(t), clock.now)
	plan := planned("{}")
	plan.TTL = preview.MaxTTL
	made, err := store.Keep(ctx, plan)
	require.NoError(t, err)
	c := gate.Commitment{Handle: made.Handle, Tool: "import", Digest: "sha256:a", Mode: "implement", Call: "call"}
	clock.forward(preview.MaxTTL - 1)
	require.NoError(t, store.Hold(ctx, c, clock.now().Add(approval.MaxTTL)))
	clock.forward(approval.MaxTTL - 1)
	require.NoError(t, store.Begin(ctx, c))
}

func TestTheTimeOfAPlanIsBounded(t *testing.T) {
	clock := newClock()
	store := openStore(t, newFolder(t), clock.now)
	plan := planned("{}")
	plan.TTL = 1 << 62
	made, err := store.Keep(context.Background(), plan)
	require.NoError(t, err)
	require.Equal(t, clock.now().Add(preview.MaxTTL).UTC(), made.ExpiresAt)
}

func TestINV4_AnImpossibleClockIsANoForPlans(t *testing.T) {
	ctx, clock := context.Background(), newClock()
	store := openStore(t, newFolder(t), clock.now)
	c := kept(t, store, "{}")
	right := clock.at.Load()
	for _, wrong := range []int64{0, -1, -1 << 63, latest + 1, 1<<63 - 1} {
		clock.at.Store(wrong)
		_, err := store.Find(ctx, c)
		requireReason(t, BadClock, err)
		requireReason(t, BadClock, store.Begin(ctx, c))
		_, err = store.Keep(ctx, planned("{}"))
		requireReason(t, BadClock, err)
	}
	clock.at.Store(right)
	require.NoError(t, store.Begin(ctx, c))
}

// What is old goes a few at a time, the ending first: that there was a plan is
// known for a year and more.
func TestINV6_HandlesAreToldApartAfterPruning(t *testing.T) {
	ctx, clock := context.Background(), newClock()
	store := unsynced(t, openStore(t, newFolder(t), clock.now))
	used := begun(t, store, "k")
	require.NoError(t, store.End(ctx, used, succeeded()))
	running := begun(t, store, "r")
	expired := kept(t, store, "{}")
	clock.forward(2 * time.Hour)
	wrong := expired
	wrong.Tool = "export"
	next := kept(t, store, "{}")
	next.Key = "k"
	replay := func() *gate.Ending {
		stored, err := store.Find(ctx, used)
		require.NoError(t, err)
		return stored.Ending
	}
	clock.forward(keepEnding - 3*time.Hour)
	kept(t, store, "{}")
	require.Equal(t, succeeded(), *replay())
	clock.forward(2 * time.Hour)
	kept(t, store, "{}")

	apart := func() {
		t.Helper()
		refusal := refusedEverywhere(t, store, used, gate.HandleUsed)
		require.Contains(t, refusal.Message, "succeeded")
		refusedEverywhere(t, store, expired, gate.HandleExpired)
		refusedEverywhere(t, store, wrong, gate.HandleWrongKind)
		refusedEverywhere(t, store, next, gate.KeyReused)
		refusedEverywhere(t, store, running, gate.CommitInProgress)
		unknown := used
		unknown.Handle = "invented"
		refusedEverywhere(t, store, unknown, gate.HandleUnknown)
	}
	apart()
	clock.forward(366 * 24 * time.Hour)
	kept(t, store, "{}")
	apart()
	clock.forward(60 * 24 * time.Hour)
	kept(t, store, "{}")
	kept(t, store, "{}")
	refusedEverywhere(t, store, expired, gate.HandleUnknown)
	refusedEverywhere(t, store, used, gate.HandleUnknown)
	refusedEverywhere(t, store, running, gate.CommitInProgress)
}

// Pruning is bounded, and keeps up with what is added.
func TestPruningGoesInSteps(t *testing.T) {
	ctx, clock := context.Background(), newClock()
	store := unsynced(t, openStore(t, newFolder(t), clock.now))
	for range 20 {
		c := begun(t, store, "")
		require.NoError(t, store.End(ctx, c, succeeded()))
	}
	count := func(table string) (n int) {
		require.NoError(t, store.db.QueryRowContext(ctx, `SELECT count(*) FROM `+table).Scan(&n))
		return n
	}
	clock.forward(keepTombstone + time.Hour)
	for i := 1; i <= 5; i++ {
		kept(t, store, "{}")
		require.Equal(t, 20-i*step, count("endings"))
		require.Equal(t, 20-i*step+i, count("plans"))
	}
}
