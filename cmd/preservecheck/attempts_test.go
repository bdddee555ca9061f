package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/schematest"
)

// TestAttemptsSchema holds what is written to the published schema, with no room for members that it does not name.
func TestAttemptsSchema(t *testing.T) {
	schema := schematest.Closed(t, "../../docs/schema/attempts.schema.json")
	for _, args := range [][]string{
		{"--fixture", "tier_cap,validation_400"},
		{"--fixture", "rate_limit", "--layer", "control:answer-once"},
		{"--fixture", "rate_limit", "--layer", "control:retry-twice", "--stream", "both"},
		{"--layer", "http://127.0.0.1:1", "--stub-listen", findPort(), "--ready-timeout", "100ms"},
	} {
		r := program(t, nil, append([]string{"attempts", "--client", "sdkless", "--format", "json"}, args...)...)
		if err := schematest.Valid(schema, []byte(r.out)); err != nil {
			t.Errorf("%s: %v\n%s%s", args, err, r.out, r.errors)
		}
	}
}

// TestAttemptsTellsTheLayer: a layer that answers some requests by itself is not told as one that sends fewer.
func TestAttemptsTellsTheLayer(t *testing.T) {
	r := program(t, nil, "attempts", "--client", "sdkless", "--fixture", "rate_limit", "--max-retries", "0", "--layer", "control:cooldown", "--format", "json")
	var d record.Attempts
	if err := json.Unmarshal([]byte(r.out), &d); err != nil {
		t.Fatal(err, r.out, r.errors)
	}
	for _, j := range d.Jobs {
		if j.Way == "through" && (*j.Own == 0 || !strings.Contains(j.Costs, "did not reach the stub")) {
			t.Errorf("%d hits, %d answered by the layer: %s", j.Hits, *j.Own, j.Costs)
		}
	}
}

// TestAttemptsInSixtyColumns breaks lines for a narrow terminal.
func TestAttemptsInSixtyColumns(t *testing.T) {
	for _, args := range [][]string{{}, {"--layer", "control:retry-twice"}, {"--layer", "control:drop-details"}} {
		r := program(t, []string{"COLUMNS=60"}, append([]string{"attempts", "--client", "sdkless"}, args...)...)
		if wide := tooWide(r.out, 60); r.code != exitPass || wide != "" {
			t.Errorf("exit %d, %s\n%s", r.code, wide, r.out)
		}
	}
}
