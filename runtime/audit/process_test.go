//go:build unix

package audit

import (
	"bufio"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/state"
)

func TestINV3_ProcessesShareOneChain(t *testing.T) {
	const processes, calls = 4, 250
	folder := newFolder(t)
	var all sync.WaitGroup
	for range processes {
		all.Go(func() {
			if err := child(folder, "append", strconv.Itoa(calls)).Run(); err != nil {
				t.Errorf("a child failed: %v", err)
			}
		})
	}
	all.Wait()
	report := verified(t, folder)
	require.EqualValues(t, 1+processes*calls*2, report.Entries)
	require.Empty(t, report.InFlight)
}

func TestINV3_AKilledProcessLeavesALogThatGoesOn(t *testing.T) {
	folder := newFolder(t)
	admitted := map[string]bool{}
	for range 12 {
		var children []*exec.Cmd
		var outputs []*bufio.Reader
		for range 2 {
			command := child(folder, "endless")
			output, err := command.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, command.Start())
			children, outputs = append(children, command), append(outputs, bufio.NewReader(output))
		}
		for range rand.N(30) { // the moment of the kill: after this many admissions of the first
			id, err := outputs[0].ReadString('\n')
			require.NoError(t, err)
			admitted[strings.TrimSpace(id)] = true
		}
		for _, command := range children {
			require.NoError(t, command.Process.Kill())
		}
		for i, command := range children {
			text, err := io.ReadAll(outputs[i])
			require.NoError(t, err)
			_ = command.Wait()
			lines := strings.Split(string(text), "\n")
			for _, line := range lines[:len(lines)-1] {
				admitted[line] = true
			}
		}
		log, err := Open(context.Background(), folder, options(digestA))
		require.NoError(t, err)
		require.NoError(t, log.Close(context.Background()))
		verified(t, folder)
	}
	require.NotEmpty(t, admitted)
	logged := map[string]bool{}
	for _, entry := range entries(t, folder) {
		logged[entry.Call] = true
	}
	for id := range admitted {
		require.True(t, logged[id], "call %s was admitted and is not in the log", id)
	}
	t.Logf("%d admissions, %d entries, %d in flight", len(admitted), verified(t, folder).Entries, len(verified(t, folder).InFlight))
}

func TestINV4_AStoppedLockHolderLeadsToARefusal(t *testing.T) {
	folder := newFolder(t)
	o := options(digestA)
	o.LockTimeout = 50 * time.Millisecond
	log, err := Open(context.Background(), folder, o)
	require.NoError(t, err)
	before := content(t, folder)

	holder := child(folder, "hold")
	input, err := holder.StdinPipe()
	require.NoError(t, err)
	output, err := holder.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, holder.Start())
	_, err = bufio.NewReader(output).ReadString('\n')
	require.NoError(t, err)
	require.NoError(t, holder.Process.Signal(syscall.SIGSTOP))

	held := new(LockError)
	start := time.Now()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			err := log.Admit(context.Background(), call("one", gate.Write))
			if late := new(LockError); !errors.As(err, &late) {
				t.Errorf("not refused for the lock: %v", err)
			}
		})
	}
	all.Wait()
	require.Less(t, time.Since(start), 30*time.Second)
	_, err = Open(context.Background(), folder, o)
	require.ErrorAs(t, err, &held)
	require.Equal(t, before, content(t, folder))

	require.NoError(t, holder.Process.Signal(syscall.SIGCONT))
	require.NoError(t, input.Close())
	require.NoError(t, holder.Wait())
	require.NoError(t, log.Admit(context.Background(), call("one", gate.Write)))
}

func TestINV3_AFullDiskRefusesAndLeavesTheLogWhole(t *testing.T) {
	folder := newFolder(t)
	require.NoError(t, child(folder, "small").Run())
	require.LessOrEqual(t, len(content(t, folder)), 4096)
	verified(t, folder)
	log := openLog(t, folder)
	require.NoError(t, log.Admit(context.Background(), call("one", gate.Write)))
	verified(t, folder)
}

func TestINV3_OneOfManyFirstProcessesPins(t *testing.T) {
	for range 5 {
		folder := newFolder(t)
		var all sync.WaitGroup
		for _, digest := range []string{digestA, digestB, digestA, digestB} {
			all.Go(func() {
				if err := child(folder, "open", digest).Run(); err != nil {
					t.Errorf("a child failed: %v", err)
				}
			})
		}
		all.Wait()
		require.EqualValues(t, 1, verified(t, folder).Entries)
	}
}

func TestINV3_AProcessKilledWhilePinningLeavesOneDigest(t *testing.T) {
	between := 0 // kills before there was a state file
	reached := func(folder *state.Folder, name string, size int64) bool {
		info, err := os.Stat(filepath.Join(folder.Path(), name))
		return err == nil && info.Size() >= size
	}
	for i := range 32 {
		folder := newFolder(t)
		command := child(folder, "open", digestB)
		require.NoError(t, command.Start())
		require.Eventually(t, func() bool { // the moment of the kill
			switch i % 4 {
			case 0:
				return reached(folder, FileName, 0)
			case 1:
				return reached(folder, FileName, 1)
			case 2:
				return reached(folder, state.FileName+".new", 0) || reached(folder, state.FileName, 0)
			}
			return reached(folder, state.FileName, 0)
		}, time.Minute, 50*time.Microsecond)
		_ = command.Process.Kill()
		_ = command.Wait()
		if _, err := os.Stat(filepath.Join(folder.Path(), state.FileName)); err != nil {
			between++
		}

		log := openLog(t, folder)
		err := log.Admit(context.Background(), call("one", gate.Write))
		pins := 0
		for _, entry := range entries(t, folder) {
			if entry.Event != ProtocolPinned {
				continue
			}
			pins++
			require.Equal(t, entry.Digest == digestA, err == nil, "%s is pinned, and the write gave %v", entry.Digest, err)
		}
		require.Equal(t, 1, pins)
		require.True(t, reached(folder, state.FileName, 1))
	}
	t.Logf("%d of 32 were killed before they had written the state file", between)
}
