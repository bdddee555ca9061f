package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path"
)

// gremlinsResult is the part that is read of what `gremlins unleash --output` writes.
type gremlinsResult struct {
	Files []struct {
		Name      string `json:"file_name"`
		Mutations []struct {
			Type   string `json:"type"`
			Status string `json:"status"`
			Line   int    `json:"line"`
			Column int    `json:"column"`
		} `json:"mutations"`
	} `json:"files"`
}

// readGremlins gives the places that gremlins changed and what came of each. It calls each condition of a case not covered, and
// all that stands outside of functions, since coverage does not count there. That is left out.
func readGremlins(name, dir string, sources []*source) (places []place, results []found, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, nil, err
	}
	var read gremlinsResult
	if err := json.Unmarshal(text, &read); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	statuses := map[string]found{"KILLED": noticed, "NOT VIABLE": noticed, "LIVED": lived, "TIMED OUT": timedOut, "NOT COVERED": notReached}
	for _, f := range read.Files {
		for _, m := range f.Mutations {
			result, known := statuses[m.Status]
			if !known {
				return nil, nil, fmt.Errorf("%s: %s:%d has the status %q", name, f.Name, m.Line, m.Status)
			}
			p, ok := placeAt(sources, path.Join(dir, f.Name), m.Line, m.Column)
			if !ok {
				return nil, nil, fmt.Errorf("%s: nothing to change at %s:%d:%d; is it older than the code?", name, f.Name, m.Line, m.Column)
			}
			if result == notReached && (p.In == "case" || p.In == outside) {
				continue
			}
			p.Kind = m.Type
			places, results = append(places, p), append(results, result)
		}
	}
	if len(places) == 0 {
		return nil, nil, fmt.Errorf("%s: no changes in it", name)
	}
	return places, results, nil
}

// placeAt finds the operator at a line and column.
func placeAt(sources []*source, file string, line, column int) (p place, ok bool) {
	for _, s := range sources {
		if s.name != file {
			continue
		}
		for _, d := range s.tree.Decls {
			ast.Inspect(d, func(n ast.Node) bool {
				var op token.Pos
				switch n := n.(type) {
				case *ast.BinaryExpr:
					op = n.OpPos
				case *ast.UnaryExpr:
					op = n.OpPos
				case *ast.IncDecStmt:
					op = n.TokPos
				default:
					return true
				}
				if at := s.fset.Position(op); at.Line != line || at.Column != column {
					return true
				}
				from, to := s.fset.Position(n.Pos()).Offset, s.fset.Position(n.End()).Offset
				p, ok = place{File: file, Func: funcName(d), In: s.around(d, n), line: line, Text: oneLine(string(s.text[from:to]))}, true
				return false
			})
		}
	}
	return p, ok
}

const outside = "the package"

// around says whether a node stands in the condition of a case, elsewhere in a function, or in none.
func (s *source) around(d ast.Decl, n ast.Node) string {
	where := "code"
	if _, isFunc := d.(*ast.FuncDecl); !isFunc {
		where = outside
	}
	ast.Inspect(d, func(c ast.Node) bool {
		if clause, ok := c.(*ast.CaseClause); ok {
			for _, e := range clause.List {
				if e.Pos() <= n.Pos() && n.End() <= e.End() {
					where = "case"
				}
			}
		}
		return true
	})
	return where
}
