package codec_test

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/internal/codec"
)

type item struct {
	Name string  `json:"name"`
	Next *item   `json:"next,omitzero"`
	Rate float64 `json:"rate,omitzero"`
}

type input struct {
	Path   string            `json:"path"`
	Count  int64             `json:"count,omitzero"`
	Rate   *float64          `json:"rate,omitzero"`
	Strict *bool             `json:"strict,omitzero"`
	Kind   string            `json:"kind,omitzero"`
	Items  []item            `json:"items,omitzero"`
	Labels map[string]string `json:"labels,omitzero"`
	Raw    json.RawMessage   `json:"raw,omitzero"`
	Open   json.RawMessage   `json:"open,omitzero"`
}

const inputSchema = `{
	"type": "object", "additionalProperties": false, "required": ["path"],
	"properties": {
		"path": {"type": "string", "minLength": 1, "maxLength": 20, "pattern": "^[a-z/]*$"},
		"count": {"type": "integer", "minimum": -9007199254740993, "maximum": 9223372036854775807},
		"rate": {"type": ["number", "null"]},
		"strict": {"type": "boolean"},
		"kind": {"enum": ["small", "large"]},
		"items": {"type": "array", "maxItems": 3, "items": {"$ref": "#/$defs/item"}},
		"labels": {"type": "object", "additionalProperties": {"type": "string"}},
		"raw": {},
		"open": {"type": "object", "properties": {"handle": {"type": "string"}}}
	},
	"$defs": {"item": {
		"type": "object", "additionalProperties": false, "required": ["name"],
		"properties": {"name": {"type": "string"}, "next": {"$ref": "#/$defs/item"}, "rate": {"type": "number"}}
	}}
}`

const outputSchema = `{"type":"object","additionalProperties":false,"required":["n"],"properties":{"n":{"type":"integer"},"raw":{}}}`

func fixture(t testing.TB) *codec.Codec {
	t.Helper()
	c, err := codec.New(codec.Spec{
		Input: inputSchema, Output: outputSchema, Record: []string{"/path", "/items/0/name", "/raw"}, Decode: codec.Typed[input],
	})
	require.NoError(t, err)
	return c
}

