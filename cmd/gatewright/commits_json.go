package main

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// commitsShape is what is promised of the JSON.
const commitsShape = `With --json it prints one object:

  {"v": 1, "commits": [...], "problems": [{"state_dir": "...", "error": "..."}]}

Each element of "commits" has every one of these members:

  id, status, protocol, digest, mode, tool, actor, preview, call, key,
  code, message, outcome, note, resolved_by, state_dir   strings, "" where there is none
  made_at, begun_at, ended_at                            times as RFC 3339 has them, or null
  plan                                                   JSON as the preview made it; null once the commit has ended
  result                                                 JSON as the commit returned it, or null

status is begun, interrupted, committed, failed, partial or resolved. Members may
be added; none is taken away or given another meaning while v is 1.`

// A commitJSON is what is printed of a commit.
type commitJSON struct {
	ID         string         `json:"id"`
	Status     string         `json:"status"`
	Protocol   string         `json:"protocol"`
	Digest     string         `json:"digest"`
	Mode       string         `json:"mode"`
	Tool       string         `json:"tool"`
	Actor      string         `json:"actor"`
	Preview    string         `json:"preview"`
	Call       string         `json:"call"`
	Key        string         `json:"key"`
	Plan       jsontext.Value `json:"plan"`
	Result     jsontext.Value `json:"result"`
	Code       string         `json:"code"`
	Message    string         `json:"message"`
	Outcome    string         `json:"outcome"`
	Note       string         `json:"note"`
	ResolvedBy string         `json:"resolved_by"`
	MadeAt     *time.Time     `json:"made_at"`
	BegunAt    *time.Time     `json:"begun_at"`
	EndedAt    *time.Time     `json:"ended_at"`
	StateDir   string         `json:"state_dir"`
}

type commitListJSON struct {
	V        int           `json:"v"`
	Commits  []commitJSON  `json:"commits"`
	Problems []problemJSON `json:"problems"`
}

func commitsOf(found []keptCommit, problems []problem) commitListJSON {
	list := commitListJSON{V: 1, Commits: []commitJSON{}, Problems: []problemJSON{}}
	for _, each := range found {
		list.Commits = append(list.Commits, commitShape(each))
	}
	for _, each := range problems {
		list.Problems = append(list.Problems, problemJSON{each.Path, each.Err.Error()})
	}
	return list
}

func commitShape(c keptCommit) commitJSON {
	shape := commitJSON{
		ID: c.ID, Status: string(c.Status), Protocol: c.drawer.folder.Protocol(), Digest: c.Digest, Mode: c.Mode, Tool: c.Tool, Actor: c.Actor,
		Preview: c.Preview, Call: c.Call, Key: c.Key, Plan: valueOf(c.Body), Outcome: string(c.Resolution.Outcome), Note: c.Resolution.Note,
		ResolvedBy: c.Resolution.By, MadeAt: timeOf(c.MadeAt), BegunAt: timeOf(c.BegunAt), EndedAt: timeOf(c.EndedAt), StateDir: c.drawer.folder.Path(),
	}
	if c.Ending != nil {
		shape.Result = valueOf(c.Ending.Output)
		if refusal := c.Ending.Refusal; refusal != nil {
			shape.Code, shape.Message = string(refusal.Code), refusal.Message
		}
	}
	return shape
}
