package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/record"
)

// workerRule is a rule as a worker reads it.
type workerRule struct {
	Class, Retry string
	When         map[string]any
}

// fits compares an answer as docs/rules.md says.
func (w workerRule) fits(e *record.Evidence, message *string) bool {
	text := func(s *string) any {
		if s == nil {
			return nil
		}
		return *s
	}
	waits := slices.ContainsFunc(e.RetryAfter, func(s string) bool { return strings.TrimSpace(s) != "" })
	have := map[string]any{"status": float64(e.Status), "type": text(e.Type), "code": text(e.Code), "retry_after": waits, "message": text(message)}
	for name, want := range w.When {
		if have[name] != want {
			return false
		}
	}
	return true
}

func layerMessage(r *record.Row) *string {
	for _, f := range r.Fields {
		if f.Role == "message" && f.Layer != nil {
			return &f.Layer.Text
		}
	}
	return nil
}

// TestRulesAreNeverMoreHopeful asks whole runs through faulty layers: a worker with the rules takes no answer for another class
// than the provider meant, unless for an unknown one, and never retries without bound or wait what must not be retried at all.
func TestRulesAreNeverMoreHopeful(t *testing.T) {
	for layer, least := range map[string]int{"drop-details": 10, "change-status": 10, "replace-message": 2} {
		t.Run(layer, func(t *testing.T) {
			dir := t.TempDir()
			program(t, nil, "check", "--layer", "control:"+layer, "--stream", "off", "-o", "json="+dir+"/run.json", "-o", "rules="+dir+"/rules.json")
			var doc record.Document
			var file struct{ Rules []workerRule }
			readJSON(t, filepath.Join(dir, "run.json"), &doc)
			readJSON(t, filepath.Join(dir, "rules.json"), &file)
			mended := 0
			for i := range doc.Rows {
				mended += holdToRules(t, &doc.Rows[i], file.Rules)
			}
			if mended < least {
				t.Errorf("%d rules mend %d rows, want at least %d", len(file.Rules), mended, least)
			}
		})
	}
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// holdToRules returns 1 for a row that read as another class, and no longer does.
func holdToRules(t *testing.T, r *record.Row, rules []workerRule) int {
	t.Helper()
	if r.Layer == nil || r.Layer.Status < 300 {
		return 0
	}
	misread := r.Verdict == "reclassified" || r.Verdict == "layer-made"
	at := slices.IndexFunc(rules, func(w workerRule) bool { return w.fits(r.Layer, layerMessage(r)) })
	if at < 0 {
		if misread {
			t.Errorf("%s reads as %s, and no rule fits it", r.Row, r.Class.Layer)
		}
		return 0
	}
	rule := rules[at]
	if rule.Class != r.Class.Fixture && rule.Class != string(classify.Unknown429) && rule.Class != string(classify.Other) {
		t.Errorf("%s is %s, and the rule says %s", r.Row, r.Class.Fixture, rule.Class)
	}
	meant := classify.ActionOf(classify.Class(r.Class.Fixture)).Retry
	if meant == classify.RetryNever && rule.Retry != string(classify.RetryNever) && rule.Class != string(classify.Unknown429) {
		t.Errorf("%s must never be retried, and the rule says %s, %s", r.Row, rule.Class, rule.Retry)
	}
	if misread {
		return 1
	}
	return 0
}
