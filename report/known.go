package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/preservecheck/preservecheck/record"
)

// Of a known file that is written: for how long its entries hold, how many fixtures one covers at most (the reader calls
// more too wide), and how long a value is that is written out.
const (
	knownDays     = 90
	knownFixtures = 20
	knownValue    = 400 // bytes
)

// Known writes what a run showed as a known file: an entry for each difference that decides, with the rows that have it and
// an empty reason, without which the file is refused. What can't be declared stands in it as a comment. Differences that
// are declared already are left out.
func Known(w io.Writer, doc record.Document) error {
	var b bytes.Buffer
	switch {
	case doc.Incomplete || doc.NotReady != "" || doc.Refused != "":
		b.WriteString("# Not a known file: the run did not come to its end, so that it can't tell what is known.\n")
	default:
		fmt.Fprintf(&b, "# Known differences of %s, written by %s %s. Give each entry its reason; without one the file is refused.\n",
			plain(doc.Target.Name), plain(doc.Tool.Name), plain(doc.Tool.Version))
		if doc.Target.Name == doc.Target.URL && doc.Target.URL != "" {
			b.WriteString("# It names the layer by its address; with --name another port would change nothing.\n")
		}
		writeKnown(&b, &doc)
	}
	_, err := b.WriteTo(w)
	return err
}

func writeKnown(b *bytes.Buffer, doc *record.Document) {
	found, never := declarable(doc)
	for _, n := range never {
		fmt.Fprintf(b, "# can't be declared: %s\n", plain(n))
	}
	b.WriteString("format: preservecheck.known/1\n")
	if len(found) == 0 {
		b.WriteString("entries: []\n")
		return
	}
	b.WriteString("entries:\n")
	expires := doc.Started.UTC().AddDate(0, 0, knownDays).Format("2006-01-02")
	for _, g := range collect(found, knowable.id) {
		for _, part := range byMode(g) {
			for names := range slices.Chunk(part.names, knownFixtures) {
				writeEntry(b, doc.Target.Name, g[0], names, part.mode, expires)
			}
		}
	}
}

// part is the rows of a group that have it in the same modes.
type part struct {
	mode  string // "" for both
	names []string
}

func byMode(g []knowable) []part {
	modes := map[string][]string{}
	var names []string
	for _, d := range g {
		if modes[d.row] == nil {
			names = append(names, d.row)
		}
		modes[d.row] = append(modes[d.row], d.mode)
	}
	parts := []part{{}, {mode: "plain"}, {mode: "stream"}}
	for _, n := range names {
		at := 0
		if len(modes[n]) == 1 {
			at = slices.IndexFunc(parts, func(p part) bool { return p.mode == modes[n][0] })
		}
		parts[max(at, 0)].names = append(parts[max(at, 0)].names, n)
	}
	return parts
}

func writeEntry(b *bytes.Buffer, layer string, d knowable, names []string, mode, expires string) {
	fmt.Fprintf(b, "  - layer: %s\n", yamlText(layer))
	if d.route != "" {
		fmt.Fprintf(b, "    route: %s\n", yamlText(d.route))
	}
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = yamlText(n)
	}
	if len(names) > 1 || names[0] != "" {
		fmt.Fprintf(b, "    rows: [%s]\n", strings.Join(quoted, ", "))
	}
	if mode != "" {
		fmt.Fprintf(b, "    mode: %s\n", yamlText(mode))
	}
	if d.finding != "" {
		fmt.Fprintf(b, "    finding: %s\n", yamlText(d.finding))
	} else {
		fmt.Fprintf(b, "    key: %s\n    direction: %s\n", yamlText(d.key), yamlText(d.dir))
	}
	if d.value != nil {
		fmt.Fprintf(b, "    value: %s\n", yamlText(*d.value))
	}
	if d.class != "" {
		fmt.Fprintf(b, "    class: %s\n", yamlText(d.class))
	}
	if d.intermittent {
		b.WriteString("    intermittent: true\n")
	}
	fmt.Fprintf(b, "    reason: \"\"\n    expires: %s\n", yamlText(expires))
}

// yamlText is a text as YAML reads it back, in one line that no terminal and no workflow log obeys.
func yamlText(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	last := rune(0)
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\\x%02x`, s[i]) // as Plain shows it: YAML is text
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r == '#' && last == '#', r == ':' && last == ':':
			fmt.Fprintf(&b, `\x%02x`, r)
			r = 0
		case hidden(r) && r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		case hidden(r):
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			b.WriteString(s[i : i+size])
		}
		last = r
		i += size
	}
	return b.String() + `"`
}
