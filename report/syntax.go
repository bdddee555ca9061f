package report

import (
	"regexp"
	"strings"
)

// What follows writes plain text into Markdown. Plain took away what is invisible; what is left could still be a link, an
// image, a mention, HTML or the end of a table's cell. Foreign text is put into code, in which Markdown reads nothing and
// GitHub and GitLab look for no names, numbers of issues or addresses.
// Source: GitHub Flavored Markdown Spec 0.29, 6.3 "Code spans", 4.5 "Fenced code blocks", 4.10 "Tables", read 2026-11-30.

// code is a text as a code span: between more backticks than it has in a row.
func code(s safe) string {
	if s == "" {
		return "(empty)"
	}
	fence := strings.Repeat("`", longestRun(string(s), '`')+1)
	// A pipe would end the cell of a table, also in code.
	text := strings.ReplaceAll(string(s), "|", `\x7c`)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") || strings.HasPrefix(text, " ") || strings.HasSuffix(text, " ") {
		text = " " + text + " "
	}
	return fence + text + fence
}

// fenced is lines of text as a block of code.
func fenced(lines string) string {
	fence := strings.Repeat("`", max(3, longestRun(lines, '`')+1))
	return fence + "text\n" + strings.TrimRight(lines, "\n") + "\n" + fence + "\n"
}

func longestRun(s string, of byte) (longest int) {
	n := 0
	for i := range len(s) {
		if n++; s[i] != of {
			n = 0
		}
		longest = max(longest, n)
	}
	return longest
}

// harmless are words in which Markdown and GitHub find nothing: letters of any script, or a number, between ordinary
// punctuation.
var harmless = regexp.MustCompile(`^[("']?(?:\p{L}+(?:['-]\p{L}+)*|[0-9]+)[)"']?[.,;:]?[)"']?$`)

// prose is a sentence: words that are harmless as they are, everything else as code. It may stand anywhere in a line but
// at its beginning, where a number would begin a list.
func prose(s safe) string {
	var out, odd []string
	flush := func(before, after string) {
		if len(odd) > 0 {
			out = append(out, before+code(safe(strings.Join(odd, " ")))+after)
		}
		odd = nil
	}
	before := ""
	for w := range strings.FieldsSeq(string(s)) {
		if harmless.MatchString(w) {
			flush(before, "")
			out, before = append(out, w), ""
			continue
		}
		core, after := w, ""
		if len(odd) == 0 {
			core = strings.TrimLeft(w, "(")
			before = w[:len(w)-len(core)]
		}
		if trimmed := strings.TrimRight(core, ".,;:)"); trimmed != "" && trimmed != core {
			core, after = trimmed, core[len(trimmed):]
		}
		if core == "" {
			core, before = w, ""
		}
		odd = append(odd, core)
		if after != "" {
			flush(before, after)
			before = ""
		}
	}
	flush(before, "")
	return strings.Join(out, " ")
}
