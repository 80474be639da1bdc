package stdio

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/stretchr/testify/require"
)

func connect(t *testing.T) (c *Conn, in *io.PipeWriter, out *bufio.Reader) {
	t.Helper()
	requests, in := io.Pipe()
	answers, toClient := io.Pipe()
	c = New(requests, toClient)
	_, err := c.Connect(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = in.Close()
		_ = answers.Close()
		_ = c.Close()
	})
	return c, in, bufio.NewReader(answers)
}

func send(t *testing.T, in io.Writer, line string) {
	t.Helper()
	_, err := io.WriteString(in, line+"\n")
	require.NoError(t, err)
}

func ping(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}` }

func TestOverlongLineIsAnsweredAndSkipped(t *testing.T) {
	c, in, out := connect(t)
	go func() {
		_, _ = io.Copy(in, io.LimitReader(zeros{}, 3*MaxLine))
		_, _ = io.WriteString(in, "\n"+ping("1")+"\n")
	}()
	line, err := out.ReadString('\n')
	require.NoError(t, err)
	require.JSONEq(t, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the line is longer than 16777216 bytes"}}`, line)
	message, err := c.Read(t.Context())
	require.NoError(t, err)
	require.Equal(t, "ping", message.(*jsonrpc.Request).Method)
}

func TestAnIDIsFreeOnceItsAnswerCanBeRead(t *testing.T) {
	c, in, out := connect(t)
	for range 50 {
		send(t, in, ping("7"))
		message, err := c.Read(t.Context())
		require.NoError(t, err)
		go func() {
			_ = c.Write(t.Context(), &jsonrpc.Response{ID: message.(*jsonrpc.Request).ID, Result: json.RawMessage(`{}`)})
		}()
		_, err = out.ReadString('\n')
		require.NoError(t, err)
	}
}

func TestTooManyRequestsAreAnswered(t *testing.T) {
	c, in, out := connect(t)
	go func() {
		for i := range MaxInFlight + 1 {
			text, _ := json.Marshal(i)
			_, _ = io.WriteString(in, ping(string(text))+"\n")
		}
	}()
	for range MaxInFlight {
		_, err := c.Read(t.Context())
		require.NoError(t, err)
	}
	line, err := out.ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, line, `"id":1024`)
	require.Contains(t, line, "too many requests")
}

func TestWritesAreWholeLines(t *testing.T) {
	c, _, out := connect(t)
	const writers, each = 20, 50
	var group sync.WaitGroup
	for range writers {
		group.Go(func() {
			for range each {
				_ = c.Write(t.Context(), &jsonrpc.Request{Method: "m", Params: json.RawMessage(`{"a":"` + strings.Repeat("x", 3000) + `"}`)})
			}
		})
	}
	for range writers * each {
		line, err := out.ReadString('\n')
		require.NoError(t, err)
		require.True(t, json.Valid([]byte(line)))
	}
	group.Wait()
}

func TestErrorsRepeatNoMessageBack(t *testing.T) {
	c, _, out := connect(t)
	id, err := jsonrpc.MakeID("a")
	require.NoError(t, err)
	go func() {
		_ = c.Write(t.Context(), &jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: -32602, Message: strings.Repeat("secret", 100000)}})
	}()
	line, err := out.ReadString('\n')
	require.NoError(t, err)
	require.Less(t, len(line), 500)
	require.Contains(t, line, "-32602")
}

func TestTheEndOfTheInputLeavesTheConnectionOpenForAnswers(t *testing.T) {
	c, in, out := connect(t)
	send(t, in, ping("1"))
	message, err := c.Read(t.Context())
	require.NoError(t, err)
	require.NoError(t, in.Close())
	<-c.Ended()
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		c.Drain(t.Context())
	}()
	go func() {
		_ = c.Write(t.Context(), &jsonrpc.Response{ID: message.(*jsonrpc.Request).ID, Result: json.RawMessage(`{}`)})
	}()
	_, err = out.ReadString('\n')
	require.NoError(t, err)
	<-drained
	require.NoError(t, c.Close())
	_, err = c.Read(t.Context())
	require.ErrorIs(t, err, io.EOF)
}

func TestStopTakesNothingMoreIn(t *testing.T) {
	c, in, _ := connect(t)
	c.Stop()
	go func() { _, _ = io.WriteString(in, ping("1")+"\n") }()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-c.Ended() // the reader has met Stop with a message in hand
		cancel()
	}()
	_, err := c.Read(ctx)
	require.Error(t, err)
}
