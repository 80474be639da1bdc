//go:build unix

package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/preview"
	"github.com/gatewright/gatewright/runtime/state"
)

// A walker leads plans through their life, one step after the other, until it
// kills itself before a certain step or is killed. Handles are shared with the
// walkers that run at the same time and come after it. What it does to the world
// is a line in a file, which is there as soon as it is written.
type walker struct {
	store *Store
	rand  *rand.Rand
	name  string
	until int // steps
	step  int
	calls int
}

func walk(ctx context.Context, store *Store) error {
	seed, err := strconv.ParseUint(argument(0), 10, 64)
	if err != nil {
		return err
	}
	until, err := strconv.Atoi(argument(1))
	if err != nil {
		return err
	}
	w := &walker{store: store, rand: rand.New(rand.NewPCG(seed, 1)), name: argument(0), until: until}
	for {
		if err := w.next(ctx); err != nil {
			return err
		}
	}
}

// pace is one step: nothing comes after the last.
func (w *walker) pace() {
	if w.step++; w.step > w.until {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
	fmt.Println("step")
}

func world() string { return filepath.Join(filepath.Dir(stateOptions().Dir), "world") }

// leave puts a line into the world.
func leave(words ...string) error {
	file, err := os.OpenFile(world(), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(strings.Join(words, " ") + "\n")
	return errors.Join(err, file.Close())
}

// lines reads the world, by the first word of the lines.
func lines(path string) (map[string][][]string, error) {
	text, err := os.ReadFile(path)
	found := map[string][][]string{}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		found[words[0]] = append(found[words[0]], words[1:])
	}
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return found, err
}

func (w *walker) next(ctx context.Context) error {
	w.pace()
	there, err := lines(world())
	if err != nil {
		return err
	}
	handles := there["kept"]
	if len(handles) == 0 || w.rand.IntN(3) == 0 {
		return w.keep(ctx)
	}
	chosen := handles[max(0, len(handles)-1-w.rand.IntN(6))]
	w.calls++
	c := gate.Commitment{Handle: chosen[0], Tool: "import", Digest: "sha256:a", Mode: "m", Call: w.name + "." + strconv.Itoa(w.calls)}
	if w.rand.IntN(2) == 0 {
		c.Key = "key of " + c.Handle
	}
	return w.carryOut(ctx, c, chosen[1])
}

func (w *walker) keep(ctx context.Context) error {
	body := strconv.Itoa(w.rand.IntN(1 << 30))
	made, err := w.store.Keep(ctx, planned(body))
	if err != nil {
		return err
	}
	return leave("kept", made.Handle, body)
}

// carryOut does what a gate does with a commit.
func (w *walker) carryOut(ctx context.Context, c gate.Commitment, body string) error {
	stored, err := w.store.Find(ctx, c)
	if err != nil || stored.Ending != nil {
		return unlessRefused(err)
	}
	if string(stored.Body) != body {
		return fmt.Errorf("%s holds %q and not %q", c.Handle, stored.Body, body)
	}
	w.pace()
	if err := w.store.Hold(ctx, c, time.Now().Add(2*time.Hour)); err != nil {
		return unlessRefused(err)
	}
	w.pace()
	if err := leave("begins", c.Handle, c.Call); err != nil {
		return err
	}
	if err := w.store.Begin(ctx, c); err != nil {
		return unlessRefused(err)
	}
	w.pace()
	if w.rand.IntN(5) == 0 {
		return w.store.Release(ctx, c)
	}
	if err := leave("runs", c.Handle, c.Call); err != nil {
		return err
	}
	w.pace()
	if err := leave("ran", c.Handle, c.Call); err != nil {
		return err
	}
	w.pace()
	ending := endingOf(c.Handle)
	if err := w.store.End(ctx, c, ending); err != nil {
		return err
	}
	w.pace()
	return leave("ended", c.Handle, c.Call)
}

func endingOf(handle string) gate.Ending {
	if handle[0] < 'M' {
		return gate.Ending{Refusal: gate.Refuse(gate.HandlerFailed, "of %s", handle)}
	}
	return gate.Ending{Output: []byte(`"` + handle + `"`)}
}

func unlessRefused(err error) error {
	if refuses(err) {
		return nil
	}
	return err
}

// watch runs a walker to its death, and returns how many steps it went. Some
// kill themselves between two steps; others are killed at any instruction.
func watch(t *testing.T, folder *state.Folder, seed, until int, within bool) (steps int) {
	last := until
	if within {
		last = 1 << 30
	}
	command := child(folder, "walk", strconv.Itoa(seed), strconv.Itoa(last))
	out, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		t.Error(err)
		return 0
	}
	for said := bufio.NewScanner(out); said.Scan(); {
		if steps++; within && steps == until {
			_ = command.Process.Kill()
		}
	}
	err = command.Wait()
	if command.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Errorf("walker %d: %v", seed, err)
	}
	return steps
}

