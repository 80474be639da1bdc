//go:build unix

package worktree

import (
	"bufio"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// The test binary is also the process that swaps.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "swap" {
		swapForever(os.Args[2], os.Args[3])
	}
	os.Exit(m.Run())
}

// swapForever makes the folder "spot" a real folder, a link out of the work
// tree and a link to a protected folder, in turn, as fast as it can. It ends
// when its input does.
func swapForever(folder, outside string) {
	go func() {
		_, _ = bufio.NewReader(os.Stdin).ReadByte()
		os.Exit(0)
	}()
	spot, aside := at(folder, "spot"), at(folder, "real")
	os.Stdout.WriteString("ready\n")
	for {
		for _, target := range []string{outside, ".claude"} {
			_ = os.Rename(spot, aside)
			_ = os.Symlink(target, spot)
			look(spot, 3)
			_ = os.Remove(spot)
			for os.Rename(aside, spot) != nil {
				_ = os.RemoveAll(spot) // a call made the folder anew
			}
			look(spot, 10)
		}
	}
}

// look passes a moment, in which things stay as they are.
func look(name string, times int) {
	for range times {
		_, _ = os.Lstat(name)
	}
}

func TestLinksSwappedByAnotherProcessLeadNowhere(t *testing.T) {
	tree, folder, outside := ground(t)
	put(t, folder, "spot/f.txt", "inside")
	put(t, folder, ".claude/f.txt", "protected")
	put(t, outside, "f.txt", "outside")
	for _, name := range []string{"gone.txt", "ours.txt"} {
		put(t, outside, name, "outside")
		put(t, folder, ".claude/"+name, "protected")
	}

	swapper := exec.Command(os.Args[0], "swap", folder, outside)
	stdin, err := swapper.StdinPipe()
	require.NoError(t, err)
	stdout, err := swapper.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, swapper.Start())
	_, err = bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)

	wrote, refusals := 0, 0
	for tries := 0; tries < 600 || (tries < 50_000 && (wrote == 0 || refusals == 0)); tries++ {
		if data, err := tree.Read("spot/f.txt"); err == nil {
			require.Contains(t, []string{"inside", "written", "whole"}, string(data))
		}
		if err := tree.Replace(t.Context(), "spot/f.txt", to("written")); err == nil {
			wrote++
		} else {
			refusals++
		}
		_ = tree.Create(t.Context(), "spot/new.txt", []byte("new"))
		_, _ = tree.Write(t.Context(), "spot/f.txt", []byte("whole"))
		_, _ = tree.Write(t.Context(), "spot/gone.txt", []byte("gone"))
		_ = tree.Delete(t.Context(), "spot/gone.txt")
		if _, err := tree.Move(t.Context(), "spot/new.txt", "spot/moved.txt"); err == nil {
			_, _ = tree.Move(t.Context(), "spot/moved.txt", "taken.txt")
			_ = tree.Delete(t.Context(), "taken.txt")
		}
		if was, err := tree.Version("spot/ours.txt"); err == nil {
			next := Content{Form: Regular, Data: []byte("ours")}
			if was.Form != Absent {
				next = Content{Form: Absent}
			}
			_ = tree.Exchange(t.Context(), "spot/ours.txt", was, next)
		}
		listing, err := tree.List(t.Context(), ".", true, 1000)
		if err == nil {
			require.NotContains(t, listing.Entries, Entry{Path: "spot/secret.txt", Kind: File, Size: 6})
		}
	}
	require.NoError(t, stdin.Close())
	require.NoError(t, swapper.Wait())
	require.NotZero(t, wrote)
	require.NotZero(t, refusals)
	for folder, text := range map[string]string{outside: "outside", at(folder, ".claude"): "protected"} {
		require.NoFileExists(t, at(folder, "new.txt"))
		require.NoFileExists(t, at(folder, "moved.txt"))
		require.Equal(t, text, content(t, folder, "gone.txt"))
		require.Equal(t, text, content(t, folder, "ours.txt"))
	}
	require.Equal(t, "outside", content(t, outside, "f.txt"))
	require.Equal(t, "protected", content(t, folder, ".claude/f.txt"))
}
