package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/audit"
	"github.com/gatewright/gatewright/runtime/state"
)

// verifying is one run of audit verify.
type verifying struct {
	head             string
	anchor, verifier string
	json, strict     bool
}

func (a *auditing) newVerify() *cobra.Command {
	v := &verifying{}
	cmd := &cobra.Command{
		Use:   "verify [--head SEQ:HASH | --anchor FILE --verifier KEY]",
		Short: "Check that the log is what was written to it",
		Long: `verify reads the whole log, in all its files, and checks the form and the hash of
every entry, that each names the one before it, and that state.json agrees with the
entry it names. It names the first line that is wrong.

The chain shows a change anywhere before the last entry. That entries were cut off
at the end, or that everything was written anew, shows only against a head that was
kept elsewhere: --head takes what ` + "`audit head`" + ` printed, or a file of it; --anchor
takes a note that ` + "`audit anchor`" + ` signed, and --verifier the key or a file of it.

It also says which calls were admitted and have no result yet, and what does not fit
together in a log that is whole: a call that ran with an approval which no entry
before it gives, an approval that two calls used, a call that was admitted twice
before its result, and a result without its call, or of another mode or tool than
was admitted. These are findings, and no damage.

` + verifyShape + `

Exit codes: 0 whole, 1 damaged (with --strict: or with findings), 2 it could not do its work.`,
		Example: "  gatewright audit verify\n  gatewright audit verify --head kept.txt\n  gatewright audit verify --anchor anchor.txt --verifier log.pub",
		Args:    cobra.NoArgs,
		RunE: a.at(func(ctx context.Context, folder *state.Folder, _ []string) error {
			return a.verify(ctx, folder, v)
		}),
	}
	cmd.Flags().StringVar(&v.head, "head", "", "a head of this log that was kept, SEQ:HASH, or a file of it")
	cmd.Flags().StringVar(&v.anchor, "anchor", "", "file of a signed head")
	cmd.Flags().StringVar(&v.verifier, "verifier", "", "key that the anchor must be signed by, or a file of it")
	cmd.Flags().BoolVar(&v.json, "json", false, "print JSON")
	cmd.Flags().BoolVar(&v.strict, "strict", false, "let findings count as damage does")
	cmd.MarkFlagsRequiredTogether("anchor", "verifier")
	return cmd
}

func (a *auditing) verify(ctx context.Context, folder *state.Folder, v *verifying) error {
	known, err := v.known(folder)
	if err != nil {
		return err
	}
	report, wrong := audit.VerifyFolder(ctx, folder, known...)
	if wrong != nil && !damaged(wrong) {
		if errors.Is(wrong, fs.ErrNotExist) && report.Entries == 0 {
			return noLog(folder)
		}
		return wrong
	}
	if v.json {
		err = printJSON(a.out, verifiedOf(folder, report, wrong))
	} else {
		err = printVerified(a.out, report, wrong, known)
	}
	switch {
	case err != nil:
		return err
	case wrong != nil && v.json, wrong == nil && v.strict && report.Found > 0:
		return exitError{code: exitFindings}
	}
	return wrong
}

// known are the heads that the log has to hold.
func (v *verifying) known(folder *state.Folder) ([]audit.Head, error) {
	var known []audit.Head
	if v.head != "" {
		head, err := readHead(v.head)
		if err != nil {
			return nil, err
		}
		known = append(known, head)
	}
	if v.anchor != "" {
		anchored, err := openAnchor(v.anchor, v.verifier)
		if err != nil {
			return nil, err
		}
		if anchored.protocol != folder.Protocol() {
			return nil, fmt.Errorf("the anchor is one of the log of protocol %s, and this is that of %s", anchored.protocol, approval.CardQuote(folder.Protocol()))
		}
		known = append(known, anchored.head)
	}
	return known, nil
}

