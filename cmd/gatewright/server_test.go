package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"github.com/gatewright/gatewright/gen/check"
	"github.com/gatewright/gatewright/gen/diag"
	"github.com/gatewright/gatewright/gen/protocol"
	"github.com/gatewright/gatewright/gen/schema"
	"github.com/gatewright/gatewright/runtime/gate"
	runtime "github.com/gatewright/gatewright/runtime/server"
)

// serveMode is the binary of a mode whose tools take nothing and do nothing:
//
//	mode-server FILE MODE [flags]
//
// With TEXT=no in its environment it does not know the text of its protocol.
func serveMode() int {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitFailed
	}
	p, found := check.File(os.Args[1], text, check.Options{})
	if diag.HasErrors(found) {
		fmt.Fprintln(os.Stderr, found)
		return exitFailed
	}
	mode := runtime.Mode{
		Key: gate.NewKey(p.ID.Value), Protocol: p.ID.Value, Version: p.Version.Value, Digest: p.Digest(), Text: string(p.Canonical()), Mode: os.Args[2],
	}
	if os.Getenv("TEXT") == "no" {
		mode.Text = ""
	}
	for _, held := range p.Mode(mode.Mode).Tools {
		tool, effect := p.Tool(held.Value), gate.Write
		if tool.Effect == protocol.Read {
			effect = gate.Read
		}
		mode.Tools = append(mode.Tools, runtime.Tool{
			Name: held.Value, Effect: effect, Exclusive: p.IsExclusive(held.Value), Input: schema.Empty().Text(),
			Handler: runtime.Func[struct{}, struct{}]{Run: func(context.Context, *gate.Grant, any, struct{}) (struct{}, error) {
				return struct{}{}, nil
			}},
		})
	}
	os.Args = append(os.Args[:1], os.Args[3:]...)
	return runtime.Main(mode)
}

// awayFromTTY runs a command without the terminal that the tests may have.
func awayFromTTY() int {
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		fmt.Fprintln(os.Stderr, err)
		return exitFailed
	}
	return cmd.ProcessState.ExitCode()
}
