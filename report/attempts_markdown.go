package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/preservecheck/preservecheck/record"
)

// AttemptsJSON writes the record for programs.
func AttemptsJSON(w io.Writer, d record.Attempts) error {
	raw, err := encodeAny(d)
	if err != nil {
		return fmt.Errorf("the record can't be written as JSON: %w", err)
	}
	_, err = w.Write(quiet(raw))
	return err
}

// AttemptsMarkdown writes the same tables for a page or a comment.
func AttemptsMarkdown(w io.Writer, d record.Attempts) error {
	var b strings.Builder
	var head []string
	for _, part := range attemptsHead(&d) {
		head = append(head, prose(part))
	}
	fmt.Fprintf(&b, "**%s**: %s (%s)\n", signed(d.Word), signed(d.Why), strings.Join(head, ", "))
	for _, block := range attemptsBlocks(&d) {
		b.WriteString("\n" + markdownTable(block.title(), block.table()))
		for _, s := range block.sentences() {
			b.WriteString("\n" + signed(s) + "\n")
		}
	}
	for _, n := range d.Notes {
		b.WriteString("\nNote: " + signed(n) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// markdownTable is one table of Markdown; the first row is its heading.
func markdownTable(title string, rows [][]string) string {
	var b strings.Builder
	b.WriteString(signed(title) + "\n\n")
	for i, r := range rows {
		for _, cell := range r {
			b.WriteString("| " + signed(cell) + " ")
		}
		b.WriteString("|\n")
		if i == 0 {
			b.WriteString(strings.Repeat("|---", len(r)) + "|\n")
		}
	}
	return b.String()
}

// signed is prose with the signs that counts are written with, which are harmless in any place of a line but its first.
func signed(s string) string {
	var out, words []string
	flush := func() {
		if len(words) > 0 {
			out = append(out, prose(plain(strings.Join(words, " "))))
		}
		words = nil
	}
	for w := range strings.FieldsSeq(s) {
		if w != "→" && w != "×" && w != "=" {
			words = append(words, w)
			continue
		}
		flush()
		out = append(out, w)
	}
	flush()
	return strings.Join(out, " ")
}
