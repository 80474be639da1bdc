//go:build unix

package program

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAProgramIsFoundByItsPathOrInPATH(t *testing.T) {
	dir, workspace := folder(t), folder(t)
	path := write(t, dir, "program", "echo found")
	for _, name := range []string{path, "program"} {
		t.Setenv("PATH", "/nowhere:"+dir)
		program, err := Resolve(name, workspace)
		require.NoError(t, err)
		require.Equal(t, path, program.Path())
		sum := sha256.Sum256([]byte("#!/bin/sh\necho found\n"))
		require.Equal(t, hex.EncodeToString(sum[:]), program.SHA256())
		result, err := Run(t.Context(), program, call())
		require.NoError(t, err)
		require.Equal(t, "found\n", string(result.Stdout))
	}
}

func TestAFolderOfPATHThatIsNotAbsoluteDoesNotCount(t *testing.T) {
	dir := folder(t)
	write(t, dir, "program", "exit 0")
	t.Chdir(dir)
	for _, path := range []string{"", ":", ".", "./", "::/nowhere", filepath.Base(dir), "../" + filepath.Base(dir)} {
		t.Setenv("PATH", path)
		_, err := Resolve("program", folder(t))
		refused(t, Missing, err)
	}
	for _, name := range []string{"./program", "../" + filepath.Base(dir) + "/program", "sub/program", "", ".", "..", "a\x00b", "program/"} {
		t.Setenv("PATH", dir)
		_, err := Resolve(name, folder(t))
		var refusal *Error
		require.ErrorAs(t, err, &refusal)
		require.Equal(t, BadName, refusal.Reason, "%q", name)
	}
}

// What does not count is passed over, and the next folder asked.
func TestTheNextFolderOfPATHIsAsked(t *testing.T) {
	first, second := folder(t), folder(t)
	path := write(t, second, "program", "exit 0")
	here := folder(t)
	write(t, here, "program", "exit 0")
	t.Chdir(here)
	passedOver := func() {
		t.Setenv("PATH", ".::"+first+":"+second)
		program, err := Resolve("program", folder(t))
		require.NoError(t, err)
		require.Equal(t, path, program.Path())
	}
	passedOver()
	require.NoError(t, os.Mkdir(filepath.Join(first, "program"), 0o755))
	passedOver()
	require.NoError(t, os.Remove(filepath.Join(first, "program")))
	require.NoError(t, os.Chmod(write(t, first, "program", "exit 0"), 0o644))
	passedOver()
}

func TestINV4_OnlyAFileThatRunsIsAProgram(t *testing.T) {
	dir, workspace := folder(t), folder(t)
	_, err := Resolve(filepath.Join(dir, "missing"), workspace)
	require.ErrorIs(t, refused(t, Missing, err), fs.ErrNotExist)

	plain := write(t, dir, "plain", "exit 0")
	require.NoError(t, os.Chmod(plain, 0o644))
	_, err = Resolve(plain, workspace)
	refused(t, NotExecutable, err)
	t.Setenv("PATH", dir)
	_, err = Resolve("plain", workspace)
	refused(t, NotExecutable, err)

	_, err = Resolve(dir, workspace)
	refused(t, NotRegular, err)
	_, err = Resolve("/", workspace)
	refused(t, NotRegular, err)
	_, err = Resolve(plain+"/program", workspace)
	refused(t, Missing, err)
	pipe := filepath.Join(dir, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o755))
	_, err = Resolve(pipe, workspace)
	refused(t, NotRegular, err)

	loop := filepath.Join(dir, "loop")
	require.NoError(t, os.Symlink("loop", loop))
	_, err = Resolve(loop, workspace)
	refused(t, Unreadable, err)
	dangling := filepath.Join(dir, "dangling")
	require.NoError(t, os.Symlink("missing", dangling))
	_, err = Resolve(dangling, workspace)
	refused(t, Missing, err)

	for _, none := range []string{"", filepath.Join(dir, "missing"), plain} {
		_, err = Resolve("/bin/sh", none)
		refused(t, Unreadable, err)
	}
}

