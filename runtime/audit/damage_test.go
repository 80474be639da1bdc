package audit

import (
	"bytes"
	"context"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/state"
)

func check(text []byte) error {
	_, err := Verify(bytes.NewReader(text))
	return err
}

func requireDamage(t *testing.T, err error) *DamageError {
	t.Helper()
	damage := new(DamageError)
	require.ErrorAs(t, err, &damage)
	return damage
}

// offsets returns where each line starts, and where the last one ends.
func offsets(text []byte) []int {
	starts := []int{0}
	for i, b := range text {
		if b == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

func TestVerifyFindsEveryFlippedBit(t *testing.T) {
	text := filled(t, 1000)
	require.NoError(t, check(text))
	starts := offsets(text)
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		i := random.IntN(len(text))
		changed := slices.Clone(text[:min(len(text), i+3*maxLine)])
		changed[i] ^= 1 << random.IntN(8)
		damage := requireDamage(t, check(changed))
		line, exact := slices.BinarySearch(starts, i)
		if exact {
			line++
		}
		require.EqualValues(t, line, damage.Line)
		require.EqualValues(t, starts[line-1], damage.Offset)
	}
}

func TestVerifyFindsDeletionsSwapsInsertionsAndCuts(t *testing.T) {
	text := filled(t, 1000)
	starts := offsets(text)
	lines := len(starts) - 1
	line := func(i int) []byte { return text[starts[i]:starts[i+1]] }
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	whole, err := Verify(bytes.NewReader(text))
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(3, 4))
	for range 10 {
		i := random.IntN(lines - 2)
		j := i + 1 + random.IntN(lines-2-i)
		before, between, after := text[:starts[i]], text[starts[i+1]:starts[j]], text[starts[j+1]:]

		require.EqualValues(t, i+1, requireDamage(t, check(join(before, text[starts[i+1]:]))).Line, "deleted")
		require.EqualValues(t, i+1, requireDamage(t, check(join(before, line(j), between, line(i), after))).Line, "swapped")
		require.EqualValues(t, i+2, requireDamage(t, check(join(before, line(i), line(i), text[starts[i+1]:]))).Line, "repeated")
		require.EqualValues(t, i+2, requireDamage(t, check(join(before, line(i), []byte("\n"), text[starts[i+1]:]))).Line, "an empty line")

		cut := starts[i] + 1 + random.IntN(len(line(i))-1)
		damage := requireDamage(t, check(text[:cut]))
		require.True(t, damage.Unterminated)
		require.EqualValues(t, i+1, damage.Line)

		require.NoError(t, check(text[:starts[j]]), "whole lines cut off the end do not show by themselves")
		_, err := VerifyAgainst(bytes.NewReader(text[:starts[j]]), whole.Head)
		requireDamage(t, err)
		at, err := Verify(bytes.NewReader(text[:starts[j]]))
		require.NoError(t, err)
		_, err = VerifyAgainst(bytes.NewReader(text), at.Head)
		require.NoError(t, err, "the log has grown since")
	}
	_, err = VerifyAgainst(bytes.NewReader(filled(t, 1000)), Head{Seq: whole.Head.Seq, Hash: noEntry})
	requireDamage(t, err)
}

func TestVerifyRefusesAnEntryThatIsNotTheNext(t *testing.T) {
	for name, next := range map[string]Entry{
		"a number left out":  {V: 1, Seq: 3},
		"a number again":     {V: 1, Seq: 1},
		"no version":         {V: 0, Seq: 2},
		"a negative version": {V: -1, Seq: 2},
		"a newer version":    {V: 2, Seq: 2},
	} {
		first := Entry{V: 1, Seq: 1, Prev: noEntry}
		text := seal(nil, &first)
		next.Prev = first.Hash
		require.EqualValues(t, 2, requireDamage(t, check(seal(text, &next))).Line, name)
	}
	zero := Entry{V: 1, Prev: noEntry}
	requireDamage(t, check(seal(nil, &zero)))
	named := Entry{V: 1, Seq: 1, Prev: strings.Repeat("1", 64)}
	requireDamage(t, check(seal(nil, &named)))
}

