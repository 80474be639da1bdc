//go:build unix

package audit

import (
	"bufio"
	"context"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/gate"
)

// Processes that write while another one rotates lose nothing and write
// nothing twice.
func TestINV3_ProcessesGoOnTogetherWhereTheLogGoesOn(t *testing.T) {
	const processes, calls = 3, 150
	folder := newFolder(t)
	_ = openLog(t, folder)
	var writers sync.WaitGroup
	for range processes {
		writers.Go(func() {
			if err := child(folder, "append", strconv.Itoa(calls)).Run(); err != nil {
				t.Errorf("a child failed: %v", err)
			}
		})
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		writers.Wait()
	}()
	rotations := 0
	for writing := true; writing; {
		select {
		case <-done:
			writing = false
		default:
		}
		rotate(t, folder)
		rotations++
	}
	report := whole(t, folder)
	require.EqualValues(t, 1+processes*calls*2+rotations, report.Entries)
	require.Equal(t, 1+rotations, report.Files)
	require.Empty(t, report.InFlight)
	require.Greater(t, rotations, 3)
	t.Logf("%d rotations", rotations)
}

// A process that is killed while it rotates leaves a log that goes on, with
// every call in it that was admitted.
func TestINV3_AKilledRotationLeavesALogThatGoesOn(t *testing.T) {
	folder := newFolder(t)
	_ = openLog(t, folder)
	var writers []*exec.Cmd
	var outputs []io.Reader
	for range 2 {
		command := child(folder, "endless")
		output, err := command.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, command.Start())
		writers, outputs = append(writers, command), append(outputs, output)
	}
	var reading sync.WaitGroup
	admitted := make([][]string, len(outputs))
	for i, output := range outputs {
		reading.Go(func() {
			for lines := bufio.NewScanner(output); lines.Scan(); {
				admitted[i] = append(admitted[i], lines.Text())
			}
		})
	}
	linked, fresh := 0, 0 // kills that left a second name, or a new file not in its place yet
	for range 40 {
		rotator := child(folder, "rotate")
		output, err := rotator.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, rotator.Start())
		_, err = bufio.NewReader(output).ReadString('\n')
		require.NoError(t, err)
		between := rand.N(2) == 0
		for start, wait := time.Now(), rand.N(30*time.Millisecond); time.Since(start) < wait; { // the moment of the kill
			if _, err := os.Stat(filepath.Join(folder.Path(), FileName+".new")); err == nil && between {
				break
			}
		}
		require.NoError(t, rotator.Process.Kill())
		_ = rotator.Wait()
		if _, err := os.Stat(filepath.Join(folder.Path(), FileName+".new")); err == nil {
			fresh++
		}
		if info, err := os.Stat(filepath.Join(folder.Path(), FileName)); err == nil {
			firsts, err := oldFiles(folder)
			require.NoError(t, err)
			if len(firsts) > 0 && folder.Same(OldName(firsts[len(firsts)-1]), info) {
				linked++
			}
		}
		whole(t, folder)
	}
	for _, writer := range writers {
		require.NoError(t, writer.Process.Kill())
	}
	reading.Wait()
	for _, writer := range writers {
		_ = writer.Wait()
	}
	log := openLog(t, folder) // sets aside what the writers left
	callOnce(t, log, "last")
	rotate(t, folder)
	report := whole(t, folder)
	logged := map[string]int{}
	for _, entry := range everything(t, folder) {
		if entry.Decision != "" {
			logged[entry.Call]++
		}
	}
	require.Greater(t, report.Files, 3)
	all := 0
	for _, ids := range admitted {
		for _, id := range ids {
			all++
			require.Equal(t, 1, logged[strings.TrimSpace(id)], "call %s", id)
		}
	}
	require.NotZero(t, all)
	t.Logf("%d admissions, %d entries in %d files; %d kills left a second name, %d a new file", all, report.Entries, report.Files, linked, fresh)
}

// A reader that follows the log sees every entry once, wherever it goes on.
func TestAFollowerSeesEveryEntryOnce(t *testing.T) {
	folder := newFolder(t)
	log := openLog(t, folder)
	r := NewFollower(folder)
	defer func() { _ = r.Close() }()
	seen := uint64(0)
	look := func() {
		for _, entry := range rest(t, r) {
			seen++
			require.Equal(t, seen, entry.Seq)
		}
	}
	look()
	require.EqualValues(t, 1, seen)
	path := filepath.Join(folder.Path(), FileName)
	for i := range 5 {
		callOnce(t, log, strconv.Itoa(i))
		if i%2 == 0 {
			look()
			require.Equal(t, log.head.Seq, seen)
		}
		rotate(t, folder)
		rotate(t, folder)
		callOnce(t, log, strconv.Itoa(i)+"again")
	}
	look()
	require.Equal(t, whole(t, folder).Entries, seen)

	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = file.WriteString(`{"v":1,"seq":`) // of somebody who is writing, or was killed
	require.NoError(t, err)
	require.NoError(t, file.Close())
	look()
	callOnce(t, openLog(t, folder), "mends")
	look()
	require.Equal(t, whole(t, folder).Entries, seen)

	done := make(chan error)
	go func() { done <- child(folder, "append", "200").Run() }()
	for range 10 {
		rotate(t, folder)
		look()
	}
	require.NoError(t, <-done)
	look()
	require.Equal(t, whole(t, folder).Entries, seen)

	require.NoError(t, os.Truncate(path, 10))
	_, err = r.Next()
	requireDamage(t, err)
}

// Who waits for a sync while the log goes on elsewhere gets it.
func TestINV3_AWaitForASyncOutlivesTheFile(t *testing.T) {
	folder := newFolder(t)
	log := openLog(t, folder)
	began, goOn := make(chan struct{}, 8), make(chan struct{})
	real := log.file
	log.file = &faulty{file: real, sync: func() error { began <- struct{}{}; <-goOn; return real.Sync() }}
	done := make(chan error, 2)
	go func() { done <- log.Admit(context.Background(), call("one", gate.Write)) }()
	<-began
	rotate(t, folder)
	go func() { done <- log.Admit(context.Background(), call("two", gate.Write)) }()
	close(goOn)
	require.NoError(t, <-done)
	require.NoError(t, <-done)
	whole(t, folder)
}
