package reactions

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/fixture"
)

const good = `format: preservecheck.reactions/1
name: mine
title: my client
kind: sdk
versions: '1'
sources: {runs: {what: runs, date: 2026-11-30}}
retries: 2
backoff: {first: 1s, cap: 8s}
reads:
  - {header: retry-after, as: [seconds]}
rules:
  - when: {status: [429]}
    then: {retries: client}
    source: runs
`

// TestBuiltin holds what every built-in file needs so that it can be named and asked.
func TestBuiltin(t *testing.T) {
	names, err := builtin.ReadDir(".")
	if err != nil || len(names) < 13 {
		t.Fatalf("%d files, %v", len(names), err)
	}
	for _, n := range names {
		b, err := builtin.ReadFile(n.Name())
		if err != nil {
			t.Fatal(err)
		}
		c, err := Load(n.Name(), b)
		if err != nil {
			t.Fatal(err)
		}
		if c.Name+".yaml" != n.Name() || c.Name == "none" {
			t.Errorf("%s is called %s", n.Name(), c.Name)
		}
		for _, s := range c.Sources {
			if !slices.ContainsFunc(c.Rules, func(r Rule) bool { return r.Source == s.Key }) {
				t.Errorf("%s: no rule rests on source %s", n.Name(), s.Key)
			}
		}
	}
	all, err := All()
	if err != nil || len(all) != len(names) {
		t.Errorf("%d of %d clients, %v", len(all), len(names), err)
	}
}

// TestWorkerFollowsItsClasses holds the worker's file to the actions that classes have: the same alert, and another try where the
// class allows one.
func TestWorkerFollowsItsClasses(t *testing.T) {
	c := client(t, "worker")
	for _, class := range classify.All() {
		var fits []Rule
		for _, r := range c.Rules {
			if slices.Contains(r.when.class, string(class)) {
				fits = append(fits, r)
			}
		}
		if len(fits) != 1 {
			t.Errorf("%s: %d rules", class, len(fits))
			continue
		}
		a, then := classify.ActionOf(class), fits[0].then
		if then.tells != string(a.Alert) || (then.retries != 0) != (a.Retry != classify.RetryNever) || then.done != classify.Success(class) {
			t.Errorf("%s: tells %q, retries %d, done %t, but its action is %+v", class, then.tells, then.retries, then.done, a)
		}
	}
}

// TestLoadIsStrict shows a file each kind of mistake.
func TestLoadIsStrict(t *testing.T) {
	if _, err := Load("good.yaml", []byte(good)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ why, old, new, want string }{
		{"another format", "reactions/1", "reactions/2", "is not"},
		{"an unknown key", "title: my client", "titel: my client", "titel"},
		{"no name", "name: mine\n", "", "name is missing"},
		{"an unknown kind", "kind: sdk", "kind: robot", `kind has no "robot"`},
		{"a rule without its source", "    source: runs\n", "", `no source ""`},
		{"a source that is not there", "    source: runs", "    source: rumour", `no source "rumour"`},
		{"a source without a date", ", date: 2026-11-30", "", "needs what and date"},
		{"an unknown condition", "when: {status: [429]}", "when: {statuses: [429]}", "statuses"},
		{"a status that is none", "[429]", "[42x]", `status "42x"`},
		{"a range backwards", "[429]", "[500-400]", `status "500-400"`},
		{"an unknown class", "status: [429]", "class: [rate_limits]", "rate_limits"},
		{"a place in a stream that is none", "status: [429]", "stream: [middle]", "middle"},
		{"a pattern that is none", "status: [429]", "message: ['(']", "no regular expression"},
		{"a number of retries that is none", "retries: client", "retries: some", `retries "some"`},
		{"an alert that is none", "retries: client", "tells: everybody", "everybody"},
		{"nothing that follows", "    then: {retries: client}\n", "", "needs then"},
		{"a form that is none", "[seconds]", "[minutes]", "minutes"},
		{"a place that is none", "header: retry-after, ", "", "is a header or a message"},
		{"a pattern without its number", "header: retry-after", "message: 'try again'", "not one group"},
		{"a wait without a unit", "first: 1s", "first: '1'", "no time over 0"},
		{"no rules", good[strings.Index(good, "rules:"):], "", "no rules"},
	} {
		_, err := Load("f.yaml", []byte(strings.Replace(good, c.old, c.new, 1)))
		var p *fixture.Problem
		if err == nil || !errors.As(err, &p) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.why, err, c.want)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte("format: x\nrules: [1]"))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := Load("f.yaml", b)
		if (c == nil) != (err != nil) {
			t.Errorf("%v, %v", c, err)
		}
		if c != nil {
			c.react(view("", answer(429, limited, "retry-after: 1")), c.retries)
		}
	})
}
