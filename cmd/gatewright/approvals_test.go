package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/state"
	"github.com/gatewright/gatewright/runtime/store"
)

// TestApprovalScripts runs the scripts that need requests in a store:
//
//	ask STATE ID TOOL ARGUMENTS [FIELD=VALUE]...
//	rule STATE ID STATUS [REASON]
//	claim STATE ID
func TestApprovalScripts(t *testing.T) {
	at := func(ts *testscript.TestScript, dir string, do func(ctx context.Context, t *tray) error) {
		tray, err := openTray(context.Background(), ts.MkAbs(dir), ts.MkAbs("ws"))
		ts.Check(err)
		ts.Check(errors.Join(do(context.Background(), tray), tray.store.Close(), tray.folder.Close()))
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/approvals", UpdateScripts: os.Getenv("UPDATE") != "", RequireExplicitExec: true, RequireUniqueNames: true,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"ask": func(ts *testscript.TestScript, _ bool, args []string) {
				at(ts, args[0], func(ctx context.Context, t *tray) error {
					_, err := t.ask(ctx, args[2], args[3], func(r *approval.Request) {
						r.ID = args[1]
						for _, field := range args[4:] {
							set(r, field)
						}
					})
					return err
				})
			},
			"rule": func(ts *testscript.TestScript, _ bool, args []string) {
				at(ts, args[0], func(ctx context.Context, t *tray) error {
					ruling := approval.Ruling{Status: approval.Status(args[2]), Provider: "queue", Approver: "ada (uid 7) on here at /dev/pts/1"}
					if len(args) > 3 {
						ruling.Reason = args[3]
					}
					_, err := t.store.Decide(ctx, args[1], ruling)
					return err
				})
			},
			"claim": func(ts *testscript.TestScript, _ bool, args []string) {
				at(ts, args[0], func(ctx context.Context, t *tray) error {
					request, err := t.store.Get(ctx, args[1])
					if err != nil {
						return err
					}
					_, err = t.store.Claim(ctx, args[1], request.Binding, "call-used")
					return err
				})
			},
		},
	})
}

func set(r *approval.Request, field string) {
	name, value, _ := strings.Cut(field, "=")
	switch name {
	case "actor":
		r.Actor = value
	case "shown":
		r.Shown = value
	case "digest":
		r.Digest = value
	case "subject":
		r.Subject = value
	}
}

// Everything of the JSON is there, whatever the request holds.
func TestApprovalJSONHasEveryMember(t *testing.T) {
	tray := newTray(t)
	hostile := "\x1b]0;x\a\u202e\"\\\n</script>"
	quoted, err := json.Marshal(hostile)
	require.NoError(t, err)
	request := tray.mustAsk(t, hostile, `{"big":9007199254740993,"exact":1.10,"text":`+string(quoted)+`}`, func(r *approval.Request) { r.Actor = hostile })
	drawer := &drawer{folder: tray.folder, store: tray.store}
	var out bytes.Buffer
	require.NoError(t, printJSON(&out, listOf([]item{{request, drawer}}, []problem{{"/x", errors.New(hostile)}})))
	require.NotContains(t, out.String(), "\x1b")
	require.NotContains(t, out.String(), "\u202e")
	var got struct {
		V         int
		Approvals []map[string]json.RawMessage
		Problems  []problemJSON
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &got))
	require.Equal(t, 1, got.V)
	require.Equal(t, []problemJSON{{"/x", hostile}}, got.Problems)
	one := got.Approvals[0]
	for name := range strings.FieldsSeq(`id status protocol digest mode tool actor session workspace call binding subject why provider approver
		reason used_by state_dir asked_at expires_at decided_at used_at arguments shown by round`) {
		require.Contains(t, one, name)
		require.Contains(t, jsonShape, name)
	}
	require.Len(t, one, 26)
	require.Contains(t, string(one["arguments"]), "9007199254740993")
	require.Contains(t, string(one["arguments"]), "1.10")
	require.Equal(t, "null", string(one["decided_at"]))
	require.Equal(t, "null", string(one["shown"]))
	var actor string
	require.NoError(t, json.Unmarshal(one["actor"], &actor))
	require.Equal(t, hostile, actor)
	var asked time.Time
	require.NoError(t, json.Unmarshal(one["asked_at"], &asked))
	require.Equal(t, request.AskedAt.UTC(), asked)
}

