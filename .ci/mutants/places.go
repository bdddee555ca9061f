package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
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

// place is one change of one condition or sum.
type place struct {
	File, Func, Kind string
	Text             string // the expression, without regard to how it is laid out
	In               string // case, if, for or value: where the condition stands; or sum
	line             int
}

func (p place) key() string { return strings.Join([]string{p.File, p.Func, p.Kind, p.Text}, "\t") }

func (p place) String() string {
	return fmt.Sprintf("%s:%d %s, %s of %s: %s", p.File, p.line, p.Func, p.Kind, p.In, p.Text)
}

// source is one file and the places in it.
type source struct {
	name   string // below the module's root
	dir    string // its folder, which stands for the package's path as well
	text   []byte
	fset   *token.FileSet
	tree   *ast.File
	info   *types.Info // nil: sums are left alone
	places []place
	edits  []edit
}

// edit is an expression or a statement, by its offsets, that is written together with what switches its places on.
type edit struct {
	at, end int
	node    ast.Node
	expr    *ast.BinaryExpr // of a comparison
	of      string          // the type of a sum that is an expression
	first   int             // the place's index in places; a boundary is the next one
}

// isSum tells a change of numbers from one of a condition.
func (s *source) isSum(e edit) bool { return s.places[e.first].In == inSum }

// readPackage reads the files of a folder that are no tests.
func readPackage(dir string) ([]*source, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var out []*source
	fset := token.NewFileSet()
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		s, err := readSource(fset, filepath.ToSlash(name), text)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no Go files in %s", dir)
	}
	info, err := checkTypes(filepath.ToSlash(dir), fset, out)
	if err != nil {
		return nil, err
	}
	for _, s := range out {
		s.info = info
		s.gather()
	}
	return out, nil
}

func readSource(fset *token.FileSet, name string, text []byte) (*source, error) {
	s := &source{name: name, dir: path.Dir(name), text: text, fset: fset}
	var err error
	s.tree, err = parser.ParseFile(s.fset, name, text, 0)
	return s, err
}

// gather finds all places of a file.
func (s *source) gather() {
	for _, d := range s.tree.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok != token.VAR {
			continue // a constant has to stay one
		}
		s.find(d, funcName(d))
		s.findSums(d, funcName(d))
	}
	slices.SortFunc(s.edits, func(a, b edit) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(b.end, a.end)) })
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
	s.addEdit(edit{node: e, expr: x}, fn, in, kinds...)
}

func (s *source) addEdit(e edit, fn, in string, kinds ...string) {
	at := s.fset.Position(e.node.Pos())
	e.at, e.end, e.first = at.Offset, s.fset.Position(e.node.End()).Offset, len(s.places)
	for _, known := range s.edits {
		if known.at == e.at && known.end == e.end {
			return // a comparison that was seen as part of its condition
		}
	}
	s.edits = append(s.edits, e)
	for _, k := range kinds {
		s.places = append(s.places, place{File: s.name, Func: fn, Kind: k, In: in, line: at.Line,
			Text: oneLine(string(s.text[e.at:e.end]))})
	}
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
