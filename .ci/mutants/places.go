package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Names of what is changed. The first two are gremlins' own, so that one list serves both.
const (
	negation = "CONDITIONALS_NEGATION" // a comparison says the opposite
	boundary = "CONDITIONALS_BOUNDARY" // < becomes <= and so on
	opposite = "OPPOSITE"              // a condition that is no comparison says the opposite
)

// place is one change of one condition.
type place struct {
	File, Func, Kind string
	Text             string // the expression, without regard to how it is laid out
	In               string // case, if, for or value: where the condition stands
	line             int
}

func (p place) key() string { return strings.Join([]string{p.File, p.Func, p.Kind, p.Text}, "\t") }

func (p place) String() string {
	return fmt.Sprintf("%s:%d %s, %s of %s: %s", p.File, p.line, p.Func, p.Kind, p.In, p.Text)
}

// source is one file and the places in it.
type source struct {
	name   string // below the module's root
	text   []byte
	fset   *token.FileSet
	tree   *ast.File
	places []place
	edits  []edit
}

// edit is an expression, by its offsets, that is put in brackets together with what switches its places on.
type edit struct {
	at, end int
	expr    *ast.BinaryExpr // nil for a condition that is no comparison
	first   int             // the place's index in places; a boundary is the next one
}

// readPackage reads the files of a folder that are no tests.
func readPackage(dir string) ([]*source, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var out []*source
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		s, err := readSource(filepath.ToSlash(name), text)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no Go files in %s", dir)
	}
	return out, nil
}

func readSource(name string, text []byte) (*source, error) {
	s := &source{name: name, text: text, fset: token.NewFileSet()}
	var err error
	s.tree, err = parser.ParseFile(s.fset, name, text, 0)
	if err != nil {
		return nil, err
	}
	for _, d := range s.tree.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok != token.VAR {
			continue // a constant has to stay one
		}
		s.find(d, funcName(d))
	}
	slices.SortFunc(s.edits, func(a, b edit) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(b.end, a.end)) })
	return s, nil
}

// funcName says where a place is: a function, a method with its type, or what a variable is made of.
func funcName(d ast.Decl) string {
	f, ok := d.(*ast.FuncDecl)
	if !ok {
		return "var"
	}
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return f.Name.Name
	}
	t := f.Recv.List[0].Type
	if p, ok := t.(*ast.StarExpr); ok {
		t = p.X
	}
	if name, ok := t.(*ast.Ident); ok {
		return name.Name + "." + f.Name.Name
	}
	return f.Name.Name
}

// find gathers the conditions below a node. Those of case, if and for are looked at whole; elsewhere only comparisons are.
func (s *source) find(root ast.Node, fn string) {
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SwitchStmt:
			if n.Tag == nil {
				for _, c := range n.Body.List {
					for _, e := range c.(*ast.CaseClause).List {
						s.condition(e, fn, "case")
					}
				}
			}
		case *ast.IfStmt:
			s.condition(n.Cond, fn, "if")
		case *ast.ForStmt:
			if n.Cond != nil {
				s.condition(n.Cond, fn, "for")
			}
		case *ast.BinaryExpr:
			s.comparison(n, fn, "value")
		}
		return true
	})
}

// condition takes a condition apart at its logical operators.
func (s *source) condition(e ast.Expr, fn, in string) {
	switch x := e.(type) {
	case *ast.ParenExpr:
		s.condition(x.X, fn, in)
		return
	case *ast.UnaryExpr:
		if x.Op == token.NOT {
			s.condition(x.X, fn, in)
			return
		}
	case *ast.BinaryExpr:
		if x.Op == token.LAND || x.Op == token.LOR {
			s.condition(x.X, fn, in)
			s.condition(x.Y, fn, in)
			return
		}
		s.comparison(x, fn, in)
		return
	}
	s.add(e, nil, fn, in, opposite)
}

func (s *source) comparison(x *ast.BinaryExpr, fn, in string) {
	switch x.Op {
	case token.EQL, token.NEQ:
		s.add(x, x, fn, in, negation)
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		s.add(x, x, fn, in, negation, boundary)
	}
}

func (s *source) add(e ast.Expr, x *ast.BinaryExpr, fn, in string, kinds ...string) {
	at, end := s.fset.Position(e.Pos()), s.fset.Position(e.End()).Offset
	for _, known := range s.edits {
		if known.at == at.Offset && known.end == end {
			return // a comparison that was seen as part of its condition
		}
	}
	s.edits = append(s.edits, edit{at: at.Offset, end: end, expr: x, first: len(s.places)})
	for _, k := range kinds {
		s.places = append(s.places, place{File: s.name, Func: fn, Kind: k, In: in, line: at.Line,
			Text: oneLine(string(s.text[at.Offset:end]))})
	}
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
