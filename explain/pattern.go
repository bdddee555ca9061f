package explain

import (
	"regexp"
	"sync"
)

// pattern compiles an expression when it is first used: compiled at start, the patterns would cost every command more
// than the rest of its start (measured 2026-11-30, docs/performance.md).
func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
