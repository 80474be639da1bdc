package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/preview"
)

// planned is what a preview of the tool import makes.
func planned(body string) gate.Plan {
	return gate.Plan{
		Tool: "import", Digest: "sha256:a", Mode: "implement", Actor: "tester", Call: "preview-1", Body: []byte(body),
		Recorded: map[string]string{"/document": `"d"`}, TTL: time.Hour,
	}
}

// kept keeps a plan, and returns what its commit asks for.
func kept(t testing.TB, store *Store, body string) gate.Commitment {
	t.Helper()
	made, err := store.Keep(context.Background(), planned(body))
	require.NoError(t, err)
	return gate.Commitment{Handle: made.Handle, Confirmed: true, Tool: "import", Digest: "sha256:a", Mode: "implement", Call: "call-" + made.Handle[:4]}
}

// begun keeps a plan and begins to carry it out.
func begun(t testing.TB, store *Store, key string) gate.Commitment {
	t.Helper()
	c := kept(t, store, `{"a":1}`)
	c.Key = key
	require.NoError(t, store.Begin(context.Background(), c))
	return c
}

func succeeded() gate.Ending {
	return gate.Ending{Output: []byte(`{"result_type":"committed","result":{"made": 2}}`)}
}

func requireCode(t require.TestingT, code gate.Code, err error) *gate.Refusal {
	var refusal *gate.Refusal
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, code, refusal.Code, "%v", err)
	return refusal
}

// refusedEverywhere holds that a commitment is refused alike by whatever wants a
// plan that is ready.
func refusedEverywhere(t *testing.T, store *Store, c gate.Commitment, code gate.Code) *gate.Refusal {
	t.Helper()
	ctx := context.Background()
	requireCode(t, code, store.Begin(ctx, c))
	requireCode(t, code, store.Hold(ctx, c, time.Now().Add(time.Hour)))
	stored, err := store.Find(ctx, c)
	require.Zero(t, stored)
	return requireCode(t, code, err)
}

func TestINV6_APlanIsFoundAsItWasKept(t *testing.T) {
	ctx, clock := context.Background(), newClock()
	store := openStore(t, newFolder(t), clock.now)
	for _, body := range []string{`{"items":[1, 2],"n":9007199254740993}`, "\x00\xff", "", strings.Repeat("x", maxPlan)} {
		plan := planned(body)
		made, err := store.Keep(ctx, plan)
		require.NoError(t, err)
		require.Equal(t, clock.now().Add(time.Hour).UTC(), made.ExpiresAt)
		require.GreaterOrEqual(t, len(made.Handle), 26, "128 bits and more")
		c := gate.Commitment{Handle: made.Handle, Tool: "import", Digest: "sha256:a", Call: "c"}
		for range 2 {
			stored, err := store.Find(ctx, c)
			require.NoError(t, err)
			require.Equal(t, body, string(stored.Body))
			require.Equal(t, plan.Recorded, stored.Recorded)
			require.Nil(t, stored.Ending)
		}
	}
}

// The store does not hold what lets a plan be carried out.
func TestINV6_OnlyTheHashOfAHandleIsKept(t *testing.T) {
	folder := newFolder(t)
	store := openStore(t, folder, nil)
	c := begun(t, store, "key")
	require.NoError(t, store.End(context.Background(), c, succeeded()))
	ready := kept(t, store, "{}")
	require.NoError(t, store.Close())
	content, err := os.ReadFile(filepath.Join(folder.Path(), FileName))
	require.NoError(t, err)
	sum := sha256.Sum256([]byte(ready.Handle))
	require.Contains(t, string(content), string(sum[:]))
	require.NotContains(t, string(content), ready.Handle)
	require.NotContains(t, string(content), c.Handle)
	require.NotContains(t, string(content), hex.EncodeToString([]byte(c.Handle)))
}

