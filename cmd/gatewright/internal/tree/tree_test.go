package tree_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/cmd/gatewright/internal/tree"
	"github.com/gatewright/gatewright/gen/emit"
)

const base = "generated/p"

func source(body string) []byte { return []byte(emit.Marker + "\n\npackage p\n\n" + body) }

// want is a tree of these files and a manifest of them.
func want(files map[string]string) map[string][]byte {
	all := map[string][]byte{}
	manifest := `{"generator":"g","protocol":"p","version":"","digest":"","source":"p.yaml","files":{`
	comma := ""
	for _, name := range slices.Sorted(maps.Keys(files)) {
		all[name] = source(files[name])
		manifest += comma + `"` + name + `":"x"`
		comma = ","
	}
	all[emit.ManifestFile] = []byte(manifest + "}}\n")
	return all
}

func open(t *testing.T) (*os.Root, string) {
	t.Helper()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, root.Close()) })
	return root, dir
}

func apply(t *testing.T, root *os.Root, files map[string][]byte) *tree.Tree {
	t.Helper()
	plan, err := tree.Plan(root, base, files)
	require.NoError(t, err)
	require.Empty(t, plan.Problems)
	require.NoError(t, plan.Apply())
	again, err := tree.Plan(root, base, files)
	require.NoError(t, err)
	require.True(t, again.Clean(), "%+v", again)
	return plan
}

func listed(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	require.NoError(t, filepath.WalkDir(filepath.Join(dir, base), func(at string, entry fs.DirEntry, err error) error {
		if err == nil {
			relative, _ := filepath.Rel(filepath.Join(dir, base), at)
			all = append(all, filepath.ToSlash(relative))
		}
		return err
	}))
	return all
}

func TestUnchangedFilesKeepTheirTime(t *testing.T) {
	root, dir := open(t)
	apply(t, root, want(map[string]string{"a.go": "1", "b/b.go": "1"}))
	long := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	for _, name := range []string{"a.go", "b/b.go", emit.ManifestFile} {
		require.NoError(t, os.Chtimes(filepath.Join(dir, base, name), long, long))
	}
	plan := apply(t, root, want(map[string]string{"a.go": "1", "b/b.go": "1"}))
	require.Empty(t, plan.Write)
	plan = apply(t, root, want(map[string]string{"a.go": "1", "b/b.go": "2"}))
	require.Equal(t, []string{"b/b.go"}, plan.Write)
	info, err := os.Stat(filepath.Join(dir, base, "a.go"))
	require.NoError(t, err)
	require.True(t, info.ModTime().Equal(long))
}

func TestOrphansGoAndEmptyFoldersWithThem(t *testing.T) {
	root, dir := open(t)
	apply(t, root, want(map[string]string{"a.go": "", "x/y/z.go": "", "x/k.go": ""}))
	plan := apply(t, root, want(map[string]string{"a.go": "", "x/k.go": ""}))
	require.Equal(t, []string{"x/y/z.go"}, plan.Remove)
	require.Equal(t, []string{".", "a.go", "gatewright.json", "x", "x/k.go"}, listed(t, dir))
}

// Wherever a run stops, the next run of another protocol text completes it:
// for each number of steps, the steps so far are replayed and the rest is left.
func TestInterruptedAnywhere(t *testing.T) {
	before := want(map[string]string{"a.go": "1", "b/b.go": "1", "c.go": "1"})
	after := want(map[string]string{"a.go": "2", "d/d.go": "2", "e.go": "2"})
	later := want(map[string]string{"a.go": "3", "f.go": "3"})
	for stop := range 12 {
		root, dir := open(t)
		apply(t, root, before)
		plan, err := tree.Plan(root, base, after)
		require.NoError(t, err)
		done := plan.ApplySteps(stop)
		require.NoError(t, os.WriteFile(filepath.Join(dir, base, ".gatewright-half.tmp"), []byte("half"), 0o600))
		apply(t, root, later)
		require.Equal(t, []string{".", "a.go", "f.go", "gatewright.json"}, listed(t, dir), "stopped after %d steps", stop)
		if done {
			return
		}
	}
	t.Fatal("twelve steps were not enough")
}

func TestNamesThatDifferInCase(t *testing.T) {
	root, _ := open(t)
	plan, err := tree.Plan(root, base, want(map[string]string{"a/x.go": "", "A/y.go": "", "b.go": "", "B.go": ""}))
	require.NoError(t, err)
	var paths []string
	for _, problem := range plan.Problems {
		require.Equal(t, tree.RuleCase, problem.Rule)
		paths = append(paths, problem.Path)
	}
	require.Equal(t, []string{base + "/a", base + "/b.go"}, paths)
	require.Error(t, plan.Apply())
}

func TestForeignFilesOfEveryKind(t *testing.T) {
	for name, put := range map[string]func(t *testing.T, dir string){
		"a file": func(t *testing.T, dir string) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "x.txt"), []byte("x"), 0o600))
		},
		"a marked file": func(t *testing.T, dir string) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "x.go"), source(""), 0o600))
		},
		"a deep file": func(t *testing.T, dir string) {
			require.NoError(t, os.MkdirAll(filepath.Join(dir, "q/r"), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "q/r/x_test.go"), nil, 0o600))
		},
		"a link to a file of the tree": func(t *testing.T, dir string) {
			require.NoError(t, os.Symlink("a.go", filepath.Join(dir, "l.go")))
		},
		"a dangling link": func(t *testing.T, dir string) {
			require.NoError(t, os.Symlink("nowhere", filepath.Join(dir, "l")))
		},
		"a link in the place of a file": func(t *testing.T, dir string) {
			require.NoError(t, os.Remove(filepath.Join(dir, "a.go")))
			require.NoError(t, os.Symlink("b/b.go", filepath.Join(dir, "a.go")))
		},
		"a folder in the place of a file": func(t *testing.T, dir string) {
			require.NoError(t, os.Remove(filepath.Join(dir, "a.go")))
			require.NoError(t, os.Mkdir(filepath.Join(dir, "a.go"), 0o755))
		},
		"a name in another case": func(t *testing.T, dir string) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "A.GO"), source(""), 0o600))
		},
		"a link in the place of the manifest": func(t *testing.T, dir string) {
			require.NoError(t, os.Remove(filepath.Join(dir, emit.ManifestFile)))
			require.NoError(t, os.Symlink("a.go", filepath.Join(dir, emit.ManifestFile)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			root, dir := open(t)
			files := want(map[string]string{"a.go": "1", "b/b.go": "1"})
			apply(t, root, files)
			put(t, filepath.Join(dir, base))
			before := listed(t, dir)
			plan, err := tree.Plan(root, base, files)
			require.NoError(t, err)
			require.NotEmpty(t, plan.Problems)
			require.False(t, plan.Clean())
			require.Error(t, plan.Apply())
			require.Equal(t, before, listed(t, dir))
		})
	}
}
