package main

import (
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/controls"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// TestABrokenControlSpoilsEveryRun: a run whose check would not have failed is never green, and says which control it missed.
func TestABrokenControlSpoilsEveryRun(t *testing.T) {
	computes(t)
	lost := func(key string) func(controls.Seen) []controls.Sight {
		return func(r controls.Seen) []controls.Sight {
			if r.Evidence.Get(key).Kind == evidence.Absent {
				return nil
			}
			return []controls.Sight{{Key: key, Dir: evidence.Lost}}
		}
	}
	drop := func(a *wire.Answer, _ bool) { a.Header = nil }
	for _, c := range []struct {
		why    string
		broken *controls.Fault
		says   string
	}{
		{"a fault that nobody sees", &controls.Fault{Name: "broken-on-purpose", Mechanism: controls.OfBody, Want: lost("error/details")}, "missed error/details lost"},
		{"a fault of which more is seen than it does", &controls.Fault{Name: "broken-on-purpose", Mechanism: controls.OfHeader, Change: drop, Want: lost("header/retry-after")}, "reported header/content-type lost besides"},
	} {
		func() {
			defer func(was func() []*controls.Fault) { faults = was }(faults)
			faults = func() []*controls.Fault { return append(controls.All(), c.broken) }
			for _, args := range [][]string{
				{"check", "--layer", "control:identity", "--fixture", "tier_cap", "--stream", "off"},
				{"check", "--layer", "control:drop-details", "--fixture", "tier_cap", "--stream", "off"}, // nor is it red
				{"controls"}, {"controls", "--all", "--stream", "off"},
			} {
				r := program(t, nil, args...)
				out := strings.Join(strings.Fields(r.out), " ")
				if r.code != exitUnknown || !strings.Contains(out, "broken-on-purpose") || !strings.Contains(out, c.says) {
					t.Errorf("%s: %v: exit %d, want %d with the name of the control and %q:\n%s%s", c.why, args, r.code, exitUnknown, c.says, r.out, r.errors)
				}
			}
		}()
	}
	if r := program(t, nil, "check", "--layer", "control:identity", "--fixture", "tier_cap", "--stream", "off"); r.code != exitPass {
		t.Errorf("without a broken control: exit %d", r.code)
	}
}