func TestINV6_HandlesAreToldApart(t *testing.T) {
	ctx := context.Background()
	store := openStore(t, newFolder(t), nil)
	c := kept(t, store, "{}")
	for _, invented := range []string{"", "x", c.Handle + " ", strings.ToLower(c.Handle), c.Handle[:25], "'; DROP TABLE plans; --", "\x00", strings.Repeat("A", 1<<20)} {
		other := c
		other.Handle = invented
		refusal := refusedEverywhere(t, store, other, gate.HandleUnknown)
		require.Less(t, len(refusal.Message), 200)
	}
	wrong := c
	wrong.Tool = "export"
	require.Contains(t, refusedEverywhere(t, store, wrong, gate.HandleWrongKind).Message, `"import"`)
	newer := c
	newer.Digest = "sha256:b"
	require.Contains(t, refusedEverywhere(t, store, newer, gate.HandleStale).Message, "sha256:a")

	stored, err := store.Find(ctx, c)
	require.NoError(t, err)
	require.Equal(t, "{}", string(stored.Body))
	elsewhere := c
	elsewhere.Mode = "review"
	_, err = store.Find(ctx, elsewhere)
	require.NoError(t, err, "a handle is not bound to a mode")
}

func TestINV6_APlanIsCarriedOutOnce(t *testing.T) {
	ctx := context.Background()
	folder := newFolder(t)
	store, other := openStore(t, folder, nil), openStore(t, folder, nil)
	c := kept(t, store, "{}")
	require.NoError(t, store.Begin(ctx, c))
	again := c
	again.Call = "another"
	for _, from := range []*Store{store, other} {
		refusal := refusedEverywhere(t, from, again, gate.CommitInProgress)
		require.True(t, refusal.Retryable)
		require.Contains(t, refusal.Message, c.Call)
	}
	require.NoError(t, store.End(ctx, c, succeeded()))
	for _, key := range []string{"", "a key"} {
		again.Key = key
		refusal := refusedEverywhere(t, other, again, gate.HandleUsed)
		require.Contains(t, refusal.Message, "by call "+c.Call+", and succeeded")
		require.Regexp(t, `at 20\d\d-\d\d-\d\dT`, refusal.Message)
	}
	require.Error(t, store.End(ctx, c, succeeded()), "it has ended")
	require.Error(t, store.Release(ctx, c))
}

func TestINV6_AnEndingIsHandedOutAsItWas(t *testing.T) {
	ctx := context.Background()
	folder := newFolder(t)
	store := openStore(t, folder, nil)
	partial := gate.Refuse(gate.CommitPartial, "so far: \xff")
	partial.Partial = &gate.Partial{Message: "the tracker\x00 is full", Finished: []string{"a", "\xfe"}, Failed: []gate.FailedItem{{Item: "b", Reason: "f\u2028ull"}}}
	nothing := gate.Refuse(gate.CommitPartial, "nothing")
	nothing.Partial = &gate.Partial{Finished: []string{}}
	own := &gate.Refusal{Code: "TRACKER_DOWN", Message: "down", Next: "wait", Retryable: true, Output: []byte(`{"a":1}`),
		Approval: &gate.Approval{ID: "i", Provider: "queue", Decision: "approved", Reason: "<&>"}}
	for status, endings := range map[preview.Status][]gate.Ending{
		preview.Committed: {succeeded(), {Output: []byte("\x00\xff")}, {Output: []byte{}}, {Output: []byte(strings.Repeat("y", maxEnding))}},
		preview.Partial:   {{Refusal: partial}, {Refusal: nothing}},
		preview.Failed:    {{Refusal: gate.Refuse(gate.HandlerFailed, "it failed")}, {Refusal: own}},
	} {
		for i, ending := range endings {
			c := begun(t, store, string(status)+string(rune('a'+i)))
			require.NoError(t, store.End(ctx, c, ending))
			for range 3 {
				c.Call = "again"
				stored, err := store.Find(ctx, c)
				require.NoError(t, err)
				require.Equal(t, gate.Stored{Ending: &ending}, stored)
				require.NoError(t, store.Close())
				store = openStore(t, folder, nil)
				requireCode(t, gate.HandleUsed, store.Begin(ctx, c))
			}
			commits, err := store.Commits(ctx, CommitFilter{Limit: 1})
			require.NoError(t, err)
			require.Equal(t, status, commits[0].Status)
			require.Equal(t, &ending, commits[0].Ending)
			c.Key = ""
			_, err = store.Find(ctx, c)
			refusal := requireCode(t, gate.HandleUsed, err)
			if ending.Refusal != nil {
				require.Contains(t, refusal.Message, string(ending.Refusal.Code))
			}
		}
	}
}

