// Package codec stands between a tool's JSON and its Go values: the strict
// reading of arguments, the canonical form that is approved and logged, and
// the writing of results.
//
// Arguments are read once, into a tree whose integers are exact. The canonical
// form is made of that tree, and the Go value is then decoded from the
// canonical form rather than from what came over the wire. Decoding first and
// marshalling the Go value again would also give one form for equal
// arguments, but the form would say only what the Go types can hold: a
// contract that cannot tell null from absent, or a raw field that a marshaller
// rewrites, would have two different requests approved as one. This way round
// the handler receives a function of exactly the bytes that were shown,
// approved and digested, whatever its types are, and a raw field reaches it in
// canonical form.
//
// What may not enter: tools, modes, transports.
package codec
