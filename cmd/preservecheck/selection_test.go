package main

import (
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/wire"
)

func small() *fixture.Matrix {
	f := func(name string, h fixture.Hazard, s fixture.StreamUse, retryAfter string) *fixture.Fixture {
		x := &fixture.Fixture{Name: name, Dialect: defaultDialect, Hazard: h, Stream: s}
		if retryAfter != "" {
			x.Answer.Header = []wire.Field{{Name: "Retry-After", Value: retryAfter}}
		}
		return x
	}
	return &fixture.Matrix{Version: "test", Rows: []*fixture.Fixture{
		f("bad", fixture.HazardNone, fixture.StreamBoth, ""), f("limit", fixture.HazardLimit, fixture.StreamNever, "120"),
		f("long", fixture.HazardLimit, fixture.StreamNever, "121"), f("key", fixture.HazardAccount, fixture.StreamNever, ""),
		f("cut", fixture.HazardCut, fixture.StreamOnly, ""), f("down", fixture.HazardOutage, fixture.StreamNever, ""),
		{Name: "other", Dialect: "another", Hazard: fixture.HazardNone, Stream: fixture.StreamBoth},
	}}
}

// A date is a wait as well: one in the far future locks a key out for as long.
func TestRetryAfterOfAFixture(t *testing.T) {
	for values, want := range map[string]func(int) bool{
		"":                              func(n int) bool { return n == 0 },
		"121":                           func(n int) bool { return n == 121 },
		"3|41":                          func(n int) bool { return n == 41 },
		"1.5":                           func(n int) bool { return n == 0 },
		"Fri, 31 Dec 2055 23:59:59 GMT": func(n int) bool { return n > strangerRetryAfter },
		"Sun, 06 Nov 1994 08:49:37 GMT": func(n int) bool { return n == 0 },
	} {
		f := &fixture.Fixture{}
		for _, v := range strings.Split(values, "|") {
			f.Answer.Header = append(f.Answer.Header, wire.Field{Name: "Retry-After", Value: v})
		}
		if got := retryAfter(f); !want(got) {
			t.Errorf("%q: %d", values, got)
		}
	}
}

func TestSelection(t *testing.T) {
	both := []fixture.Mode{fixture.Plain, fixture.Stream}
	cases := []struct {
		why              string
		fixture, exclude []string
		hazard           []string
		local            bool
		modes            []fixture.Mode
		rows, excluded   string
		total            int
	}{
		{"a layer of ours gets all but outage", nil, nil, nil, true, both,
			"bad/plain bad/stream limit/plain long/plain key/plain cut/stream", "down:hazard outage", 7},
		{"a stranger's gets what can't lock a key out for long", nil, nil, nil, false, both,
			"bad/plain bad/stream limit/plain", "long:hazard limit, retry-after over 120 s key:hazard account cut:hazard cut down:hazard outage", 7},
		{"--hazard replaces the default, for strangers too", nil, nil, []string{"limit", "outage"}, false, both,
			"limit/plain long/plain down/plain", "bad:hazard none bad:hazard none key:hazard account cut:hazard cut", 7},
		{"no streams", nil, nil, nil, true, both[:1], "bad/plain limit/plain long/plain key/plain", "down:hazard outage", 5},
		{"a pattern narrows; what it leaves out is not excluded", []string{"l*"}, nil, nil, true, both, "limit/plain long/plain", "", 7},
		{"--exclude is counted", []string{"l*"}, []string{"long"}, nil, true, both, "limit/plain", "long:--exclude", 7},
		{"a fixture that is named still needs its hazard", []string{"down"}, nil, nil, true, both, "", "down:hazard outage", 7},
	}
	for _, c := range cases {
		hazards, stranger, err := parseHazards(c.hazard, "--hazard", c.local)
		if err != nil {
			t.Fatal(err)
		}
		s := selection{fixture: c.fixture, exclude: c.exclude, fixtureFrom: "--fixture", excludeFrom: "--exclude",
			modes: c.modes, hazards: hazards, stranger: stranger}
		got, err := s.choose(small(), dialects.All()[:1])
		if err != nil {
			t.Fatal(err)
		}
		var rows, excluded []string
		for _, r := range got.rows {
			rows = append(rows, r.Fixture.Name+"/"+string(r.Mode))
		}
		for _, x := range got.excluded {
			excluded = append(excluded, x.Row+":"+x.Why)
		}
		if strings.Join(rows, " ") != c.rows || strings.Join(excluded, " ") != c.excluded || got.matrix.Total != c.total || got.matrix.Selected != len(rows) {
			t.Errorf("%s: rows %q, excluded %q, matrix %+v", c.why, rows, excluded, got.matrix)
		}
		if (got.matrix.Narrowed != "") != (c.fixture != nil) {
			t.Errorf("%s: narrowed %q", c.why, got.matrix.Narrowed)
		}
	}
}
