package server

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gatewright/gatewright/runtime/audit"
	"github.com/gatewright/gatewright/runtime/state"
)

const (
	// sharedSession is the code of the warning that one actor has two modes.
	sharedSession = "SHARED_SESSION"
	// warningsKey is where a result says what is not its tool's to say.
	warningsKey = "gatewright/warnings"
)

// A warning is something that a person should know of a result.
type warning struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// shared knows which other modes whoever started this server has running. Once
// there was one it stays: the same actor has had both. A nil one knows nothing.
type shared struct {
	attendance *state.Attendance
	record     *record
	log        *slog.Logger
	mode       Mode

	mu    sync.Mutex
	modes []string // of the others, in the order in which they were found
}

// attend makes this server known to those of other modes, and looks for them.
func (s *service) attend(ctx context.Context) error {
	attendance, err := s.record.folder.Attend(ctx, s.mode.Mode)
	if err != nil {
		return err
	}
	s.shared = &shared{attendance: attendance, record: s.record, log: s.log, mode: s.mode}
	return s.shared.find(ctx)
}

func (s *shared) leave() error {
	if s == nil {
		return nil
	}
	return s.attendance.Leave()
}

// look finds what was started after this server. A call does not fail for it:
// what cannot be told is said to whoever reads standard error.
func (s *shared) look(ctx context.Context) {
	if s == nil {
		return
	}
	if err := s.find(ctx); err != nil {
		s.log.Error("whether another mode is served to the same actor cannot be told", "error", err)
	}
}

// find reports each other server once, on standard error and in the audit log.
func (s *shared) find(ctx context.Context) error {
	others, err := s.attendance.Others(ctx)
	for _, other := range others {
		s.mu.Lock()
		if !slices.Contains(s.modes, other.Mode) {
			s.modes = append(s.modes, other.Mode)
		}
		s.mu.Unlock()
		s.log.Warn(sharedSession+": "+s.message([]string{other.Mode}), "pid", other.PID)
		if err := s.record.Note(ctx, audit.SharedSession, map[string]string{"mode": other.Mode, "pid": strconv.Itoa(other.PID)}); err != nil {
			return err
		}
	}
	return err
}

func (s *shared) message(modes []string) string {
	return fmt.Sprintf("whoever started this server of mode %q also has one of mode %q running, so one actor has the tools of both; give each agent the server of one mode",
		s.mode.Mode, strings.Join(modes, `", "`))
}

// warn says it in the result of an exclusive tool. Structured content has to
// satisfy the tool's schema, so it goes beside it.
func (s *shared) warn(tool string, result *mcp.CallToolResult) {
	if s == nil || !s.exclusive(tool) {
		return
	}
	s.mu.Lock()
	modes := slices.Clone(s.modes)
	s.mu.Unlock()
	if len(modes) == 0 {
		return
	}
	said := warning{Code: sharedSession, Message: s.message(modes)}
	if result.Meta == nil {
		result.Meta = mcp.Meta{}
	}
	result.Meta[warningsKey] = []warning{said}
	result.Content = append(result.Content, &mcp.TextContent{Text: said.Code + ": " + said.Message})
}

func (s *shared) exclusive(name string) bool {
	for _, tool := range s.mode.Tools {
		if tool.Name == name {
			return tool.Exclusive
		}
	}
	for _, tool := range s.mode.Foreign {
		if tool.Name == name {
			return tool.Exclusive
		}
	}
	return false
}
