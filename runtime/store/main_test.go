//go:build unix

package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/state"
)

// The test binary runs itself again where a test needs other processes.
func TestMain(m *testing.M) {
	if role := os.Getenv("STORE_TEST_ROLE"); role != "" {
		if err := play(role); err != nil {
			fmt.Fprintln(os.Stderr, role+":", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child prepares a process that plays a role on a folder.
func child(folder *state.Folder, role string, args ...string) *exec.Cmd {
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), "STORE_TEST_ROLE="+role, "STORE_TEST_DIR="+folder.Path(), "STORE_TEST_WORKSPACE="+folder.Workspace())
	for i, arg := range args {
		command.Env = append(command.Env, "STORE_TEST_ARG"+strconv.Itoa(i)+"="+arg)
	}
	command.Stderr = os.Stderr
	return command
}

// run lets a process play its role to the end, and returns what it said.
func run(t testing.TB, folder *state.Folder, role string, args ...string) string {
	t.Helper()
	said, err := child(folder, role, args...).Output()
	require.NoError(t, err)
	return string(said)
}

func argument(i int) string { return os.Getenv("STORE_TEST_ARG" + strconv.Itoa(i)) }

func stateOptions() state.Options {
	return state.Options{Dir: os.Getenv("STORE_TEST_DIR"), Protocol: "sample", Workspace: os.Getenv("STORE_TEST_WORKSPACE"), Existing: true}
}

// play is the whole of another process.
func play(role string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	switch role {
	case "read only":
		return readOnly(ctx)
	case "read only plans":
		return readOnlyPlans(ctx)
	}
	folder, err := state.Open(stateOptions())
	if err != nil {
		return err
	}
	store, err := Open(ctx, folder, Options{})
	if err != nil {
		return err
	}
	do, ok := roles()[role]
	if !ok {
		do, ok = planRoles()[role]
	}
	if !ok {
		return fmt.Errorf("there is no role %q", role)
	}
	return errors.Join(do(ctx, store), store.Close())
}

// roles are those that get an open store.
func roles() map[string]func(context.Context, *Store) error {
	return map[string]func(context.Context, *Store) error{
		"come and go": func(ctx context.Context, store *Store) error {
			_, _, err := store.Ask(ctx, asked(argument(0)), time.Hour)
			return err
		},
		"claim":   claimAll,
		"limited": limited,
		"live":    liveOn,
		"pending": sayPending,
	}
}

func sayPending(ctx context.Context, store *Store) error {
	found, err := store.Pending(ctx)
	fmt.Print(len(found))
	return err
}

// claimAll claims each approval whose id comes in, and says which it got.
func claimAll(ctx context.Context, store *Store) error {
	fmt.Println("ready")
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		id := lines.Text()
		if _, err := store.Claim(ctx, id, "binding "+id, argument(0)); err == nil {
			fmt.Println(id)
		} else if !errors.Is(err, approval.ErrNotApproved) {
			return err
		}
	}
	return lines.Err()
}

// liveOn leads requests through their life until it is killed, and says what
// is durable as soon as it is.
func liveOn(ctx context.Context, store *Store) error {
	for i := range 1 << 30 {
		name := argument(0) + " " + strconv.Itoa(i)
		request, _, err := store.Ask(ctx, asked(name), time.Hour)
		if err != nil {
			return err
		}
		fmt.Println("pending", request.ID)
		if _, err := store.Decide(ctx, request.ID, approval.Ruling{Status: approval.StatusApproved}); err != nil {
			return err
		}
		fmt.Println("approved", request.ID)
		if _, err := store.Claim(ctx, request.ID, request.Binding, "it"); err != nil {
			return err
		}
		fmt.Println("used", request.ID)
	}
	return nil
}
