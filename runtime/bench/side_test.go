package bench

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkSideBySide measures everything and prints the table.
func BenchmarkSideBySide(b *testing.B) {
	m := newModule(b, "-trimpath", "-ldflags=-s -w") // as released
	var out table
	b.Run("call", func(b *testing.B) { m.benchmarkCalls(b) })
	m.calls(b, &out)
	m.starts(b, &out)
	m.sizes(b, &out)
	m.build(b, m.dir, os.DevNull, "./generated/one/onetest") // with what every tree depends on
	for _, count := range []int{10, 100, 1000} {
		m.generation(b, &out, count)
	}
	fmt.Print("\n" + out.String() + "\n")
}

// benchmarkCalls gives each kind of call as a Go benchmark of its own.
func (m *module) benchmarkCalls(b *testing.B) {
	running := m.start(b)
	for _, s := range running.series() {
		b.Run(strings.ReplaceAll(s.name, " ", "_"), func(b *testing.B) {
			for b.Loop() {
				s.call(b)
			}
		})
	}
	running.stop(b)
}

func (m *module) calls(b *testing.B, out *table) {
	running := m.start(b)
	all := running.series()
	inTurns(b, all, 41, 100)
	out.title("A call over stdio, µs", "median", "p99", "against typed", "against synced", "against SQLite")
	typed, synced, stored := quantile(all[1].took, 50), quantile(all[3].took, 50), quantile(all[5].took, 50)
	for _, s := range all {
		median := quantile(s.took, 50)
		out.row(s.name, micro(median), micro(quantile(s.took, 99)), ratio(median, typed), ratio(median, synced), ratio(median, stored))
	}
	out.title("At rest, MiB of memory", "resident")
	out.row("bare SDK", resident(running.bare.command.Process.Pid))
	out.row("gated", resident(running.gated.command.Process.Pid))
	out.row("bare SDK with SQLite", resident(running.stored.command.Process.Pid))
	out.row("gated, in two steps", resident(running.phased.command.Process.Pid))
	running.stop(b)
}

func (m *module) starts(b *testing.B, out *table) {
	var bare, gated, stored, phased []time.Duration
	for range 40 {
		for _, each := range []struct {
			start func(testing.TB) *server
			took  *[]time.Duration
		}{{m.startBare, &bare}, {m.startGated, &gated}, {m.startStored, &stored}, {m.startPhased, &phased}} {
			s := each.start(b)
			*each.took = append(*each.took, s.started)
			s.stop(b)
		}
	}
	out.title("Start to first answer, ms", "median", "p90", "against bare")
	out.row("bare SDK", milli(quantile(bare, 50)), milli(quantile(bare, 90)), "1.00")
	for _, each := range []struct {
		name string
		took []time.Duration
	}{{"gated", gated}, {"bare SDK with SQLite, its file there", stored}, {"gated, in two steps", phased}} {
		out.row(each.name, milli(quantile(each.took, 50)), milli(quantile(each.took, 90)), ratio(quantile(each.took, 50), quantile(bare, 50)))
	}
}

func (m *module) sizes(b *testing.B, out *table) {
	out.title("Binary, stripped, MiB", "size")
	for _, each := range [][2]string{{"bare SDK", m.bare}, {"gated", m.gated}, {"bare SDK with SQLite", m.stored}, {"gated, in two steps", m.phased}} {
		info, err := os.Stat(each[1])
		require.NoError(b, err)
		out.row(each[0], mebi(info.Size()))
	}
}

// generation measures the command from start to end: with nothing there, with
// the handlers there and a tree to be made, and with nothing to do.
func (m *module) generation(b *testing.B, out *table, count int) {
	id := fmt.Sprintf("many%d", count)
	m.put(b, "protocols/"+id+"/protocol.yaml", manyTools(count))
	tree := filepath.Join(m.dir, "generated", id)
	measure := func(before func()) (wall, cpu time.Duration, memory string) {
		var walls, cpus []time.Duration
		for range 5 {
			before()
			began := time.Now()
			state := m.generate(b, "./protocols/"+id)
			walls, cpus = append(walls, time.Since(began)), append(cpus, state.UserTime()+state.SystemTime())
			memory = peak(state)
		}
		return quantile(walls, 50), quantile(cpus, 50), memory
	}
	out.title(fmt.Sprintf("Generation of %d tools, ms", count), "wall", "CPU", "wall a tool", "peak MiB")
	line := func(name string, before func()) {
		wall, cpu, memory := measure(before)
		out.row(name, milli(wall), milli(cpu), milli(wall/time.Duration(count)), memory)
	}
	line("everything, with a stub for each handler", func() {
		require.NoError(b, os.RemoveAll(tree))
		stubs, err := filepath.Glob(filepath.Join(m.dir, "protocols", id, "*.go"))
		require.NoError(b, err)
		for _, stub := range stubs {
			require.NoError(b, os.Remove(stub))
		}
	})
	line("the tree", func() { require.NoError(b, os.RemoveAll(tree)) })
	m.generate(b, "./protocols/"+id)
	line("nothing to do", func() {})
	files, lines := m.count(b, tree)
	began := time.Now()
	m.build(b, m.dir, os.DevNull, "./generated/"+id+"/"+id+"test") // imports all there is
	built := time.Since(began)
	began = time.Now()
	m.build(b, m.dir, filepath.Join(m.dir, "bin", id), "./generated/"+id+"/cmd/"+id+"-m0")
	out.row(fmt.Sprintf("(%d files, %d lines, %.1f lines a tool)", files, lines, float64(lines)/float64(count)))
	out.row("go build of it, dependencies built", milli(built), "", milli(built/time.Duration(count)))
	out.row("go build of one server of it, after that", milli(time.Since(began)))
}

func (m *module) count(b *testing.B, tree string) (files, lines int) {
	require.NoError(b, filepath.WalkDir(tree, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		data, err := os.ReadFile(path)
		files, lines = files+1, lines+bytes.Count(data, []byte("\n"))
		return err
	}))
	return files, lines
}

func quantile(took []time.Duration, percent int) time.Duration {
	sorted := slices.Sorted(slices.Values(took))
	return sorted[min(len(sorted)*percent/100, len(sorted)-1)]
}

func micro(d time.Duration) string { return fmt.Sprintf("%.0f", float64(d)/1e3) }
func milli(d time.Duration) string { return fmt.Sprintf("%.2f", float64(d)/1e6) }
func mebi(bytes int64) string      { return fmt.Sprintf("%.1f", float64(bytes)/(1<<20)) }
func ratio(a, b time.Duration) string {
	return fmt.Sprintf("%.2f", float64(a)/float64(b))
}

// A table has a title for each group of rows, and columns of numbers.
type table struct{ text strings.Builder }

func (t *table) title(name string, columns ...string) {
	if t.text.Len() > 0 {
		t.text.WriteByte('\n')
	}
	t.row(name, columns...)
}

func (t *table) row(name string, columns ...string) {
	fmt.Fprintf(&t.text, "%-48s", name)
	for _, column := range columns {
		fmt.Fprintf(&t.text, " %14s", column)
	}
	t.text.WriteByte('\n')
}

func (t *table) String() string { return t.text.String() }
