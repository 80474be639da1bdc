package handlers

import (
	"go/build"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
)

// stub is a whole file around one function. The caller made source of checked
// identifiers alone.
func stub(pack, source string, imports []string) []byte {
	var out strings.Builder
	out.WriteString("package " + pack + "\n\n")
	var standard, other []string
	for _, imported := range slices.Sorted(slices.Values(imports)) {
		if first, _, _ := strings.Cut(imported, "/"); strings.Contains(first, ".") || strings.Contains(imported, "/generated/") {
			other = append(other, imported)
		} else {
			standard = append(standard, imported)
		}
	}
	if len(imports) > 0 {
		out.WriteString("import (\n")
		for _, imported := range standard {
			out.WriteString("\t" + strconv.Quote(imported) + "\n")
		}
		if len(standard) > 0 && len(other) > 0 {
			out.WriteString("\n")
		}
		for _, imported := range other {
			out.WriteString("\t" + strconv.Quote(imported) + "\n")
		}
		out.WriteString(")\n\n")
	}
	out.WriteString(source)
	return []byte(out.String())
}

// snake is a function's name as a file's: ListFiles becomes list_files.
func snake(name string) string {
	var out strings.Builder
	for i, r := range name {
		if r >= 'A' && r <= 'Z' {
			if i > 0 && (lower(name[i-1]) || (i+1 < len(name) && name[i-1] != '_' && lower(name[i+1]))) {
				out.WriteByte('_')
			}
			r += 'a' - 'A'
		}
		out.WriteRune(r)
	}
	return out.String()
}

func lower(b byte) bool { return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' }

// fileName is a name for a stub's file that means nothing to Go: not that of a
// test, and not one for some systems or processors only.
func fileName(base string) string {
	nowhere := build.Context{
		GOOS: "none", GOARCH: "none", Compiler: "gc",
		JoinPath: path.Join,
		OpenFile: func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("package p\n")), nil },
	}
	match, err := nowhere.MatchFile("", base+".go")
	if strings.HasSuffix(base, "_test") || strings.HasPrefix(base, "_") || err != nil || !match {
		return strings.TrimLeft(base, "_") + "_handler.go"
	}
	return base + ".go"
}