func TestINV6_AKeyBelongsToOneHandle(t *testing.T) {
	ctx := context.Background()
	store := openStore(t, newFolder(t), nil)
	first := begun(t, store, "k")
	second := kept(t, store, "{}")
	second.Key = "k"
	refusedEverywhere(t, store, second, gate.KeyReused)
	requireCode(t, gate.CommitInProgress, func() error { _, err := store.Find(ctx, first); return err }())
	require.NoError(t, store.Release(ctx, first))
	require.NoError(t, store.Begin(ctx, second), "what was given back used no key")
	require.NoError(t, store.End(ctx, second, succeeded()))
	refusedEverywhere(t, store, first, gate.KeyReused)
	other := planned("{}")
	other.Tool = "export"
	made, err := store.Keep(ctx, other)
	require.NoError(t, err)
	export := gate.Commitment{Handle: made.Handle, Key: "k", Tool: "export", Digest: "sha256:a", Call: "c"}
	require.NoError(t, store.Begin(ctx, export), "another tool has keys of its own")
	first.Key = ""
	require.NoError(t, store.Begin(ctx, first))
}

func TestINV6_OnlyTheCallThatBeganGivesBackOrEnds(t *testing.T) {
	ctx := context.Background()
	store := openStore(t, newFolder(t), nil)
	c := begun(t, store, "k")
	for _, spoil := range []func(*gate.Commitment){
		func(c *gate.Commitment) { c.Call = "another" }, func(c *gate.Commitment) { c.Call = "" },
		func(c *gate.Commitment) { c.Tool = "export" }, func(c *gate.Commitment) { c.Handle = "x" },
	} {
		other := c
		spoil(&other)
		requireReason(t, BadRequest, store.Release(ctx, other))
		requireReason(t, BadRequest, store.End(ctx, other, succeeded()))
	}
	require.NoError(t, store.Release(ctx, c))
	requireReason(t, BadRequest, store.End(ctx, c, succeeded()))
	stored, err := store.Find(ctx, c)
	require.NoError(t, err)
	require.Equal(t, `{"a":1}`, string(stored.Body))
	require.NoError(t, store.Begin(ctx, c))
	require.NoError(t, store.End(ctx, c, succeeded()))
}

func TestWhatCannotBeKeptOfAPlanIsRefused(t *testing.T) {
	ctx := context.Background()
	store := openStore(t, newFolder(t), nil)
	large := planned(strings.Repeat("x", maxPlan+1))
	_, err := store.Keep(ctx, large)
	requireCode(t, gate.PlanTooLarge, err)
	large = planned("{}")
	large.Recorded = map[string]string{"/a": strings.Repeat("x", maxPlan)}
	_, err = store.Keep(ctx, large)
	requireCode(t, gate.PlanTooLarge, err)
	for reason, spoil := range map[Reason][]func(*gate.Plan){
		BadRequest: {
			func(p *gate.Plan) { p.Tool = "" }, func(p *gate.Plan) { p.Digest = "" }, func(p *gate.Plan) { p.Call = "" },
			func(p *gate.Plan) { p.TTL = 0 }, func(p *gate.Plan) { p.TTL = -1 }, func(p *gate.Plan) { p.Recorded = map[string]string{"\xff": ""} },
		},
		TooLarge: {func(p *gate.Plan) { p.Actor = strings.Repeat("x", maxName+1) }, func(p *gate.Plan) { p.Tool = strings.Repeat("x", maxName+1) }},
	} {
		for _, spoil := range spoil {
			plan := planned("{}")
			spoil(&plan)
			_, err := store.Keep(ctx, plan)
			requireReason(t, reason, err)
		}
	}
	c := kept(t, store, "{}")
	for reason, spoil := range map[Reason]func(*gate.Commitment){
		BadRequest: func(c *gate.Commitment) { c.Call = "" }, TooLarge: func(c *gate.Commitment) { c.Key = strings.Repeat("k", maxName+1) },
	} {
		other := c
		spoil(&other)
		requireReason(t, reason, store.Begin(ctx, other))
	}
	require.NoError(t, store.Begin(ctx, c))
	requireReason(t, TooLarge, store.End(ctx, c, gate.Ending{Output: make([]byte, maxEnding+1)}))
	requireReason(t, TooLarge, store.End(ctx, c, gate.Ending{Refusal: gate.Refuse(gate.HandlerFailed, "%s", strings.Repeat("x", maxEnding))}))
	requireReason(t, BadRequest, store.End(ctx, c, gate.Ending{}))
	requireReason(t, BadRequest, store.End(ctx, c, gate.Ending{Output: []byte("{}"), Refusal: gate.Refuse(gate.HandlerFailed, "x")}))
	_, err = store.Find(ctx, c)
	requireCode(t, gate.CommitInProgress, err)
	require.NoError(t, store.End(ctx, c, succeeded()), "nothing was lost by what could not be kept")
}

