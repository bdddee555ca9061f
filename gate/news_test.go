package gate

import (
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/record"
)

// whole is a record of a run that ended, with all controls caught and settled.
func whole(change func(*record.Document)) *record.Document {
	d := &record.Document{Format: record.Format, Command: "check", Target: record.Target{Name: "gw", Version: "1"},
		Matrix: record.Matrix{Version: "2026-11"}, Profile: record.Profile{Name: "core", Keys: []string{"status"}},
		Settings: record.Settings{Modes: []string{"plain"}, Dialects: []string{"anthropic"}, FailOn: "changed", MaxLayerRetries: -1},
		Proof:    record.Proof{Pairs: 2, Exact: 2, Keys: 1, Deciding: 1}}
	for _, name := range []string{"a", "b"} {
		d.Rows = append(d.Rows, record.Row{Row: name, Mode: "plain", Asked: "anthropic", Verdict: "preserved", HitsMin: 1, HitsMax: 1,
			Class:        record.Classes{Fixture: "rate_limit", Layer: "rate_limit"},
			Layer:        &record.Evidence{Status: 429, End: evidence.EndOK},
			Fields:       []record.Field{{Key: "end", Fixture: &record.Value{Kind: "text", Text: "complete"}, Layer: &record.Value{Kind: "text", Text: "complete"}}},
			Observations: []record.Observation{{Pass: "A", Verdict: "preserved", Decided: true, ElapsedMS: 3}}})
	}
	if change != nil {
		change(d)
	}
	for i := range d.Rows {
		for j := range d.Rows[i].Observations {
			d.Rows[i].Observations[j].Verdict = d.Rows[i].Verdict
		}
	}
	compare.Settle(d)
	return d
}

// loses makes a row lose a key that decides.
func loses(row int, key string) func(*record.Document) {
	return func(d *record.Document) {
		d.Rows[row].Verdict = "changed"
		d.Rows[row].Fields = append(d.Rows[row].Fields, record.Field{Key: key, Dir: "lost", Decides: true, Fixture: &record.Value{Kind: "text", Text: "x"}})
	}
}

func becomes(value string) func(*record.Document) {
	return func(d *record.Document) {
		d.Rows[0].Verdict = "changed"
		d.Rows[0].Fields = []record.Field{{Key: "status", Dir: "changed", Decides: true, Fixture: &record.Value{Kind: "number", Text: "429"}, Layer: &record.Value{Kind: "number", Text: value}}}
	}
}

func verdict(row int, v string) func(*record.Document) {
	return func(d *record.Document) { d.Rows[row].Verdict = v }
}

func all(changes ...func(*record.Document)) func(*record.Document) {
	return func(d *record.Document) {
		for _, c := range changes {
			c(d)
		}
	}
}

func finds(kind string, fails bool, rows ...string) func(*record.Document) {
	return func(d *record.Document) {
		d.Findings = append(d.Findings, record.Finding{Kind: kind, Text: kind, Rows: rows, Fails: fails})
	}
}

func class(to string) func(*record.Document) {
	return func(d *record.Document) {
		d.Rows[0].Verdict, d.Rows[0].Class.Layer = "reclassified", to
		d.Rows[0].Fields = []record.Field{{Key: "error/details", Dir: "lost", Decides: true, Fixture: &record.Value{Kind: "object", Text: "{}"}}}
	}
}

func routed(name string) func(*record.Document) {
	return func(d *record.Document) {
		for i := range d.Rows {
			d.Rows[i].Route = name
		}
	}
}

func declare(d *record.Document) {
	d.Rows[0].Verdict = "declared"
	for i := range d.Rows[0].Fields {
		d.Rows[0].Fields[i].Declared = []string{"known.yaml entry 1"}
	}
}

