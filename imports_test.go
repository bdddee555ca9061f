package preservecheck_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/preservecheck/preservecheck"

// program is the only package that may know all others.
const program = "cmd/preservecheck"

// programs may print, exit and read the environment. bench measures the built binary from outside.
var programs = []string{program, "bench"}

// table says which package may import which of ours. ARCHITECTURE.md draws the same picture.
var table = map[string][]string{
	".":        {},
	"wire":     {},
	"classify": {},
	"record":   {},
	"nearest":  {},
	"evidence": {"wire"},
	"ledger":   {"wire"},
	"dialects": {"wire", "evidence", "classify"},
	"fixture":  {"wire", "evidence", "dialects", "classify"},
	"stub":     {"fixture", "dialects", "ledger", "wire", "nearest"},
	"compare":  {"wire", "evidence", "dialects", "classify", "fixture", "ledger", "record"},
	"check":    {"authors", "compare", "evidence", "dialects", "classify", "wire", "ledger", "fixture", "record"},
	"controls": {"check", "stub", "compare", "evidence", "dialects", "classify", "wire", "ledger", "fixture", "record"},
	"report":   {"record", "report/html"},
	"explain":  {"wire", "evidence", "dialects", "classify", "authors"},
	"authors":  {"wire", "evidence"},
	"target":   {"fixture", "dialects", "ledger", "wire"},
	"gate":     {"record", "compare", "evidence", "fixture", "dialects", "classify"},
	"bench":    {},

	"report/html": {},

	"clients/reactions": {"wire", "evidence", "dialects", "classify", "fixture", "record"},

	"schematest": {}, // imported by tests alone: no package has it in its list
	"gateway":    {},
	"public":     {"gateway", "wire"},
	"recipes":    {"fixture", "target", "ledger", "record"},
	"remote":     {"fixture", "ledger"},

	"classifier": {"wire", "evidence", "dialects"},
	"clients":    {"fixture"},
	"attempts":   {"wire", "evidence", "classify", "dialects", "ledger", "fixture", "record"},
	program: {"clients/reactions", "check", "stub", "compare", "controls", "report", "explain", "record", "evidence", "dialects", "classify",
		"wire", "ledger", "fixture", "classifier", "nearest", "target", "gate", "gateway", "recipes", "public", "remote", "clients", "attempts"},
}

// inTests stands in homes for "any _test.go file, and nothing else".
const inTests = "*_test.go"

// homes says where a module from outside may be imported. A new one needs a line here and one in ARCHITECTURE.md.
var homes = map[string][]string{
	"github.com/spf13/cobra":          {program},
	"github.com/spf13/pflag":          {program},
	"golang.org/x/term":               {program},
	"golang.org/x/sys":                {program, "real"},
	"golang.org/x/crypto/acme":        {"public"},
	"github.com/fatih/color":          {"report"},
	"go.yaml.in/yaml/v4":              {"fixture", "schematest", inTests},
	"github.com/google/go-cmp":        {inTests, "schematest"},
	"github.com/rogpeppe/go-internal": {inTests},
	"go.uber.org/goleak":              {inTests},
	"pgregory.net/rapid":              {inTests},

	"github.com/santhosh-tekuri/jsonschema/v6": {inTests, "schematest"},
	"github.com/yuin/goldmark":                 {inTests},
	"golang.org/x/net":                         {program, inTests},
	"github.com/creack/pty":                    {inTests},
}

// bulky are packages of the standard library that no package of ours may import, tests aside. They call methods by names
// that only a run knows, so the linker keeps every exported method of the whole program: a sixth of the binary. Cobra
// imports text/template as well, and the linker drops it only as long as nobody sets a template; .ci/run weighs the binary.
var bulky = []string{"html/template", "text/template"}

// badFolders are names that say nothing about what is inside.
var badFolders = []string{"internal", "pkg", "util", "utils", "types", "common", "helpers", "misc"}

// onlyPrograms are the selectors, as "import path.prefix", that belong to programs alone.
var onlyPrograms = []string{
	"fmt.Print", "os.Exit", "os.Getenv", "os.LookupEnv", "os.Environ", "os.ExpandEnv", "os.Stdout", "os.Stderr",
	"os.Args", "log.Print", "log.Fatal", "log.Panic", "syscall.Exit", "syscall.Getenv", "syscall.Environ",
}

// TestImports reads the files itself. A test that asks `go list` would be served from the test cache after a
// forbidden import was added, since the cache only knows what the test's own process opened.
func TestImports(t *testing.T) {
	r := &repo{used: map[string]bool{}}
	if err := r.walk("."); err != nil {
		t.Fatal(err)
	}
	if r.files == 0 || r.tests == 0 {
		t.Fatalf("read %d files and %d test files: nothing was checked", r.files, r.tests)
	}
	r.unused()
	for _, c := range r.complaints {
		t.Error(c)
	}
}