// A thousand processes are killed between any two steps of a plan's life, within
// them, and within a handler. No plan is carried out twice, none is lost, and of
// each it can be told what became of it.
func TestINV6_APlanRunsOnceAcrossKills(t *testing.T) {
	const stores, rounds = 10, 50
	for number := range stores {
		folder := newFolder(t)
		store := openStore(t, folder, nil)
		var mu sync.Mutex
		var all sync.WaitGroup
		total := 0
		for side := range 2 {
			all.Go(func() {
				for round := range rounds {
					seed := 2*(rounds*number+round) + side
					steps := watch(t, folder, seed, 15+(seed*7)%31, round%2 == 1)
					mu.Lock()
					total += steps
					mu.Unlock()
				}
			})
		}
		all.Wait()
		require.Greater(t, total, 20*2*rounds)
		explained(t, store, filepath.Join(filepath.Dir(folder.Path()), "world"))
	}
}

// explained holds what the store says of every plan against the world.
func explained(t *testing.T, store *Store, path string) {
	t.Helper()
	world, err := lines(path)
	require.NoError(t, err)
	did := map[string]map[string]int{}
	for _, word := range []string{"kept", "begins", "runs", "ran", "ended"} {
		did[word] = map[string]int{}
		for _, line := range world[word] {
			did[word][line[0]]++
		}
	}
	became := map[gate.Code]int{}
	for _, line := range world["kept"] {
		handle, body := line[0], line[1]
		require.LessOrEqual(t, did["runs"][handle], 1, "%s ran twice", handle)
		stored, code := outcome(t, store, handle)
		became[code]++
		switch code {
		case "":
			require.Equal(t, body, string(stored.Body))
			require.Zero(t, did["runs"][handle], "%s ran and is ready", handle)
		case gate.HandleUsed:
			require.Equal(t, 1, did["ran"][handle], "%s is used and did not run", handle)
		case gate.CommitInterrupted:
			require.NotZero(t, did["begins"][handle])
			require.Zero(t, did["ended"][handle], "%s ended and is interrupted", handle)
			require.Equal(t, code, second(outcome(t, store, handle)), "it stays so")
		default:
			t.Errorf("%s is %s", handle, code)
		}
	}
	for _, code := range []gate.Code{"", gate.HandleUsed, gate.CommitInterrupted} {
		require.NotZero(t, became[code], "%v", became)
	}
	t.Logf("%d plans: %v", len(world["kept"]), became)
	interrupted, err := store.Commits(context.Background(), CommitFilter{Status: []preview.Status{preview.Interrupted}})
	require.NoError(t, err)
	require.Len(t, interrupted, became[gate.CommitInterrupted])
	var verdict string
	require.NoError(t, store.db.QueryRowContext(context.Background(), `PRAGMA integrity_check`).Scan(&verdict))
	require.Equal(t, "ok", verdict)
}

func second[A, B any](_ A, b B) B { return b }

// outcome is what the store says of a handle, without its key and with it.
func outcome(t *testing.T, store *Store, handle string) (gate.Stored, gate.Code) {
	t.Helper()
	c := gate.Commitment{Handle: handle, Tool: "import", Digest: "sha256:a", Call: "look"}
	stored, err := store.Find(context.Background(), c)
	if err == nil {
		return stored, ""
	}
	var refusal *gate.Refusal
	require.ErrorAs(t, err, &refusal)
	c.Key = "key of " + handle
	again, err := store.Find(context.Background(), c)
	if err != nil {
		requireCode(t, refusal.Code, err)
		return stored, refusal.Code
	}
	require.Equal(t, gate.HandleUsed, refusal.Code)
	require.Equal(t, endingOf(handle), *again.Ending)
	return stored, refusal.Code
}
