//go:build schemas

package report

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/preservecheck/preservecheck/record"
)

var (
	schemas = flag.String("schemas", "", "folder with jenkins-junit.xsd, JUnit.xsd and sarif-schema-2.1.0.json")
	python  = flag.String("python", "python3", "a python that has prometheus_client")
)

// TestOthersTakeOurReports holds every report to a schema or a parser that is not ours: green ones, red ones, and ones that are
// made of hostile text.
func TestOthersTakeOurReports(t *testing.T) {
	dir := t.TempDir()
	sarif := sarifSchema(t)
	planted := full()
	plantAll(&planted, nastier)
	before := record.Document{Format: record.Format, Incomplete: true, Result: record.Result{Exit: 3, Word: "could not tell"}}
	all := map[string]record.Document{
		"green": green(), "red": red(), "full": full(), "hostile": hostile(), "planted": planted, "many": many(200), "interrupted": interrupted(), "before its run": before,
	}
	runs, err := filepath.Glob(exampleRuns)
	if err != nil || len(runs) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, run := range runs {
		all[run] = exampleOf(t, run)
	}
	for name, doc := range all {
		file := func(f Format, doc record.Document) string {
			path := filepath.Join(dir, f.Name)
			if err := os.WriteFile(path, []byte(written(t, f, doc)), 0o600); err != nil {
				t.Fatal(err)
			}
			return path
		}
		junit := Format{"junit", "", JUnit}
		accepts(t, name, "xmllint", "--noout", "--schema", filepath.Join(*schemas, "jenkins-junit.xsd"), file(junit, doc))
		// The packaged one is of 2011, which has no skipped yet.
		doc.Excluded = nil
		accepts(t, name, "xmllint", "--noout", "--schema", filepath.Join(*schemas, "JUnit.xsd"), file(junit, doc))
		accepts(t, name, *python, "-c", "import sys; from prometheus_client.parser import text_string_to_metric_families as parse; "+
			"assert len(list(parse(open(sys.argv[1]).read()))) > 10", file(Format{"prometheus", "", Prometheus}, doc))
		var log any
		if err := json.Unmarshal([]byte(written(t, Format{"sarif", "", SARIF}, doc)), &log); err != nil {
			t.Fatal(err)
		}
		if err := sarif.Validate(log); err != nil {
			t.Errorf("%s: SARIF: %v", name, err)
		}
	}
}

func accepts(t *testing.T, name, program string, args ...string) {
	t.Helper()
	if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
		t.Errorf("%s: %s %s: %v\n%s", name, program, args, err, out)
	}
}

func sarifSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile(filepath.Join(*schemas, "sarif-schema-2.1.0.json"))
	if err != nil {
		t.Fatalf("CONTRIBUTING.md says where the schemas come from: %v", err)
	}
	return s
}
