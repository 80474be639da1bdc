package approval

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"
)

// Bounds of a question through a client.
const (
	maxQuestion  = 8 << 10 // bytes: a longer one might be shown cut
	maxRounds    = 5       // questions about one request
	elicitWait   = 2 * time.Minute
	maxReason    = 1000 // bytes of what a person writes
	answerAccept = "accept"
	answerYes    = "approve"
	answerNo     = "deny"
)

// Form is the JSON Schema of the answer to a question. Consent is an explicit
// decision in it; accepting the form alone is none.
const Form = `{"type":"object","properties":{` +
	`"decision":{"type":"string","title":"Decision","description":"approve lets exactly this call run, once","enum":["approve","deny"]},` +
	`"reason":{"type":"string","title":"Reason","description":"may be left out; the agent reads it","maxLength":500}},` +
	`"required":["decision"]}`

// An Elicit asks through the client of the call. Who answers there is whoever
// the client asks, which may be nobody: some answer by a rule.
type Elicit struct {
	book func(context.Context) (Book, error)
	last bool          // no provider comes after it
	wait time.Duration // for a client that answers during the call
}

// Ask implements [Provider].
func (e Elicit) Ask(ctx context.Context, inquiry Inquiry) (Answer, error) {
	request := inquiry.Request
	switch {
	case inquiry.Client == nil || !inquiry.Client.Reaches():
		return Answer{}, fmt.Errorf("%w: %w", ErrUnreachable, because("the client shows no forms"))
	case request.answered():
		return Answer{}, fmt.Errorf("%w: %w", ErrUnreachable, because("the question was turned down in the client before"))
	case request.Round > 0 && !e.last, request.Questions() >= maxRounds:
		return Answer{}, fmt.Errorf("%w: %w", ErrUnreachable, because("the client has left a question about this unanswered"))
	}
	// A form has room for the request, seldom for more.
	message := Card(request, CardOptions{Now: time.Now(), Width: usualWidth, Brief: true, Identical: inquiry.Identical})
	if len(message) > maxQuestion {
		return Answer{}, fmt.Errorf("%w: %w", ErrUnreachable, because("the request is too long to be shown whole in a form"))
	}
	book, err := e.book(ctx)
	if err != nil {
		return Answer{}, unkept{err}
	}
	round, err := book.Put(ctx, request.ID)
	if errors.Is(err, ErrNotPending) {
		return Answer{Settled: true}, nil
	}
	if err != nil {
		return Answer{}, unkept{err}
	}
	question := Question{Message: message, State: State{
		ID: request.ID, Binding: request.Binding, Call: inquiry.Call, Round: round, ExpiresAt: request.ExpiresAt,
	}}
	waiting, cancel := context.WithTimeout(ctx, e.wait)
	defer cancel()
	settled := e.watch(waiting, cancel, book, request.ID)
	reply, err := inquiry.Client.Elicit(waiting, question)
	cancel()
	switch {
	case errors.Is(err, ErrLater):
		return Answer{Decision: Undecided, Question: &question}, nil
	case <-settled:
		return Answer{Settled: true}, nil
	case err != nil && ctx.Err() != nil:
		return Answer{}, context.Cause(ctx)
	case err != nil && errors.Is(waiting.Err(), context.DeadlineExceeded):
		return Answer{}, fmt.Errorf("%w: the client: %w", ErrUnreachable, ErrTimedOut)
	case errors.Is(err, ErrGarbage):
		return Answer{}, err
	case err != nil:
		return Answer{}, fmt.Errorf("%w: the client: %w", ErrUnreachable, err)
	}
	answer, err := read(reply)
	if !turnedDown(err) {
		return answer, err
	}
	// So that it is not asked again. Another call may have asked it since.
	if err := book.Take(ctx, request.ID, round); err != nil && !errors.Is(err, ErrAnswered) && !errors.Is(err, ErrNotPending) {
		return Answer{}, unkept{err}
	}
	return Answer{}, err
}

// turnedDown reports whether whoever was asked answered, and decided nothing.
func turnedDown(err error) bool { return errors.Is(err, ErrDeclined) || errors.Is(err, ErrDismissed) }

// watch ends the wait for the client when somebody else decides. It sends
// whether that was so once the wait is over.
func (e Elicit) watch(ctx context.Context, end context.CancelFunc, book Book, id string) <-chan bool {
	settled := make(chan bool, 1)
	go func() {
		look := time.NewTicker(poll)
		defer look.Stop()
		for {
			select {
			case <-ctx.Done():
				settled <- false
				return
			case <-look.C:
			}
			if request, err := book.Get(ctx, id); err == nil && request.Status != StatusPending {
				settled <- true
				end()
				return
			}
		}
	}()
	return settled
}

// read takes a reply for what it says, and for nothing else.
func read(reply Reply) (Answer, error) {
	switch reply.Action {
	case answerAccept:
	case "decline":
		return Answer{}, fmt.Errorf("%w: %w", ErrDeclined, because("it was declined in the client"))
	case "cancel":
		return Answer{}, fmt.Errorf("%w: %w", ErrDismissed, because("it was dismissed in the client"))
	default:
		return Answer{}, fmt.Errorf("%w: the action %.40q", ErrGarbage, reply.Action)
	}
	answer := Answer{Approver: "whoever the client asked"}
	for key, value := range reply.Content {
		text, isText := value.(string)
		switch {
		case key == "decision" && isText && text == answerYes:
			answer.Decision = Approved
		case key == "decision" && isText && text == answerNo:
			answer.Decision = Denied
		case key == "reason" && isText && len(text) <= maxReason && utf8.ValidString(text):
			answer.Reason = text
		default:
			return Answer{}, fmt.Errorf("%w: the field %.40q", ErrGarbage, key)
		}
	}
	if answer.Decision == "" {
		return Answer{}, fmt.Errorf("%w: it accepts, and decides nothing", ErrGarbage)
	}
	return answer, nil
}