func TestNews(t *testing.T) {
	lost := loses(0, "error/message")
	for _, c := range []struct {
		why      string
		old, now func(*record.Document)
		exit     int
		want     string // in "what text" of the changes, or in the reason
	}{
		{"nothing changed", nil, nil, 0, "no new fault"},
		{"a fault as before", lost, lost, 0, "1 fault as before"},
		{"a new fault", nil, lost, 1, "new error/message lost"},
		{"the same fault in another row", lost, all(lost, loses(1, "error/message")), 1, "new error/message lost"},
		{"another key of the same row", lost, all(lost, loses(0, "error/details")), 1, "new error/details lost"},
		{"a fault that is gone", lost, nil, 0, "gone error/message lost is gone"},
		{"429 to 503 was known, 429 to 200 is not", becomes("503"), becomes("200"), 1, "new status changed (200)"},
		{"the same status", becomes("503"), becomes("503"), 0, "1 fault as before"},
		{"another class than before", class("unknown_429"), class("other"), 1, "new class rate_limit -> other"},
		{"the same class as before", class("unknown_429"), class("unknown_429"), 0, "2 faults as before"},
		{"declared now", lost, all(lost, declare), 0, "declared error/message lost is declared now"},
		{"declared then, and not now", all(lost, declare), lost, 0, "1 fault as before"},
		{"declared then, worse now", all(lost, declare), all(lost, loses(0, "error/details")), 1, "new error/details lost"},
		{"broken", lost, verdict(0, "broken"), 1, "new broken"},
		{"layer-made", nil, verdict(0, "layer-made"), 1, "new layer-made"},
		{"retried", nil, verdict(0, "retried"), 1, "new retried"},
		{"broken as before", verdict(0, "broken"), verdict(0, "broken"), 0, "1 fault as before"},
		{"a difference that --fail-on lets pass", func(d *record.Document) { d.Settings.FailOn = "reclassified" },
			all(lost, func(d *record.Document) { d.Settings.FailOn = "reclassified" }), 0, "new error/message lost"},
		{"a success that nobody sent", lost, all(lost, func(d *record.Document) { d.Rows[0].InventedSuccess = true }), 1, "new an error became a success"},

		{"a row was not run", nil, func(d *record.Document) { d.Rows = d.Rows[:1] }, 3, "b (plain) was not run"},
		{"a fault is not gone because its row was not run", loses(1, "error/message"), func(d *record.Document) { d.Rows = d.Rows[:1] }, 3, "was not run"},
		{"a row could not be told", nil, verdict(1, "inconclusive"), 3, "b (plain) is inconclusive"},
		{"a new fault is worse than a row without a result", nil, all(lost, verdict(1, "inconclusive")), 1, "new error/message lost"},
		{"what could not be told then is no excuse", verdict(0, "inconclusive"), lost, 1, "new error/message lost"},
		{"nor is what was seen in it", all(lost, verdict(0, "inconclusive")), lost, 1, "new error/message lost"},
		{"a row that is new and passes", func(d *record.Document) { d.Rows = d.Rows[:1] }, nil, 0, "no new fault"},
		{"a row that is new and fails", func(d *record.Document) { d.Rows = d.Rows[:1] }, loses(1, "error/message"), 1, "new error/message lost"},

		{"another profile", nil, func(d *record.Document) { d.Profile.Name = "full" }, 3, "profile core, then full"},
		{"a profile with other keys", nil, func(d *record.Document) { d.Profile.Keys = nil }, 3, "keys of profile core"},
		{"other modes", nil, func(d *record.Document) { d.Settings.Modes = []string{"plain", "stream"} }, 3, "modes plain"},
		{"another dialect", nil, func(d *record.Document) { d.Settings.Dialects = []string{"openai-chat"} }, 3, "dialects anthropic"},
		{"another matrix", nil, func(d *record.Document) { d.Matrix.Version = "2027-01" }, 3, "matrix 2026-11"},
		{"a fault under another profile says nothing", nil, all(lost, func(d *record.Document) { d.Profile.Name = "full" }), 3, "profile"},
		{"a control was missed then", func(d *record.Document) { d.Proof.Exact = 1 }, nil, 3, "not every control was caught"},
		{"a control was missed now", nil, func(d *record.Document) { d.Proof.Missed = []string{"x"} }, 3, "control"},
		{"the older run did not end", func(d *record.Document) { d.Incomplete = true }, nil, 3, "did not end"},
		{"the newer run did not end", nil, func(d *record.Document) { d.Incomplete = true }, 3, "interrupted"},
		{"it did not end, and found a new fault", nil, all(lost, func(d *record.Document) { d.Incomplete = true }), 1, "new error/message lost"},
		{"an older run without rows", func(d *record.Document) { d.Rows = nil }, nil, 3, "has no rows"},

		{"a new finding", nil, finds("layer-state", true), 1, "finding finding layer-state"},
		{"a finding as before", finds("layer-state", true), finds("layer-state", true), 0, "1 fault as before"},
		{"a finding that is gone", finds("layer-state", true), nil, 0, "gone layer-state is gone"},
		{"a note", nil, finds("unexplained-hits", false), 0, "finding finding unexplained-hits"},
		{"a note that fails now", finds("unexplained-hits", false), finds("unexplained-hits", true), 1, "finding finding"},
		{"another unsteady row", finds("intermittent", true, "a (plain)"), finds("intermittent", true, "b (plain)"), 1, "finding finding intermittent"},
		{"an unsteady row is compared by finding", all(finds("intermittent", true, "a (plain)"), loses(0, "error/message")),
			all(finds("intermittent", true, "a (plain)"), loses(0, "error/details")), 0, "1 fault as before"},
		{"nor where a success that nobody sent is new in it", all(finds("intermittent", true, "a (plain)"), lost),
			all(finds("intermittent", true, "a (plain)"), lost, func(d *record.Document) { d.Rows[0].InventedSuccess = true }), 1, "unstable, and new in it: an error became a success"},
		{"nor where another status is", all(finds("intermittent", true, "a (plain)"), lost), all(finds("intermittent", true, "a (plain)"), becomes("503")), 1, "unstable, and new in it: status"},
		{"a fault that came and went has come to stay", all(finds("intermittent", true, "a (plain)"), lost), lost, 1, "came and went before"},
		{"a fault that came and went, on a route", all(finds("intermittent", true, "a (plain; route x)"), lost, routed("x")), all(lost, routed("x")), 1, "came and went before"},
		{"a fault that came and went is gone", all(finds("intermittent", true, "a (plain)"), lost), nil, 0, "gone"},
		{"sent too often, where the row failed before", lost, all(lost, func(d *record.Document) { d.Rows[0].HitsAllowed, d.Rows[0].HitsMax = 1, 3 }), 1, "new retried"},
		{"sent as often as is allowed", lost, all(lost, func(d *record.Document) { d.Rows[0].HitsMax = 3 }), 0, "1 fault as before"},
		{"another bound of the wait", nil, func(d *record.Document) { d.Settings.MaxLayerWaitMS = 2000 }, 0, "longest wait"},
		{"but not where it got worse", all(finds("intermittent", true, "a (plain)"), loses(0, "error/message")),
			all(finds("intermittent", true, "a (plain)"), verdict(0, "broken")), 1, "new unstable, and worse"},

		{"another version", nil, func(d *record.Document) { d.Target.Version = "2" }, 0, "version version of the layer: 1 -> 2"},
		{"more hits where any number is allowed", nil, func(d *record.Document) { d.Rows[0].HitsMax = 3 }, 0, "1 -> 1 to 3"},
		{"the layer sleeps", nil, func(d *record.Document) { d.Rows[0].Observations[0].ElapsedMS = 61000 }, 0, "3 ms -> 61000 ms"},
		{"a stale entry fails as ever", nil, func(d *record.Document) { d.Known = &record.Known{Problems: []string{"x"}} }, 1, "stale"},
		{"your own classifier reads a row otherwise", nil, func(d *record.Document) {
			d.Classifier = &record.Classifier{Rows: []record.OwnClass{{Row: "a", Mode: "plain", Fixture: "cap", Layer: "limit", Changes: true}}}
		}, 1, "cap becomes limit"},
		{"your own classifier was not asked", func(d *record.Document) { d.Classifier = &record.Classifier{} }, nil, 3, "your own classifier"},
	} {
		old, now := whole(c.old), whole(c.now)
		now.News = News(old, now)
		compare.Settle(now)
		text := now.Result.Why + "\n" + strings.Join(now.News.Untold, "\n") + strings.Join(now.News.Unequal, "\n")
		for _, x := range now.News.Changes {
			text += "\n" + x.What + " " + x.Text
		}
		if now.Result.Exit != c.exit || !strings.Contains(text, c.want) {
			t.Errorf("%s: exit %d, want %d and %q in: %s", c.why, now.Result.Exit, c.exit, c.want, text)
		}
	}
}

