package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Names of what is changed in sums: gremlins' own, so that one list serves both.
const (
	arithmetic = "ARITHMETIC_BASE"     // + becomes -, * becomes /, % becomes *, and the other way round
	sign       = "INVERT_NEGATIVES"    // -x becomes x
	step       = "INCREMENT_DECREMENT" // ++ becomes --
	assignment = "INVERT_ASSIGNMENTS"  // += becomes -=, and so on; gremlins makes it only when asked
)

// inSum is where such a change stands, beside case, if, for and value.
const inSum = "sum"

// operators are the functions of switchFile that stand for an operator of two numbers.
var operators = map[token.Token]string{
	token.ADD: "mutatedAdd", token.SUB: "mutatedSub", token.MUL: "mutatedMul", token.QUO: "mutatedQuo", token.REM: "mutatedRem",
}

// turned is each statement's operator, the other way round.
var turned = map[token.Token]string{
	token.INC: "--", token.DEC: "++",
	token.ADD_ASSIGN: "-=", token.SUB_ASSIGN: "+=", token.MUL_ASSIGN: "/=", token.QUO_ASSIGN: "*=", token.REM_ASSIGN: "*=",
}

// checkTypes says what type each expression of a package has: + between texts is no sum.
func checkTypes(dir string, fset *token.FileSet, sources []*source) (*types.Info, error) {
	compiled, err := compiledImports(dir)
	if err != nil {
		return nil, err
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		name := compiled[path]
		if name == "" {
			return nil, fmt.Errorf("%s is not compiled", path)
		}
		return os.Open(name)
	})}
	var files []*ast.File
	for _, s := range sources {
		files = append(files, s.tree)
	}
	_, err = conf.Check(dir, fset, files, info)
	return info, err
}

// compiledImports are the files with what each imported package exports.
func compiledImports(dir string) (map[string]string, error) {
	var problems bytes.Buffer
	cmd := exec.Command("go", "list", "-e", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}", "./"+filepath.ToSlash(dir))
	cmd.Stderr = &problems
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("what %s imports: %w\n%s", dir, err, &problems)
	}
	out := map[string]string{}
	for line := range strings.SplitSeq(string(text), "\n") {
		path, file, _ := strings.Cut(line, "\t")
		out[path] = file
	}
	return out, nil
}

// findSums gathers the changes of numbers below a node.
func (s *source) findSums(root ast.Node, fn string) {
	if s.info == nil {
		return
	}
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ArrayType:
			return false // its length has to be a constant
		case *ast.GenDecl:
			return n.Tok == token.VAR
		case *ast.KeyValueExpr:
			s.findSums(n.Value, fn)
			return false // an index has to be a constant, and a sum is no name
		case *ast.BinaryExpr:
			if operators[n.Op] != "" {
				s.addSum(n, arithmetic, fn)
			}
		case *ast.UnaryExpr:
			if n.Op == token.SUB {
				s.addSum(n, sign, fn)
			}
		case *ast.IncDecStmt:
			s.addEdit(edit{node: n}, fn, inSum, step)
		case *ast.AssignStmt:
			if turned[n.Tok] != "" && s.number(n.Lhs[0]) != nil {
				s.addEdit(edit{node: n}, fn, inSum, assignment)
			}
		}
		return true
	})
}

func (s *source) addSum(e ast.Expr, kind, fn string) {
	if name := s.numberName(e); name != "" {
		s.addEdit(edit{node: e, of: name}, fn, inSum, kind)
	}
}

// number is the type of an expression that is one, or nil.
func (s *source) number(e ast.Expr) types.Type {
	t := s.info.Types[e].Type
	if t == nil {
		return nil
	}
	b, ok := t.Underlying().(*types.Basic)
	if !ok || b.Info()&(types.IsInteger|types.IsFloat) == 0 || b.Info()&types.IsUntyped != 0 {
		return nil
	}
	return t
}

// numberName is how the file would write the type of a number; "" for no number, and for one of a package that the file does
// not import.
func (s *source) numberName(e ast.Expr) string {
	t := s.number(e)
	if t == nil {
		return ""
	}
	named, ok := t.(*types.Named)
	if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() == s.dir {
		return types.TypeString(t, func(*types.Package) string { return "" })
	}
	for _, i := range s.tree.Imports {
		if strings.Trim(i.Path.Value, `"`) != named.Obj().Pkg().Path() {
			continue
		}
		name := named.Obj().Pkg().Name()
		if i.Name != nil {
			name = i.Name.Name
		}
		return name + "." + named.Obj().Name()
	}
	return ""
}

// wrappedSum writes a change of numbers, switched off. A statement becomes a call, which may stand wherever it did.
func (s *source) wrappedSum(e edit, n int, part func(ast.Node) string) string {
	statement := func(left, right string, op token.Token) string {
		return fmt.Sprintf("func() { if mutatedAt(%d) { %s%s%s } else { %s%s%s } }()", n, left, turned[op], right, left, op, right)
	}
	switch x := e.node.(type) {
	case *ast.BinaryExpr:
		return fmt.Sprintf("%s[%s](%d, %s, %s)", operators[x.Op], e.of, n, part(x.X), part(x.Y))
	case *ast.UnaryExpr:
		return fmt.Sprintf("mutatedNeg[%s](%d, %s)", e.of, n, part(x.X))
	case *ast.IncDecStmt:
		return statement(part(x.X), "", x.Tok)
	case *ast.AssignStmt:
		return statement(part(x.Lhs[0])+" ", " "+part(x.Rhs[0]), x.Tok)
	}
	panic("no sum: " + fmt.Sprintf("%T", e.node))
}

// sumsFile is the part of switchFile that stands for operators.
const sumsFile = `
type mutatedInteger interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

type mutatedNumber interface {
	mutatedInteger | ~float32 | ~float64
}

func mutatedAdd[T mutatedNumber](n int, x, y T) T {
	if mutatedAt(n) {
		return x - y
	}
	return x + y
}

func mutatedSub[T mutatedNumber](n int, x, y T) T {
	if mutatedAt(n) {
		return x + y
	}
	return x - y
}

func mutatedMul[T mutatedNumber](n int, x, y T) T {
	if mutatedAt(n) {
		return x / y
	}
	return x * y
}

func mutatedQuo[T mutatedNumber](n int, x, y T) T {
	if mutatedAt(n) {
		return x * y
	}
	return x / y
}

func mutatedRem[T mutatedInteger](n int, x, y T) T {
	if mutatedAt(n) {
		return x * y
	}
	return x % y
}

func mutatedNeg[T mutatedNumber](n int, x T) T {
	if mutatedAt(n) {
		return x
	}
	return -x
}
`
