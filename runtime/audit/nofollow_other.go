//go:build !unix

package audit

const noFollow = 0