func TestDecodeRefusesInWordsForAModel(t *testing.T) {
	c := fixture(t)
	for name, test := range map[string]struct {
		arguments string
		code      gate.Code
		says      string
	}{
		"duplicate key":          {`{"path":"a","path":"b"}`, gate.ArgumentsMalformed, "the key /path appears twice"},
		"duplicate key, escaped": {`{"path":"a","\u0070ath":"b"}`, gate.ArgumentsMalformed, "the key /path appears twice"},
		"duplicate key, deep":    {`{"path":"a","raw":{"b":[{"c":1,"c":2}]}}`, gate.ArgumentsMalformed, "the key /raw/b/0/c appears twice"},
		"another case":           {`{"path":"a","Count":1}`, gate.ArgumentsMalformed, `/Count is not spelled as declared; spell it "count"`},
		"both cases":             {`{"path":"a","PATH":"evil"}`, gate.ArgumentsMalformed, `/PATH is not spelled as declared; spell it "path"`},
		"another case, open":     {`{"path":"a","open":{"HANDLE":"evil"}}`, gate.ArgumentsMalformed, `/open/HANDLE is not spelled as declared; spell it "handle"`},
		"another case, folded":   {`{"path":"a","\u017ftrict":true}`, gate.ArgumentsMalformed, `spell it "strict"`},
		"unknown key":            {`{"path":"a","colour":1}`, gate.ArgumentsMalformed, "/colour is not a known key; the known keys are count, items, kind"},
		"unknown key, meant":     {`{"path":"a","items":[{"na-me":"x"}]}`, gate.ArgumentsMalformed, `/items/0/na-me is not a known key; did you mean "name"?`},
		"wrong type":             {`{"path":7}`, gate.ArgumentsInvalid, "/path has to be of type string and is 7"},
		"string for a number":    {`{"path":"a","count":"1"}`, gate.ArgumentsInvalid, `/count has to be of type integer and is "1"`},
		"fraction":               {`{"path":"a","count":1.5}`, gate.ArgumentsInvalid, "/count has to be of type integer and is 1.5"},
		"null for a string":      {`{"path":null}`, gate.ArgumentsInvalid, "/path has to be of type string and is null"},
		"missing":                {`{}`, gate.ArgumentsInvalid, "/path is required and missing"},
		"missing, deep":          {`{"path":"a","items":[{"name":"b","next":{}}]}`, gate.ArgumentsInvalid, "/items/0/next/name is required and missing"},
		"not of the enum":        {`{"path":"a","kind":"huge"}`, gate.ArgumentsInvalid, `/kind has to be one of "small", "large" and is "huge"`},
		"too short":              {`{"path":""}`, gate.ArgumentsInvalid, "/path has 0 characters and needs at least 1"},
		"pattern":                {`{"path":"A"}`, gate.ArgumentsInvalid, "/path has to match the pattern"},
		"too many":               {`{"path":"a","items":[{},{},{},{}]}`, gate.ArgumentsInvalid, "/items has 4 items and may have at most 3"},
		"map value":              {`{"path":"a","labels":{"x":1}}`, gate.ArgumentsInvalid, "/labels/x has to be of type string and is 1"},
		"beyond int64":           {`{"path":"a","count":9223372036854775808}`, gate.ArgumentsMalformed, "/count is 9223372036854775808, which would lose digits"},
		"beyond int64, short":    {`{"path":"a","raw":1,"count":-10000000000000000000}`, gate.ArgumentsInvalid, "/count has to be at least"},
		"beyond float64":         {`{"path":"a","rate":1e400}`, gate.ArgumentsMalformed, "/rate is 1e400, which is beyond the range"},
		"below float64":          {`{"path":"a","rate":1e-400}`, gate.ArgumentsMalformed, "/rate is 1e-400, which is beyond the range"},
		"exponent bomb":          {`{"path":"a","rate":1e1000000000}`, gate.ArgumentsMalformed, "beyond the range"},
		"digits of a number":     {`{"path":"a","rate":9007199254740993}`, gate.ArgumentsMalformed, "/rate is a number, which would lose digits"},
		"digits, deep":           {`{"path":"a","items":[{"name":"b","rate":9007199254740993}]}`, gate.ArgumentsMalformed, "/items/0/rate is a number, which would lose digits"},
		"invalid UTF-8":          {"{\"path\":\"\xff\"}", gate.ArgumentsMalformed, "invalid UTF-8"},
		"lone surrogate":         {`{"path":"\ud800"}`, gate.ArgumentsMalformed, "surrogate"},
		"trailing data":          {`{"path":"a"} {}`, gate.ArgumentsMalformed, "more text after the value"},
		"trailing comma":         {`{"path":"a",}`, gate.ArgumentsMalformed, "not valid JSON"},
		"cut":                    {`{"path":"a"`, gate.ArgumentsMalformed, "ends too early"},
		"not an object":          {`["path"]`, gate.ArgumentsMalformed, "one JSON object and are an array"},
		"depth bomb":             {`{"path":"a","raw":` + strings.Repeat("[", 100000) + strings.Repeat("]", 100000) + `}`, gate.ArgumentsMalformed, "levels deep"},
		"depth bomb of objects":  {`{"path":"a","raw":` + strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000) + `}`, gate.ArgumentsMalformed, "levels deep"},
		"NaN":                    {`{"path":"a","rate":NaN}`, gate.ArgumentsMalformed, "not valid JSON"},
		"long value":             {`{"path":"` + strings.Repeat("a", 10000) + `"}`, gate.ArgumentsInvalid, "/path has 10000 characters"},
		"long key":               {`{"path":"a","` + strings.Repeat("k", 10000) + `":1}`, gate.ArgumentsMalformed, "is not a known key"},
		"long literal":           {`{"path":"a","count":1` + strings.Repeat("0", 10000) + `}`, gate.ArgumentsMalformed, "beyond the range"},
		"long kind":              {`{"path":"a","kind":"` + strings.Repeat("k", 10000) + `"}`, gate.ArgumentsInvalid, "has to be one of"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := c.Decode([]byte(test.arguments))
			refused := new(gate.ArgumentError)
			require.ErrorAs(t, err, &refused)
			require.Equal(t, test.code, refused.Code, refused.Message)
			require.Contains(t, refused.Message, test.says)
			require.Less(t, len(refused.Message), 600)
		})
	}
}

