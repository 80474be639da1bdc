package stdio

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	json2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// A fault is why a line is not taken. It is answered with the id of the
// request where that is beyond doubt, and else with null.
type fault struct {
	code    int64
	message string
	id      jsonrpc.ID
}

func (f *fault) Error() string { return f.message }

func parseFault(format string, args ...any) *fault {
	return &fault{code: jsonrpc.CodeParseError, message: fmt.Sprintf(format, args...)}
}

func requestFault(format string, args ...any) *fault {
	return &fault{code: jsonrpc.CodeInvalidRequest, message: fmt.Sprintf(format, args...)}
}

// members of a JSON-RPC message.
var envelopeNames = []string{"jsonrpc", "id", "method", "params", "result", "error"}

// paramNames are the members of a tool call's params that mean something.
var paramNames = []string{"name", "arguments", "_meta"}

// parse reads one line. The SDK's own reader takes the last of two equal keys
// and ends the session over anything it cannot read; here a line is either
// plainly one message, or it is answered and left.
func parse(line []byte) (jsonrpc.Message, *fault) {
	if bytes.HasPrefix(line, []byte("\xef\xbb\xbf")) {
		return nil, parseFault("the line starts with a byte order mark; send plain UTF-8")
	}
	if kind := jsontext.Value(line).Kind(); kind == '[' {
		if !jsontext.Value(line).IsValid(lenient()) {
			return nil, parseFault("the line is not valid JSON")
		}
		return nil, requestFault("batches are not supported; send one message a line")
	}
	parts, bad := object(line, envelopeNames)
	if bad != nil {
		return nil, bad
	}
	if string(parts["jsonrpc"]) != `"2.0"` {
		return nil, requestFault(`"jsonrpc" has to be "2.0"`)
	}
	id, bad := identify(parts)
	if bad != nil {
		return nil, bad
	}
	for name, value := range parts {
		if name != "params" && !value.IsValid() {
			return nil, parseFault("%s is not plain JSON in UTF-8", quoted(name))
		}
	}
	if _, isRequest := parts["method"]; !isRequest {
		return response(line, parts)
	}
	request, bad := request(parts, id)
	if bad != nil {
		bad.id = id
		return nil, bad
	}
	return request, nil
}

// lenient leaves equal keys and broken text inside a value to whoever reads
// that value: the gate, for the arguments of a call, whose words reach the
// model that wrote them.
func lenient() jsontext.Options {
	return json2.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// object splits a line into the members of its object.
func object(text []byte, known []string) (map[string]jsontext.Value, *fault) {
	decoder := jsontext.NewDecoder(bytes.NewBuffer(text), lenient())
	if decoder.PeekKind() != '{' {
		if !jsontext.Value(text).IsValid(lenient()) {
			return nil, parseFault("the line is not valid JSON")
		}
		return nil, requestFault("a message has to be one JSON object")
	}
	if _, err := decoder.ReadToken(); err != nil {
		return nil, syntax(err)
	}
	parts := map[string]jsontext.Value{}
	var twice *fault
	for decoder.PeekKind() != '}' {
		token, err := decoder.ReadToken()
		if err != nil {
			return nil, syntax(err)
		}
		name := token.String()
		value, err := decoder.ReadValue()
		if err != nil {
			return nil, syntax(err)
		}
		if _, seen := parts[name]; seen {
			twice = requestFault("the key %s appears twice", quoted(name))
		}
		for _, exact := range known {
			if name != exact && strings.EqualFold(name, exact) {
				twice = requestFault("the key %s has to be spelled %q", quoted(name), exact)
			}
		}
		parts[name] = value.Clone()
	}
	if _, err := decoder.ReadToken(); err != nil {
		return nil, syntax(err)
	}
	if _, err := decoder.ReadToken(); err == nil {
		return nil, parseFault("there is more than one JSON value on the line")
	} else if !errors.Is(err, io.EOF) {
		return nil, syntax(err)
	}
	return parts, twice
}

func syntax(err error) *fault {
	return parseFault("the line is not valid JSON: %s", bounded(strings.TrimPrefix(err.Error(), "jsontext: ")))
}

// identify reads the id of a message. Numbers are kept to integers that every
// JSON reader keeps, since the answer has to carry the same one.
func identify(parts map[string]jsontext.Value) (jsonrpc.ID, *fault) {
	raw, present := parts["id"]
	if !present {
		return jsonrpc.ID{}, nil
	}
	var value any
	switch raw.Kind() {
	case '"':
		var text string
		if err := json2.Unmarshal(raw, &text); err != nil {
			return jsonrpc.ID{}, parseFault("the id is not valid JSON: %s", bounded(strings.TrimPrefix(err.Error(), "jsontext: ")))
		}
		if len(text) > 1000 {
			return jsonrpc.ID{}, requestFault("the id is longer than 1000 bytes")
		}
		value = text
	case '0':
		number, err := strconv.ParseInt(string(raw), 10, 64)
		if err != nil || number > 1<<53 || number < -1<<53 {
			return jsonrpc.ID{}, requestFault("a number as id has to be an integer of at most 2^53")
		}
		value = float64(number)
	default:
		return jsonrpc.ID{}, requestFault("the id has to be a string or an integer")
	}
	id, err := jsonrpc.MakeID(value)
	if err != nil {
		return jsonrpc.ID{}, requestFault("the id has to be a string or an integer")
	}
	return id, nil
}

// response takes an answer to a request of the server.
func response(line []byte, parts map[string]jsontext.Value) (jsonrpc.Message, *fault) {
	_, hasResult := parts["result"]
	_, hasError := parts["error"]
	_, hasID := parts["id"]
	if !hasID || hasResult == hasError {
		return nil, requestFault(`a message has to have a "method", or an "id" and one of "result" and "error"`)
	}
	message, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		return nil, requestFault("the answer cannot be read: %s", bounded(err.Error()))
	}
	return message, nil
}

