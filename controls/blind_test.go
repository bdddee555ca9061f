package controls

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/ledger"
)

// These tests prove the proof: one comparison is switched off, and the proof has to miss something. What there is to
// switch off is read from the code, so that a new key, event, verdict or finding without such a test fails here.

// blindProof is what the proof says when it is blind to something.
func blindProof(t *testing.T, profile string, b blindness) string {
	t.Helper()
	in := input(t, profile, bothModes...)
	p := newProver(in, in.faults())
	p.blind = b
	return strings.Join(p.prove(t.Context()).Missed, "\n")
}

// TestNoKeyOfAProfileIsUnproven: for each key of each profile.
func TestNoKeyOfAProfileIsUnproven(t *testing.T) {
	computes(t)
	for _, profile := range compare.Profiles() {
		if missed := blindProof(t, profile.Name, blindness{}); missed != "" {
			t.Fatalf("%s sees all and missed %s", profile.Name, missed)
		}
		for _, k := range profile.Keys {
			fits := patternOf(k.Pattern)
			missed := blindProof(t, profile.Name, blindness{key: fits})
			if !strings.Contains(missed, "missed ") || !slices.ContainsFunc(strings.Fields(missed), fits) {
				t.Errorf("%s: nothing is missed when %s is not compared: %.300s", profile.Name, k.Pattern, missed)
			}
		}
	}
}

// patternOf fits keys as a profile's pattern does.
func patternOf(pattern string) func(string) bool {
	if start, ok := strings.CutSuffix(pattern, "*"); ok {
		return func(key string) bool { return strings.HasPrefix(key, strings.TrimSuffix(start, "*")) }
	}
	return func(key string) bool { return key == pattern }
}

// TestNoKeyOfTheMatrixIsUnproven: for each key that any answer of the matrix shows.
func TestNoKeyOfTheMatrixIsUnproven(t *testing.T) {
	computes(t)
	in := input(t, "full", bothModes...)
	in.Rows = every(t, in)
	rows, proven := newProver(in, nil).rows, map[string]bool{}
	p := newProver(Input{Matrix: in.Matrix, Rules: in.Rules}, mutantKinds())
	for i := range rows {
		single, _ := mutants(&rows[i], middle)
		for _, m := range single {
			for _, w := range m.want {
				if proven[w.Key] || w.Dir == evidence.Invented {
					continue
				}
				proven[w.Key] = true
				p.missed, p.blind.key = nil, func(key string) bool { return key == w.Key }
				if p.mutant(&rows[i], m); !strings.Contains(strings.Join(p.missed, "\n"), "missed "+w.Key+" ") {
					t.Errorf("nothing is missed when %s is not compared", w.Key)
				}
			}
		}
	}
	if len(proven) < 100 {
		t.Errorf("only %d keys", len(proven))
	}
	t.Logf("%d keys", len(proven))
}

// unproven are families of evidence that no fault can show, with the reason.
var unproven = map[string]string{
	"body/…": "stands for keys over the bound of ten thousand, which no fixture reaches; package evidence has a test",
}

// TestNoFamilyOfEvidenceIsUnproven: for each family of keys that package evidence writes.
func TestNoFamilyOfEvidenceIsUnproven(t *testing.T) {
	computes(t)
	families := familiesOfEvidence(t)
	if len(families) < 14 {
		t.Fatalf("only %d families were found: %q", len(families), families)
	}
	for _, f := range families {
		if unproven[f] != "" {
			continue
		}
		b := blindness{key: func(key string) bool { return key == f || strings.HasPrefix(key, f+"/") }}
		if f != "stream/pace" && !missesOne(t, mutantKinds(), b, nil) { // which stands in no byte, so that no mutant changes it
			t.Errorf("no mutant is missed when %s is not compared", f)
		}
		if f != "stream/keepalive" && !missesOne(t, All(), b, nil) { // which may come and go, so that no fault declares it
			t.Errorf("no declared fault is missed when %s is not compared", f)
		}
	}
}

// missesOne goes through the matrix until something is missed.
func missesOne(t *testing.T, faults []*Fault, b blindness, reads func(*dialects.Dialect) *dialects.Dialect) bool {
	t.Helper()
	in := input(t, "full", bothModes...)
	p := newProver(in, faults)
	p.blind = b
	for _, r := range every(t, in) {
		if reads != nil {
			r.Dialect = reads(r.Dialect)
		}
		p.rows = []subject{in.subject(r)}
		if p.detect(t.Context()); faults[0].Want == nil {
			p.mutate(t.Context(), middle)
		}
		if strings.Contains(strings.Join(p.missed, "\n"), "missed ") {
			return true
		}
	}
	return false
}

