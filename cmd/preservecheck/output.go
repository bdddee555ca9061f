package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/preservecheck/preservecheck/record"
)

// writer is a format: it writes a settled record and returns only errors of writing.
type writer func(io.Writer, record.Document) error

// output is one -o FORMAT=FILE.
type output struct {
	format, path string
	write        writer
}

// parseOutputs reads every -o. It changes no file.
func parseOutputs(specs []string, from string) ([]output, error) {
	var outs []output
	for _, spec := range specs {
		format, path, ok := strings.Cut(spec, "=")
		if !ok || path == "" {
			return nil, usage("write -o json=result.json", "%s: %q is not FORMAT=FILE", from, spec)
		}
		w, err := formatWriter(format, from)
		if err != nil {
			return nil, err
		}
		if path == "-" {
			return nil, usage("--format "+format+" prints to standard output", "%s: %q names no file", from, spec)
		}
		for _, o := range outs {
			if samePlace(o.path, path) {
				return nil, usage("give each output a file of its own", "%s: %s is named twice", from, path)
			}
		}
		outs = append(outs, output{format: format, path: path, write: w})
	}
	return outs, nil
}

// samePlace reports whether two paths are one name in one directory, however they say it. The files need not be there.
func samePlace(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	if filepath.Base(a) != filepath.Base(b) {
		return false
	}
	dirA, errA := os.Stat(filepath.Dir(a))
	dirB, errB := os.Stat(filepath.Dir(b))
	return errA == nil && errB == nil && os.SameFile(dirA, dirB)
}

// reserve replaces every file at once by a record that says it is incomplete, so that no result of an earlier run
// can be taken for this one's.
func reserve(outs []output, incomplete record.Document, from string) error {
	for _, o := range outs {
		if err := o.replace(incomplete); err != nil {
			hint := "name a file in a directory that can be written to"
			if strings.HasPrefix(o.path, "/dev/") {
				hint = "--format " + o.format + " prints to standard output"
			}
			return usage(hint, "%s: %s", from, err)
		}
	}
	return nil
}

// replace writes the file beside its place and moves it there, so that a reader sees all of it or the one before.
func (o output) replace(d record.Document) (err error) {
	if info, err := os.Lstat(o.path); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is %s, not a regular file", o.path, kind(info.Mode()))
	}
	f, err := os.CreateTemp(filepath.Dir(o.path), ".preservecheck-*") // 0600
	if err != nil {
		return fmt.Errorf("%s can't be written: %w", o.path, cause(err))
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
			err = fmt.Errorf("%s can't be written: %w", o.path, cause(err))
		}
	}()
	if err := o.write(f, d); err != nil {
		_ = f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), o.path)
}

// cause is the reason in an error of the operating system, without names that the caller gives in words of its own.
func cause(err error) error {
	var no syscall.Errno
	if errors.As(err, &no) {
		return no
	}
	return err
}

func kind(m fs.FileMode) string {
	switch {
	case m&fs.ModeSymlink != 0:
		return "a symbolic link"
	case m.IsDir():
		return "a directory"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return "a pipe or socket"
}

// formatHelp says what --format takes.
func formatHelp() string { return "what to print: " + strings.Join(formatNames(), ", ") }

// annotations says where the lines of --format github are read, to whoever prints them elsewhere.
func (a *app) annotations(format string) {
	if format == "github" && a.env.get("GITHUB_ACTIONS") != "true" {
		a.note("note: --format github is read by GitHub Actions, and by nothing else; GITHUB_ACTIONS is not set to true here")
	}
}
