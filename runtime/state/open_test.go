//go:build unix

package state

import (
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// realTemp is a temporary folder by its real path.
func realTemp(t *testing.T) string {
	t.Helper()
	path, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	return path
}

func requireReason(t *testing.T, reason Reason, err error) {
	t.Helper()
	refused := new(Error)
	require.ErrorAs(t, err, &refused)
	require.Equal(t, reason, refused.Reason, "%v", err)
}

func open(t *testing.T, dir, workspace string) (*Folder, error) {
	t.Helper()
	folder, err := Open(Options{Dir: dir, Protocol: "sample", Workspace: workspace})
	if err == nil {
		t.Cleanup(func() { _ = folder.Close() })
	}
	return folder, err
}

func TestTheFolderIsMadeForThisUserAlone(t *testing.T) {
	dir := filepath.Join(realTemp(t), "a", "b", "state")
	folder, err := open(t, dir, t.TempDir())
	require.NoError(t, err)
	require.Equal(t, dir, folder.Path())
	for _, made := range []string{dir, filepath.Dir(dir), filepath.Dir(filepath.Dir(dir))} {
		info, err := os.Lstat(made)
		require.NoError(t, err)
		require.Equal(t, fs.ModeDir|0o700, info.Mode())
	}
	_, err = open(t, dir, t.TempDir())
	require.NoError(t, err, "again")
}

// The environment says nothing about where the state lies.
func TestINV7_TheStandardPlaceIgnoresTheEnvironment(t *testing.T) {
	account, err := user.LookupId(strconv.Itoa(os.Geteuid()))
	require.NoError(t, err)
	home, err := filepath.EvalSymlinks(account.HomeDir)
	require.NoError(t, err)
	for _, name := range []string{"HOME", "XDG_STATE_HOME", "USER", "LOGNAME"} {
		t.Setenv(name, t.TempDir())
	}
	workspace := realTemp(t)
	base, steps, err := standard("sample", workspace)
	require.NoError(t, err)
	require.Equal(t, home, base)
	require.Equal(t, []string{".local", "state", "gatewright"}, steps[:3])
	require.Regexp(t, `^sample-[0-9a-f]{32}$`, steps[3])

	_, other, err := standard("sample", realTemp(t))
	require.NoError(t, err)
	require.NotEqual(t, steps[3], other[3], "each workspace has its own")
}

func TestINV4_AFolderThatIsNotOursAloneIsRefused(t *testing.T) {
	for reason, spoil := range map[Reason]func(t *testing.T, dir string){
		IsLink: func(t *testing.T, dir string) {
			require.NoError(t, os.Mkdir(dir+"2", 0o700))
			require.NoError(t, os.Symlink(dir+"2", dir))
		},
		NotFolder: func(t *testing.T, dir string) { require.NoError(t, os.WriteFile(dir, nil, 0o600)) },
		TooOpen: func(t *testing.T, dir string) {
			require.NoError(t, os.Mkdir(dir, 0o700))
			require.NoError(t, os.Chmod(dir, 0o710))
		},
	} {
		t.Run(string(reason), func(t *testing.T) {
			dir := filepath.Join(realTemp(t), "state")
			spoil(t, dir)
			_, err := open(t, dir, t.TempDir())
			requireReason(t, reason, err)
			require.Contains(t, err.Error(), dir)
		})
	}
}

func TestINV4_ALinkOnTheStandardWayIsRefused(t *testing.T) {
	home := realTemp(t)
	require.NoError(t, os.Mkdir(filepath.Join(home, "elsewhere"), 0o700))
	require.NoError(t, os.Symlink("elsewhere", filepath.Join(home, ".local")))
	_, err := descend(home, []string{".local", "state", "gatewright", "sample-0"}, false)
	requireReason(t, IsLink, err)
	require.NoDirExists(t, filepath.Join(home, "elsewhere", "state"))
}

// Root's files stand for somebody else's where the tests do not run as root;
// where they do, they give the file away.
func TestINV4_SomebodyElsesFolderAndFilesAreRefused(t *testing.T) {
	if os.Geteuid() != 0 {
		info, err := os.Stat("/")
		require.NoError(t, err)
		requireReason(t, NotOurs, ours("/", info))
		return
	}
	dir := filepath.Join(realTemp(t), "state")
	folder, err := open(t, dir, t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, FileName), nil, 0o600))
	require.NoError(t, os.Chown(filepath.Join(dir, FileName), 12345, 12345))
	_, err = folder.Read()
	requireReason(t, NotOurs, err)
	require.NoError(t, os.Chown(dir, 12345, 12345))
	_, err = open(t, dir, t.TempDir())
	requireReason(t, NotOurs, err)
}

