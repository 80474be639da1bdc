package schema

import (
	"maps"
	"slices"
	"strings"
)

// nearest returns the known word that word is most likely a slip of, or "".
func nearest[V any](word string, known map[string]V) string {
	best, distance := "", 3
	if len(word) < 5 {
		distance = 2
	}
	if len(word) > 64 {
		return ""
	}
	for _, candidate := range slices.Sorted(maps.Keys(known)) {
		if strings.EqualFold(candidate, word) {
			return candidate
		}
		if d := edits(strings.ToLower(word), strings.ToLower(candidate)); d < distance {
			best, distance = candidate, d
		}
	}
	return best
}

// edits is the number of single changes between two words (Levenshtein).
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