func TestPlansThatWaitAreBounded(t *testing.T) {
	ctx := context.Background()
	store := unsynced(t, openStore(t, newFolder(t), nil))
	c := kept(t, store, "{}")
	for range maxReady - 1 {
		kept(t, store, "{}")
	}
	_, err := store.Keep(ctx, planned("{}"))
	requireCode(t, gate.PlanStoreFailed, err)
	require.NoError(t, store.Begin(ctx, c))
	kept(t, store, "{}")
	require.NoError(t, store.Release(ctx, c), "what was begun can be given back all the same")

	store = unsynced(t, openStore(t, newFolder(t), nil))
	for range maxReadySize / maxPlan {
		kept(t, store, strings.Repeat("x", maxPlan))
	}
	_, err = store.Keep(ctx, planned(strings.Repeat("x", maxPlan)))
	requireCode(t, gate.PlanStoreFailed, err)
}

// Nothing leads back, even for statements that forget to ask.
func TestINV6_WhatBecameOfAPlanStaysAsItIs(t *testing.T) {
	ctx := context.Background()
	store := openStore(t, newFolder(t), nil)
	ended := begun(t, store, "a")
	require.NoError(t, store.End(ctx, ended, succeeded()))
	running, ready := begun(t, store, "b"), kept(t, store, "{}")
	for _, each := range []struct {
		of        gate.Commitment
		statement string
	}{
		{ended, `UPDATE plans SET status = 'ready', ended_at = 0, begun_at = 0 WHERE hash = ?`},
		{ended, `UPDATE plans SET status = 'begun', ended_at = 0 WHERE hash = ?`},
		{ended, `UPDATE plans SET status = 'failed' WHERE hash = ?`},
		{ended, `UPDATE plans SET begun_by = x'00' WHERE hash = ?`},
		{ended, `UPDATE plans SET outcome = 'done' WHERE hash = ?`},
		{ended, `UPDATE endings SET output = x'00' WHERE plan = (SELECT seq FROM plans WHERE hash = ?)`},
		{running, `UPDATE plans SET key = x'' WHERE hash = ?`},
		{running, `UPDATE plans SET owner = x'00' WHERE hash = ?`},
		{running, `UPDATE plans SET expires_at = expires_at + 1 WHERE hash = ?`},
		{running, `UPDATE plans SET status = 'resolved', outcome = 'done', ended_at = 1 WHERE hash = ?`},
		{running, `UPDATE plans SET status = 'expired', ended_at = 1, begun_at = 0 WHERE hash = ?`},
		{running, `DELETE FROM plans WHERE hash = ?`},
		{ready, `UPDATE plans SET status = 'committed', ended_at = 1, begun_at = 1 WHERE hash = ?`},
		{ready, `UPDATE plans SET tool = x'00' WHERE hash = ?`},
		{ready, `UPDATE plans SET digest = x'00' WHERE hash = ?`},
		{ready, `UPDATE plans SET made_at = made_at + 1 WHERE hash = ?`},
		{ready, `UPDATE plans SET expires_at = expires_at - 1 WHERE hash = ?`},
		{ready, `UPDATE plans SET expires_at = made_at + 172800000000001 WHERE hash = ?`},
		{ready, `UPDATE bodies SET body = x'00' WHERE plan = (SELECT seq FROM plans WHERE hash = ?)`},
		{ready, `DELETE FROM bodies WHERE plan = (SELECT seq FROM plans WHERE hash = ?)`},
		{ready, `DELETE FROM plans WHERE hash = ?`},
	} {
		_, err := store.db.ExecContext(ctx, each.statement, hashed(each.of.Handle))
		require.ErrorContains(t, err, "stays as it is", each.statement)
	}
	_, err := store.db.ExecContext(ctx, `UPDATE plans SET status = 'begun' WHERE hash = ?`, hashed(ready.Handle))
	require.ErrorContains(t, err, "CHECK constraint failed")
}