// TestArchitectureNamesEveryModule keeps the page and homes alike.
func TestArchitectureNamesEveryModule(t *testing.T) {
	page, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	for m := range homes {
		if !strings.Contains(string(page), "`"+m+"`") {
			t.Errorf("ARCHITECTURE.md does not give a reason for `%s`", m)
		}
	}
	for p := range table {
		if p != "." && !strings.Contains(string(page), "`"+p+"`") {
			t.Errorf("ARCHITECTURE.md does not list the package `%s`", p)
		}
	}
}

// TestImportRulesCanFail shows each rule a file that breaks it.
func TestImportRulesCanFail(t *testing.T) {
	cases := []struct{ why, file, src, want string }{
		{"a leaf stays a leaf", "wire/a.go", `import "` + module + `/evidence"`, "may not import"},
		{"the direction of the drawing", "compare/a.go", `import "` + module + `/check"`, "may not import"},
		{"nobody imports the program", "check/a.go", `import "` + module + `/cmd/preservecheck"`, "may not import"},
		{"a package that the table does not know", "weather/a.go", ``, "is not in the table"},
		{"yaml has one home", "stub/a.go", `import "go.yaml.in/yaml/v4"`, "may not import"},
		{"flags belong to the program", "check/a.go", `import "github.com/spf13/pflag"`, "may not import"},
		{"go-cmp is not stable and may panic", "compare/a.go", `import "github.com/google/go-cmp/cmp"`, "may not import"},
		{"a module nobody decided on", "wire/a.go", `import "example.org/x"`, "unknown module"},
		{"not even in a test", "wire/a_test.go", `import "example.org/x"`, "unknown module"},
		{"a test is no way round", "stub/a_test.go", `import "golang.org/x/term"`, "may not import"},
		{"templates keep every method alive", "report/a.go", `import "html/template"`, "nobody may import html/template"},
		{"not even in the program, nor under another name", program + "/a.go", `import t "text/template"`, "nobody may import text/template"},
		{"a dot import hides the rest from this test", "wire/a.go", `import . "os"`, "dot import"},
		{"printing", "report/a.go", "import \"fmt\"\nfunc f() { fmt.Println() }", "fmt.Println"},
		{"printing under another name", "report/a.go", "import p \"fmt\"\nfunc f() { p.Printf(\"\") }", "fmt.Printf"},
		{"exit", "stub/a.go", "import \"os\"\nfunc f() { os.Exit(1) }", "os.Exit"},
		{"a function value prints as well", "stub/a.go", "import \"fmt\"\nvar f = fmt.Print", "fmt.Print"},
		{"environment", "stub/a.go", "import \"os\"\nvar x = os.Getenv(\"X\")", "os.Getenv"},
		{"a registry by init", "dialects/a.go", "func init() {}", "init()"},
		{"not in the program either", program + "/a.go", "func init() {}", "init()"},
		{"a folder that says nothing", "wire/util/a.go", "", "says nothing"},
	}
	for _, c := range cases {
		t.Run(c.file+" "+c.why, func(t *testing.T) {
			r := &repo{used: map[string]bool{}}
			r.file(c.file, "package x\n"+c.src)
			if !strings.Contains(strings.Join(r.complaints, "\n"), c.want) {
				t.Errorf("want a complaint with %q, have %q", c.want, r.complaints)
			}
		})
	}
}

// TestImportRulesAllow shows that the rules let through what they should.
func TestImportRulesAllow(t *testing.T) {
	cases := []struct{ why, file, src string }{
		{"what the table says", "evidence/a.go", `import "` + module + `/wire"`},
		{"the program may print", program + "/a.go", "import \"fmt\"\nfunc f() { fmt.Println() }"},
		{"test-only modules in a test", "wire/a_test.go", `import "github.com/google/go-cmp/cmp"`},
		{"a test is not in the binary", "report/a_test.go", `import "text/template"`},
		{"a test may use any of ours", "wire/a_test.go", `import "` + module + `/stub"`},
		{"a method called init is no init function", "wire/a.go", "type t struct{}\nfunc (t) init() {}"},
		{"Fprint has a writer", "report/a.go", "import (\"fmt\"; \"io\")\nfunc f(w io.Writer) { fmt.Fprintln(w) }"},
	}
	for _, c := range cases {
		t.Run(c.file+" "+c.why, func(t *testing.T) {
			r := &repo{used: map[string]bool{}}
			r.file(c.file, "package x\n"+c.src)
			if len(r.complaints) > 0 {
				t.Errorf("complaints: %q", r.complaints)
			}
		})
	}
}

