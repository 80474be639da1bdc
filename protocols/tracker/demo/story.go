package main

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite" // the demonstration reads the tracker with SQL

	"github.com/gatewright/gatewright/protocols/internal/person"
	"github.com/gatewright/gatewright/runtime/audit"
)

// story imports the document, reports progress, and tries what is not allowed
// on the way.
func (d *demo) story() (err error) {
	planner, err := d.connect("planner")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, planner.session.Close()) }()
	reporter, err := d.connect("reporter")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, reporter.session.Close()) }()

	d.title("1. A preview stores a plan; a handle alone is no consent, and neither is a document")
	d.sayf("    docs/plan.md: %s\n", strings.Split(document, "\n")[2])
	preview, err := planner.call("", "import_preview", object{"document": "docs/plan.md"})
	if err != nil {
		return err
	}
	commit := object{"handle": preview.said.Handle, "confirmed": true, "idempotency_key": "import-1"}
	if _, err := planner.call("NOT_CONFIRMED", "import_commit", object{"handle": preview.said.Handle}); err != nil {
		return err
	}
	waiting, err := planner.call("APPROVAL_PENDING", "import_commit", commit)
	if err != nil {
		return err
	}

	d.title("2. The document changes, a person approves the stored plan, and that is what runs")
	if err := d.write("- [ ] Give the agent the keys\n"); err != nil {
		return err
	}
	if err := d.person(waiting.said.Approval.ID); err != nil {
		return err
	}
	first, err := planner.call("", "import_commit", commit)
	if err != nil {
		return err
	}

	d.title("3. A plan runs once")
	second, err := planner.call("", "import_commit", commit)
	if err != nil {
		return err
	}
	if first.text != second.text {
		return fmt.Errorf("the same commit answered %s, and then %s", first.text, second.text)
	}
	d.sayf("  the same bytes, and nothing ran")
	if _, err := planner.call("HANDLE_USED", "import_commit", object{"handle": preview.said.Handle, "confirmed": true}); err != nil {
		return err
	}
	if err := d.report(reporter); err != nil {
		return err
	}
	return errors.Join(d.rows(), d.verify())
}

// report reports progress twice from the same state: the second is too late.
func (d *demo) report(reporter *actor) error {
	var handles []string
	for _, state := range []string{"doing", "done"} {
		step, err := reporter.call("", "progress_preview", object{"item": 1, "state": state})
		if err != nil {
			return err
		}
		handles = append(handles, step.said.Handle)
	}
	for i, code := range []string{"", "ITEM_CHANGED"} {
		if _, err := reporter.call(code, "progress_commit", object{"handle": handles[i], "confirmed": true}); err != nil {
			return err
		}
	}
	return nil
}

// person approves a request at a terminal.
func (d *demo) person(id string) error {
	args := []string{"approvals", "approve", id}
	d.sayf("$ gatewright %s", strings.Join(args, " "))
	shown, err := person.Answer(d.ctx, "[y/N]", "y", filepath.Join(d.scratch, "gatewright"), append(args, "--state-dir", d.state)...)
	if err != nil {
		return err
	}
	card, rest, _ := strings.Cut(strings.TrimSpace(shown), "\nwhere it comes from\n")
	_, question, _ := strings.Cut(rest, "\n\n")
	d.sayf("%s\n[where it comes from, left out here]\n\n%s\n", strings.ReplaceAll(card, d.scratch+string(filepath.Separator), ""), question)
	return nil
}

// rows prints what the tracker holds.
func (d *demo) rows() (err error) {
	const statement = `SELECT id, title, state, revision, actor FROM items ORDER BY id`
	d.sayf("\n$ sqlite3 .tracker/tracker.db '%s'", statement)
	file := url.URL{Scheme: "file", Path: filepath.Join(d.workspace, ".tracker", "tracker.db"), RawQuery: "mode=ro"}
	db, err := sql.Open("sqlite", file.String())
	if err != nil {
		return fmt.Errorf("open the tracker: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	rows, err := db.QueryContext(d.ctx, statement)
	if err != nil {
		return fmt.Errorf("read the tracker: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var id, title, state, revision, actor string
		if err := rows.Scan(&id, &title, &state, &revision, &actor); err != nil {
			return fmt.Errorf("read the tracker: %w", err)
		}
		d.sayf("%s", strings.Join([]string{id, title, state, revision, actor}, "|"))
	}
	return rows.Err()
}

// verify holds the audit log to its chain.
func (d *demo) verify() (err error) {
	file, err := os.Open(filepath.Join(d.state, audit.FileName))
	if err != nil {
		return fmt.Errorf("open the audit log: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	report, err := audit.Verify(file)
	if err != nil {
		return fmt.Errorf("verify the audit log: %w", err)
	}
	d.sayf("\nthe audit log: %d entries, one unbroken chain, %d calls in flight", report.Entries, len(report.InFlight))
	return nil
}