// familiesOfEvidence are the keys that the package names in its code.
func familiesOfEvidence(t *testing.T) []string {
	t.Helper()
	found := map[string]bool{}
	eachFile(t, "../evidence", func(f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.CallExpr:
				if name := called(x); slices.Contains([]string{"add", "headers", "envelope", "value", "data", "numbered"}, name) && len(x.Args) > 0 {
					note(found, x.Args[0])
				}
			case *ast.ValueSpec:
				if x.Names[0].Name == "root" && len(x.Values) == 1 {
					note(found, x.Values[0])
				}
			}
			return true
		})
	})
	return slices.Sorted(maps.Keys(found))
}

func note(found map[string]bool, e ast.Expr) {
	if b, ok := e.(*ast.BinaryExpr); ok {
		e = b.X
	}
	if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
		s, _ := strconv.Unquote(lit.Value)
		found[strings.TrimSuffix(s, "/")] = true
	}
}

func called(c *ast.CallExpr) string {
	switch f := c.Fun.(type) {
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.Ident:
		return f.Name
	}
	return ""
}

func eachFile(t *testing.T, dir string, do func(*ast.File)) {
	t.Helper()
	names, _ := filepath.Glob(dir + "/*.go")
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, src, 0)
		if err != nil {
			t.Fatal(err)
		}
		do(f)
	}
}

// notRead are parts of a layout whose loss makes a comparison stricter and not weaker.
var notRead = map[string]string{
	"Layout.Sequence": "takes a number out of what is compared",
	"Layout.Event":    "is switched off member by member, as Meaning",
}

// TestNoMeaningOfAnEventIsUnproven: for each thing that a dialect reads out of an event, and each part of a layout.
func TestNoMeaningOfAnEventIsUnproven(t *testing.T) {
	computes(t)
	for _, part := range []reflect.Type{reflect.TypeFor[evidence.Meaning](), reflect.TypeFor[evidence.Layout]()} {
		for i := range part.NumField() {
			name := part.Name() + "." + part.Field(i).Name
			if notRead[name] != "" {
				continue
			}
			reads := func(d *dialects.Dialect) *dialects.Dialect { return without(d, part, i) }
			if !missesOne(t, mutantKinds(), blindness{}, reads) {
				t.Errorf("nothing is missed when no dialect reads %s", name)
			}
		}
	}
}

// without is a dialect that does not read one part.
func without(d *dialects.Dialect, part reflect.Type, field int) *dialects.Dialect {
	blind := *d
	if part == reflect.TypeFor[evidence.Layout]() {
		reflect.ValueOf(&blind.Layout).Elem().Field(field).SetZero()
		return &blind
	}
	sees := d.Layout.Event
	blind.Layout.Event = func(e evidence.Event) evidence.Meaning {
		m := sees(e)
		reflect.ValueOf(&m).Elem().Field(field).SetZero()
		return m
	}
	return &blind
}

// verdictsOfNoFault are given for what no layer does.
var verdictsOfNoFault = map[compare.Verdict]string{
	compare.Preserved:  "what is left when nothing is seen",
	compare.Declared:   "by the user's known file; TestProofRunsUnderTheKnownFile",
	compare.Untestable: "by the way to the stub; shown in the tests of package check",
}

// TestNoVerdictIsUnproven: a check that does not give a verdict where it has to.
func TestNoVerdictIsUnproven(t *testing.T) {
	computes(t)
	for _, v := range compare.Verdicts() {
		missed := blindProof(t, "core", blindness{verdict: v})
		if verdictsOfNoFault[v] == "" && !strings.Contains(missed, string(v)) {
			t.Errorf("nothing is missed when no row is called %s: %.300s", v, missed)
		}
	}
}

// oneHit, someHit and noID are ledgers that do not tell all.
type (
	oneHit  struct{ check.Hits }
	someHit struct{ check.Hits }
	noID    struct{ check.Hits }
)

func (h oneHit) Of(nonce string) []ledger.Hit {
	all := h.Hits.Of(nonce)
	return all[:min(1, len(all))]
}

