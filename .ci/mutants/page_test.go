package main

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of docs/mutation.md anew")

const (
	begin = "<!-- written by go test ./.ci/mutants -update -->\n"
	end   = "<!-- end -->\n"
)

// TestPageListsTheSurvivors: a reader finds each of them in docs/mutation.md, as the list has them.
func TestPageListsTheSurvivors(t *testing.T) {
	const page = "../../docs/mutation.md"
	list, err := os.ReadFile("../survivors.tsv")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := readSurvivors("../survivors.tsv"); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	_, behind, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table", page)
	}
	want := before + begin + table(string(list)) + end + behind
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != string(text) {
		t.Errorf("%s is not what .ci/survivors.tsv says; run this test with -update", page)
	}
}

// table writes entries that share all but their kind as one row.
func table(list string) string {
	words := map[string]string{
		negation: "the opposite", boundary: "boundary moved", opposite: "the opposite",
		"ARITHMETIC_BASE": "another operator", "INVERT_NEGATIVES": "another sign", "INCREMENT_DECREMENT": "the other way round",
	}
	out := "| where | expression | changed | why no test can notice it |\n|---|---|---|---|\n"
	var last, kinds []string
	flush := func() {
		if last != nil {
			out += "| `" + last[0] + "`, `" + last[1] + "` | `" + strings.ReplaceAll(last[3], "|", `\|`) + "` | " + strings.Join(kinds, "; ") + " | " + last[4] + " |\n"
		}
		kinds = nil
	}
	for line := range strings.SplitSeq(list, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		p := strings.Split(line, "\t")
		if last == nil || p[0] != last[0] || p[1] != last[1] || p[3] != last[3] || p[4] != last[4] {
			flush()
		}
		last, kinds = p, append(kinds, words[p[2]])
	}
	flush()
	return out
}
