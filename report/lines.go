package report

import (
	"io"
	"strings"
)

// What follows breaks lines for the rest of the program as the report breaks its own: at spaces, with what belongs
// together below each other, at the same widths. All of it makes its text plain first.

// Hanging writes a text behind a label; its further lines stand below the first. The width is that of TextOptions.
func Hanging(w io.Writer, label, text string, columns int) error {
	p := newPage(TextOptions{Width: columns})
	p.hanging(plain(label), plain(text))
	_, err := p.buf.WriteTo(w)
	return err
}

// Prose writes the paragraphs of a text. Lines of a paragraph run together and are broken anew; a line that is indented
// stays a line, and hangs below its own second column where it has one.
func Prose(w io.Writer, text string, columns int) error {
	p := newPage(TextOptions{Width: columns})
	var para []string
	flush := func() {
		if len(para) > 0 {
			p.hanging("", plain(strings.Join(para, " ")))
		}
		para = nil
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(strings.ReplaceAll(text, "\t", "    "), "\n"), "\n") {
		switch {
		case strings.TrimSpace(line) == "" && p.buf.Len() == 0 && len(para) == 0:
			p.line(word{}, "")
		case strings.TrimSpace(line) == "":
			flush()
			p.gap()
		case line[0] == ' ':
			flush()
			label, rest := columnsOf(line)
			p.hanging(plain(label), plain(rest))
		default:
			para = append(para, line)
			if strings.HasSuffix(line, ":") {
				flush()
			}
		}
	}
	flush()
	_, err := p.buf.WriteTo(w)
	return err
}

// columnsOf cuts an indented line behind its first column: "  0  all passes" is "  0  " and "all passes".
func columnsOf(line string) (label, rest string) {
	start := len(line) - len(strings.TrimLeft(line, " "))
	at := strings.Index(line[start:], "  ")
	if at < 0 {
		return line[:start], line[start:]
	}
	rest = strings.TrimLeft(line[start+at:], " ")
	return line[:len(line)-len(rest)], rest
}

// Table writes rows in columns below the first, which is the heading. The last column is broken over lines. Where too
// little room is left for that it stands below its row, and where even that is too wide, all but the first column does.
// Without a terminal (columns 0) each row is one line, so that other programs can search it.
func Table(w io.Writer, rows [][]string, columns int) error {
	p := newPage(TextOptions{Width: columns})
	if columns == 0 {
		p.width = 1 << 20
	}
	widths := columnWidths(rows)
	used := 0
	for _, n := range widths {
		used += n + 2
	}
	for i, r := range rows {
		first, others := pad(plain(r[0]), widths[0])+"  ", safe("")
		for j, cell := range r[1 : len(r)-1] {
			others += pad(plain(cell), widths[j+1]) + "  "
		}
		last := plain(r[len(r)-1])
		switch {
		case p.width-used >= readable:
			p.hanging(first+others, last)
			continue
		case used-2 > p.width:
			p.line(word{}, first)
			p.line(word{}, pad("", indent)+others)
		default:
			p.line(word{}, first+others)
		}
		if i > 0 { // what is a column no more needs no heading
			p.para(last)
		}
	}
	_, err := p.buf.WriteTo(w)
	return err
}

// columnWidths gives the widths of all columns but the last.
func columnWidths(rows [][]string) []int {
	widths := make([]int, len(rows[0])-1)
	for _, r := range rows {
		for i := range widths {
			widths[i] = max(widths[i], width(plain(r[i])))
		}
	}
	return widths
}

// Short is a text in one line of at most so many columns, cut in the middle.
func Short(s string, columns int) string { return string(brief(s, columns)) }

// Heading is a coloured first word, as that of a report, and a text behind it.
func Heading(w io.Writer, passes bool, text string, o TextOptions) error {
	p := newPage(o)
	first := word{text: "PASS", tone: good}
	if !passes {
		first = word{text: "FAIL", tone: bad}
	}
	p.block(first, plain(text))
	_, err := p.buf.WriteTo(w)
	return err
}
