package check_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/wire"
)

func profile(name string) option {
	return func(c *check.Config) { c.Rules.Profile = compare.ProfileByName(name) }
}

// sending alters every request on its way to the stub.
func sending(edit func(r *wire.Request)) layer {
	return func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
		r.Header = append([]wire.Field(nil), r.Header...)
		edit(&r)
		return ask(r)
	}
}

func without(name string) func(*wire.Request) {
	return func(r *wire.Request) {
		keep := r.Header[:0]
		for _, f := range r.Header {
			if !strings.EqualFold(f.Name, name) {
				keep = append(keep, f)
			}
		}
		r.Header = keep
	}
}

func replaced(old, new string) func(*wire.Request) {
	return func(r *wire.Request) { r.Body = bytes.Replace(r.Body, []byte(old), []byte(new), 1) }
}

// What becomes of the request is seen at the stub, and decides where a provider asks for it.
func TestTheRequestSide(t *testing.T) {
	for _, c := range []struct {
		why, profile string
		edit         func(*wire.Request)
		want         string // key and direction, "" for nothing
		fails        bool
	}{
		{"all arrives as it was sent", "claude-code", func(*wire.Request) {}, "", false},
		{"JSON may be written anew", "claude-code", func(r *wire.Request) {
			var m map[string]any
			_ = json.Unmarshal(r.Body, &m)
			r.Body, _ = json.MarshalIndent(m, "", "  ")
		}, "", false},
		{"the model may have another name upstream", "claude-code", replaced(`"model":"m-`, `"model":"vendor/m-`), "", false},
		{"the version is the client's", "claude-code", func(r *wire.Request) {
			without("anthropic-version")(r)
			r.Header = append(r.Header, wire.Field{Name: "anthropic-version", Value: "2026-10-21"})
		}, "request/header/anthropic-version changed", true},
		{"betas are an open list", "claude-code", without("anthropic-beta"), "request/header/anthropic-beta lost", true},
		{"and so are headers", "claude-code", without("anthropic-preservecheck"), "request/header/anthropic-preservecheck lost", true},
		{"and members", "claude-code", replaced(`,"preservecheck":{"sent":"by the tester"}`, ``), "request/body/preservecheck lost", true},
		{"a member's value", "claude-code", replaced(`"sent":"by the tester"`, `"sent":"by a layer"`), "request/body/preservecheck changed", true},
		{"nothing is added", "claude-code", replaced(`"max_tokens":16`, `"max_tokens":16,"temperature":1`), "request/body changed", true},
		{"the query has to be accepted only", "claude-code", func(r *wire.Request) { r.Target = strings.TrimSuffix(r.Target, "?beta=true") }, "request/query/beta lost", false},
		{"full shows it", "full", without("anthropic-beta"), "request/header/anthropic-beta lost", false},
		{"core does not look", "core", without("anthropic-beta"), "", false},
	} {
		d := run(t, sending(c.edit), profile(c.profile), both)
		for _, r := range d.Rows {
			var got []string
			for _, f := range r.Fields {
				if f.Dir != "" {
					got = append(got, f.Key+" "+f.Dir)
				}
			}
			if strings.Join(got, ", ") != c.want || (r.Verdict == "changed") != c.fails {
				t.Errorf("%s: %s (%s) is %s with %q, want %q", c.why, r.Row, r.Mode, r.Verdict, got, c.want)
			}
		}
		if len(d.Rows) == 0 {
			t.Errorf("%s: no rows: %s", c.why, d.Result.Why)
		}
	}
}

// A value of the user's own header is compared and never told.
func TestTheUsersOwnBetaStays(t *testing.T) {
	own := func(c *check.Config) {
		c.Header = []wire.Field{{Name: "Anthropic-Beta", Value: "secret-beta-of-mine"}}
		c.Direct = way{func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
			return ask(r)
		}, c.Direct.(*wire.Client)}
	}
	d := run(t, sending(func(r *wire.Request) {
		for _, f := range r.Header {
			if strings.EqualFold(f.Name, "anthropic-beta") && f.Value != "secret-beta-of-mine" {
				t.Errorf("sent %q", f.Value)
			}
		}
	}), profile("claude-code"), own)
	b, err := json.Marshal(d)
	if err != nil || d.Result.Exit != 0 || bytes.Contains(b, []byte("secret-beta")) {
		t.Errorf("exit %d: %s; %v", d.Result.Exit, d.Result.Why, err)
	}
}

// A layer with a closed list of members lets no canary through; the reason names what it may mind.
func TestAClosedListOfMembersIsNamed(t *testing.T) {
	strict := func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
		if bytes.Contains(r.Body, []byte(`"preservecheck"`)) {
			return own(400, `{"error":"extra inputs are not permitted"}`)
		}
		return ask(r)
	}
	d := run(t, strict, profile("claude-code"), func(c *check.Config) { c.ReadyTimeout = 300 * time.Millisecond })
	if d.Result.Exit != 3 || !strings.Contains(d.NotReady, "a member that nobody knows") {
		t.Errorf("exit %d: %q", d.Result.Exit, d.NotReady)
	}
}

// Only Anthropic asks for this; the other protocols are asked as ever.
func TestOtherProtocolsAreNotWatched(t *testing.T) {
	m, err := fixture.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	d := run(t, func(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
		if bytes.Contains(r.Body, []byte(`"preservecheck":`)) || strings.Contains(r.Target, "beta") {
			t.Errorf("%s %s", r.Target, r.Body)
		}
		return ask(r)
	}, profile("claude-code"), func(c *check.Config) {
		c.Rows = nil
		for _, f := range m.Rows {
			if f.Dialect != "anthropic" && f.Hazard == fixture.HazardNone && len(c.Rows) < 8 {
				c.Rows = append(c.Rows, check.Row{Fixture: f, Mode: fixture.Plain, Dialect: dialects.ByName(f.Dialect)})
			}
		}
	})
	if d.Result.Exit != 0 || len(d.Rows) < 4 {
		t.Errorf("exit %d, %d rows: %s", d.Result.Exit, len(d.Rows), d.Result.Why)
	}
}