func printVerified(out io.Writer, r audit.Report, wrong error, known []audit.Head) error {
	text := &writer{out: out}
	size := fmt.Sprintf("%s in %s, %d bytes", counted(r.Entries, "entry", "entries"), counted(uint64(max(r.Files, 0)), "file", "files"), r.Bytes)
	if wrong == nil {
		text.line("whole", size)
	} else {
		text.line("damaged", "after "+size+" that are sound")
	}
	if r.Entries > 0 {
		text.line("head", headText(r.Head))
		text.line("written", r.Time.UTC().Format(time.RFC3339Nano))
	}
	for _, head := range known {
		if wrong == nil {
			text.line("held", fmt.Sprintf("entry %d is the one that was kept", head.Seq))
		}
	}
	text.line("approvals", counted(r.Approved, "call", "calls")+" ran with one")
	text.line("open", counted(uint64(len(r.InFlight)), "call was", "calls were")+" admitted and had no result yet")
	for _, call := range r.InFlight {
		text.line("", fmt.Sprintf("entry %d, %s: %s %s in mode %s, call %s", call.Seq, call.Time.UTC().Format(time.RFC3339),
			approval.CardQuote(call.Effect), approval.CardQuote(call.Tool), approval.CardQuote(call.Mode), approval.CardQuote(call.Call)))
	}
	text.line("findings", strconv.FormatUint(r.Found, 10))
	for _, finding := range r.Findings {
		text.line("", fmt.Sprintf("entry %d: %s", finding.Seq, approval.Visible(finding.Problem)))
	}
	if more := r.Found - uint64(len(r.Findings)); more > 0 {
		text.line("", fmt.Sprintf("and %d more", more))
	}
	return text.err
}

// A writer keeps the first error.
type writer struct {
	out io.Writer
	err error
}

// line prints what something is, in two columns.
func (w *writer) line(label, text string) {
	if w.err == nil {
		_, w.err = io.WriteString(w.out, strings.TrimRight(fmt.Sprintf("%-10s %s", label, text), " ")+"\n")
		w.err = printed(w.err)
	}
}

func counted(n uint64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

const verifyShape = `With --json it prints one object:

  v           1
  whole       whether log and state.json are what was written
  damage      {"file", "line", "offset", "problem"} of the first wrong line, or null
  problem     why whole is false, in words; "" where it is true
  entries, bytes, files, head {"seq", "hash"}, time     of what is sound
  open        [{"seq", "time", "mode", "tool", "effect", "call"}]
  approved    how many calls ran with an approval
  findings    [{"seq", "problem"}], at most 100 of them; findings_total counts all
  state_dir   the folder

Members may be added; none is taken away or given another meaning while v is 1.`

type verifiedJSON struct {
	V             int           `json:"v"`
	Whole         bool          `json:"whole"`
	Damage        *damageJSON   `json:"damage"`
	Problem       string        `json:"problem"`
	Entries       uint64        `json:"entries"`
	Bytes         int64         `json:"bytes"`
	Files         int           `json:"files"`
	Head          audit.Head    `json:"head"`
	Time          *time.Time    `json:"time"`
	Open          []openJSON    `json:"open"`
	Approved      uint64        `json:"approved"`
	Findings      []findingJSON `json:"findings"`
	FindingsTotal uint64        `json:"findings_total"`
	StateDir      string        `json:"state_dir"`
}

type damageJSON struct {
	File    string `json:"file"`
	Line    uint64 `json:"line"`
	Offset  int64  `json:"offset"`
	Problem string `json:"problem"`
}

type openJSON struct {
	Seq    uint64    `json:"seq"`
	Time   time.Time `json:"time"`
	Mode   string    `json:"mode"`
	Tool   string    `json:"tool"`
	Effect string    `json:"effect"`
	Call   string    `json:"call"`
}

type findingJSON struct {
	Seq     uint64 `json:"seq"`
	Problem string `json:"problem"`
}

func verifiedOf(folder *state.Folder, r audit.Report, wrong error) verifiedJSON {
	made := verifiedJSON{
		V: 1, Whole: wrong == nil, Entries: r.Entries, Bytes: r.Bytes, Files: r.Files, Head: r.Head, Time: timeOf(r.Time), Approved: r.Approved,
		Open: []openJSON{}, Findings: []findingJSON{}, FindingsTotal: r.Found, StateDir: folder.Path(),
	}
	if wrong != nil {
		made.Problem = wrong.Error()
	}
	if damage := new(audit.DamageError); errors.As(wrong, &damage) {
		made.Damage = &damageJSON{File: damage.File, Line: damage.Line, Offset: damage.Offset, Problem: damage.Problem}
	}
	for _, call := range r.InFlight {
		made.Open = append(made.Open, openJSON(call))
	}
	for _, finding := range r.Findings {
		made.Findings = append(made.Findings, findingJSON(finding))
	}
	return made
}
