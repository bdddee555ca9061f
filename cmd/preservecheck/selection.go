package main

import (
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/record"
)

// strangerRetryAfter is the longest retry-after, in seconds, that a layer which is not ours gets by default. Real
// gateways lock a key out for as long as the header says.
const strangerRetryAfter = 120

// selection says which rows of a matrix are judged.
type selection struct {
	fixture, exclude []string // patterns
	fixtureFrom      string   // --fixture or its variable
	excludeFrom      string
	modes            []fixture.Mode
	hazards          []fixture.Hazard
	own              []*fixture.Fixture // rows of the user's own files
	routes           []route            // of a target; none: the layer has one way in
	stranger         bool               // the default hazards of a layer that is not on this machine
}

// chosen is what a selection makes of a matrix.
type chosen struct {
	rows     []check.Row
	excluded []record.Excluded
	matrix   record.Matrix
}

// choose applies the selection in the matrix's order.
func (s selection) choose(m *fixture.Matrix, ds []*dialects.Dialect) (chosen, error) {
	fixtures := rowsOf(m, ds)
	if err := matchSomething(s.fixture, s.fixtureFrom, fixtures); err != nil {
		return chosen{}, err
	}
	// A row of the user's own may be left out, whatever its dialect.
	if err := matchSomething(s.exclude, s.excludeFrom, slices.Concat(fixtures, s.own)); err != nil {
		return chosen{}, err
	}
	c := chosen{matrix: record.Matrix{Version: m.Version}}
	if len(s.fixture) > 0 {
		c.matrix.Narrowed = s.fixtureFrom
	}
	if len(s.routes) == 0 {
		s.placeAll(&c, fixtures, "", nil)
	}
	for _, r := range s.routes {
		s.placeAll(&c, fixtures, r.name, r.dialect)
	}
	c.matrix.Selected = len(c.rows)
	return c, nil
}

// placeAll places the fixtures of a dialect, nil for every one, on a route.
func (s selection) placeAll(c *chosen, fixtures []*fixture.Fixture, route string, d *dialects.Dialect) {
	for _, f := range fixtures {
		for _, mode := range s.modes {
			if f.In(mode) && (d == nil || f.Dialect == d.Name) {
				s.place(c, f, mode, route)
			}
		}
	}
}

// unasked refuses rows of the user's own in a dialect that is not asked in: they would be left out without a word, and
// the run would be greener than meant.
func (s selection) unasked(ds []*dialects.Dialect, from, dialectFrom string) error {
	var first *fixture.Fixture
	names := dialectNamesOf(ds)
	for _, f := range s.own {
		left := len(s.fixture) > 0 && !matches(s.fixture, f) || matches(s.exclude, f)
		if left || slices.Contains(names, f.Dialect) {
			continue
		}
		if first == nil {
			first = f
		}
		names = append(names, f.Dialect)
	}
	if first == nil {
		return nil
	}
	if len(s.routes) > 0 {
		return usage("add a route with this dialect, or leave such rows out with --exclude",
			"%s: the row %s of %s is in the dialect %s, in which no route of the target asks", from, first.Name, first.File, first.Dialect)
	}
	return usage("give --dialect "+strings.Join(names, ",")+", or leave such rows out with --exclude",
		"%s: the row %s of %s is in the dialect %s, in which %s does not ask", from, first.Name, first.File, first.Dialect, dialectFrom)
}

// ownRows lists the rows of a matrix that are not built in.
func ownRows(m *fixture.Matrix, builtin []*fixture.Fixture) (own []*fixture.Fixture) {
	for _, f := range m.Rows {
		if !slices.Contains(builtin, f) {
			own = append(own, f)
		}
	}
	return own
}

func (s selection) place(c *chosen, f *fixture.Fixture, mode fixture.Mode, route string) {
	c.matrix.Total++
	if len(s.fixture) > 0 && !matches(s.fixture, f) {
		return
	}
	if why := s.excluded(f); why != "" {
		c.excluded = append(c.excluded, record.Excluded{Row: f.Name, Mode: string(mode), Why: why, Route: route})
		return
	}
	c.rows = append(c.rows, check.Row{Route: route, Fixture: f, Mode: mode, Dialect: dialects.ByName(f.Dialect)})
}