func TestBadFoldersHideNoOther(t *testing.T) {
	good, damaged, open := newTray(t), newTray(t), newTray(t)
	request := good.mustAsk(t, "release", `{}`, nil)
	for _, spoilt := range []*tray{damaged, open} {
		require.NoError(t, spoilt.store.Close())
	}
	require.NoError(t, os.WriteFile(filepath.Join(damaged.dir, store.FileName), bytes.Repeat([]byte("x"), 5000), 0o600))
	require.NoError(t, os.Chmod(open.dir, 0o755))
	missing := filepath.Join(t.TempDir(), "none")
	found := &desk{places: func() ([]state.Place, error) {
		var places []state.Place
		for _, dir := range []string{missing, damaged.dir, open.dir, good.dir} {
			place, err := state.PlaceAt(dir)
			require.NoError(t, err)
			places = append(places, place)
		}
		return places, nil
	}}
	require.NoError(t, found.scan(t.Context()))
	defer found.close()
	require.Len(t, found.problems, 3)
	for i, words := range []string{missing, "not a store", "lets other users in"} {
		require.Contains(t, found.problems[i].String(), words)
	}
	for range 2 {
		waiting := found.waiting(t.Context())
		require.Len(t, waiting, 1)
		require.Equal(t, request.ID, waiting[0].request.ID)
		require.NoError(t, found.scan(t.Context()))
	}
}

// A folder that is replaced while it is watched is opened anew.
func TestScanNoticesAnotherFolderInThePlace(t *testing.T) {
	first := newTray(t)
	first.mustAsk(t, "release", `{}`, nil)
	found, err := openDesk(t.Context(), first.dir)
	require.NoError(t, err)
	defer found.close()
	require.Len(t, found.waiting(t.Context()), 1)
	require.NoError(t, os.Rename(first.dir, first.dir+"-old"))
	second, err := openTray(t.Context(), first.dir, first.workspace)
	require.NoError(t, err)
	defer second.folder.Close()
	defer second.store.Close()
	second.mustAsk(t, "deploy", `{}`, nil)
	require.NoError(t, found.scan(t.Context()))
	waiting := found.waiting(t.Context())
	require.Len(t, waiting, 1)
	require.Equal(t, "deploy", waiting[0].request.Tool)
}

// So is a store that was moved away and made again.
func TestScanNoticesAnotherStoreInTheFolder(t *testing.T) {
	tray := newTray(t)
	tray.mustAsk(t, "release", `{}`, nil)
	found, err := openDesk(t.Context(), tray.dir)
	require.NoError(t, err)
	defer found.close()
	require.Len(t, found.waiting(t.Context()), 1)
	require.NoError(t, tray.store.Close())
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Rename(filepath.Join(tray.dir, store.FileName+suffix), filepath.Join(tray.dir, "old"+suffix)); suffix == "" {
			require.NoError(t, err)
		}
	}
	again, err := openTray(t.Context(), tray.dir, tray.workspace)
	require.NoError(t, err)
	defer again.folder.Close()
	defer again.store.Close()
	again.mustAsk(t, "deploy", `{}`, nil)
	found.waiting(t.Context())
	require.NotEmpty(t, found.problems)
	require.NoError(t, found.scan(t.Context()))
	waiting := found.waiting(t.Context())
	require.Empty(t, found.problems)
	require.Len(t, waiting, 1)
	require.Equal(t, "deploy", waiting[0].request.Tool)
}

func TestShortIDsTellApart(t *testing.T) {
	items := func(ids ...string) (all []item) {
		for _, id := range ids {
			all = append(all, item{request: approval.Request{ID: id}})
		}
		return all
	}
	require.Equal(t, []string{"bbbbbbbb", "aaaaaaaaa1", "aaaaaaaaa2", "c"}, shortIDs(items("bbbbbbbbbb", "aaaaaaaaa1x", "aaaaaaaaa2x", "c")))
}

func TestRequestOfAnotherProtocolIsNotDecided(t *testing.T) {
	tray := newTray(t)
	request := tray.mustAsk(t, "release", `{}`, func(r *approval.Request) { r.Protocol = "other" })
	desk, err := openDesk(t.Context(), tray.dir)
	require.NoError(t, err)
	defer desk.close()
	_, err = desk.drawers[0].settle(t.Context(), request, approval.StatusApproved, "")
	require.ErrorContains(t, err, "belongs to notes")
	require.Equal(t, approval.StatusPending, tray.get(t, request.ID).Status)
	require.Empty(t, tray.decisions(t))
}

