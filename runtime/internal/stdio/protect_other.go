//go:build !unix

package stdio

import "os"

// protect redirects what goes through the variables of package os. A child
// that is given the standard handles themselves is out of its reach here.
func protect() (Streams, error) {
	streams := Streams{In: os.Stdin, Out: os.Stdout}
	empty, err := os.Open(os.DevNull)
	if err != nil {
		return Streams{}, err
	}
	os.Stdin, os.Stdout = empty, os.Stderr
	return streams, nil
}
