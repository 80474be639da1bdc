package main

import (
	"charm.land/lipgloss/v2"

	"github.com/gatewright/gatewright/runtime/approval"
)

// styles are how things look. They use the terminal's own sixteen colours, so
// that they fit its theme; under NO_COLOR the library leaves colours out. No
// meaning is told by colour alone.
type styles struct{}

func (styles) plain() lipgloss.Style    { return lipgloss.NewStyle() }
func (styles) bar() lipgloss.Style      { return lipgloss.NewStyle().Reverse(true) }
func (styles) cursor() lipgloss.Style   { return lipgloss.NewStyle().Reverse(true) }
func (styles) dim() lipgloss.Style      { return lipgloss.NewStyle().Faint(true) }
func (styles) title() lipgloss.Style    { return lipgloss.NewStyle().Bold(true) }
func (styles) selected() lipgloss.Style { return lipgloss.NewStyle().Bold(true) }
func (styles) notice() lipgloss.Style {
	return lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Yellow)
}

func (styles) status(status approval.Status) lipgloss.Style {
	switch status {
	case approval.StatusApproved, approval.StatusUsed:
		return lipgloss.NewStyle().Foreground(lipgloss.Green)
	case approval.StatusDenied, approval.StatusFailed:
		return lipgloss.NewStyle().Foreground(lipgloss.Red)
	default:
		return lipgloss.NewStyle()
	}
}

// line colours a line of a card.
func (s styles) line(line approval.CardLine) string {
	switch line.Kind {
	case approval.CardTitle:
		return s.title().Render(line.String())
	case approval.CardNotice:
		return s.notice().Render(line.String())
	case approval.CardAdded:
		return s.dim().Render(line.Label) + lipgloss.NewStyle().Foreground(lipgloss.Green).Render(line.Text)
	case approval.CardRemoved:
		return s.dim().Render(line.Label) + lipgloss.NewStyle().Foreground(lipgloss.Red).Render(line.Text)
	case approval.CardHunk:
		return s.dim().Render(line.Label) + lipgloss.NewStyle().Foreground(lipgloss.Cyan).Render(line.Text)
	default:
		return s.dim().Render(line.Label) + line.Text
	}
}
