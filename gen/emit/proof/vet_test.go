package proof_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis"

	"github.com/gatewright/gatewright/gen/emit/vet"
)

// analyzed runs the analyzer over what compiles of a program. It returns the
// rules of what is reported, by file and line.
func (w *world) analyzed(t *testing.T, name string, p program) map[string][]string {
	t.Helper()
	reported := map[string][]string{}
	w.looks = func(each inspected) { w.analyze(t, each, reported) }
	defer func() { w.looks = nil }()
	require.Empty(t, w.attempt(name, p), "%s does not compile, so nothing is left to report", name)
	return reported
}

func (w *world) analyze(t *testing.T, each inspected, reported map[string][]string) {
	t.Helper()
	_, err := vet.Analyzer.Run(&analysis.Pass{
		Analyzer: vet.Analyzer, Fset: w.set, Files: each.files, Pkg: each.pkg, TypesInfo: each.info,
		Report: func(d analysis.Diagnostic) {
			position := w.set.Position(d.Pos)
			at := fmt.Sprintf("%s:%d", strings.TrimPrefix(position.Filename, outer+"/"), position.Line)
			if !slices.Contains(reported[at], d.Category) {
				reported[at] = append(reported[at], d.Category)
			}
		},
	})
	require.NoError(t, err)
}

// What compiles and goes round the gate is reported where it says; its control
// is not.
func TestINV1_WhatTheCompilerLetsPassIsReported(t *testing.T) {
	require.NoError(t, analysis.Validate([]*analysis.Analyzer{vet.Analyzer}))
	w := newWorld(t)
	require.NoError(t, w.check())
	found := map[string]bool{}
	for _, p := range proofs(t, "vet") {
		t.Run(p.name, func(t *testing.T) {
			want := p.marks("reported")
			require.NotEmpty(t, want)
			require.Equal(t, want, w.analyzed(t, p.name, p.attack))
			require.Empty(t, w.analyzed(t, p.name, p.control))
			for _, rules := range want {
				for _, rule := range rules {
					found[rule] = true
				}
			}
		})
	}
	for _, rule := range vet.Rules() {
		if rule.ID != vet.RuleLeak && rule.ID != vet.RuleShape {
			require.True(t, found[rule.ID], "no program is reported under %s", rule.ID)
		}
	}
}

// What the compiler's back end refuses is reported too, in case it ceases to.
func TestINV1_EmptySetsThatTheBackEndRefusesAreReported(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.check())
	for _, p := range proofs(t, "cases") {
		if p.behind != "" {
			rules := slices.Concat(slices.Collect(maps.Values(w.analyzed(t, p.name, p.attack)))...)
			require.Contains(t, rules, vet.RuleSet, p.name)
		}
	}
}

// Nothing is reported of what the emitter makes, of handlers, or of the
// controls of the corpus; and some leak or shape is reported of each tree that
// was weakened so that an attack compiles, where the tree shows it.
func TestINV1_WeakenedTreesAreReported(t *testing.T) {
	w := newWorld(t)
	tree := func(w *world) map[string][]string {
		reported := map[string][]string{}
		w.looks = func(each inspected) {
			if strings.HasPrefix(each.pkg.Path(), outer) {
				w.analyze(t, each, reported)
			}
		}
		require.NoError(t, w.check())
		w.looks = nil
		return reported
	}
	require.Empty(t, tree(w))
	for _, p := range proofs(t, "cases") {
		if !slices.Contains(controlsThatAreReported(), p.name) {
			require.Empty(t, w.analyzed(t, p.name, p.control), p.name)
		}
	}
	shown := map[string]string{
		"a plain term in place of the ~":          vet.RuleLeak,
		"the mark of every permit exported":       vet.RuleShape,
		"the mark of writes exported":             vet.RuleShape,
		"the mark of a tool exported":             vet.RuleShape,
		"a permit in the signature of a contract": vet.RuleLeak,
		"a variable that makes permits":           vet.RuleLeak,
		"a permit in an exported field":           vet.RuleLeak,
		"a registry that takes a handler":         vet.RuleLeak,
		"permits outside internal":                vet.RuleLeak,
		"an exported field in the shape":          vet.RuleShape,
		"a handler that takes anything":           vet.RuleShape,
		"constraints without a shape":             vet.RuleShape,
	}
	for _, each := range weakenings() {
		if rule := shown[each.name]; rule != "" {
			t.Run(each.name, func(t *testing.T) {
				reported := tree(w.weakened(func(s sources) { each.change(t, s) }))
				require.Contains(t, slices.Concat(slices.Collect(maps.Values(reported))...), rule, "%v", reported)
			})
		}
	}
}

// Some controls are of a kind that has to compile and is reported all the same.
func controlsThatAreReported() []string {
	return []string{"empty_set_as_argument", "empty_set_by_a_method", "intersection"}
}

// The analyzer works under the go command, where types come from export data,
// with tests among what it sees.
func TestINV1_GoVetReports(t *testing.T) {
	m := newModule(t, newWorld(t))
	write(t, m.dir, "tool/main.go", []byte(`package main

import (
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/gatewright/gatewright/gen/emit/vet"
)

func main() { unitchecker.Main(vet.Analyzer) }
`))
	output, err := m.run("", "build", "-o", "vettool", "./tool")
	require.NoError(t, err, "%s", output)
	tool := "-vettool=" + filepath.Join(m.dir, "vettool")

	output, err = m.run("", "vet", tool, "./generated/sample/...", "./protocols/...")
	require.NoError(t, err, "%s", output)

	want := 0
	for _, p := range proofs(t, "vet") {
		if strings.HasPrefix(p.name, "linkname") { // a mark cannot stand behind a directive
			continue
		}
		m.put(p.name, p.attack)
		m.put(p.name, p.control)
		want += len(p.marks("reported"))
	}
	output, err = m.run("", "vet", tool, "./cases/...")
	require.Error(t, err)
	lines := map[string]bool{}
	for _, found := range regexp.MustCompile(`(?m)^(cases/\S+:\d+):\d+: .* \[(vet-\S+)\]$`).FindAllStringSubmatch(output, -1) {
		require.NotContains(t, found[1], "/control/", "%s", output)
		lines[found[1]] = true
	}
	require.Len(t, lines, want, "%s", output)
}
