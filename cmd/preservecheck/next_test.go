package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/wire"
)

func TestQuote(t *testing.T) {
	for in, want := range map[string]string{
		"http://127.0.0.1:8080/a": "http://127.0.0.1:8080/a", "": "''", "a b": "'a b'", "it's": `'it'\''s'`,
		"authorization: Bearer $KEY": "'authorization: Bearer $KEY'", "claude-{fixture}": "'claude-{fixture}'",
	} {
		if got := quote(in); got != want {
			t.Errorf("quote(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestSayAgain(t *testing.T) {
	cmd, f := &cobra.Command{Use: "check"}, &checkFlags{}
	f.register(cmd)
	err := cmd.ParseFlags([]string{"--layer", "http://gw", "--header", "a: $B", "--header", "c: d", "--fixture", "x", "-o", "json=y", "-v", "--stream", "off"})
	if err != nil {
		t.Fatal(err)
	}
	if err := newEnviron([]string{"PRESERVECHECK_RATE=5"}).fill(cmd); err != nil {
		t.Fatal(err)
	}
	got, want := sayAgain(cmd), []string{"preservecheck", "check", "--layer", "http://gw", "--header", "'a: $B'", "--header", "'c: d'", "--stream", "off"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestWorstRow(t *testing.T) {
	rows := []record.Row{{Row: "a", Verdict: "preserved"}, {Row: "b", Verdict: "changed"}, {Row: "c", Verdict: "reclassified"}, {Row: "d", Verdict: "reclassified"}}
	if got := worst(rows); got != "c" {
		t.Errorf("the worst is %q, want c", got)
	}
	if got := worst(rows[:1]); got != "" {
		t.Errorf("the worst of preserved rows is %q, want none", got)
	}
}

// TestNext: the command to type depends on what the run came to.
func TestNext(t *testing.T) {
	fails := record.Document{Result: record.Result{Exit: exitFail}, Rows: []record.Row{{Row: "tier_cap", Verdict: "changed"}}}
	limited := fails
	limited.Findings = []record.Finding{{Kind: "layer-state", Fails: true, Advice: "the layer limits requests: try --rate"}}
	noted := fails
	noted.Findings = []record.Finding{{Kind: "layer-state", Advice: "try --rate"}}
	shut := record.Document{NotReady: "no canary came through", Result: record.Result{Exit: exitUnknown}}
	stopped := shut
	stopped.Incomplete = true
	const again = "preservecheck check --layer http://gw"
	for _, c := range []struct {
		why    string
		doc    record.Document
		args   string
		answer *wire.Answer
		want   string
	}{
		{"the worst row", fails, "", nil, again + " --fixture tier_cap -v"},
		{"which was looked at already", fails, "--fixture tier_cap -v", nil, "preservecheck fixtures show tier_cap"},
		{"a finding alone", record.Document{Result: record.Result{Exit: exitFail}}, "", nil, again + " -v"},
		{"which was looked at already", record.Document{Result: record.Result{Exit: exitFail}}, "-v", nil, ""},
		{"a layer that limits us", limited, "", nil, again + " --rate 2"},
		{"and still does", limited, "--rate 2", nil, again + " --rate 1"},
		{"advice that is only a note", noted, "", nil, again + " --fixture tier_cap -v"},
		{"nobody there", shut, "", &wire.Answer{End: wire.EndRefused}, again + " --ready-timeout 2m0s"},
		{"nobody there for longer", shut, "--ready-timeout 1m", &wire.Answer{End: wire.EndRefused}, again + " --ready-timeout 4m0s"},
		{"no key", shut, "--header a:b", &wire.Answer{Status: 401}, again + " --header a:b --header 'authorization: Bearer $KEY'"},
		{"an unknown model", shut, "", &wire.Answer{Status: 404, Body: []byte("Model not found")}, again + " --model NAME"},
		{"a limit", shut, "", &wire.Answer{Status: 429}, again + " --rate 2"},
		{"anything else: look what arrives at the stub", shut, "", &wire.Answer{Status: 502}, "preservecheck serve -v --stub-listen 127.0.0.1:8787"},
		{"not even an answer", shut, "", nil, "preservecheck serve -v --stub-listen 127.0.0.1:8787"},
		{"we started it: its log was shown, and another command tells less", shut, "--start gw", nil, ""},
		{"and it answers", shut, "--start gw", &wire.Answer{Status: 502}, ""},
		{"a stub that others reach: look what arrives there", shut, "--listen-any", &wire.Answer{Status: 502}, again + " --listen-any --wait-for-gateway"},
		{"the way to which is not open", shut, "--listen-any", nil, ""},
		{"which was waited for already", shut, "--listen-any --wait-for-gateway", &wire.Answer{Status: 404}, again + " --listen-any --wait-for-gateway"},
		{"ended by hand", stopped, "", &wire.Answer{Status: 502}, again},
	} {
		cmd, f := &cobra.Command{Use: "check"}, &checkFlags{}
		f.register(cmd)
		if err := cmd.ParseFlags(append([]string{"--layer", "http://gw"}, strings.Fields(c.args)...)); err != nil {
			t.Fatal(err)
		}
		p := &plan{flags: f, again: sayAgain(cmd), listen: f.stubListen, open: &opening{guarded: f.open.any}}
		if f.start != "" {
			p.launch = &launch{}
		}
		p.watch.last = c.answer
		if got := p.next(&c.doc); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

func TestWatchGivesTheReason(t *testing.T) {
	for _, c := range []struct {
		why    string
		answer *wire.Answer
		want   string
	}{
		{"nothing yet", nil, "no answer yet"},
		{"an error of the network", &wire.Answer{Err: "connection refused"}, "connection refused"},
		{"a status", &wire.Answer{Status: 502}, "it answers 502"},
		{"neither", &wire.Answer{}, "no usable answer"},
	} {
		w := &watch{last: c.answer}
		if got := w.reason(); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}
