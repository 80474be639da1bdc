package approval

import (
	"github.com/go-json-experiment/json"
)

// notShown stands where a tool should say what a call is about.
type notShown struct {
	Why *string `json:"not_shown"`
}

// NotShown is [Request.Shown] of a request about which a tool should say
// something and does not, with the reason.
func NotShown(why string) string {
	text, err := json.Marshal(notShown{&why})
	if err != nil {
		return `{"not_shown":"for a reason that is no text"}`
	}
	return string(text)
}

// notShownFor returns the reason in what [NotShown] made.
func notShownFor(shown string) (why string, ok bool) {
	var found notShown
	if err := json.Unmarshal([]byte(shown), &found, json.RejectUnknownMembers(true)); err != nil || found.Why == nil {
		return "", false
	}
	return *found.Why, shown == NotShown(*found.Why)
}

// arguments adds those of the call, as shown does.
func (c *carding) arguments() (hidden int) {
	r := c.request
	c.title("arguments, in the words of the caller")
	if live := r.Status == StatusPending || r.Status == StatusApproved; len(r.Arguments) == 0 && r.Status != "" && !live {
		c.notice("they are kept no more")
		return 0
	}
	return c.json(r.Arguments)
}

// shown adds what a tool said of the call, which is as old as the request, and
// returns how many characters of it would not have shown as themselves.
func (c *carding) shown() (hidden int) {
	shown := c.request.Shown
	if shown == "" {
		return 0
	}
	if why, ok := notShownFor(shown); ok {
		c.notice("a tool should say what this call is about, and did not: " + CardQuote(why))
		return 0
	}
	if c.options.Brief {
		c.notice("what a tool said of the call is not shown here: `gatewright approvals show " + CardQuote(c.request.ID) + "` has it")
		return 0
	}
	c.title("what a tool said of the call, " + Age(c.options.Now.Sub(c.request.AskedAt)))
	return c.json([]byte(shown))
}
