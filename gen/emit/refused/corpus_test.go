package refused

import (
	"errors"
	"go/scanner"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// setUp returns a checker, the tree and the corpus.
func setUp(t *testing.T) (*Checker, Tree, []Case) {
	t.Helper()
	checker, err := NewChecker(t.Context())
	require.NoError(t, err)
	tree, err := Sample()
	require.NoError(t, err)
	cases, err := Cases()
	require.NoError(t, err)
	return checker, tree, cases
}

func TestINV1_NoProgramOfTheCorpusCompiles(t *testing.T) { corpus(t, "INV1") }

func TestINV6_ReadPermitsReachNothingThatWrites(t *testing.T) { corpus(t, "INV6") }

func corpus(t *testing.T, guarantee string) {
	checker, tree, cases := setUp(t)
	session := checker.Session(tree)
	require.NoError(t, session.All(), "the tree compiles")
	tried := 0
	for _, c := range cases {
		if c.Guarantee != guarantee {
			continue
		}
		tried++
		t.Run(c.Name, func(t *testing.T) {
			good, err := session.Program(c.At, map[string]string{"good.go": c.Good})
			require.NoError(t, err)
			require.Empty(t, good.Errors, "the control compiles")
			found := findings(t, session, c)
			if c.Build == "compiler" {
				require.Empty(t, found, "the type checker refuses it by now; take that as the cause")
				return
			}
			marked := c.Marked()
			require.NotEmpty(t, found, "it compiles")
			for _, each := range found {
				require.Contains(t, marked, each.line, each.message)
				require.True(t, slices.Contains(c.Causes, CauseOf(each.message)), "%q is not refused for %q", each.message, c.Causes)
			}
		})
	}
	require.NotZero(t, tried)
}

type finding struct {
	line    int
	message string
}

// findings are the errors in the bad program of a case.
func findings(t *testing.T, session *Session, c Case) (all []finding) {
	t.Helper()
	bad, err := session.Program(c.At, map[string]string{"bad.go": c.Bad})
	if syntax, ok := errors.AsType[scanner.ErrorList](err); ok {
		for _, each := range syntax {
			all = append(all, finding{each.Pos.Line, each.Msg})
		}
		return all
	}
	require.NoError(t, err)
	for _, each := range bad.Errors {
		all = append(all, finding{session.checker.Set.Position(each.Pos).Line, each.Msg})
	}
	return all
}

// Every class of causes is met, so none of them has gone stale.
func TestINV1_TheCorpusCoversEveryCause(t *testing.T) {
	_, _, cases := setUp(t)
	met := map[string]int{}
	for _, c := range cases {
		met[c.Causes[0]]++
	}
	for _, cause := range []string{
		"does-not-satisfy", "cannot-infer", "constraint-as-type", "not-instantiated", "unexported", "undefined",
		"mismatched", "internal-import", "program", "union", "type-parameter", "compiler",
	} {
		require.NotZero(t, met[cause], cause)
	}
	require.GreaterOrEqual(t, len(cases), 100)
}
