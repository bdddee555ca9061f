package reactions

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/reactions.md anew")

const page = "../../docs/reactions.md"

// TestDocs holds the tables of docs/reactions.md to the data.
func TestDocs(t *testing.T) {
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	const open, shut = "<!-- begin: written by go test ./clients/reactions -run Docs -update -->\n", "<!-- end -->\n"
	before, rest, ok := strings.Cut(string(b), open)
	_, after, ok2 := strings.Cut(rest, shut)
	if !ok || !ok2 {
		t.Fatal("the marks of the written part are gone")
	}
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	now := before + open + tables(all) + shut + after
	if *update {
		if err := os.WriteFile(page, []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if now != string(b) {
		t.Error("docs/reactions.md is not what the data says (go test ./clients/reactions -run Docs -update)")
	}
}

func tables(all []*Client) string {
	var b strings.Builder
	cell := strings.NewReplacer("|", `\|`, "\n", " ")
	b.WriteString("| `--client` | client | versions | retries by default | waits of its own | a stated wait |\n|---|---|---|---:|---|---|\n")
	for _, c := range all {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %d | %s | %s |\n", c.Name, c.Title, cell.Replace(c.Versions), c.retries, c.ownWaits(), cell.Replace(c.statedWaits()))
	}
	for _, c := range all {
		fmt.Fprintf(&b, "\n### %s\n\n", c.Title)
		if c.Note != "" {
			fmt.Fprintf(&b, "%s\n\n", strings.TrimSuffix(strings.ToUpper(c.Note[:1])+c.Note[1:], ".")+".")
		}
		b.WriteString("| when | then | source |\n|---|---|---|\n")
		for _, r := range c.Rules {
			when, then, _ := strings.Cut(r.Text, " → ")
			fmt.Fprintf(&b, "| %s | %s | %s |\n", cell.Replace(when), cell.Replace(then), r.Source)
		}
		b.WriteString("\n")
		for _, s := range c.Sources {
			version := ""
			if s.Version != "" {
				version = ", version " + s.Version
			}
			fmt.Fprintf(&b, "- %s: %s%s, %s\n", s.Key, s.What, version, s.Date)
		}
	}
	return b.String()
}

func (c *Client) ownWaits() string {
	if c.backoff.first == 0 {
		return "none"
	}
	return fmt.Sprintf("%s, doubled up to %s", spell(c.backoff.first), spell(c.backoff.most))
}

func (c *Client) statedWaits() string {
	var places []string
	for _, r := range c.reads {
		place := r.header
		if r.message != nil {
			place = "the message"
		}
		text := place + " as " + strings.ReplaceAll(strings.Join(r.forms, " or "), "whole", "whole seconds")
		for _, odd := range []struct{ what, does string }{{"0", r.zero}, {"negative", r.negative}, {"past", r.past}, {"twice", r.twice}} {
			if odd.does != onDefault && odd.does != "first" || odd.what == "twice" && odd.does == onDefault {
				text += ", " + odd.what + " " + odd.does
			}
		}
		places = append(places, text)
	}
	if len(places) == 0 {
		return "not read"
	}
	text := strings.Join(places, "; ")
	switch {
	case c.take == takeLarger:
		text += "; the larger of it and its own"
	case c.take == takeOwn:
		text += "; it waits its own"
	}
	if c.longest > 0 {
		text += "; up to " + spell(c.longest)
	}
	return text
}