// An agent writes in the workspace, so nothing there may decide what runs.
func TestINV4_NothingInTheWorkspaceIsRun(t *testing.T) {
	dir, workspace := folder(t), folder(t)
	inside := write(t, workspace, "inside", "exit 0")
	require.NoError(t, os.Mkdir(filepath.Join(workspace, "sub"), 0o755))
	below := write(t, filepath.Join(workspace, "sub"), "below", "exit 0")
	outside := write(t, dir, "outside", "exit 0")
	link := func(target, name string) string {
		require.NoError(t, os.Symlink(target, name))
		return name
	}
	away := link(workspace, filepath.Join(dir, "away"))
	for name, path := range map[string]string{
		"in it":                    inside,
		"below it":                 below,
		"through a link to it":     link(inside, filepath.Join(dir, "in")),
		"through two links":        link("in", filepath.Join(dir, "twice")),
		"through a folder":         filepath.Join(away, "sub", "below"),
		"a link in it, that leads": link(outside, filepath.Join(workspace, "out")),
		"up again":                 away + "/sub/../inside",
	} {
		_, err := Resolve(path, workspace)
		require.Error(t, err, name)
		refused(t, InWorkspace, err)
		_, err = Resolve(path, away) // whatever the workspace is called
		refused(t, InWorkspace, err)
	}
	t.Setenv("PATH", workspace+":"+dir)
	_, err := Resolve("inside", workspace)
	refused(t, InWorkspace, err)
	_, err = Resolve(outside, "/")
	refused(t, InWorkspace, err)

	program, err := Resolve(dir+"/../"+filepath.Base(dir)+"/./outside", workspace)
	require.NoError(t, err)
	require.Equal(t, outside, program.Path())
}

func TestINV4_WhatOthersCanReplaceIsNotRun(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, dir, path string){
		"anybody writes it":           func(t *testing.T, _, path string) { require.NoError(t, os.Chmod(path, 0o757)) },
		"the group writes it":         func(t *testing.T, _, path string) { require.NoError(t, os.Chmod(path, 0o775)) },
		"sticky, and anybody does":    func(t *testing.T, _, path string) { require.NoError(t, os.Chmod(path, 0o757|fs.ModeSticky)) },
		"anybody writes its folder":   func(t *testing.T, dir, _ string) { require.NoError(t, os.Chmod(dir, 0o757)) },
		"the group writes its folder": func(t *testing.T, dir, _ string) { require.NoError(t, os.Chmod(dir, 0o775)) },
		"a folder further up":         func(t *testing.T, dir, _ string) { require.NoError(t, os.Chmod(filepath.Dir(dir), 0o777)) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(folder(t), "bin")
			require.NoError(t, os.Mkdir(dir, 0o755))
			path := write(t, dir, "program", "exit 0")
			workspace := folder(t)
			program, err := Resolve(path, workspace)
			require.NoError(t, err)
			spoil(t, dir, path)
			_, err = Resolve(path, workspace)
			refused(t, Exposed, err)
			_, err = Run(t.Context(), program, call())
			refused(t, Exposed, err) // also when it comes about later

			elsewhere := filepath.Join(folder(t), "link")
			require.NoError(t, os.Symlink(path, elsewhere))
			_, err = Resolve(elsewhere, workspace)
			refused(t, Exposed, err)
		})
	}
	// A link whose folder others can write is no better.
	open := folder(t)
	link := filepath.Join(open, "link")
	require.NoError(t, os.Symlink("/bin/sh", link))
	require.NoError(t, os.Chmod(open, 0o777))
	_, err := Resolve(link, folder(t))
	refused(t, Exposed, err)
	require.NoError(t, os.Chmod(open, 0o777|fs.ModeSticky))
	_, err = Resolve(link, folder(t))
	require.NoError(t, err, "in a sticky folder others cannot replace it")
}