// repo gathers what the walk sees.
type repo struct {
	files, tests int
	used         map[string]bool // packages seen, and modules imported
	complaints   []string
}

func (r *repo) complain(format string, args ...any) {
	r.complaints = append(r.complaints, fmt.Sprintf(format, args...))
}

// walk reads every Go file below root but those of hidden folders, testdata and nested modules.
func (r *repo) walk(root string) error {
	return filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return r.folder(p)
		}
		if filepath.Ext(p) != ".go" {
			return nil
		}
		src, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		r.file(filepath.ToSlash(p), string(src))
		return nil
	})
}

func (r *repo) folder(p string) error {
	if p == "." {
		return nil
	}
	name := filepath.Base(p)
	if strings.HasPrefix(name, ".") || name == "testdata" {
		return fs.SkipDir
	}
	if _, err := os.Stat(filepath.Join(p, "go.mod")); err == nil {
		return fs.SkipDir
	}
	return nil
}

// file checks one file; name is its path from the root, with slashes.
func (r *repo) file(name, src string) {
	f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
	if err != nil {
		r.complain("%s: %v", name, err)
		return
	}
	dir := path.Dir(name)
	for _, part := range strings.Split(dir, "/") {
		if slices.Contains(badFolders, part) {
			r.complain("%s: a folder named %s says nothing about what is inside", name, part)
		}
	}
	if strings.HasSuffix(name, "_test.go") {
		r.tests++
		r.imports(name, dir, f, true)
		return
	}
	r.files++
	r.used[dir] = true
	if _, ok := table[dir]; !ok {
		r.complain("%s: package %s is not in the table of imports_test.go", name, dir)
	}
	r.imports(name, dir, f, false)
	r.code(name, dir, f)
}

func (r *repo) imports(name, dir string, f *ast.File, test bool) {
	for _, spec := range f.Imports {
		p, _ := strconv.Unquote(spec.Path.Value)
		if spec.Name != nil && spec.Name.Name == "." {
			r.complain("%s: dot import of %s", name, p)
		}
		switch own, ours := strings.CutPrefix(p, module+"/"); {
		case !test && slices.Contains(bulky, p):
			r.complain("%s: nobody may import %s, which makes the binary a sixth larger", name, p)
		case ours && !test && !slices.Contains(table[dir], own):
			r.complain("%s: %s may not import %s", name, dir, own)
		case !ours && strings.Contains(strings.Split(p, "/")[0], "."):
			r.outside(name, dir, p, test)
		}
	}
}

// outside checks an import from another module.
func (r *repo) outside(name, dir, p string, test bool) {
	for m, where := range homes {
		if p != m && !strings.HasPrefix(p, m+"/") {
			continue
		}
		r.used[m] = true
		if !slices.Contains(where, dir) && (!test || !slices.Contains(where, inTests)) {
			r.complain("%s: %s may not import %s, whose home is %v", name, dir, p, where)
		}
		return
	}
	r.complain("%s: %s is of an unknown module; give it a home in imports_test.go and a reason in ARCHITECTURE.md", name, p)
}

// code looks for what only programs may do, and for init functions, which nobody may have.
func (r *repo) code(name, dir string, f *ast.File) {
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
			r.complain("%s: init() hides an order; use a literal that can be read", name)
		}
	}
	if slices.Contains(programs, dir) {
		return
	}
	names := importNames(f)
	ast.Inspect(f, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		x, ok := sel.X.(*ast.Ident)
		if !ok || names[x.Name] == "" {
			return true
		}
		used := names[x.Name] + "." + sel.Sel.Name
		for _, bad := range onlyPrograms {
			if strings.HasPrefix(used, bad) {
				r.complain("%s: only a program (%v) may use %s", name, programs, used)
			}
		}
		return true
	})
}

// importNames maps the names that a file uses to import paths.
func importNames(f *ast.File) map[string]string {
	names := map[string]string{}
	for _, spec := range f.Imports {
		p, _ := strconv.Unquote(spec.Path.Value)
		name := path.Base(p)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = p
	}
	return names
}

// unused complains about entries that match nothing: a list of exceptions must not rot.
func (r *repo) unused() {
	for p := range table {
		if !r.used[p] {
			r.complain("the table of imports_test.go names package %s, which is not there", p)
		}
	}
	for m := range homes {
		if !r.used[m] {
			r.complain("homes in imports_test.go names module %s, which nobody imports", m)
		}
	}
}