func TestINV4_AFileThatIsNotOursAloneIsRefused(t *testing.T) {
	for reason, spoil := range map[Reason]func(t *testing.T, path string){
		IsLink: func(t *testing.T, path string) {
			require.NoError(t, os.WriteFile(path+"2", nil, 0o600))
			require.NoError(t, os.Symlink(filepath.Base(path)+"2", path))
		},
		NotRegular: func(t *testing.T, path string) { require.NoError(t, syscall.Mkfifo(path, 0o600)) },
		TooOpen: func(t *testing.T, path string) {
			require.NoError(t, os.WriteFile(path, nil, 0o600))
			require.NoError(t, os.Chmod(path, 0o640))
		},
	} {
		t.Run(string(reason), func(t *testing.T) {
			folder, err := open(t, filepath.Join(realTemp(t), "state"), t.TempDir())
			require.NoError(t, err)
			path := filepath.Join(folder.Path(), "file")
			spoil(t, path)
			for _, flag := range []int{os.O_RDONLY, os.O_RDWR | os.O_CREATE} {
				_, err = folder.OpenFile("file", flag)
				requireReason(t, reason, err)
			}
		})
	}
}

func TestINV4_AFileThatIsNotTheOneOfItsNameIsRefused(t *testing.T) {
	folder, err := open(t, filepath.Join(realTemp(t), "state"), t.TempDir())
	require.NoError(t, err)
	file, err := folder.OpenFile("file", os.O_RDWR|os.O_CREATE)
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	require.NoError(t, folder.vouch("path", "file", file))
	require.NoError(t, folder.Replace("file", nil))
	requireReason(t, Replaced, folder.vouch("path", "file", file))
}

func TestAFileThatDoesNotExistSaysSo(t *testing.T) {
	folder, err := open(t, filepath.Join(realTemp(t), "state"), t.TempDir())
	require.NoError(t, err)
	_, err = folder.Read()
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestNoFileOutsideTheFolderIsReached(t *testing.T) {
	parent := realTemp(t)
	require.NoError(t, os.WriteFile(filepath.Join(parent, "secret"), nil, 0o600))
	folder, err := open(t, filepath.Join(parent, "state"), t.TempDir())
	require.NoError(t, err)
	_, err = folder.OpenFile("../secret", os.O_RDONLY)
	require.Error(t, err)
}

func TestINV4_StateAndWorkspaceLieApart(t *testing.T) {
	workspace := realTemp(t)
	link := filepath.Join(realTemp(t), "link")
	require.NoError(t, os.Symlink(workspace, link))
	require.NoError(t, os.Mkdir(filepath.Join(workspace, "sub"), 0o700))

	for _, dir := range []string{
		filepath.Join(workspace, "state"),
		filepath.Join(workspace, "new", "state"),
		filepath.Join(workspace, "sub"),
		filepath.Join(workspace, "sub", "..", "state"),
		filepath.Join(link, "state"),
		filepath.Join(link, "new", "state"),
	} {
		_, err := open(t, dir, workspace)
		requireReason(t, InWorkspace, err)
	}
	left, err := os.ReadDir(workspace)
	require.NoError(t, err)
	require.Len(t, left, 1, "nothing was made in the workspace")

	require.NoError(t, os.Chmod(workspace, 0o700))
	_, err = open(t, workspace, workspace)
	requireReason(t, HoldsWorkspace, err)
	_, err = open(t, workspace, filepath.Join(workspace, "sub"))
	requireReason(t, HoldsWorkspace, err)
	_, err = open(t, workspace+"-state", workspace)
	require.NoError(t, err, "a name that only begins alike is another folder")
}

func TestBadOptionsAreRefused(t *testing.T) {
	for _, options := range []Options{
		{Workspace: t.TempDir()},
		{Protocol: "../evil", Workspace: t.TempDir()},
		{Protocol: "..", Workspace: t.TempDir()},
		{Protocol: "sample"},
		{Protocol: "sample", Workspace: filepath.Join(t.TempDir(), "nowhere")},
		{Protocol: "sample", Workspace: "/dev/null"},
		{Protocol: "sample", Workspace: t.TempDir(), Dir: "/"},
	} {
		_, err := Open(options)
		requireReason(t, BadOptions, err)
	}
}

func TestReplaceIsWhole(t *testing.T) {
	folder, err := open(t, filepath.Join(realTemp(t), "state"), t.TempDir())
	require.NoError(t, err)
	path := filepath.Join(folder.Path(), FileName)
	require.NoError(t, folder.Replace(FileName, []byte("old")))
	require.NoError(t, os.WriteFile(path+".new", []byte("left by a crash"), 0o600))
	before, err := os.Stat(path)
	require.NoError(t, err)
	require.NoError(t, folder.Replace(FileName, []byte("new")))
	after, err := os.Stat(path)
	require.NoError(t, err)
	require.False(t, os.SameFile(before, after), "it is another file, and the old one was not written to")
	content, err := folder.Read()
	require.NoError(t, err)
	require.Equal(t, "new", string(content))
	require.NoFileExists(t, path+".new")
}

func TestSessionNamesTheParent(t *testing.T) {
	parent, start, both := strings.Cut(Session(), ":")
	require.Equal(t, strconv.Itoa(os.Getppid()), parent)
	if both {
		require.Regexp(t, `^[0-9]+$`, start)
	}
	first, again := Session(), Session()
	require.Equal(t, first, again)
}
