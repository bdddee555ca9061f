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

// readGremlins gives the places that gremlins changed and what came of each. What it calls not covered is left out:
// conditions of cases are among that, which the other half of this program changes.
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
				p, ok = place{File: file, Func: funcName(d), In: "code", line: line, Text: oneLine(string(s.text[from:to]))}, true
				return false
			})
		}
	}
	return p, ok
}