func request(parts map[string]jsontext.Value, id jsonrpc.ID) (*jsonrpc.Request, *fault) {
	var method string
	if err := json.Unmarshal(parts["method"], &method); err != nil || parts["method"].Kind() != '"' || len(method) > 200 {
		return nil, requestFault(`"method" has to be a string of at most 200 bytes`)
	}
	for _, name := range []string{"result", "error"} {
		if _, present := parts[name]; present {
			return nil, requestFault(`a request has no %q`, name)
		}
	}
	raw := parts["params"]
	if raw == nil || raw.Kind() == 'n' {
		return &jsonrpc.Request{ID: id, Method: method}, nil
	}
	if bad := checkParams(method, raw); bad != nil {
		return nil, bad
	}
	return &jsonrpc.Request{ID: id, Method: method, Params: json.RawMessage(raw)}, nil
}

// checkParams refuses params whose meaning depends on the reader, and those
// the SDK would repeat back whole. The arguments of a tool call are left to
// the gate, which has its own words for them and logs what it refuses.
func checkParams(method string, raw jsontext.Value) *fault {
	if raw.Kind() != '{' {
		return &fault{code: jsonrpc.CodeInvalidParams, message: `"params" has to be an object`}
	}
	call := method == "tools/call"
	var known []string
	if call {
		known = paramNames
	}
	parts, bad := object(raw, known)
	if bad != nil {
		return bad
	}
	for name, value := range parts {
		if call && name == "arguments" {
			continue
		}
		if !value.IsValid() {
			return requestFault("%s is not plain JSON: a key inside appears twice, or its text is not UTF-8", quoted(name))
		}
	}
	if meta := parts["_meta"]; meta != nil && !slices.Contains([]jsontext.Kind{'{', 'n'}, meta.Kind()) {
		return &fault{code: jsonrpc.CodeInvalidParams, message: `"_meta" has to be an object`}
	}
	if call && parts["name"].Kind() != '"' {
		return &fault{code: jsonrpc.CodeInvalidParams, message: `"name" has to be the name of a tool`}
	}
	return nil
}

func quoted(name string) string { return strconv.Quote(bounded(name)) }

// bounded keeps a message from repeating a message.
func bounded(text string) string {
	const limit = 200
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) > limit {
		text = strings.ToValidUTF8(text[:limit], "") + "…"
	}
	return text
}
