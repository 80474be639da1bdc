// Package check holds a protocol against the rules, which are data: each has
// an id, a purpose, a category, a level, words and examples. It reads no file
// and writes none; what it finds it returns.
package check