// bodies counts the plans whose content is still kept.
func bodies(t testing.TB, store *Store) (count int) {
	t.Helper()
	require.NoError(t, store.db.QueryRowContext(context.Background(), `SELECT count(*) FROM bodies`).Scan(&count))
	return count
}

func TestAPlanIsDeletedWithItsEnd(t *testing.T) {
	ctx, clock := context.Background(), newClock()
	store := openStore(t, newFolder(t), clock.now)
	c := begun(t, store, "")
	require.Equal(t, 1, bodies(t, store))
	require.NoError(t, store.End(ctx, c, succeeded()))
	require.Zero(t, bodies(t, store))
	kept(t, store, "{}")
	_, err := store.Void(ctx, "sha256:b")
	require.NoError(t, err)
	require.Zero(t, bodies(t, store))
	kept(t, store, "{}")
	clock.forward(time.Hour)
	_, err = store.Find(ctx, c)
	requireCode(t, gate.HandleUsed, err)
	require.Zero(t, bodies(t, store))
}

func TestINV6_AnAdoptedProtocolLeavesNoPlanOfAnother(t *testing.T) {
	ctx := context.Background()
	store := openStore(t, newFolder(t), nil)
	old, running, ended := kept(t, store, "{}"), begun(t, store, "r"), begun(t, store, "e")
	require.NoError(t, store.End(ctx, ended, succeeded()))
	other := planned("{}")
	other.Digest = "sha256:b"
	made, err := store.Keep(ctx, other)
	require.NoError(t, err)
	voided, err := store.Void(ctx, "sha256:b")
	require.NoError(t, err)
	require.Equal(t, Voided{Plans: 1}, voided)
	refusedEverywhere(t, store, old, gate.HandleStale)
	_, err = store.Find(ctx, gate.Commitment{Handle: made.Handle, Tool: "import", Digest: "sha256:b"})
	require.NoError(t, err)
	refusedEverywhere(t, store, running, gate.CommitInProgress)
	ended.Digest = "sha256:b"
	refusedEverywhere(t, store, ended, gate.HandleUsed)
	running.Digest = "sha256:b"
	_, err = store.Find(ctx, running)
	requireCode(t, gate.CommitInProgress, err)
}

// A store of the version before holds requests and no plans.
func TestAnOlderStoreIsBroughtToThisVersion(t *testing.T) {
	ctx, folder := context.Background(), named(t)
	store := openStore(t, folder, nil)
	request := approved(t, store, "a")
	require.NoError(t, store.Close())
	altered(t, folder, `DROP TABLE endings; DROP TABLE bodies; DROP TABLE plans; PRAGMA user_version = 1`)
	opened, err := OpenPlans(ctx, folder)
	require.NoError(t, err)
	defer opened.Close()
	_, err = opened.Keep(ctx, planned("{}"))
	require.NoError(t, err)
	_, err = openStore(t, folder, nil).Claim(ctx, request.ID, request.Binding, "call")
	require.NoError(t, err)

	altered(t, folder, `DROP TABLE endings; PRAGMA user_version = 1`)
	_, err = OpenPlans(ctx, folder)
	requireReason(t, Damaged, err)
}
