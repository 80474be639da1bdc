//go:build unix

package git

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// The test binary is also the process that swaps.
func TestMain(m *testing.M) {
	if len(os.Args) == 5 && os.Args[1] == "swap" {
		swapForever(os.Args[2], os.Args[3], os.Args[4])
	}
	os.Exit(m.Run())
}

// swapForever waits until a ref moves, which is when a tool starts to change
// files. Then it makes the folder "spot" a real one and a link out of the work
// tree in turn, as fast as it can. It ends when its input does.
func swapForever(folder, outside, ref string) {
	go func() {
		_, _ = bufio.NewReader(os.Stdin).ReadByte()
		os.Exit(0)
	}()
	was, _ := os.ReadFile(ref)
	os.Stdout.WriteString("ready\n")
	for {
		if now, _ := os.ReadFile(ref); !bytes.Equal(was, now) {
			break
		}
	}
	spot, aside := at(folder, "spot"), at(folder, "aside")
	for {
		_ = os.Rename(spot, aside)
		_ = os.Symlink(outside, spot)
		for range 20 {
			_, _ = os.Lstat(spot)
		}
		_ = os.Remove(spot)
		for os.Rename(aside, spot) != nil {
			_ = os.RemoveAll(spot) // a call made the folder anew
		}
		for range 20 {
			_, _ = os.Lstat(spot)
		}
	}
}

// swapping starts a process that swaps when a ref moves.
func swapping(t *testing.T, folder, outside, ref string) (stop func()) {
	t.Helper()
	swapper := exec.Command(os.Args[0], "swap", folder, outside, at(folder, ".git/"+ref))
	stdin, err := swapper.StdinPipe()
	require.NoError(t, err)
	stdout, err := swapper.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, swapper.Start())
	_, err = bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	return func() {
		require.NoError(t, stdin.Close())
		require.NoError(t, swapper.Wait())
	}
}

// Merge and switch change files one after the other while another process swaps
// their folder for a link; nothing beyond the link is made, changed or removed.
func TestLinksSwappedByAnotherProcessLeadNoCheckoutAstray(t *testing.T) {
	const files = 40
	states := map[string]int{}
	for range 6 {
		folder, _ := ground(t)
		outside := t.TempDir()
		for i := range files {
			put(t, folder, fmt.Sprintf("spot/changed-%d", i), "old")
			put(t, folder, fmt.Sprintf("spot/deleted-%d", i), "old")
			put(t, outside, fmt.Sprintf("changed-%d", i), "old")
			put(t, outside, fmt.Sprintf("deleted-%d", i), "old")
		}
		put(t, folder, "spot/stays", "x")
		person(t, folder, "add", "-A")
		person(t, folder, "commit", "-qm", "more")
		base, commit := branched(t, folder, func() {
			for i := range files {
				put(t, folder, fmt.Sprintf("spot/changed-%d", i), "new")
				put(t, folder, fmt.Sprintf("spot/added-%d", i), "new")
				require.NoError(t, os.Remove(at(folder, fmt.Sprintf("spot/deleted-%d", i))))
			}
		})
		for _, ref := range []string{"refs/heads/main", "HEAD"} {
			stop := swapping(t, folder, outside, ref)
			if ref == "HEAD" {
				done, err := opened(t, folder).Switch(t.Context(), "x")
				require.NoError(t, err)
				states[done.WorkTree]++
				stop()
				person(t, folder, "reset", "-q", "--hard", "main")
				person(t, folder, "clean", "-qdfx")
				person(t, folder, "checkout", "-q", "main")
				continue
			}
			_, err := opened(t, folder).Approve(t.Context(), somebody(), base, commit)
			require.NoError(t, err)
			done, err := opened(t, folder).Merge(t.Context(), base, commit)
			require.NoError(t, err)
			states[done.WorkTree]++
			stop()
			person(t, folder, "update-ref", "refs/heads/main", base)
			person(t, folder, "reset", "-q", "--hard")
			person(t, folder, "clean", "-qdfx")
		}
		left, err := os.ReadDir(outside)
		require.NoError(t, err)
		require.Len(t, left, 2*files)
		for _, entry := range left {
			data, err := os.ReadFile(at(outside, entry.Name()))
			require.NoError(t, err)
			require.Equal(t, "old", string(data), entry.Name())
		}
	}
	require.NotZero(t, states[Behind], "the swaps came too late: %v", states)
}
