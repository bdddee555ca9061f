package report

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/record"
)

const (
	formatsPage   = "../docs/formats.md"
	exampleRecord = "../docs/examples/control.json"
)

// TestFormatsPage holds the examples of docs/formats.md to what the formats write of one saved record; -update writes them
// anew.
func TestFormatsPage(t *testing.T) {
	f, err := os.Open(exampleRecord)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	doc, err := record.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(formatsPage)
	if err != nil {
		t.Fatal(err)
	}
	want := string(page)
	for _, x := range Formats() {
		if !strings.Contains(want, "| `"+x.Name+"` |") {
			t.Errorf("%s does not list the format %s", formatsPage, x.Name)
		}
		if readers[x.Name] != nil && x.Name != "html" { // a page shows nothing as text
			want = withExample(t, want, x, doc)
		}
	}
	if *update {
		if err := os.WriteFile(formatsPage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != string(page) {
		t.Errorf("%s is not what the formats write (go test ./report -run FormatsPage -update)", formatsPage)
	}
}

// longest is how many lines of an example are shown.
var longest = map[string]int{"junit": 60, "sarif": 40, "prometheus": 30}

// from is where an excerpt begins, where its beginning is the same for every run.
var from = map[string]string{"junit": `  <testsuite name="rows"`, "sarif": `      "results": [`}

func withExample(t *testing.T, page string, x Format, doc record.Document) string {
	t.Helper()
	var b bytes.Buffer
	if err := x.Write(&b, doc); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if at := strings.Index(text, from[x.Name]); at > 0 {
		text = "…\n" + text[at:]
	}
	if lines := strings.SplitAfter(text, "\n"); longest[x.Name] > 0 && len(lines) > longest[x.Name] {
		text = strings.Join(lines[:longest[x.Name]], "") + "…\n"
	}
	fence := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	begin := fmt.Sprintf("<!-- example %s -->\n", x.Name)
	before, rest, ok := strings.Cut(page, begin)
	_, after, ended := strings.Cut(rest, "<!-- end -->")
	if !ok || !ended {
		t.Fatalf("no place for an example of %s", x.Name)
	}
	return before + begin + fence + "text\n" + text + fence + "\n<!-- end -->" + after
}