func (h someHit) Of(nonce string) []ledger.Hit {
	if all := h.Hits.Of(nonce); len(all) > 0 {
		return all
	}
	return []ledger.Hit{{ID: "ffffffffffffffff"}}
}

func (noID) ByID(string) (ledger.Hit, bool) { return ledger.Hit{}, false }

// provenances says what a check would not see of each, or why no control shows it.
var provenances = map[string]struct {
	blind func(check.Hits) check.Hits
	not   string
}{
	"OwnHit":      {blind: func(h check.Hits) check.Hits { return oneHit{h} }},
	"NoHit":       {blind: func(h check.Hits) check.Hits { return someHit{h} }},
	"OtherHit":    {blind: func(h check.Hits) check.Hits { return noID{h} }},
	"Attributed":  {not: "an answer without any id; shown in the tests of package check"},
	"Unattached":  {not: "as above, with several hits"},
	"NoAnswer":    {not: "broken, by the answer itself"},
	"NotObserved": {not: "by an interruption"},
}

// TestNoProvenanceIsUnproven: for each place where an answer can come from.
func TestNoProvenanceIsUnproven(t *testing.T) {
	computes(t)
	for _, name := range constantsOf(t, "../compare", "Provenance") {
		c, known := provenances[name]
		if !known {
			t.Errorf("nothing switches provenance %s off, and nothing says why not", name)
		}
		if c.blind != nil && blindProof(t, "core", blindness{hits: c.blind}) == "" {
			t.Errorf("nothing is missed when %s is not seen", name)
		}
	}
}

// constantsOf are the constants of a type.
func constantsOf(t *testing.T, dir, of string) (names []string) {
	t.Helper()
	eachFile(t, dir, func(f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			if v, ok := n.(*ast.ValueSpec); ok {
				if id, ok := v.Type.(*ast.Ident); ok && id.Name == of {
					names = append(names, v.Names[0].Name)
				}
			}
			return true
		})
	})
	if len(names) < 3 {
		t.Fatalf("found only %q of %s", names, of)
	}
	return names
}

// findingsOfNoControl are shown elsewhere.
var findingsOfNoControl = map[string]string{
	"crosstalk":        "needs two answers that are mixed up while both are under way; tests of package check",
	"unexplained-hits": "a note, and a fault under full; tests of package check",
	"dirty-way":        "the way's doing; tests of package check",
}

// TestNoFindingIsUnproven: for each kind of finding that package check makes.
func TestNoFindingIsUnproven(t *testing.T) {
	computes(t)
	kinds := kindsOfFindings(t)
	if len(kinds) < 6 {
		t.Fatalf("found only %q", kinds)
	}
	for _, kind := range kinds {
		in, faults := input(t, "core", bothModes...), 0
		for _, f := range All() {
			if f.Finding != kind {
				continue
			}
			faults++
			p := newProver(in, []*Fault{f})
			p.blind.finding = kind
			if p.deliver(t.Context(), f, "auto", bothModes); len(p.missed) == 0 {
				t.Errorf("%s: nothing is missed when no finding %s is made", f.Name, kind)
			}
		}
		if faults == 0 && findingsOfNoControl[kind] == "" {
			t.Errorf("no control causes the finding %s, and nothing says why not", kind)
		}
		if faults > 0 && findingsOfNoControl[kind] != "" {
			t.Errorf("a control causes the finding %s, which is excused", kind)
		}
	}
}

// kindsOfFindings are the constants that are used as one.
func kindsOfFindings(t *testing.T) (kinds []string) {
	t.Helper()
	values, used := map[string]string{}, map[string]bool{"cached": true, "crosstalk": true} // which are chosen by a function
	eachFile(t, "../check", func(f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.ValueSpec:
				if len(x.Values) == 1 {
					if lit, ok := x.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
						values[x.Names[0].Name], _ = strconv.Unquote(lit.Value)
					}
				}
			case *ast.KeyValueExpr:
				if k, ok := x.Key.(*ast.Ident); ok && k.Name == "Kind" {
					if v, ok := x.Value.(*ast.Ident); ok {
						used[v.Name] = true
					}
				}
			}
			return true
		})
	})
	for name := range used {
		if values[name] != "" {
			kinds = append(kinds, values[name])
		}
	}
	slices.Sort(kinds)
	return kinds
}
