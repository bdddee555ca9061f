package reactions

import (
	"strings"
	"testing"
	"time"
)

// TestTold has a word for every change of who is told, and none where it is the same.
func TestTold(t *testing.T) {
	all := []string{"", "none", "ticket", "owner", "page"}
	seen := map[string]bool{}
	for _, d := range all {
		for _, th := range all {
			got := told(Reaction{Tells: d}, Reaction{Tells: th})
			if want := d != th && d != "" && th != ""; want != strings.HasPrefix(got, "; ") {
				t.Errorf("%q → %q: %q", d, th, got)
			}
			if got != "" && seen[got] && th != "page" && th != "owner" {
				t.Errorf("%q → %q: %q was said of another change", d, th, got)
			}
			seen[got] = true
		}
	}
}

func TestSpell(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 s", 560 * time.Millisecond: "0.6 s", time.Second: "1 s", 61 * time.Second: "61 s", 2 * time.Minute: "120 s", 179 * time.Second: "3 min",
		time.Hour: "60 min", 26 * time.Hour: "26 h", 80 * time.Hour: "3 days", 29 * 365 * 24 * time.Hour: "10585 days",
	} {
		if got := spell(d); got != want {
			t.Errorf("%s: %q, want %q", d, got, want)
		}
	}
}
