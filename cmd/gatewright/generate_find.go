package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// protocolFile is the name under which folders and patterns find protocols.
const protocolFile = "protocol.yaml"

// find turns paths and patterns into protocol files, each once.
func find(patterns []string) ([]string, error) {
	var files []string
	seen := map[string]bool{}
	for _, pattern := range patterns {
		found, err := expand(pattern)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%s: there is no %s", pattern, protocolFile)
		}
		for _, file := range found {
			key, err := filepath.Abs(file)
			if err != nil {
				return nil, fmt.Errorf("find protocols: %w", err)
			}
			if !seen[key] {
				seen[key] = true
				files = append(files, file)
			}
		}
	}
	slices.Sort(files)
	return files, nil
}

func expand(pattern string) ([]string, error) {
	if folder, ok := strings.CutSuffix(filepath.ToSlash(pattern), "..."); ok {
		return below(filepath.FromSlash(strings.TrimSuffix(folder, "/")))
	}
	info, err := os.Stat(pattern)
	switch {
	case err != nil:
		return nil, fmt.Errorf("find protocols: %w", err)
	case !info.IsDir():
		return []string{pattern}, nil
	}
	file := filepath.Join(pattern, protocolFile)
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return []string{file}, nil
}

// below finds the protocols of one module: it leaves out what go list leaves
// out of a pattern.
func below(top string) ([]string, error) {
	if top == "" {
		top = "."
	}
	var files []string
	err := filepath.WalkDir(top, func(at string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case !entry.IsDir():
			if entry.Name() == protocolFile {
				files = append(files, at)
			}
			return nil
		case at != top && skipped(at, entry.Name()):
			return filepath.SkipDir
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find protocols: %w", err)
	}
	return files, nil
}

func skipped(at, name string) bool {
	if strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata" || name == "vendor" || name == "node_modules" {
		return true
	}
	_, err := os.Lstat(filepath.Join(at, "go.mod"))
	return err == nil
}
