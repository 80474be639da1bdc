package state

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func present(t testing.TB) *Folder {
	t.Helper()
	folder, err := Open(Options{Dir: filepath.Join(t.TempDir(), "state"), Protocol: "sample", Workspace: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { _ = folder.Close() })
	return folder
}

func attend(t testing.TB, folder *Folder, mode string) *Attendance {
	t.Helper()
	attendance, err := folder.Attend(context.Background(), mode)
	require.NoError(t, err)
	t.Cleanup(func() { _ = attendance.Leave() })
	return attendance
}

func others(t testing.TB, attendance *Attendance) []string {
	t.Helper()
	found, err := attendance.Others(context.Background())
	require.NoError(t, err)
	var modes []string
	for _, other := range found {
		require.Equal(t, Session(), other.Session)
		require.Equal(t, os.Getpid(), other.PID)
		modes = append(modes, other.Mode)
	}
	return modes
}

func TestOthersAreToldOfOnce(t *testing.T) {
	folder := present(t)
	plan := attend(t, folder, "plan")
	require.Empty(t, others(t, plan))
	same, review := attend(t, folder, "plan"), attend(t, folder, "review")
	require.Equal(t, []string{"review"}, others(t, plan))
	require.Empty(t, others(t, plan))
	require.Equal(t, []string{"review"}, others(t, same))
	require.ElementsMatch(t, []string{"plan", "plan"}, others(t, review))

	require.NoError(t, review.Leave())
	require.NoError(t, review.Leave())
	late := attend(t, folder, "merge")
	require.ElementsMatch(t, []string{"plan", "plan"}, others(t, late))
}

func TestWhatNobodyHoldsIsRemoved(t *testing.T) {
	folder := present(t)
	for name, text := range map[string]string{"present-1-a.json": `{"session":"` + Session() + `","mode":"review","pid":1}`, "present-2-b.json": "", "present-3-c.json": "{"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder.Path(), name), []byte(text), 0o600))
	}
	require.Empty(t, others(t, attend(t, folder, "plan")))
	left, err := filepath.Glob(filepath.Join(folder.Path(), "present-*"))
	require.NoError(t, err)
	require.Len(t, left, 1)
}

func TestAHeldFileThatSaysNothingIsADoubt(t *testing.T) {
	folder := present(t)
	plan, review := attend(t, folder, "plan"), attend(t, folder, "review")
	require.NoError(t, os.WriteFile(filepath.Join(folder.Path(), review.name), []byte("{"), 0o600))
	_, err := plan.Others(context.Background())
	requireReason(t, Damaged, err)
	require.Empty(t, others(t, plan), "it is said once")
}

func TestALockThatIsKeptEndsTheWait(t *testing.T) {
	folder := present(t)
	attend(t, folder, "plan")
	held, taken, err := folder.tryLock(presenceLock)
	require.NoError(t, err)
	require.True(t, taken)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = folder.Attend(ctx, "review")
	requireReason(t, Inaccessible, err)
	require.NoError(t, held.Unlock())
	attend(t, folder, "review")
}

// Many come and go at once: nobody fails, and those who stay see each other.
func TestManyComeAndGo(t *testing.T) {
	folder := present(t)
	stays := attend(t, folder, "stays")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				a, err := folder.Attend(context.Background(), "goes")
				if !assertNo(t, err) {
					return
				}
				found, err := a.Others(context.Background())
				if !assertNo(t, err) || len(found) == 0 {
					t.Error("nobody was seen")
					return
				}
				assertNo(t, a.Leave())
			}
		})
	}
	all.Wait()
	require.Empty(t, others(t, stays), "all have left")
}

func assertNo(t *testing.T, err error) bool {
	if err != nil {
		t.Error(err)
	}
	return err == nil
}

func BenchmarkAttend(b *testing.B) {
	folder := present(b)
	attend(b, folder, "review")
	for b.Loop() {
		a, err := folder.Attend(context.Background(), "plan")
		require.NoError(b, err)
		_, err = a.Others(context.Background())
		require.NoError(b, err)
		require.NoError(b, a.Leave())
	}
}

func BenchmarkOthers(b *testing.B) {
	folder := present(b)
	a := attend(b, folder, "plan")
	attend(b, folder, "review")
	for b.Loop() {
		_, err := a.Others(context.Background())
		require.NoError(b, err)
	}
}
