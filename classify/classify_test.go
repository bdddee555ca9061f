package classify

import (
	"slices"
	"testing"
)

func text(s string) Fact { return Fact{State: Text, Text: s} }

// Each case changes one thing about a fact that fits, so each condition of a rule is seen to count.
func TestRuleConditions(t *testing.T) {
	fits := Facts{Status: 429, HasError: true, Type: text("t"), Code: text("c"), Limit: text("l"), Message: text("hello you"), RetryAfter: text("1")}
	change := func(f func(*Facts)) Facts { g := fits; f(&g); return g }
	for _, c := range []struct {
		rule Rule
		f    Facts
		want bool
		why  string
	}{
		{Rule{}, Facts{}, true, "an empty rule fits everything, or rules could not be total"},
		{Rule{}, Facts{Truncated: true, InStream: true}, true, "an empty rule fits a broken-off stream, too"},
		{Rule{Status: []int{400, 429}}, fits, true, "one of the statuses"},
		{Rule{Status: []int{400}}, fits, false, "none of the statuses"},
		{Rule{Success: true}, Facts{Status: 204}, true, "any 2xx is a success"},
		{Rule{Success: true}, Facts{Status: 200}, true, "from the first"},
		{Rule{Success: true}, Facts{Status: 299}, true, "to the last"},
		{Rule{Success: true}, Facts{Status: 199}, false, "an interim answer is no success"},
		{Rule{Success: true}, Facts{Status: 300}, false, "a redirect is no success"},
		{Rule{Success: true}, Facts{Status: 200, InStream: true}, false, "an error event after a 200 is no success"},
		{Rule{NoError: true}, fits, false, "there is an error object"},
		{Rule{NoError: true}, Facts{Status: 200}, true, "there is none"},
		{Rule{HasError: true}, fits, true, "there is an error object"},
		{Rule{HasError: true}, Facts{Status: 502}, false, "a page is none"},
		{Rule{Type: []string{"t"}}, fits, true, "the type"},
		{Rule{Type: []string{"T"}}, fits, false, "types are not folded"},
		{Rule{Type: []string{"t"}}, change(func(f *Facts) { f.Type = Fact{Odd, "t"} }), false, "a list is not a type"},
		{Rule{Code: CodeMatch{OneOf: []string{"c"}}}, fits, true, "the code"},
		{Rule{Code: CodeMatch{OneOf: []string{"c"}}}, change(func(f *Facts) { f.Code = Fact{} }), false, "no code"},
		{Rule{Code: CodeMatch{Absent: true}}, fits, false, "a code where none may be"},
		{Rule{Code: CodeMatch{Absent: true}}, change(func(f *Facts) { f.Code = Fact{State: Odd} }), false, "an odd code is not an absent one"},
		{Rule{Code: CodeMatch{Absent: true}}, change(func(f *Facts) { f.Code = text("") }), false, "an empty code is not an absent one"},
		{Rule{Code: CodeMatch{Odd: true}}, change(func(f *Facts) { f.Code = Fact{Odd, "429"} }), true, "a code that is a number"},
		{Rule{Code: CodeMatch{Odd: true}}, fits, false, "a code that is a text is not odd"},
		{Rule{Code: CodeMatch{Odd: true}}, change(func(f *Facts) { f.Code = Fact{} }), false, "nor is no code"},
		{Rule{Limit: []string{"k", "l"}}, fits, true, "one of the limits"},
		{Rule{Limit: []string{"k"}}, fits, false, "another limit"},
		{Rule{Limit: []string{"k"}}, change(func(f *Facts) { f.Limit = Fact{} }), false, "no limit is named"},
		{Rule{MessagePrefix: []string{"x", "hello"}}, fits, true, "one of the prefixes"},
		{Rule{MessagePrefix: []string{"you"}}, fits, false, "inside is not at the start"},
		{Rule{RetryAfter: true}, fits, true, "retry-after is there"},
		{Rule{RetryAfter: true}, change(func(f *Facts) { f.RetryAfter = text(" \t") }), false, "a blank retry-after says nothing"},
		{Rule{RetryAfter: true}, change(func(f *Facts) { f.RetryAfter = Fact{} }), false, "no retry-after"},
		{Rule{Headroom: true}, Facts{Headroom: Headroom{Told: true}}, true, "a headroom of nothing is told"},
		{Rule{Headroom: true}, Facts{}, false, "none is told"},
		{Rule{HeadroomUnder: 0.1}, Facts{Headroom: Headroom{Told: true, Left: 0.09}}, true, "under the bound"},
		{Rule{HeadroomUnder: 0.1}, Facts{Headroom: Headroom{Told: true, Left: 0.1}}, false, "the bound itself is not under it"},
		{Rule{HeadroomUnder: 0.1}, Facts{}, false, "what is not told is not small"},
		{Rule{Truncated: true}, fits, false, "a whole answer"},
		{Rule{NoAnswer: true}, fits, false, "there is an answer"},
		{Rule{NoAnswer: true}, Facts{}, true, "there is none"},
	} {
		if got := Classify([]Rule{c.rule}, c.f) != nil; got != c.want {
			t.Errorf("%s: got %v, want %v", c.why, got, c.want)
		}
	}
}

func TestFirstRuleWins(t *testing.T) {
	rules := []Rule{{Class: RateLimit, Status: []int{429}}, {Class: Unknown429, Status: []int{429}}}
	if got := Classify(rules, Facts{Status: 429}); got != &rules[0] {
		t.Errorf("got %+v, want the first rule itself", got)
	}
	if got := Classify(rules, Facts{Status: 400}); got != nil {
		t.Errorf("got %+v for an answer that no rule fits", got)
	}
}

func TestReads(t *testing.T) {
	for _, c := range []struct {
		rule Rule
		want []Role
		why  string
	}{
		{Rule{}, nil, "a rule for everything reads nothing"},
		{Rule{Success: true}, []Role{Status}, "success is a status"},
		{Rule{NoAnswer: true}, []Role{Status}, "so is its absence"},
		{
			Rule{Status: []int{1}, Type: []string{"t"}, Code: CodeMatch{Absent: true}, Limit: []string{"l"}, MessagePrefix: []string{"m"}, RetryAfter: true},
			[]Role{Status, Type, Details, Code, Limit, Message, RetryAfter},
			"details that are no object make the code odd, so a rule about the code reads them",
		},
		{Rule{HeadroomUnder: 0.3}, []Role{HeadroomLeft}, "the bound alone reads it"},
		{Rule{Headroom: true}, []Role{HeadroomLeft}, "and so does being told"},
		{Rule{Code: CodeMatch{OneOf: []string{"c"}}}, []Role{Details, Code}, "a code by name"},
		{Rule{Code: CodeMatch{Odd: true}}, []Role{Details, Code}, "a code by its kind"},
	} {
		if got := c.rule.Reads(); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.why, got, c.want)
		}
	}
}