func TestVerifyRefusesALineInAnotherForm(t *testing.T) {
	entry := Entry{V: 1, Seq: 1, Event: gate.ToolCall, Protocol: "p", Digest: "d", Mode: "m", Tool: "t", Prev: noEntry}
	line := seal(nil, &entry)
	require.NoError(t, check(line))
	for old, new := range map[string]string{
		`"tool":"t"`:    `"tool" :"t"`,
		`"mode":"m"`:    `"mode":"\u006d"`,
		`"seq":1`:       `"seq":1,"extra":1`,
		`"v":1`:         `"v":1,"v":1`,
		`,"tool"`:       `,"actor":"","tool"`,
		`"event"`:       `"Event"`,
		`{"v":1,`:       `{"v":2,"later":true,`,
		`"protocol":"p`: `"protocol":"é`,
		`00:00:00Z`:     `00:00:00.0Z`,
	} {
		open, hash := hashOf(bytes.Replace(line[:len(line)-tailSize-1], []byte(old), []byte(new), 1), 0)
		forged := append(open, hashMember+hash+"\"}\n"...)
		require.NotEqual(t, line, forged, old)
		requireDamage(t, check(forged))
	}
}

func TestVerifyFolderWhileItIsWrittenTo(t *testing.T) {
	folder := newFolder(t)
	_, err := VerifyFolder(context.Background(), folder, Head{})
	require.ErrorIs(t, err, fs.ErrNotExist)
	log := openLog(t, folder)
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			for range 200 {
				if err := log.Record(context.Background(), call("one", gate.Read)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 10 {
		_, err := VerifyFolder(context.Background(), folder, Head{})
		require.NoError(t, err)
	}
	all.Wait()
	report, err := VerifyFolder(context.Background(), folder, Head{})
	require.NoError(t, err)
	require.EqualValues(t, 401, report.Entries)
}

func TestVerifyOfAnEmptyLog(t *testing.T) {
	report, err := Verify(bytes.NewReader(nil))
	require.NoError(t, err)
	require.Equal(t, Report{}, report)
	_, err = VerifyAgainst(bytes.NewReader(nil), Head{Seq: 1, Hash: noEntry})
	requireDamage(t, err)
}

// tampered opens a log, lets somebody else at the file, and then appends.
func tampered(t *testing.T, change func(path string, text []byte)) (*state.Folder, error) {
	t.Helper()
	folder := newFolder(t)
	log := openLog(t, folder)
	require.NoError(t, log.Admit(context.Background(), call("one", gate.Write)))
	change(filepath.Join(folder.Path(), FileName), content(t, folder))
	before, _ := os.ReadFile(filepath.Join(folder.Path(), FileName))
	err := log.Admit(context.Background(), call("two", gate.Write))
	require.Error(t, log.Admit(context.Background(), call("two", gate.Read)))
	after, _ := os.ReadFile(filepath.Join(folder.Path(), FileName))
	require.Equal(t, before, after, "nothing was appended")
	return folder, err
}

func appendTo(t *testing.T, path string, text []byte) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = file.Write(text)
	require.NoError(t, err)
	require.NoError(t, file.Close())
}

func TestINV4_ADamagedLogRefuses(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, path string, text []byte){
		"shrunk":  func(t *testing.T, path string, text []byte) { require.NoError(t, os.Truncate(path, 10)) },
		"emptied": func(t *testing.T, path string, text []byte) { require.NoError(t, os.Truncate(path, 0)) },
		"removed": func(t *testing.T, path string, text []byte) { require.NoError(t, os.Remove(path)) },
		"replaced": func(t *testing.T, path string, text []byte) {
			require.NoError(t, os.WriteFile(path+"2", text, 0o600))
			require.NoError(t, os.Rename(path+"2", path))
		},
		"replaced by a link to itself": func(t *testing.T, path string, text []byte) {
			require.NoError(t, os.Rename(path, path+"2"))
			require.NoError(t, os.Symlink(path+"2", path))
		},
		"opened to others": func(t *testing.T, path string, text []byte) { require.NoError(t, os.Chmod(path, 0o644)) },
		"a line of garbage": func(t *testing.T, path string, text []byte) {
			appendTo(t, path, []byte("garbage\n"))
		},
		"a line too long": func(t *testing.T, path string, text []byte) {
			appendTo(t, path, bytes.Repeat([]byte{'x'}, 2*maxLine))
		},
		"its last line again": func(t *testing.T, path string, text []byte) {
			starts := offsets(text)
			appendTo(t, path, text[starts[len(starts)-2]:])
		},
		"an entry of another chain": func(t *testing.T, path string, text []byte) {
			entry := Entry{V: 1, Seq: 3, Event: gate.ToolCall, Protocol: "sample", Digest: digestA, Mode: "m", Prev: noEntry}
			appendTo(t, path, seal(nil, &entry))
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := tampered(t, func(path string, text []byte) { change(t, path, text) })
			requireDamage(t, err)
		})
	}
}

