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
	fmt.Fprintf(&b, "**%s**: %s (%s)\n", prose(plain(d.Word)), prose(plain(d.Why)), strings.Join(head, ", "))
	for _, block := range attemptsBlocks(&d) {
		b.WriteString("\n" + markdownTable(block.title(), block.table()))
		for _, s := range block.sentences() {
			b.WriteString("\n" + prose(plain(s)) + "\n")
		}
	}
	for _, n := range d.Notes {
		b.WriteString("\nNote: " + prose(plain(n)) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// markdownTable is one table of Markdown; the first row is its heading.
func markdownTable(title string, rows [][]string) string {
	var b strings.Builder
	b.WriteString(prose(plain(title)) + "\n\n")
	for i, r := range rows {
		for _, cell := range r {
			b.WriteString("| " + prose(plain(cell)) + " ")
		}
		b.WriteString("|\n")
		if i == 0 {
			b.WriteString(strings.Repeat("|---", len(r)) + "|\n")
		}
	}
	return b.String()
}
