// Command preservecheck shows whether what stands between a client and an LLM provider keeps the evidence of an
// error, and proves that it could tell.
//
// This package only parses, wires the parts together and prints; it judges nothing. Its version covers the command
// line, not the Go API of the packages beside it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/preservecheck/preservecheck/controls"
	"github.com/preservecheck/preservecheck/report"
)

func main() {
	// A check of ten rows allocates some 4 MB, where the collector would run for the first time and cost a tenth of the
	// whole run (docs/performance.md). It begins at 8 MB instead, and works harder where a hostile layer makes us read much.
	debug.SetGCPercent(200)
	debug.SetMemoryLimit(96 << 20)
	os.Exit(run(os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}

// app is everything a command can reach of the world outside.
type app struct {
	env    environ
	in     io.Reader
	out    io.Writer
	err    io.Writer
	exit   int
	redact func(string) string // nil until secrets are known
}

// Seams for tests. onStart is called before anything else; a test makes it panic. interrupt gives the context that
// Ctrl-C ends; a test gives its own. faults are those that a proof has to notice; a test adds one that is broken.
var (
	onStart   = func() {}
	interrupt = untilSignal
	faults    = controls.All
)

// run is the whole program as a function of its inputs; it returns the exit code.
func run(args, env []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	a := &app{env: newEnviron(env), in: stdin, out: stdout, err: stderr}
	defer func() {
		if p := recover(); p != nil {
			code = a.panicked(p)
		}
	}()
	onStart()
	root := newRoot(a)
	root.SetArgs(args)
	if err := root.Execute(); err != nil {
		return a.fail(err)
	}
	return a.exit
}

// panicked reports a bug of ours in one line. Go's own handling would exit with 2, which reads as a usage error.
func (a *app) panicked(p any) int {
	a.note("error: internal error: %v; this is a bug of preservecheck and says nothing about the layer",
		strings.ReplaceAll(fmt.Sprint(p), "\n", " "))
	return exitUnknown
}

// untilSignal returns a context that the first Ctrl-C ends. The second one meets Go's own handling, which ends the
// process at once.
func untilSignal(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(parent, os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}

// failure is an error for the user: what is wrong and where, and what to do about it.
type failure struct {
	code int
	msg  string
	hint string
}

func (f *failure) Error() string { return f.msg }

// usage makes a failure that means: nothing was run.
func usage(hint, format string, a ...any) *failure {
	return &failure{code: exitUsage, msg: fmt.Sprintf(format, a...), hint: hint}
}

// fail prints an error and returns its exit code. Errors without a code of their own come from the parser of the
// command line.
func (a *app) fail(err error) int {
	f := &failure{code: exitUsage, msg: err.Error(), hint: "see preservecheck --help"}
	_ = errors.As(err, &f)
	a.note("error: %s", f.msg)
	if f.hint != "" {
		a.note("hint: %s", f.hint)
	}
	return f.code
}

// note prints one message on stderr, without secrets and without control characters: part of it may come from a
// file, an argument or the network. On a terminal it is broken over lines that hang behind its first word; in a log it
// stays one line. Line breaks are only those of the format: one in an argument could forge a line.
func (a *app) note(format string, args ...any) {
	plain := make([]any, len(args))
	for i, arg := range args {
		plain[i] = arg
		switch arg.(type) {
		case string, error, fmt.Stringer:
			plain[i] = report.Plain(a.hide(fmt.Sprint(arg)))
		}
	}
	writeNote(a.err, a.hide(fmt.Sprintf(format, plain...)), columns(a.err))
}

// hide removes the secrets that are known.
func (a *app) hide(text string) string {
	if a.redact == nil {
		return text
	}
	return a.redact(text)
}

// writeNote writes a message, each line of it on one of its own if the width is not known.
func writeNote(w io.Writer, text string, width int) {
	for line := range strings.SplitSeq(text, "\n") {
		if width == 0 {
			fmt.Fprintln(w, report.Plain(line))
			continue
		}
		label := ""
		if at := strings.Index(line, ": "); at >= 0 && at <= len("warning") {
			label, line = line[:at+2], line[at+2:]
		}
		_ = report.Hanging(w, label, line, width)
	}
}