func TestINV4_OpeningADamagedLogRefuses(t *testing.T) {
	for name, change := range map[string]func(text []byte) []byte{
		"a flipped bit at the end": func(text []byte) []byte { text[len(text)-200] ^= 1; return text },
		"its last line again": func(text []byte) []byte {
			starts := offsets(text)
			return append(text, text[starts[len(starts)-2]:]...)
		},
		"without its first line": func(text []byte) []byte { return text[offsets(text)[1]:] },
		"no line end anywhere":   func([]byte) []byte { return bytes.Repeat([]byte{'x'}, 5*maxLine) },
		"a long last line":       func(text []byte) []byte { return append(text, make([]byte, maxLine)...) },
		"a long line before a torn one": func(text []byte) []byte {
			return slices.Concat(text, bytes.Repeat([]byte{'x'}, 3*maxLine), []byte("\n{"))
		},
		"a long line": func(text []byte) []byte {
			return slices.Concat(text, bytes.Repeat([]byte{'x'}, 3*maxLine), []byte("\n"))
		},
		"empty lines": func(text []byte) []byte { return append(text, bytes.Repeat([]byte{'\n'}, 3*maxLine)...) },
	} {
		t.Run(name, func(t *testing.T) {
			folder := newFolder(t)
			log := openLog(t, folder)
			for range 10 {
				require.NoError(t, log.Record(context.Background(), call("one", gate.Read)))
			}
			require.NoError(t, log.Close(context.Background()))
			text := change(content(t, folder))
			require.NoError(t, os.WriteFile(filepath.Join(folder.Path(), FileName), text, 0o600))
			_, err := Open(context.Background(), folder, options(digestA))
			require.False(t, requireDamage(t, err).Unterminated)
			require.Equal(t, text, content(t, folder))
		})
	}
}

func TestAnUnterminatedLastLineIsSetAside(t *testing.T) {
	folder := newFolder(t)
	log := openLog(t, folder)
	require.NoError(t, log.Admit(context.Background(), call("one", gate.Write)))
	torn := []byte(`{"v":1,"seq":3,"time":"20`)
	path := filepath.Join(folder.Path(), FileName)
	appendTo(t, path, torn)
	require.NoError(t, log.Admit(context.Background(), call("two", gate.Write)), "while running")
	appendTo(t, path, torn)
	openLog(t, folder) // and at the start
	all := entries(t, folder)
	require.Len(t, all, 5)
	for _, i := range []int{2, 4} {
		require.Equal(t, LogRepaired, all[i].Event)
		require.Equal(t, "25", all[i].Details["bytes"])
		aside, err := os.ReadFile(filepath.Join(folder.Path(), all[i].Details["file"]))
		require.NoError(t, err)
		require.Equal(t, torn, aside)
	}
}

// However much was written of an entry, the log goes on from the one before.
func TestEveryCutOfTheLastLineIsRepaired(t *testing.T) {
	text := filled(t, 4)
	starts := offsets(text)
	last := starts[len(starts)-2]
	for cut := last + 1; cut < len(text); cut += 37 {
		folder := newFolder(t)
		require.NoError(t, os.WriteFile(filepath.Join(folder.Path(), FileName), text[:cut], 0o600))
		log := openLog(t, folder)
		require.NoError(t, log.Admit(context.Background(), call("two", gate.Write)))
		require.EqualValues(t, len(starts)-2+2, verified(t, folder).Entries)
	}
}

func TestOpeningALongLogReadsItsEndAlone(t *testing.T) {
	text := filled(t, 1000)
	require.Greater(t, len(text), 4*tailWindow)
	folder := newFolder(t)
	path := filepath.Join(folder.Path(), FileName)
	require.NoError(t, os.WriteFile(path, text, 0o600))
	log := openLog(t, folder)
	require.NoError(t, log.Close(context.Background()))
	damaged := content(t, folder)
	damaged[3000] ^= 1 // far from the end, and not the entry that pins
	require.NoError(t, os.WriteFile(path, damaged, 0o600))
	again := openLog(t, folder)
	require.NoError(t, again.Admit(context.Background(), call("two", gate.Write)))
	requireDamage(t, check(content(t, folder)))
}
