package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// moved is each operator with its boundary moved.
var moved = map[token.Token]string{token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">"}

// rewrite gives the file with each of its places in it, switched off. base is the number of the first.
func (s *source) rewrite(base int) string { return s.between(0, len(s.text), base, s.edits) }

// between writes the text from one offset to another. The edits are in order, and an outer one stands before what is in it.
func (s *source) between(from, to, base int, edits []edit) string {
	var out strings.Builder
	for i, e := range edits {
		if e.at < from || e.end > to {
			continue // on the other side of an operator, or inside one that was written
		}
		out.Write(s.text[from:e.at])
		out.WriteString(s.wrapped(e, base, edits[i+1:]))
		from = e.end
	}
	out.Write(s.text[from:to])
	return out.String()
}

func (s *source) wrapped(e edit, base int, rest []edit) string {
	n := base + e.first
	if s.isSum(e) {
		return s.wrappedSum(e, n, func(part ast.Node) string {
			return s.between(s.fset.Position(part.Pos()).Offset, s.fset.Position(part.End()).Offset, base, rest)
		})
	}
	if e.expr == nil {
		return fmt.Sprintf("(mutatedAt(%d) != (%s))", n, s.between(e.at, e.end, base, rest))
	}
	x := s.between(e.at, s.fset.Position(e.expr.X.End()).Offset, base, rest)
	y := s.between(s.fset.Position(e.expr.Y.Pos()).Offset, e.end, base, rest)
	op := e.expr.Op.String()
	other, isMoved := moved[e.expr.Op]
	if !isMoved {
		return fmt.Sprintf("(mutatedAt(%d) != (%s %s %s))", n, x, op, y)
	}
	return fmt.Sprintf("(mutatedAt(%d) != (func() bool { if mutatedAt(%d) { return %s %s %s }; return %s %s %s }()))",
		n, n+1, x, other, y, x, op, y)
}

// switchFile is put beside the package's files. Which place is changed is said in the environment, so that one build
// serves all; and without it each place that is reached is written down.
const switchFile = `package %s

import (
	"os"
	"strconv"
	"sync/atomic"
)

var (
	mutatedPlace, _ = strconv.Atoi(os.Getenv("MUTATED_PLACE"))
	mutatedTrace, _ = os.OpenFile(os.Getenv("MUTATED_TRACE"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	mutatedSeen     [%d]atomic.Bool
)

func mutatedAt(n int) bool {
	if mutatedTrace != nil && !mutatedSeen[n].Swap(true) {
		mutatedTrace.WriteString(strconv.Itoa(n) + "\n")
	}
	return n == mutatedPlace
}
`

// build writes the package with all its places into work and gives the test binary of it. Places count from 1.
func build(work, dir string, sources []*source) (string, []place, error) {
	places := []place{{}}
	replace := map[string]string{}
	here, err := os.Getwd()
	if err != nil {
		return "", nil, err
	}
	put := func(name, text string) error {
		to := filepath.Join(work, filepath.Base(name))
		replace[filepath.Join(here, name)] = to
		return os.WriteFile(to, []byte(text), 0o600)
	}
	for _, s := range sources {
		if err := put(s.name, s.rewrite(len(places))); err != nil {
			return "", nil, err
		}
		places = append(places, s.places...)
	}
	text := fmt.Sprintf(switchFile, sources[0].tree.Name.Name, len(places)) + sumsFile
	if err := put(filepath.Join(dir, "mutated_switch.go"), text); err != nil {
		return "", nil, err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", nil, err
	}
	list, binary := filepath.Join(work, "overlay.json"), filepath.Join(work, "package.test")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		return "", nil, err
	}
	cmd := exec.Command("go", "test", "-c", "-vet=off", "-overlay", list, "-o", binary, "./"+filepath.ToSlash(dir))
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", nil, fmt.Errorf("%w\n%s", err, out)
	}
	return binary, places[1:], nil
}
