package compare

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/preservecheck/preservecheck/wire"
)

// pair is one case of testdata/pairs.txt.
type pair struct {
	name, origin, fixture, verdict, class string
	expect                                []string
	raw                                   []byte
}

func readPairs(t *testing.T) (out []pair) {
	t.Helper()
	b, err := os.ReadFile("testdata/pairs.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range strings.Split(string(b), "\n=== ")[1:] {
		head, raw, ok := strings.Cut(text, "answer:\n")
		if !ok {
			t.Fatalf("no answer in %q", text)
		}
		lines := strings.Split(strings.TrimSpace(head), "\n")
		p := pair{name: lines[0]}
		for _, l := range lines[1:] {
			k, v, _ := strings.Cut(l, ": ")
			switch k {
			case "origin":
				p.origin = v
			case "fixture":
				p.fixture = v
			case "verdict":
				p.verdict = v
			case "class":
				p.class = v
			case "expect":
				p.expect = append(p.expect, v)
			default:
				t.Fatalf("%s: unknown line %q", p.name, l)
			}
		}
		answerHead, body, _ := strings.Cut(raw, "\n\n")
		p.raw = []byte(strings.ReplaceAll(answerHead, "\n", "\r\n") + "\r\n\r\n" + strings.TrimSuffix(strings.TrimRight(body, "\n"), "\n"))
		out = append(out, p)
	}
	if len(out) < 15 {
		t.Fatalf("only %d pairs were read", len(out))
	}
	return out
}

func TestRawPairs(t *testing.T) {
	for _, p := range readPairs(t) {
		o, _ := observed(t, p.fixture)
		o.Answer = wire.Read(bytes.NewReader(p.raw), wire.Default)
		j := judge(o, rules("core"))
		var got []string
		for _, d := range j.Differences {
			got = append(got, d.Difference.Key+" "+string(d.Dir))
		}
		slices.Sort(got)
		slices.Sort(p.expect)
		if d := cmp.Diff(p.expect, got); d != "" {
			t.Errorf("%s:\n%s", p.name, d)
		}
		if fmt.Sprint(j.Verdict, " ", j.Class) != p.verdict+" "+p.class {
			t.Errorf("%s: %s as %s (%s), want %s as %s", p.name, j.Verdict, j.Class, j.Reason, p.verdict, p.class)
		}
		if p.origin == "" {
			t.Errorf("%s: no origin", p.name)
		}
	}
}
