package codec_test

import (
	"encoding/json"
	"math/big"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/internal/codec"
)

// What is accepted has one form: the form reads as itself, equals in value what
// came in, and gives the handler the same value.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"path":"a","count":1,"rate":1e2,"raw":{"b":[1.50,9007199254740993,"\u00e9"]}}`,
		`{"path":"a","items":[{"name":"b","next":{"name":"c"}}],"labels":{"x":"y"},"strict":true,"kind":"small"}`,
		`{"path":"a","raw":1e21}`, `{"path":"a","raw":9223372036854776000}`, `{"path":"a","raw":-0.0}`, `{"path":"a","raw":5e-324}`,
		`{"path":"a","raw":123456789012345678901234567890}`, `{"path":"a","raw":0.1e-6}`, `null`, `{"path":"a","PATH":1}`,
		`{"path":"a","raw":"\ud83d\ude00"}`, `{"path":"a","raw":[[[[{}]]]]}`,
	} {
		f.Add([]byte(seed))
	}
	c := fixture(f)
	f.Fuzz(func(t *testing.T, arguments []byte) {
		first, err := c.Decode(arguments)
		if err != nil {
			require.Less(t, len(err.Error()), 1000)
			return
		}
		again, err := c.Decode(first.Canonical)
		require.NoError(t, err, "%s", first.Canonical)
		require.Equal(t, string(first.Canonical), string(again.Canonical))
		require.Equal(t, first.Value, again.Value)
		require.Equal(t, first.Recorded, again.Recorded)
		if len(arguments) > 0 && string(first.Canonical) != "{}" {
			require.True(t, same(plain(t, arguments), plain(t, first.Canonical)), "%s\n%s", arguments, first.Canonical)
		}
	})
}

// Raw values are written again without a change of value.
func FuzzEncode(f *testing.F) {
	f.Add([]byte(`{"a":[1,2.5,null]}`))
	f.Add([]byte(`"text"`))
	c, err := codec.New(codec.Spec{
		Input: `{"type":"object"}`, Output: `{"type":"object"}`, Decode: codec.Typed[struct{}],
	})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, raw []byte) {
		text, err := c.Encode(output{Raw: raw})
		if err == nil {
			require.True(t, json.Valid(text))
		}
	})
}

func plain(t *testing.T, text []byte) any {
	var value any
	require.NoError(t, json.Unmarshal(text, &value))
	return value
}

// same compares values as JSON readers with float64 numbers see them, which is
// all that encoding/json can be asked for.
func same(a, b any) bool {
	if x, ok := a.(float64); ok {
		y, ok := b.(float64)
		return ok && new(big.Float).SetFloat64(x).Cmp(new(big.Float).SetFloat64(y)) == 0
	}
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for key := range x {
			if !same(x[key], y[key]) {
				return false
			}
		}
		return true
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !same(x[i], y[i]) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(a, b)
}

func BenchmarkDecode(b *testing.B) {
	c := fixture(b)
	arguments := []byte(`{"path":"a/b/c","count":12,"items":[{"name":"x"},{"name":"y"}],"labels":{"k":"v"}}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Decode(arguments); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	c := fixture(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Encode(output{N: 12, Raw: json.RawMessage(`{"k":"v"}`)}); err != nil {
			b.Fatal(err)
		}
	}
}
