// Package report writes a finished run in the form its reader wants: text for a person, JSON as the record itself.
//
// It decides nothing: the verdict is settled before a format is chosen, so no format can change it. A format returns
// the errors of its writer and no others. The package opens no file, reads no environment and never looks at the
// terminal; the caller says whether there is colour and how wide a line may be.
package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/preservecheck/preservecheck/record"
)

// Format is one form of a report.
type Format struct {
	Name  string
	Why   string // when to choose it, one line
	Write func(io.Writer, record.Document) error
}

// Formats lists every format. A new one is a file of its own and a line here.
func Formats() []Format {
	return []Format{
		{Name: "text", Why: "for people: worst first, with what a worker does now", Write: writeText},
		{Name: "json", Why: "the whole record; every other format can be made from it later", Write: JSON},
		{Name: "known", Why: "a known file with all that differs, for you to give reasons in; see docs/known.md", Write: Known},
		{Name: "junit", Why: "JUnit XML, for the test report of a CI system", Write: JUnit},
		{Name: "markdown", Why: "for the summary of a CI job or a comment, never too long for one", Write: Markdown},
		{Name: "sarif", Why: "SARIF 2.1.0, for code scanning; see docs/formats.md for what that needs", Write: SARIF},
		{Name: "github", Why: "annotations, as GitHub Actions reads them from its log", Write: GitHub},
		{Name: "prometheus", Why: "metrics of a scheduled check, for the textfile collector", Write: Prometheus},
		{Name: "issue", Why: "a report to paste into the tracker of the layer's project", Write: Issue},
		{Name: "html", Why: "one page for people, to open, print or send: every row side by side, nothing loaded", Write: HTML},
		{Name: "rules", Why: "what a worker has to believe where the layer can't be mended, as JSON; see docs/rules.md", Write: Rules},
	}
}

// ByName returns the format of that name; the error lists the known ones.
func ByName(name string) (Format, error) {
	var known []string
	for _, f := range Formats() {
		if f.Name == name {
			return f, nil
		}
		known = append(known, f.Name)
	}
	return Format{}, fmt.Errorf("unknown format %q; known are %s", name, strings.Join(known, ", "))
}