func TestINV4_WhoMayOwnAndWriteAProgram(t *testing.T) {
	for _, row := range []struct {
		mode    fs.FileMode
		owner   int
		trusted bool
	}{
		{0o755, 0, true}, {0o755, 1000, true}, {0o755, 1001, false}, {0o500, 1001, false}, {0o755, 65534, false},
		{0o775, 1000, false}, {0o757, 1000, false}, {0o777 | fs.ModeSticky, 1000, false},
		{fs.ModeDir | 0o755, 0, true}, {fs.ModeDir | 0o755, 1001, false}, {fs.ModeDir | 0o777, 0, false}, {fs.ModeDir | 0o775, 0, false},
		{fs.ModeDir | fs.ModeSticky | 0o777, 0, true}, {fs.ModeDir | fs.ModeSticky | 0o777, 1001, false},
		{fs.ModeSymlink | 0o777, 1000, true}, {fs.ModeSymlink | 0o777, 1001, false},
	} {
		require.Equal(t, row.trusted, doubt(row.mode, row.owner, 1000) == "", "%s of %d", row.mode, row.owner)
	}
}

func TestINV4_AProgramThatChangedIsNotRun(t *testing.T) {
	marker := filepath.Join(folder(t), "ran")
	evil := "#!/bin/sh\ntouch " + marker + " #"
	for name, change := range map[string]struct {
		do     func(t *testing.T, path string)
		reason Reason
	}{
		"written over": {func(t *testing.T, path string) { require.NoError(t, os.WriteFile(path, []byte(evil), 0o755)) }, Changed},
		"another in its place": {func(t *testing.T, path string) {
			other := write(t, filepath.Dir(path), "other", "touch "+marker)
			require.NoError(t, os.Rename(other, path))
		}, Changed},
		"a link in its place": {func(t *testing.T, path string) {
			other := write(t, filepath.Dir(path), "other", "touch "+marker)
			require.NoError(t, os.Remove(path))
			require.NoError(t, os.Symlink(other, path))
		}, Changed},
		"moved, and a link in its place": {func(t *testing.T, path string) {
			require.NoError(t, os.Rename(path, path+".moved"))
			require.NoError(t, os.Symlink(path+".moved", path))
		}, Changed},
		"another folder in the place of its": {func(t *testing.T, path string) {
			require.NoError(t, os.Rename(filepath.Dir(path), filepath.Dir(path)+".old"))
			require.NoError(t, os.Mkdir(filepath.Dir(path), 0o755))
			write(t, filepath.Dir(path), "program", "touch "+marker)
		}, Changed},
		"same size and times": {func(t *testing.T, path string) {
			info, err := os.Stat(path)
			require.NoError(t, err)
			text := evil + strings.Repeat("#", int(info.Size())-len(evil)-1) + "\n"
			require.NoError(t, os.WriteFile(path, []byte(text), 0o755))
			require.NoError(t, os.Chtimes(path, info.ModTime(), info.ModTime()))
		}, Changed},
		"touched": {func(t *testing.T, path string) {
			require.NoError(t, os.Chtimes(path, time.Unix(1, 0), time.Unix(1, 0)))
		}, Changed},
		"gone":           {func(t *testing.T, path string) { require.NoError(t, os.Remove(path)) }, Missing},
		"not executable": {func(t *testing.T, path string) { require.NoError(t, os.Chmod(path, 0o644)) }, NotExecutable},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(folder(t), "bin")
			require.NoError(t, os.Mkdir(dir, 0o755))
			path := write(t, dir, "program", "exit 0 "+strings.Repeat("#", 200))
			program, err := Resolve(path, folder(t))
			require.NoError(t, err)
			_, err = Run(t.Context(), program, call())
			require.NoError(t, err)
			change.do(t, path)
			_, err = Run(t.Context(), program, call())
			refused(t, change.reason, err)
			require.NoFileExists(t, marker)
		})
	}
}

// Another name for the same file, or a mode that was set again, is no change.
func TestAProgramWhoseContentIsTheSameRuns(t *testing.T) {
	path := write(t, folder(t), "program", "exit 0")
	program, err := Resolve(path, folder(t))
	require.NoError(t, err)
	require.NoError(t, os.Link(path, path+".linked"))
	require.NoError(t, os.Chmod(path, 0o700))
	_, err = Run(t.Context(), program, call())
	require.NoError(t, err)
}
