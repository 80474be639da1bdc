package diag

import "unicode/utf8"

// A Suggester finds what somebody may have meant. Its work is bounded: after
// so many comparisons it finds nothing more, so that a hostile file cannot
// keep it busy.
type Suggester struct{ spent int }

const (
	suggestBudget = 200_000 // comparisons
	suggestLength = 64      // runes; nothing longer is compared
)

// Closest returns the candidate that is nearest to word, and false where none
// is near enough to be meant.
func (s *Suggester) Closest(word string, candidates []string) (string, bool) {
	if utf8.RuneCountInString(word) > suggestLength {
		return "", false
	}
	length := utf8.RuneCountInString(word)
	best, limit := "", max(length/3, 1)
	found := false
	for _, candidate := range candidates {
		if s.spent++; s.spent > suggestBudget {
			return best, found
		}
		other := utf8.RuneCountInString(candidate)
		if candidate == word || other > suggestLength || max(length-other, other-length) > limit {
			continue
		}
		distance := editDistance([]rune(word), []rune(candidate))
		if distance > limit || distance >= max(length, other) || found && distance == limit {
			continue
		}
		best, limit, found = candidate, distance, true
	}
	return best, found
}

// editDistance counts insertions, deletions, replacements and swaps of
// neighbours (optimal string alignment).
func editDistance(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
