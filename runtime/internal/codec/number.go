package codec

import (
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// Why a number is refused; each reads on from "/n is 1e400, ".
var (
	errRange  = errors.New("which is beyond the range of a 64-bit number")
	errDigits = errors.New("which would lose digits; send an integer of at most 64 bits, or a number with fewer digits")
)

// maxDigits bounds the literals that are looked at exactly.
const maxDigits = 400

// exact returns the value of a JSON number: an int64 for every integer that
// fits one, however it is written, and a float64 for what is left. A fraction
// is rounded to the nearest float64, as JSON numbers are. An integer is never
// rounded: one that an int64 cannot hold has to be what the float64 is written
// as, such as 1e30.
func exact(literal string) (any, error) {
	if n, err := strconv.ParseInt(literal, 10, 64); err == nil {
		return n, nil
	}
	f, err := strconv.ParseFloat(literal, 64)
	switch {
	case err != nil, f == 0 && strings.ContainsAny(mantissa(literal), "123456789"):
		return nil, errRange
	case f != math.Trunc(f):
		return f, nil
	case f == 0:
		return int64(0), nil
	case len(literal) > maxDigits:
		return nil, errDigits
	}
	// The exponent is small, since the literal is in range and its digits are few.
	value, ok := new(big.Rat).SetString(literal)
	if !ok {
		return nil, errDigits
	}
	if value.IsInt() && value.Num().IsInt64() {
		return value.Num().Int64(), nil
	}
	written, ok := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
	if !ok || value.Cmp(written) != 0 {
		return nil, errDigits
	}
	return f, nil
}

func mantissa(literal string) string {
	digits, _, _ := strings.Cut(strings.ToLower(literal), "e")
	return digits
}

// keeps reports whether a number of the canonical form keeps its digits as a
// float64.
func keeps(literal string, f float64) bool {
	if _, err := strconv.ParseInt(literal, 10, 64); err != nil {
		return true // it was a float64 already
	}
	return strconv.FormatFloat(f, 'f', -1, 64) == literal
}
