// Command outside is no test, so the kit must not serve it. A testing.TB can
// be had without a test, by embedding one.
package main

import (
	"fmt"
	"testing"

	"github.com/gatewright/gatewright/runtime/server"
	"github.com/gatewright/gatewright/runtime/servertest"
)

type faked struct{ testing.TB }

func (faked) Helper()          {}
func (faked) TempDir() string  { return "." }
func (faked) Cleanup(f func()) {}

func main() {
	defer func() { fmt.Println("refused:", recover()) }()
	servertest.Start(faked{}, server.Mode{}, servertest.Options{})
	fmt.Println("served")
}
