package program

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	grace    = time.Second     // from SIGTERM to SIGKILL
	drain    = 2 * time.Second // for the output to end once the program has
	patience = 5 * time.Second // for the system to end what was killed
	tail     = 512             // bytes of stderr that an error carries
)

// A Call is one run of a program.
type Call struct {
	Args      []string      // without argv[0]
	Dir       string        // absolute
	Env       []string      // complete, as K=V: nothing is inherited, except SYSTEMROOT on Windows
	Stdin     []byte        // a program need not read it
	Timeout   time.Duration // from start to end
	MaxOutput int           // bytes of stdout, and as many of stderr
}

// A Result is what a program printed that exited with status 0, in time and
// within its bounds.
type Result struct{ Stdout, Stderr []byte }

// Run runs a program and returns what it printed, or an *[Error]. It returns
// when the program has ended, and not much later than ctx or the timeout.
//
// On Unix the program starts in a session of its own, without a terminal. It
// is stopped, and every process of its group with it, with SIGTERM and a second
// later SIGKILL when its time is up or ctx ends, and with SIGKILL at once when
// it prints too much. On Linux it is killed, too, when this process dies.
// Processes of the group that are left when it exits are killed: on Linux at
// once; elsewhere after two seconds if they keep the output open, and then the
// run fails with [Lingering]. A process that has moved to another group or
// session survives all of that, and the run fails in the same way if it keeps
// the output open.
//
// On other systems the program alone is killed; what it started lives on.
func Run(ctx context.Context, p Program, call Call) (Result, error) {
	if err := call.check(p); err != nil {
		return Result{}, err
	}
	if ctx.Err() != nil {
		return Result{}, cancelled(ctx, p)
	}
	if err := p.verify(); err != nil {
		return Result{}, err
	}
	r := newRun(p, call)
	deadline := time.NewTimer(call.Timeout)
	defer deadline.Stop()
	go r.live()
	if err := <-r.started; err != nil {
		return Result{}, &Error{Reason: NotStarted, Program: p.name, Message: "it could not be started", Err: err}
	}
	select {
	case <-r.ended:
	case <-r.flooded:
		return Result{}, r.end(0, &Error{Reason: Flooded, Message: fmt.Sprintf("it was stopped, because it printed more than %d bytes", call.MaxOutput)})
	case <-deadline.C:
		return Result{}, r.end(grace, &Error{Reason: TimedOut, Message: fmt.Sprintf("it was stopped, because it had not ended after %s", call.Timeout)})
	case <-ctx.Done():
		return Result{}, r.end(grace, cancelled(ctx, p))
	}
	return r.result()
}

func cancelled(ctx context.Context, p Program) *Error {
	return &Error{Reason: Cancelled, Program: p.name, Message: "the call was cancelled", Err: context.Cause(ctx)}
}

// check refuses what cannot be run as it is, or would run in another way.
func (c Call) check(p Program) error {
	var message string
	switch {
	case p.path == "":
		message = "it was not resolved"
	case !filepath.IsAbs(c.Dir):
		message = fmt.Sprintf("its folder %q is not an absolute path", c.Dir)
	case c.Timeout <= 0 || c.MaxOutput <= 0:
		message = "it has no bounds"
	case strings.ContainsRune(strings.Join(c.Args, ""), 0) || strings.ContainsRune(strings.Join(c.Env, ""), 0):
		message = "no argument and no variable can hold a zero byte"
	}
	for _, variable := range c.Env {
		if strings.IndexByte(variable, '=') < 1 {
			message = "its environment is not made of K=V"
		}
	}
	if message != "" {
		return &Error{Reason: BadCall, Program: p.name, Message: message}
	}
	return nil
}

// A run is one process and what came of it.
type run struct {
	program        Program
	command        *exec.Cmd
	stdout, stderr *output
	family         family
	flooded        chan struct{}
	started        chan error
	ended          chan struct{} // closed once err is set
	err            error         // of Wait
}

func newRun(p Program, call Call) *run {
	r := &run{program: p, flooded: make(chan struct{}, 1), started: make(chan error, 1), ended: make(chan struct{})}
	flood := func() {
		select {
		case r.flooded <- struct{}{}:
		default:
		}
	}
	r.stdout = &output{bound: call.MaxOutput, flood: flood}
	r.stderr = &output{bound: call.MaxOutput, flood: flood}
	r.command = &exec.Cmd{
		Path: p.path, Args: append([]string{p.name}, call.Args...), Dir: call.Dir, Env: append([]string{}, call.Env...),
		Stdin: bytes.NewReader(call.Stdin), Stdout: r.stdout, Stderr: r.stderr,
		SysProcAttr: alone(), WaitDelay: drain,
	}
	return r
}

// end stops what still runs, and completes the error that says why.
func (r *run) end(grace time.Duration, why *Error) error {
	why.Program = r.program.name
	if grace > 0 {
		r.family.terminate()
		r.await(grace)
	}
	r.family.kill()
	if !r.await(patience) {
		why.Message += ", and the system has not ended it yet"
	}
	why.Stderr = r.stderr.tail(tail)
	return why
}

// await reports whether the program and its output ended in time.
func (r *run) await(limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-r.ended:
		return true
	case <-timer.C:
		return false
	}
}

// result tells how a program ended that was not stopped.
func (r *run) result() (Result, error) {
	failed := &Error{Program: r.program.name, Stderr: r.stderr.tail(tail)}
	state := r.command.ProcessState
	if state == nil {
		failed.Reason, failed.Exit, failed.Err = Failed, -1, r.err
		failed.Message = "how it ended cannot be told"
		return Result{}, failed
	}
	status, _ := state.Sys().(syscall.WaitStatus)
	switch {
	case len(r.flooded) > 0:
		failed.Reason, failed.Message = Flooded, fmt.Sprintf("it printed more than %d bytes", r.stdout.bound)
	case status.Signaled():
		failed.Reason, failed.Exit, failed.Signal = Failed, -1, status.Signal().String()
		failed.Message = "a signal ended it: " + failed.Signal
	case state.ExitCode() != 0:
		failed.Reason, failed.Exit = Failed, state.ExitCode()
		failed.Message = fmt.Sprintf("it exited with status %d", failed.Exit)
	case errors.Is(r.err, exec.ErrWaitDelay):
		failed.Reason = Lingering
		failed.Message = "it exited, and a process that it left behind keeps its output open"
	case r.err != nil:
		failed.Reason, failed.Err = Failed, r.err
		failed.Message = "what it read or printed did not get through"
	default:
		return Result{Stdout: r.stdout.bytes(), Stderr: r.stderr.bytes()}, nil
	}
	return Result{}, failed
}
