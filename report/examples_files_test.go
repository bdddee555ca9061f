package report

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/preservecheck/preservecheck/record"
)

const exampleRuns = "../docs/examples/*/run.json"

// exampleFile is what a format is called in a folder of docs/examples.
var exampleFile = map[string]string{
	"text": "report.txt", "json": "run.json", "junit": "junit.xml", "markdown": "report.md", "html": "report.html", "sarif": "run.sarif",
	"github": "annotations.txt", "prometheus": "metrics.prom", "issue": "issue.md", "known": "known.yaml", "rules": "rules.json",
}

// ofAMachine is what an example must not tell of the machine that it was made on.
var ofAMachine = regexp.MustCompile(`/(home|root|tmp|work|Users|var|usr)/|[0-9a-f]{12}\.local|\b(10|192\.168|172\.(1[6-9]|2\d|3[01]))\.\d+\.\d+`)

// TestExamplesAreWhatTheFormatsWrite holds every file of docs/examples to its record; -update writes them anew.
func TestExamplesAreWhatTheFormatsWrite(t *testing.T) {
	runs, err := filepath.Glob(exampleRuns)
	if err != nil || len(runs) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, run := range runs {
		doc := exampleOf(t, run)
		if doc.Result.Exit != 1 || doc.Incomplete {
			t.Errorf("%s is no failing run: exit %d", run, doc.Result.Exit)
		}
		var names []string
		for _, f := range Formats() {
			name := exampleFile[f.Name]
			names = append(names, name)
			holdExample(t, filepath.Join(filepath.Dir(run), name), written(t, f, doc))
		}
		there, err := os.ReadDir(filepath.Dir(run))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range there {
			if !slices.Contains(names, e.Name()) {
				t.Errorf("%s: no format writes %s", run, e.Name())
			}
		}
	}
}

func exampleOf(t *testing.T, run string) record.Document {
	t.Helper()
	f, err := os.Open(filepath.FromSlash(run))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	doc, err := record.Read(f)
	if err != nil {
		t.Fatalf("%s: %v", run, err)
	}
	return doc
}

func holdExample(t *testing.T, file, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(got, []byte(want)) {
		t.Errorf("%s is not what its format writes (go test ./report -run Examples -update): %v", file, err)
	}
	if m := ofAMachine.Find(got); m != nil {
		t.Errorf("%s tells %q of the machine that it was made on", file, m)
	}
}