func TestEqualArgumentsHaveOneForm(t *testing.T) {
	c := fixture(t)
	for _, same := range [][]string{
		{`{"path":"a","count":1}`, `{"count":1.0,"path":"a"}`, ` { "path" : "\u0061" , "count" : 10e-1 } `, `{"count":1e0,"path":"a"}`},
		{`{"path":"a","rate":100}`, `{"path":"a","rate":1e2}`, `{"path":"a","rate":100.000}`},
		{`{"path":"a","rate":0}`, `{"path":"a","rate":-0}`, `{"path":"a","rate":-0.0}`, `{"path":"a","rate":0e999999999}`},
		{`{"path":"a","rate":1e21}`, `{"path":"a","rate":1000000000000000000000}`, `{"path":"a","rate":10e20}`},
		{`{"path":"a","raw":{"b":1,"a":[1.50,"é"]}}`, `{"path":"a","raw":{"a":[15e-1,"\u00e9"],"b":1}}`},
		{`{"path":"a","count":9007199254740993}`, `{"path":"a","count":9007199254740993.0}`, `{"path":"a","count":9.007199254740993e15}`},
	} {
		first, err := c.Decode([]byte(same[0]))
		require.NoError(t, err)
		for _, other := range same[1:] {
			next, err := c.Decode([]byte(other))
			require.NoError(t, err, other)
			require.Equal(t, string(first.Canonical), string(next.Canonical))
			require.Equal(t, first.Value, next.Value, "what is approved is what the handler gets")
		}
	}
}

func TestDifferentArgumentsHaveDifferentForms(t *testing.T) {
	c := fixture(t)
	forms := map[string]string{}
	for _, arguments := range []string{
		`{"path":"a"}`, `{"path":"b"}`, `{"path":"a","raw":1}`, `{"path":"a","raw":"1"}`, `{"path":"a","raw":[1]}`, `{"path":"a","raw":null}`,
		`{"path":"a","raw":9007199254740992}`, `{"path":"a","raw":9007199254740993}`, `{"path":"a","rate":null}`, `{"path":"a","rate":0}`,
		`{"path":"a","count":9223372036854775806}`, `{"path":"a","count":9223372036854775807}`, `{"path":"a","raw":{}}`, `{"path":"a","raw":[]}`,
		`{"path":"a","raw":0.1}`, `{"path":"a","raw":0.10000000000000002}`, `{"path":"a","raw":true}`, `{"path":"a","raw":"true"}`,
	} {
		got, err := c.Decode([]byte(arguments))
		require.NoError(t, err, arguments)
		require.NotContains(t, forms, string(got.Canonical), "%s and %s", arguments, forms[string(got.Canonical)])
		forms[string(got.Canonical)] = arguments
	}
}

func TestCanonicalFormFollowsRFC8785(t *testing.T) {
	c := fixture(t)
	got, err := c.Decode([]byte("{\"raw\":{\"\\u20ac\":1,\"\\r\":2,\"\\ufb33\":3,\"1\":4,\"\\ud83d\\ude00\":5,\"\\u0080\":6,\"\\u00f6\":7},\"path\":\"a\"}"))
	require.NoError(t, err)
	require.JSONEq(t, "{\"path\":\"a\",\"raw\":{\"\\r\":2,\"1\":4,\"\u0080\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\ufb33\":3}}", string(got.Canonical))
}

