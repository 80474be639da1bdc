//go:build unix

package store

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/state"
)

// A claimer is another process that claims whatever id it is told.
type claimer struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
}

func startClaimer(t *testing.T, command *exec.Cmd) *claimer {
	t.Helper()
	in, err := command.StdinPipe()
	require.NoError(t, err)
	out, err := command.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	c := &claimer{command: command, in: in, out: bufio.NewScanner(out)}
	require.True(t, c.out.Scan(), "it did not start")
	return c
}

// Two processes want every one of 200 approvals, and so does this one.
func TestINV5_AnApprovalIsClaimedOnceAmongProcesses(t *testing.T) {
	ctx, folder := context.Background(), newFolder(t)
	store := openStore(t, folder, nil)
	var ids []string
	for range 200 {
		request := asked("x")
		request.Binding = "binding " + request.ID
		request, made, err := store.Ask(ctx, request, time.Hour)
		require.NoError(t, err)
		require.True(t, made)
		_, err = store.Decide(ctx, request.ID, approval.Ruling{Status: approval.StatusApproved})
		require.NoError(t, err)
		ids = append(ids, request.ID)
	}
	claimers := []*claimer{startClaimer(t, child(folder, "claim", "first")), startClaimer(t, child(folder, "claim", "second"))}
	var got sync.Map
	var all sync.WaitGroup
	var counts [3]int
	take := func(who int, id string) {
		counts[who]++
		before, twice := got.LoadOrStore(id, who)
		if twice {
			t.Errorf("%s was claimed by %v and by %d", id, before, who)
		}
	}
	for who, c := range claimers {
		all.Go(func() {
			for c.out.Scan() {
				take(who, c.out.Text())
			}
		})
		all.Go(func() {
			for _, id := range ids {
				fmt.Fprintln(c.in, id)
			}
			c.in.Close()
		})
	}
	for _, id := range ids {
		if _, err := store.Claim(ctx, id, "binding "+id, "here"); err == nil {
			take(2, id)
		} else {
			require.ErrorIs(t, err, approval.ErrNotApproved)
		}
	}
	all.Wait()
	for _, c := range claimers {
		require.NoError(t, c.command.Wait())
	}
	require.Equal(t, len(ids), counts[0]+counts[1]+counts[2], "each is claimed, %v", counts)
	for _, id := range ids {
		request, err := store.Get(ctx, id)
		require.NoError(t, err)
		require.Equal(t, approval.StatusUsed, request.Status)
		who, _ := got.Load(id)
		require.Equal(t, []string{"first", "second", "here"}[who.(int)], request.UsedBy)
	}
}

// A process is killed again and again between any two instructions. What it
// said was done is done, and the next one finds a sound store.
func TestINV5_WhatWasSaidSurvivesAKill(t *testing.T) {
	ctx, folder := context.Background(), newFolder(t)
	reached := map[string]approval.Status{}
	for i := range 15 {
		command := child(folder, "live", strconv.Itoa(i))
		out, err := command.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, command.Start())
		lines := bufio.NewScanner(out)
		for range 1 + 7*i {
			require.True(t, lines.Scan())
			note(reached, lines.Text())
		}
		require.NoError(t, command.Process.Kill())
		for lines.Scan() { // what it said before it died
			note(reached, lines.Text())
		}
		require.Error(t, command.Wait())
	}
	store := openStore(t, folder, nil)
	order := map[approval.Status]int{approval.StatusPending: 1, approval.StatusApproved: 2, approval.StatusUsed: 3}
	for id, status := range reached {
		request, err := store.Get(ctx, id)
		require.NoError(t, err)
		require.GreaterOrEqual(t, order[request.Status], order[status], "%s was %s and is %s", id, status, request.Status)
		if status == approval.StatusUsed {
			_, err = store.Claim(ctx, id, request.Binding, "again")
			require.ErrorIs(t, err, approval.ErrNotApproved)
		}
	}
	var verdict string
	require.NoError(t, store.db.QueryRowContext(ctx, `PRAGMA integrity_check`).Scan(&verdict))
	require.Equal(t, "ok", verdict)
}

