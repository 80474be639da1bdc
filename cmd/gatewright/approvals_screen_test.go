package main

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A screen is as much of a terminal as the library uses. What it does not know
// is kept in odd, for a test to fail on.
type screen struct {
	cells         [][]rune
	row, col      int
	last          rune
	alternate     bool
	coloured      bool // a colour was ever set
	bells         int
	odd           []string
	rest          []byte // an unfinished sequence
	width, height int
	first, end    int // the region that scrolls
}

func newScreen(width, height int) *screen {
	s := &screen{}
	s.resize(width, height)
	return s
}

func (s *screen) resize(width, height int) {
	cells := make([][]rune, height)
	for i := range cells {
		cells[i] = []rune(strings.Repeat(" ", width))
		if i < len(s.cells) {
			copy(cells[i], s.cells[i])
		}
	}
	s.cells, s.width, s.height = cells, width, height
	s.row, s.col = min(s.row, height-1), min(s.col, width)
	s.first, s.end = 0, height
}

func (s *screen) text() string {
	lines := make([]string, s.height)
	for i, line := range s.cells {
		lines[i] = strings.TrimRight(strings.ReplaceAll(string(line), "\x00", ""), " ")
	}
	return strings.Join(lines, "\n")
}

func (s *screen) write(data []byte) {
	data = append(s.rest, data...)
	for len(data) > 0 {
		n := s.one(data)
		if n == 0 {
			break
		}
		data = data[n:]
	}
	s.rest = append([]byte(nil), data...)
}

// one takes one character or sequence, and nothing of an unfinished one.
func (s *screen) one(data []byte) int {
	switch data[0] {
	case '\x1b':
		return s.escape(data)
	case '\r':
		s.col = 0
	case '\n':
		s.down()
	case '\b':
		s.col = max(0, min(s.col, s.width-1)-1)
	case '\t':
		s.col = min(s.width-1, s.col/8*8+8)
	case '\a':
		s.bells++
	default:
		if !utf8.FullRune(data) {
			return 0
		}
		r, size := utf8.DecodeRune(data)
		if r < ' ' {
			s.odd = append(s.odd, fmt.Sprintf("%q", r))
			return size
		}
		s.put(r)
		return size
	}
	return 1
}

func (s *screen) down() {
	if s.row == s.end-1 {
		s.shift(s.first, 1, false)
		return
	}
	s.row = min(s.row+1, s.height-1)
}

func (s *screen) put(r rune) {
	wide := r >= 0x1100 && (r < 0x2000 || r >= 0x2e80)
	if s.col >= s.width {
		s.col = 0
		s.down()
	}
	s.cells[s.row][s.col] = r
	s.last = r
	s.col++
	if wide && s.col < s.width {
		s.cells[s.row][s.col] = 0
		s.col++
	}
}

func (s *screen) escape(data []byte) int {
	if len(data) < 2 {
		return 0
	}
	switch data[1] {
	case '[':
		for i := 2; i < len(data); i++ {
			if data[i] >= 0x40 && data[i] <= 0x7e {
				s.control(string(data[2:i]), data[i])
				return i + 1
			}
		}
		return 0
	case ']', 'P', '_', '^': // up to a bell or a string terminator
		for i := 2; i < len(data); i++ {
			if data[i] == '\a' || data[i] == '\\' && data[i-1] == '\x1b' {
				s.odd = append(s.odd, fmt.Sprintf("%q", data[:i+1]))
				return i + 1
			}
		}
		return 0
	case 'M':
		if s.row == s.first {
			s.shift(s.first, 1, true)
			break
		}
		s.row = max(0, s.row-1)
	default:
		s.odd = append(s.odd, fmt.Sprintf("%q", data[:2]))
	}
	return 2
}

func (s *screen) control(parameters string, final byte) {
	var numbers []int
	for part := range strings.SplitSeq(strings.TrimLeft(parameters, "?>=<"), ";") {
		n, _ := strconv.Atoi(part)
		numbers = append(numbers, n)
	}
	first := max(1, numbers[0])
	fill := func(row, from, to int) {
		for i := max(0, from); i < min(to, s.width); i++ {
			s.cells[row][i] = ' '
		}
	}
	col := min(s.col, s.width-1)
	switch {
	case parameters != "" && strings.ContainsAny(parameters[:1], "?>=<"):
		if strings.HasPrefix(parameters, "?1049") {
			s.alternate = final == 'h'
		}
	case final == 'm':
		for _, n := range numbers {
			s.coloured = s.coloured || n >= 30 && n <= 49 && n != 39 && n != 49 || n >= 90 && n <= 107
		}
	case final == 'H':
		column := 1
		if len(numbers) > 1 {
			column = max(1, numbers[1])
		}
		s.row, s.col = min(first, s.height)-1, min(column, s.width)-1
	case final == 'A':
		s.row = max(0, s.row-first)
	case final == 'B':
		s.row = min(s.height-1, s.row+first)
	case final == 'C':
		s.col = min(s.width-1, col+first)
	case final == 'D':
		s.col = max(0, col-first)
	case final == 'I':
		s.col = min(s.width-1, (col/8+first)*8)
	case final == 'Z':
		s.col = max(0, ((col+7)/8-first)*8)
	case final == 'G' || final == '`':
		s.col = min(first, s.width) - 1
	case final == 'd':
		s.row = min(first, s.height) - 1
	case final == 'K' && numbers[0] == 0:
		fill(s.row, col, s.width)
	case final == 'K' && numbers[0] == 1:
		fill(s.row, 0, col+1)
	case final == 'K':
		fill(s.row, 0, s.width)
	case final == 'J':
		from := s.row + 1
		if numbers[0] == 2 {
			from = 0
		} else {
			fill(s.row, col, s.width)
		}
		for i := from; i < s.height; i++ {
			fill(i, 0, s.width)
		}
	case final == 'X':
		fill(s.row, col, col+first)
	case final == 'P':
		line := s.cells[s.row]
		copy(line[col:], line[min(col+first, s.width):])
		fill(s.row, s.width-first, s.width)
	case final == '@':
		line := s.cells[s.row]
		copy(line[min(col+first, s.width):], append([]rune(nil), line[col:]...))
		fill(s.row, col, col+first)
	case final == 'b':
		for range first {
			s.put(s.last)
		}
	case final == 'L' || final == 'M':
		s.shift(s.row, first, final == 'L')
	case final == 'S' || final == 'T':
		s.shift(s.first, first, final == 'T')
	case final == 'r':
		s.first, s.end = 0, s.height
		if len(numbers) > 1 {
			s.first, s.end = first-1, min(numbers[1], s.height)
		}
		s.row, s.col = 0, 0
	case final == 'h' || final == 'l' || final == 'q' || final == 'c' || final == 'n' || final == 'u':
	default:
		s.odd = append(s.odd, fmt.Sprintf("CSI %s %c", parameters, final))
	}
}

// shift moves the lines from a row to the end of the region down, or up.
func (s *screen) shift(row, by int, down bool) {
	for range by {
		empty := []rune(strings.Repeat(" ", s.width))
		if down {
			copy(s.cells[row+1:s.end], s.cells[row:s.end-1])
			s.cells[row] = empty
		} else {
			copy(s.cells[row:s.end-1], s.cells[row+1:s.end])
			s.cells[s.end-1] = empty
		}
	}
}