func TestAbsentAndNullAreTheEmptyObject(t *testing.T) {
	c, err := codec.New(codec.Spec{Input: `{"type":"object","additionalProperties":false}`, Decode: codec.Typed[struct{}]})
	require.NoError(t, err)
	for _, arguments := range []string{"", "null", " null ", "{}"} {
		got, err := c.Decode([]byte(arguments))
		require.NoError(t, err)
		require.Equal(t, "{}", string(got.Canonical))
	}
}

func TestRecordedFieldsAreBounded(t *testing.T) {
	c := fixture(t)
	got, err := c.Decode([]byte(`{"path":"a","items":[{"name":"n\u0000"}],"raw":"` + strings.Repeat("x", 300) + `"}`))
	require.NoError(t, err)
	require.Equal(t, `"a"`, got.Recorded["/path"])
	require.Equal(t, `"n\u0000"`, got.Recorded["/items/0/name"])
	require.Regexp(t, "^sha256:[0-9a-f]{64}$", got.Recorded["/raw"])
	got, err = c.Decode([]byte(`{"path":"a"}`))
	require.NoError(t, err)
	require.Equal(t, map[string]string{"/path": `"a"`}, got.Recorded)
}

type output struct {
	N   int64           `json:"n"`
	Raw json.RawMessage `json:"raw,omitzero"`
}

func TestEncodeHoldsResultsAgainstTheSchema(t *testing.T) {
	c := fixture(t)
	text, err := c.Encode(output{N: math.MaxInt64})
	require.NoError(t, err)
	require.Equal(t, `{"n":9223372036854775807}`, string(text))
	for says, result := range map[string]any{
		"/m is not a known key":             map[string]any{"n": 1, "m": 2},
		"/n is required and missing":        map[string]any{},
		"/n has to be of type integer":      map[string]any{"n": "1"},
		"has to be of type object":          []int{1},
		"cannot be written as JSON":         func() {},
		"written as JSON":                   output{Raw: json.RawMessage(`{"a":1,"a":2}`)},
		"may have at most":                  output{Raw: json.RawMessage(`"` + strings.Repeat("x", 9<<20) + `"`)},
		"it cannot be written as JSON: jso": map[string]any{"n": math.NaN()},
	} {
		_, err := c.Encode(result)
		require.ErrorContains(t, err, says)
	}
	none, err := codec.New(codec.Spec{Input: `{"type":"object"}`, Decode: codec.Typed[struct{}]})
	require.NoError(t, err)
	text, err = none.Encode(struct{}{})
	require.NoError(t, err)
	require.Nil(t, text)
}

func TestNewRefusesWhatCannotBeServed(t *testing.T) {
	good := codec.Spec{Input: `{"type":"object"}`, Decode: codec.Typed[struct{}]}
	for says, change := range map[string]func(*codec.Spec){
		"no decoder":         func(s *codec.Spec) { s.Decode = nil },
		"the input: read":    func(s *codec.Spec) { s.Input = "{" },
		"the input: the sch": func(s *codec.Spec) { s.Input = `{"type":"string"}` },
		"the input: resolve": func(s *codec.Spec) { s.Input = `{"type":"object","properties":{"a":{"pattern":"(?=x)"}}}` },
		"the output: resolv": func(s *codec.Spec) { s.Output = `{"$ref":"https://example.com/x"}` },
		"not a JSON pointer": func(s *codec.Spec) { s.Record = []string{"path"} },
	} {
		spec := good
		change(&spec)
		_, err := codec.New(spec)
		require.ErrorContains(t, err, says)
	}
}

// A handler that asks for integers as an untyped value gets no rounded ones.
func TestTypedRoundsNothing(t *testing.T) {
	_, err := codec.Typed[map[string]any]([]byte(`{"n":9007199254740993}`), codec.NewStrict())
	require.ErrorContains(t, err, "lose digits")
	value, err := codec.Typed[map[string]any]([]byte(`{"n":`+strconv.Itoa(1<<53)+`}`), codec.NewStrict())
	require.NoError(t, err)
	require.Equal(t, map[string]any{"n": float64(1 << 53)}, value)
	_, err = codec.Typed[struct{}]([]byte(`{"n":1}`), codec.NewStrict())
	require.ErrorContains(t, err, "the key /n is not known")
}
