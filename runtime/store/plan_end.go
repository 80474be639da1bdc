package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/preview"
)

// maxEnding bounds how a plan ended, in bytes: the largest result of a handler,
// what stands around it, and to spare.
const maxEnding = 9 << 20

// End implements [gate.Plans]. The ending is stored and the plan deleted, both
// or neither. An ending that is too large is an error, and then the plan stays
// begun.
func (s *Store) End(ctx context.Context, commitment gate.Commitment, ending gate.Ending) error {
	const doing = "store how a commit ended"
	refusal, err := s.endingFits(ending)
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	err = s.write(ctx, doing, func(t *transaction) error {
		ended, err := t.exec(`UPDATE plans SET status = ?1, ended_at = ?2 WHERE hash = ?3 AND tool = ?4 AND status = 'begun' AND begun_by = ?5`,
			string(statusOf(ending)), t.now, hashed(commitment.Handle), blob(commitment.Tool), blob(commitment.Call))
		switch {
		case err != nil:
			return err
		case ended != 1:
			return s.notBegun(commitment)
		}
		_, err = t.exec(`INSERT INTO endings (plan, ended_at, output, refusal) SELECT seq, ended_at, ?, ? FROM plans WHERE hash = ?`,
			blob(string(ending.Output)), refusal, hashed(commitment.Handle))
		return err
	})
	if err == nil {
		s.owner.leave()
	}
	return err
}

func statusOf(ending gate.Ending) preview.Status {
	switch {
	case ending.Refusal == nil:
		return preview.Committed
	case ending.Refusal.Code == gate.CommitPartial:
		return preview.Partial
	}
	return preview.Failed
}

func (s *Store) endingFits(ending gate.Ending) (refusal []byte, err error) {
	if (ending.Refusal == nil) == (ending.Output == nil) {
		return nil, &Error{Reason: BadRequest, Path: s.file.path, Message: "a commit ends in an output or in a refusal"}
	}
	refusal = []byte{}
	if ending.Refusal != nil {
		refusal, err = json.Marshal(formOf(ending.Refusal), json.FormatNilSliceAsNull(true), jsontext.AllowInvalidUTF8(true))
		if err != nil {
			return nil, &Error{Reason: BadRequest, Path: s.file.path, Message: "how a commit ended cannot be written down", Err: err}
		}
	}
	if size := len(ending.Output) + len(refusal); size > maxEnding {
		return nil, &Error{Reason: TooLarge, Path: s.file.path,
			Message: fmt.Sprintf("how a commit ended may have %d bytes, and this has %d", maxEnding, size)}
	}
	return refusal, nil
}

// ending reads how a plan ended; kept is false where that is kept no longer.
func (t *transaction) ending(p plan) (ending *gate.Ending, kept bool, err error) {
	var output, refusal []byte
	err = t.tx.QueryRowContext(t.ctx, `SELECT output, refusal FROM endings WHERE plan = ?`, p.seq).Scan(&output, &refusal)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, false, nil
	case err != nil:
		return nil, false, err
	case len(refusal) == 0:
		return &gate.Ending{Output: blob(string(output))}, true, nil
	}
	var form refusalForm
	if err := json.Unmarshal(refusal, &form, jsontext.AllowInvalidUTF8(true)); err != nil {
		return nil, false, damage(fmt.Sprintf("how call %.40q ended cannot be read", p.begunBy))
	}
	return &gate.Ending{Refusal: form.refusal()}, true, nil
}

// A refusalForm is a refusal as it is kept. Texts are bytes, since a handler's
// may be anything, and are handed out again as they were.
type refusalForm struct {
	Code      []byte         `json:"code"`
	Message   []byte         `json:"message"`
	Next      []byte         `json:"next"`
	Retryable bool           `json:"retryable"`
	Approval  *gate.Approval `json:"approval"`
	Output    []byte         `json:"output"`
	Partial   *partialForm   `json:"partial"`
}

type partialForm struct {
	Message  []byte       `json:"message"`
	Finished [][]byte     `json:"finished"`
	Failed   []failedForm `json:"failed"`
}

type failedForm struct {
	Item   []byte `json:"item"`
	Reason []byte `json:"reason"`
}

func formOf(r *gate.Refusal) refusalForm {
	form := refusalForm{
		Code: blob(string(r.Code)), Message: blob(r.Message), Next: blob(r.Next), Retryable: r.Retryable, Approval: r.Approval, Output: r.Output,
	}
	if r.Partial == nil {
		return form
	}
	form.Partial = &partialForm{Message: blob(r.Partial.Message)}
	if r.Partial.Finished != nil {
		form.Partial.Finished = [][]byte{}
	}
	for _, item := range r.Partial.Finished {
		form.Partial.Finished = append(form.Partial.Finished, blob(item))
	}
	if r.Partial.Failed != nil {
		form.Partial.Failed = []failedForm{}
	}
	for _, each := range r.Partial.Failed {
		form.Partial.Failed = append(form.Partial.Failed, failedForm{blob(each.Item), blob(each.Reason)})
	}
	return form
}

func (f refusalForm) refusal() *gate.Refusal {
	r := &gate.Refusal{
		Code: gate.Code(f.Code), Message: string(f.Message), Next: string(f.Next), Retryable: f.Retryable, Approval: f.Approval, Output: f.Output,
	}
	if f.Partial == nil {
		return r
	}
	r.Partial = &gate.Partial{Message: string(f.Partial.Message)}
	if f.Partial.Finished != nil {
		r.Partial.Finished = []string{}
	}
	for _, item := range f.Partial.Finished {
		r.Partial.Finished = append(r.Partial.Finished, string(item))
	}
	if f.Partial.Failed != nil {
		r.Partial.Failed = []gate.FailedItem{}
	}
	for _, each := range f.Partial.Failed {
		r.Partial.Failed = append(r.Partial.Failed, gate.FailedItem{Item: string(each.Item), Reason: string(each.Reason)})
	}
	return r
}