// TestWorstFirst: what fails stands above what does not.
func TestWorstFirst(t *testing.T) {
	old := whole(loses(0, "error/message"))
	now := whole(all(loses(1, "error/message"), func(d *record.Document) { d.Target.Version = "2" }))
	n := News(old, now)
	if len(n.Changes) != 3 || !n.Changes[0].Fails || n.Changes[1].What != version || n.Changes[2].What != gone {
		t.Errorf("%+v", n.Changes)
	}
}

func TestConsistent(t *testing.T) {
	for _, c := range []struct {
		why    string
		change func(*record.Document)
		want   string
	}{
		{"as it was written", func(*record.Document) {}, ""},
		{"the exit code was changed", func(d *record.Document) { d.Result.Exit = 0 }, "it says exit 0, and its rows come to 1"},
		{"a count was changed", func(d *record.Document) { d.Result.Counts["changed"] = 0 }, "it says exit"},
		{"a verdict was changed, and the result with it", func(d *record.Document) {
			d.Rows[0].Verdict = "preserved"
			compare.Settle(d)
		}, "the observation that decided changed"},
		{"the observation, too", func(d *record.Document) {
			d.Rows[0].Verdict, d.Rows[0].Observations[0].Verdict = "preserved", "preserved"
			compare.Settle(d)
		}, "it is called preserved, and error/message lost"},
		{"declared by nobody", func(d *record.Document) {
			d.Rows[0].Verdict, d.Rows[0].Observations[0].Verdict = "declared", "declared"
			compare.Settle(d)
		}, "error/message lost is not"},
		{"a success can't be declared", func(d *record.Document) {
			d.Rows[0].Verdict, d.Rows[0].Observations[0].Verdict, d.Rows[0].InventedSuccess = "declared", "declared", true
			compare.Settle(d)
		}, "an error became a success"},
		{"another class, and called preserved", func(d *record.Document) {
			d.Rows[1].Class.Layer = "other"
		}, "its class is another one"},
		{"nothing was observed", func(d *record.Document) { d.Rows[1].Observations = nil }, "nothing was observed"},
		{"a verdict that is none", func(d *record.Document) {
			d.Rows[1].Verdict, d.Rows[1].Observations[0].Verdict = "fine", "fine"
			compare.Settle(d)
		}, "no verdict"},
		{"the evidence was taken out", func(d *record.Document) { d.Rows[1].Fields = nil }, "does not stand in it"},
		{"what came through was taken out", func(d *record.Document) { d.Rows[1].Layer = nil }, "does not stand in it"},
		{"a value was changed", func(d *record.Document) { d.Rows[1].Fields[0].Layer = &record.Value{Kind: "text", Text: "cut"} }, "the values of end are not what makes it the same"},
		{"a value is lost and not said so", func(d *record.Document) { d.Rows[1].Fields[0].Layer = nil }, "the values of end are not"},
		{"a key twice", func(d *record.Document) { d.Rows[1].Fields = append(d.Rows[1].Fields, d.Rows[1].Fields[0]) }, "end stands in it twice"},
		{"a key that its fixture has was taken out", func(d *record.Document) { d.Rows[1].Row = "rate_limit" }, "status, which its fixture has, does not stand in it"},
		{"its fixture has another class", func(d *record.Document) { d.Rows[1].Row = "tier_cap" }, "its fixture is called rate_limit in it"},
		{"a row twice", func(d *record.Document) {
			d.Rows = append(d.Rows, d.Rows[1])
			compare.Settle(d)
		}, "stands in it twice"},
	} {
		d := whole(loses(0, "error/message"))
		c.change(d)
		err := Consistent(d)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want %q", c.why, err, c.want)
		}
	}
}

func TestUsable(t *testing.T) {
	for _, c := range []struct{ command, want string }{{"check", ""}, {"demo", "demo"}, {"controls", "controls"}, {"", "command"}} {
		err := Usable(&record.Document{Command: c.command})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q: %v", c.command, err)
		}
	}
}
