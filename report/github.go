package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/preservecheck/preservecheck/record"
)

// mostAnnotations is how many of each level GitHub shows of one step; the rest it drops without a word.
// Source: GitHub docs, "Workflow commands", limits of annotations, read 2026-11-30.
const mostAnnotations = 10

// GitHub writes workflow commands, which GitHub Actions shows as annotations of the run: the result, and below it what
// fails (errors) and what could not be told (warnings), worst first. What is over the limit is counted in a notice. They
// are the only lines of ours that a runner is meant to obey, so every text in them is plain first and then escaped.
func GitHub(w io.Writer, doc record.Document) error {
	routeless(&doc)
	var b bytes.Buffer
	word, why := resultOf(&doc)
	title := "preservecheck: " + word.text + ", " + brief(subject(doc.Target), 80)
	level := map[int]string{0: "notice", 1: "error"}[doc.Result.Exit]
	if level == "" {
		level = "warning"
	}
	file := sourceOf(&doc, "")
	command(&b, level, file, title, brief(why, 600))
	written, left, told := map[string]int{level: 1}, 0, map[int]bool{}
	for _, it := range items(&doc) {
		level := map[standing]string{failed: "error", unclear: "warning"}[it.standing]
		if level == "" {
			continue
		}
		if written[level] == mostAnnotations {
			left++
			continue
		}
		written[level]++
		text := it.text
		if it.advice != "" {
			text += "; " + it.advice
		}
		said := brief(text, 600)
		if it.row != nil {
			for _, a := range adviceOn(doc.Advice, told, "", it.row) {
				said += "; " + adviceSentence(a)
			}
		}
		command(&b, level, sourceOf(&doc, it.kind), list(nonEmpty(safe(it.kind), brief(it.name, 80)), ": "), said)
	}
	if left > 0 {
		command(&b, "notice", "", "preservecheck", num(left)+" more are not shown here; the other reports of the run have all of them")
	}
	_, err := b.WriteTo(w)
	return err
}

// command writes one workflow command.
func command(b *bytes.Buffer, level, file string, title, text safe) {
	properties := ""
	if file != "" {
		properties = "file=" + property(plain(file)) + ","
	}
	fmt.Fprintf(b, "::%s %stitle=%s::%s\n", level, properties, property(title), data(text))
}

// data escapes what stands behind the second "::", property what stands before it.
// Source: actions/toolkit, packages/core/src/command.ts, read 2026-11-30.
func data(s safe) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(string(s))
}

func property(s safe) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(data(s))
}