// What was shown is what is decided: whatever moved since is looked at again.
func TestINV5_ARequestThatChangedSinceItWasShownIsNotDecided(t *testing.T) {
	tray := newTray(t)
	desk, err := openDesk(t.Context(), tray.dir)
	request := tray.mustAsk(t, "release", `{"v":1}`, nil)
	require.NoError(t, err)
	defer desk.close()
	for name, change := range map[string]func(*approval.Request){
		"arguments": func(r *approval.Request) { r.Arguments = []byte(`{"v":2}`) },
		"tool":      func(r *approval.Request) { r.Tool = "look" },
		"shown":     func(r *approval.Request) { r.Shown = `{}` },
		"binding":   func(r *approval.Request) { r.Binding = "" },
		"expiry":    func(r *approval.Request) { r.ExpiresAt = r.ExpiresAt.Add(1) },
	} {
		shown := request
		change(&shown)
		_, err = desk.drawers[0].settle(t.Context(), shown, approval.StatusApproved, "")
		require.ErrorContains(t, err, "no longer as it was shown", name)
	}
	require.Empty(t, tray.decisions(t))
	_, err = tray.store.Put(t.Context(), request.ID)
	require.NoError(t, err)
	decided, err := desk.drawers[0].settle(t.Context(), request, approval.StatusApproved, "fine")
	require.NoError(t, err, "a question put through a client changes nothing of what is decided")
	require.Equal(t, approval.StatusApproved, decided.Status)
}

// What cannot be written down first is not decided.
func TestINV3_NoEntryNoDecision(t *testing.T) {
	tray := newTray(t)
	request := tray.mustAsk(t, "release", `{}`, nil)
	desk, err := openDesk(t.Context(), tray.dir)
	require.NoError(t, err)
	defer desk.close()
	log := filepath.Join(tray.dir, "audit.jsonl")
	text, err := os.ReadFile(log)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(log, append([]byte("damage\n"), text...), 0o600))
	_, err = desk.drawers[0].settle(t.Context(), request, approval.StatusApproved, "")
	require.ErrorContains(t, err, "nothing was decided, because it could not be written down first")
	require.Equal(t, approval.StatusPending, tray.get(t, request.ID).Status)

	require.NoError(t, os.WriteFile(log, text, 0o600))
	_, err = desk.drawers[0].settle(t.Context(), request, approval.StatusApproved, "")
	require.NoError(t, err, "the control")
	require.Len(t, tray.decisions(t), 1)
}

func TestWhoDecidesIsBoundedAndQuotesNames(t *testing.T) {
	long := make([]ancestor, 200)
	for i := range long {
		long[i] = ancestor{name: strings.Repeat("x", 15), pid: 100000 + i}
	}
	for _, each := range []struct {
		person, host, terminal string
		ancestry               []ancestor
		want                   string
	}{
		{"alice (uid 1000)", "host", "/dev/pts/3", []ancestor{{"bash", 123}, {"sshd", 99}}, "alice (uid 1000) on host at /dev/pts/3, by bash(123) < sshd(99)"},
		{"uid 7", "host", "x", []ancestor{{"", 5}}, `"uid 7" on host at x, by process(5)`},
		{"a (uid 1)", "h\x1b", "x", []ancestor{{"sh(1) < init", 5}, {"a\n\"b", 6}}, `a (uid 1) on "h\u001b" at x, by "sh(1) < init"(5) < "a\n\"b"(6)`},
	} {
		require.Equal(t, each.want, nameOf(each.person)+" on "+whereabouts(each.host, each.terminal, each.ancestry))
	}
	require.LessOrEqual(t, len(nameOf(strings.Repeat("p", 999))), 110)
	many := whereabouts(strings.Repeat("h", 999), strings.Repeat("t", 999), long)
	require.LessOrEqual(t, len(many), maxWhere)
	require.True(t, strings.HasSuffix(many, " < …"), many)
	require.Contains(t, whereabouts("h", "t", ancestors()), fmt.Sprintf("(%d)", os.Getppid()))
}