func note(reached map[string]approval.Status, line string) {
	if status, id, ok := strings.Cut(line, " "); ok && len(id) == 26 {
		reached[id] = approval.Status(status)
	}
}

// A process is killed as soon as what it makes first shows a certain sign: the
// next one finds a store that it can use, or finishes it.
func TestAKillWhileTheStoreIsMadeLeavesOneThatWorks(t *testing.T) {
	grown := func(name string) func(folder *state.Folder) bool {
		return func(folder *state.Folder) bool {
			info, err := os.Stat(filepath.Join(folder.Path(), name))
			return err == nil && info.Size() > 0
		}
	}
	for name, sign := range map[string]func(*state.Folder) bool{
		"locked": func(folder *state.Folder) bool {
			_, err := os.Stat(filepath.Join(folder.Path(), lockName))
			return err == nil
		},
		"made": func(folder *state.Folder) bool {
			_, err := os.Stat(filepath.Join(folder.Path(), FileName))
			return err == nil
		},
		"rollback journal": grown(FileName + "-journal"), "written": grown(FileName), "shared": grown(FileName + "-shm"), "log": grown(FileName + "-wal"),
	} {
		t.Run(name, func(t *testing.T) {
			for range 3 {
				folder := newFolder(t)
				command := child(folder, "come and go", "a")
				require.NoError(t, command.Start())
				ended := make(chan struct{})
				go func() {
					_ = command.Wait()
					close(ended)
				}()
				for over := false; !over && !sign(folder); {
					select {
					case <-ended: // it was faster, which is no kill and does no harm
						over = true
					default:
					}
				}
				_ = command.Process.Kill()
				<-ended
				store := openStore(t, folder, nil)
				_, _, err := store.Ask(context.Background(), asked("a"), time.Hour)
				require.NoError(t, err)
				var verdict string
				require.NoError(t, store.db.QueryRowContext(context.Background(), `PRAGMA integrity_check`).Scan(&verdict))
				require.Equal(t, "ok", verdict)
			}
		})
	}
}

// Twelve processes find no store, all at once.
func TestManyProcessesMakeTheStoreAtOnce(t *testing.T) {
	folder := newFolder(t)
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			if err := child(folder, "come and go", strconv.Itoa(i)).Run(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	require.Equal(t, "12", run(t, folder, "pending"))
}

// Two stores in one process, and a third that comes and goes in another: the
// locks of the first two hold, so that the third does not take itself for the
// last and remove the write-ahead log under them.
func TestLocksHoldThoughTheFileIsLookedAtAgain(t *testing.T) {
	ctx, folder := context.Background(), newFolder(t)
	first := openStore(t, folder, nil)
	pending(t, first, "a")
	second := openStore(t, folder, nil)
	require.NoError(t, second.Close())
	log := filepath.Join(folder.Path(), FileName+"-wal")
	before, err := os.Stat(log)
	require.NoError(t, err)
	run(t, folder, "come and go", "b")
	after, err := os.Stat(log)
	require.NoError(t, err)
	require.True(t, os.SameFile(before, after))
	pending(t, first, "c")
	require.Equal(t, "3", run(t, folder, "pending"))
	found, err := first.Pending(ctx)
	require.NoError(t, err)
	require.Len(t, found, 3)
}

func TestCloseLeavesNothingBehind(t *testing.T) {
	folder := newFolder(t)
	store := openStore(t, folder, nil)
	pending(t, store, "a")
	require.NoError(t, store.Close())
	require.NoError(t, store.Close(), "closing twice is no error")
	left, err := os.ReadDir(folder.Path())
	require.NoError(t, err)
	var names []string
	for _, entry := range left {
		names = append(names, entry.Name())
	}
	require.Equal(t, []string{FileName, lockName}, names)
	_, err = store.Get(context.Background(), "x")
	requireReason(t, Closed, err)
}
