package report

import (
	"os"
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/record"
)

func savedExample(t *testing.T) record.Document {
	t.Helper()
	f, err := os.Open(exampleRecord)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	doc, err := record.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestWireWithV: -v shows what a failing row sent and got, and a line for each row that was preserved; without it neither is there.
func TestWireWithV(t *testing.T) {
	doc := savedExample(t)
	all := render(t, doc, TextOptions{Verbose: true})
	for _, want := range []string{
		"    wire: tier_cap (plain), ", "\n        sent    POST /v1/messages HTTP/1.1\n", "\n        direct  HTTP 429\n",
		"\n        direct  error/details: {\"error_code\": \"enforced_spend_limit_reached\"} <--\n",
		"\n        layer   error/details: absent <--\n", "\npreserved  rate_limit (plain)  429, ",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
	if n := strings.Count(all, "wire: "); n != 1 {
		t.Errorf("%d rows show their wire, and one failed", n)
	}
	if few := render(t, doc, TextOptions{}); strings.Contains(few, "wire: ") || strings.Contains(few, "sent  ") || strings.Contains(few, "rate_limit (plain)") {
		t.Errorf("without -v:\n%s", few)
	}
}

// TestWireIsPlain plants hostile text into every string of a document.
func TestWireIsPlain(t *testing.T) {
	for _, s := range []string{"\x1b[31m", "\r\n::error::x", "##[error]x", "a\x00b", "\u202egnp", "> x", "<script>", "\xff\xfe"} {
		doc := full()
		plantAll(&doc, s)
		for i := range doc.Rows {
			doc.Rows[i].Verdict, doc.Rows[i].Direct.Status, doc.Rows[i].Layer.Status = "changed", 429, 503
		}
		doc.Incomplete, doc.NotReady = false, ""
		for _, columns := range []int{60, 100} {
			out := render(t, doc, TextOptions{Width: columns, Verbose: true})
			if !strings.Contains(out, "wire: ") {
				t.Fatalf("no wire in\n%s", out)
			}
			mustBeSafe(t, out, columns)
		}
	}
}
