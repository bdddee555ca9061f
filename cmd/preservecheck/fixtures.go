package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/report"
)

func newFixtures(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "fixtures",
		Short:   "List, show, validate, export and import synthetic answers",
		Example: "  preservecheck fixtures list\n  preservecheck fixtures show tier_cap",
		Args:    cobra.ArbitraryArgs,
		RunE:    group,
	}
	cmd.AddCommand(newFixturesList(a), newFixturesShow(a), newFixturesValidate(a), newFixturesExport(a), newFixturesImport(a))
	return cmd
}

// listFlags are the flags of fixtures list.
type listFlags struct {
	format, models string
	sources        bool
	matrix         []string
}

func newFixturesList(a *app) *cobra.Command {
	f := &listFlags{}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the fixtures of the matrix",
		Example: "  preservecheck fixtures list\n  preservecheck fixtures list --format json\n" +
			"  preservecheck fixtures list --models 'claude-{fixture}'\n  preservecheck fixtures list --sources --matrix mine.yaml",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			write, err := f.writer(cmd, a.columns())
			if err != nil {
				return err
			}
			m, err := loadMatrix(f.matrix, origin(cmd, "matrix"), false)
			if err != nil {
				return err
			}
			return unwritten(write(a.out, m))
		},
	}
	cmd.Flags().StringVar(&f.format, "format", "text", "text, json")
	cmd.Flags().StringVar(&f.models, "models", "", "print model names made from `TEMPLATE`, such as claude-{fixture}, for a gateway with a closed list of models")
	cmd.Flags().BoolVar(&f.sources, "sources", false, "print why each fixture is there and where it is known from")
	matrixFlag(cmd, &f.matrix)
	return cmd
}

// writer chooses what to print.
func (f *listFlags) writer(cmd *cobra.Command, width int) (func(io.Writer, *fixture.Matrix) error, error) {
	if f.models != "" && f.sources || (f.models != "" || f.sources) && cmd.Flags().Changed("format") {
		return nil, usage("json holds the sources, too", "--format, --models and --sources exclude each other")
	}
	switch {
	case f.models != "" && !strings.Contains(f.models, ledger.Placeholder):
		return nil, usage("write it like "+defaultModel, "%s: %q has no %s", origin(cmd, "models"), f.models, ledger.Placeholder)
	case f.models != "":
		return func(w io.Writer, m *fixture.Matrix) error { return listModels(w, m, f.models) }, nil
	case f.sources:
		return func(w io.Writer, m *fixture.Matrix) error { return listSources(w, m, width) }, nil
	case f.format == "text":
		return func(w io.Writer, m *fixture.Matrix) error { return listFixtures(w, m, width) }, nil
	case f.format == "json":
		return listFixturesJSON, nil
	}
	return nil, usage(didYouMean(f.format, []string{"text", "json"}, ""), "%s: there is no format %q", origin(cmd, "format"), f.format)
}

// listModels prints a model name for each fixture that a check may ask for: the canaries as well.
func listModels(w io.Writer, m *fixture.Matrix, template string) error {
	var b bytes.Buffer
	for _, name := range namesOf(m) {
		b.WriteString(report.Plain(strings.ReplaceAll(template, ledger.Placeholder, name)) + "\n")
	}
	_, err := b.WriteTo(w)
	return err
}

func listSources(w io.Writer, m *fixture.Matrix, width int) error {
	rows := [][]string{{"NAME", "KIND", "READ", "SOURCE", "WHY"}}
	for _, f := range m.Rows {
		rows = append(rows, []string{f.Name, f.Source.Kind, f.Source.Read, f.Source.From, f.Why})
	}
	return report.Table(w, rows, width)
}

func listFixtures(w io.Writer, m *fixture.Matrix, width int) error {
	rows := [][]string{{"NAME", "STATUS", "CLASS", "HAZARD", "MODES", "WHY"}}
	for _, f := range m.Rows {
		rows = append(rows, []string{f.Name, statusOf(f), string(f.Class), string(f.Hazard), strings.Join(modesOf(f), "+"), f.Why})
	}
	if err := report.Table(w, rows, width); err != nil {
		return err
	}
	return report.Prose(w, fmt.Sprintf("\nmatrix %s, %d fixtures; preservecheck fixtures show NAME prints one as it is served\n%s",
		m.Version, len(m.Rows), canariesLine(m)), width)
}

// canariesLine names the successes of a matrix, which are no rows.
func canariesLine(m *fixture.Matrix) string {
	if len(m.Canaries) == 0 {
		return ""
	}
	var names []string
	for _, f := range m.Canaries {
		names = append(names, f.Name)
	}
	return "\ncanaries, the successes that prove the way through a layer open and are no rows: " + strings.Join(names, ", ")
}

