package nearest

import (
	"slices"
	"testing"
)

func TestNearest(t *testing.T) {
	known := []string{"tier_cap", "rate_limit", "ramp_limit", "user_limit_400", "text", "json", "lima", "limb", "limc"}
	cases := []struct {
		why, name string
		want      []string
	}{
		{"two letters swapped", "teir_cap", []string{"tier_cap"}},
		{"one that is nearer than all others", "rate_limt", []string{"rate_limit"}},
		{"one of two that are alike, the nearer first", "rate", []string{"rate_limit"}},
		{"two that are as near", "ra_limit", []string{"rate_limit", "ramp_limit"}},
		{"not more than two", "lim", []string{"lima", "limb"}},
		{"case does not matter", "JSON", []string{"json"}},
		{"a part of a name", "user_limit", []string{"user_limit_400"}},
		{"nothing alike", "xylophone", nil},
		{"nothing at all", "", nil},
	}
	for _, c := range cases {
		if got := Names(c.name, known); !slices.Equal(got, c.want) {
			t.Errorf("%s: Names(%q) = %q, want %q", c.why, c.name, got, c.want)
		}
	}
}

func TestDistance(t *testing.T) {
	cases := []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "ab", 1}, {"abc", "xabc", 1}, {"abc", "xyz", 3}}
	for _, c := range cases {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