// excluded says why a fixture is not run, "" when it is.
func (s selection) excluded(f *fixture.Fixture) string {
	switch {
	case matches(s.exclude, f):
		return s.excludeFrom
	case !slices.Contains(s.hazards, f.Hazard):
		return "hazard " + string(f.Hazard)
	case s.stranger && retryAfter(f) > strangerRetryAfter:
		return "hazard " + string(f.Hazard) + ", retry-after over " + strconv.Itoa(strangerRetryAfter) + " s"
	}
	return ""
}

// retryAfter is the longest retry-after of a fixture in seconds, 0 when it names no wait; a date may name one, too.
func retryAfter(f *fixture.Fixture) int {
	longest := 0
	for _, h := range f.Answer.Header {
		if strings.EqualFold(h.Name, "retry-after") {
			n, err := strconv.Atoi(h.Value)
			if when, dateErr := http.ParseTime(h.Value); err != nil && dateErr == nil {
				n = int(time.Until(when).Seconds())
			}
			longest = max(longest, n)
		}
	}
	return longest
}

// matches reports whether a pattern fits a fixture's name, or its family and name: article/* is the source article's ten.
func matches(patterns []string, f *fixture.Fixture) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		name := f.Name
		if strings.Contains(p, "/") {
			name = f.Family + "/" + f.Name
		}
		ok, _ := path.Match(p, name)
		return ok
	})
}

// matchSomething refuses a pattern that fits no fixture: it is a typo, and the run would be greener than meant.
func matchSomething(patterns []string, from string, fixtures []*fixture.Fixture) error {
	names := make([]string, len(fixtures))
	for i, f := range fixtures {
		names[i] = f.Name
	}
	for _, p := range patterns {
		if _, err := path.Match(p, ""); err != nil {
			return usage("* fits any letters, ? one, [ab] one of these", "%s: %q is not a pattern", from, p)
		}
		if !slices.ContainsFunc(fixtures, func(f *fixture.Fixture) bool { return matches([]string{p}, f) }) {
			return usage(didYouMean(p, names, "preservecheck fixtures list shows all"), "%s: %q fits no fixture", from, p)
		}
	}
	return nil
}

// list splits the values of a flag that takes several: repeated, or with commas between them.
func list(values []string) []string {
	var all []string
	for _, v := range values {
		for _, item := range strings.Split(v, ",") {
			if item = strings.TrimSpace(item); item != "" {
				all = append(all, item)
			}
		}
	}
	return all
}

// noneEmpty refuses a list that is given and names nothing, as an unset variable in a script makes it: all of them
// would be run instead of those that were meant.
func noneEmpty(cmd *cobra.Command, flags ...string) error {
	for _, name := range flags {
		f := cmd.Flags().Lookup(name)
		if values, ok := f.Value.(pflag.SliceValue); ok && f.Changed && len(list(values.GetSlice())) == 0 {
			return usage("leave it out, or give it a value", "%s is set but empty", origin(cmd, name))
		}
	}
	return nil
}

// parseHazards reads --hazard; without it a layer on this machine gets all but outage, any other none and limit.
func parseHazards(values []string, from string, local bool) (hazards []fixture.Hazard, stranger bool, err error) {
	if len(values) == 0 {
		if local {
			return []fixture.Hazard{fixture.HazardNone, fixture.HazardLimit, fixture.HazardAccount, fixture.HazardCut}, false, nil
		}
		return []fixture.Hazard{fixture.HazardNone, fixture.HazardLimit}, true, nil
	}
	for _, v := range values {
		h := fixture.Hazard(v)
		if !slices.Contains(fixture.Hazards(), h) {
			return nil, false, usage(didYouMean(v, texts(fixture.Hazards()), ""), "%s: %q is not a hazard", from, v)
		}
		if !slices.Contains(hazards, h) {
			hazards = append(hazards, h)
		}
	}
	return hazards, false, nil
}

// parseModes reads --stream.
func parseModes(value, from string) ([]fixture.Mode, error) {
	switch value {
	case "both":
		return []fixture.Mode{fixture.Plain, fixture.Stream}, nil
	case "off":
		return []fixture.Mode{fixture.Plain}, nil
	case "on":
		return []fixture.Mode{fixture.Stream}, nil
	}
	return nil, usage("write off, on or both", "%s: %q is not a choice", from, value)
}

// texts turns names of a type of their own into text.
func texts[T ~string](names []T) []string {
	all := make([]string, len(names))
	for i, n := range names {
		all[i] = string(n)
	}
	return all
}