// statusOf is "-" for a connection on which no status comes.
func statusOf(f *fixture.Fixture) string {
	if f.Answer.Status == 0 {
		return "-"
	}
	return strconv.Itoa(f.Answer.Status)
}

// listed is one fixture in JSON.
type listed struct {
	Name    string   `json:"name"`
	Dialect string   `json:"dialect"`
	Status  int      `json:"status"` // 0: none comes
	Family  string   `json:"family"`
	Class   string   `json:"class"`
	Hazard  string   `json:"hazard"`
	Modes   []string `json:"modes"`
	Why     string   `json:"why"`
	Source  string   `json:"source"`
	Digest  string   `json:"digest"`
}

func listFixturesJSON(w io.Writer, m *fixture.Matrix) error {
	all := struct {
		Matrix   string   `json:"matrix"`
		Fixtures []listed `json:"fixtures"`
	}{Matrix: m.Version}
	for _, f := range m.Rows {
		all.Fixtures = append(all.Fixtures, listed{
			f.Name, f.Dialect, f.Answer.Status, f.Family, string(f.Class), string(f.Hazard), modesOf(f), f.Why, f.Source.From, f.Digest(),
		})
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(all)
}

func modesOf(f *fixture.Fixture) []string {
	var modes []string
	for _, m := range []fixture.Mode{fixture.Plain, fixture.Stream} {
		if f.In(m) {
			modes = append(modes, string(m))
		}
	}
	return modes
}

// rowsOf lists the rows of some dialects, in the matrix's order.
func rowsOf(m *fixture.Matrix, ds []*dialects.Dialect) []*fixture.Fixture {
	var rows []*fixture.Fixture
	for _, f := range m.Rows {
		if slices.Contains(ds, dialects.ByName(f.Dialect)) {
			rows = append(rows, f)
		}
	}
	return rows
}

func newFixturesShow(a *app) *cobra.Command {
	var files []string
	cmd := &cobra.Command{
		Use:     "show NAME",
		Short:   "Print a fixture as the stub serves it, with why it exists and where it comes from",
		Example: "  preservecheck fixtures show tier_cap\n  preservecheck fixtures show ok_stream",
		Args:    cobra.ArbitraryArgs,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return fixtureNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := oneFixture(cmd, args, files)
			if err != nil {
				return err
			}
			return unwritten(showFixture(a.out, f, a.columns()))
		},
	}
	matrixFlag(cmd, &files)
	return cmd
}

// fixtureNames lists the built-in rows and canaries, for completion.
func fixtureNames() []string {
	m, err := fixture.Builtin()
	if err != nil {
		return nil
	}
	return namesOf(m)
}

// namesOf lists rows and canaries.
func namesOf(m *fixture.Matrix) []string {
	var names []string
	asked := func(c *fixture.Fixture) bool {
		return slices.ContainsFunc(m.Rows, func(f *fixture.Fixture) bool { return f.Dialect == c.Dialect })
	}
	all := slices.Clone(m.Rows)
	for _, c := range m.Canaries {
		if asked(c) {
			all = append(all, c)
		}
	}
	for _, f := range all {
		names = append(names, f.Name)
	}
	return names
}

// showFixture prints what is known of a fixture, then its bytes over HTTP/1.1, a line each and made safe to print.
func showFixture(w io.Writer, f *fixture.Fixture, width int) error {
	var b bytes.Buffer
	for _, line := range [][2]string{
		{"fixture", f.Name}, {"dialect", f.Dialect}, {"class", string(f.Class)}, {"hazard", string(f.Hazard)},
		{"modes", strings.Join(modesOf(f), ", ")}, {"why", f.Why},
		{"source", fmt.Sprintf("%s: %s (read %s)", f.Source.Kind, f.Source.From, f.Source.Read)}, {"ends", string(f.Answer.End)},
	} {
		_ = report.Hanging(&b, fmt.Sprintf("%-8s ", line[0]), line[1], width)
	}
	compressed := ""
	if f.Answer.Gzip { // which nobody could read
		compressed = "; compressed and labelled when the request accepts gzip"
	}
	fmt.Fprintf(&b, "\nas served (%s stands for the id of the hit%s):\n\n", fixture.NoID, compressed)
	served(&b, f)
	_, err := b.WriteTo(w)
	return err
}

// served writes the bytes that go over HTTP/1.1, a line each and made safe to print.
func served(b *bytes.Buffer, f *fixture.Fixture) {
	r := f.Render(true, false)
	var raw []byte
	for i := range r.Writes() {
		if p := r.Pause(i); p > 0 {
			raw = append(raw, fmt.Sprintf("\n(pause of %s)\n", p)...)
		}
		raw = r.Append(raw, i, fixture.NoID)
	}
	for line := range bytes.Lines(raw) {
		fmt.Fprintf(b, "%s\n", report.Plain(strings.TrimRight(string(line), "\r\n")))
	}
}
