package classify

import (
	"strings"
	"testing"
)

func TestEveryClassHasAWholeAction(t *testing.T) {
	retries := map[Retry]bool{RetryNever: true, RetryAfterWait: true, RetryBounded: true}
	alerts := map[Alert]bool{AlertNone: true, AlertTicket: true, AlertOwner: true, AlertPage: true}
	if len(All()) != 27 {
		t.Errorf("got %d classes, want 27", len(All()))
	}
	scopes := map[Scope]bool{ScopeRequest: true, ScopeModel: true, ScopeProvider: true, ScopeAccount: true, ScopeUnknown: true}
	seen, nouns := map[Class]bool{}, map[string]bool{}
	for _, c := range All() {
		d := find(c)
		a := ActionOf(c)
		switch {
		case seen[c]:
			t.Errorf("%s is listed twice", c)
		case nouns[d.noun]:
			t.Errorf("%s: noun %q is taken, so a consequence could say that a thing looks like itself", c, d.noun)
		case !retries[a.Retry] || !alerts[a.Alert] || !scopes[a.Scope] || a.Outcome == "":
			t.Errorf("%s: action %+v is not whole", c, a)
		case d.noun == "" || d.does == "" || d.worker == "" || strings.HasSuffix(d.worker, "."):
			t.Errorf("%s: words %+v are not whole", c, d)
		case (d.does == "retried") != (a.Retry != RetryNever):
			t.Errorf("%s: the job is %q but retry is %s", c, d.does, a.Retry)
		case (d.does == "retried" || d.success) != (d.how != ""):
			t.Errorf("%s: says how (%q) without a retry or a success, or the reverse", c, d.how)
		case d.success != (d.does == "taken as done") || d.success != Success(c) || d.success != strings.HasPrefix(string(c), "ok"):
			t.Errorf("%s: is it a success or not?", c)
		case !Known(c):
			t.Errorf("%s is not known", c)
		}
		seen[c], nouns[d.noun] = true, true
	}
	if Known("tier_cap") || Known("") {
		t.Error("a fixture name or an empty name is known as a class")
	}
	if got := ActionOf("no such class"); got != ActionOf(Other) {
		t.Errorf("an unknown class has the action %+v", got)
	}
}

func TestPolicyOfTheArticle(t *testing.T) {
	// class: (retry?, outcome when stopped), as the article's POLICY table has it.
	for c, want := range map[Class]struct {
		retry   bool
		outcome string
	}{
		TierSpendCap:   {false, "pause_and_page"},
		UserSpendLimit: {false, "pause_and_page_limit_owner"},
		InvalidRequest: {false, "fail_job"},
		RateLimit:      {true, "hold_with_delay"},
		RampLimit:      {true, "hold_and_slow_down"},
		Unknown429:     {true, "hold_and_investigate"},
		Other:          {false, "investigate"},
	} {
		a := ActionOf(c)
		if (a.Retry != RetryNever) != want.retry || a.Outcome != want.outcome {
			t.Errorf("%s: got %+v, want %+v", c, a, want)
		}
	}
}

func TestConsequenceReadsWellForEveryPair(t *testing.T) {
	for _, from := range All() {
		for _, to := range All() {
			s := Consequence(from, to)
			t.Logf("%s → %s: %s", from, to, s)
			if (s == "") != (from == to) {
				t.Errorf("%s → %s: %q", from, to, s)
				continue
			}
			if strings.HasSuffix(s, ".") || strings.Contains(s, "  ") {
				t.Errorf("%s → %s: bad ending or spacing in %q", from, to, s)
			}
			a, b, found := strings.Cut(s, " instead of ")
			b, _, _ = strings.Cut(b, ", ")
			if found && (strings.HasSuffix(a, " "+b) || b == "") {
				t.Errorf("%s → %s: something instead of itself in %q", from, to, s)
			}
		}
	}
}

func TestConsequence(t *testing.T) {
	for _, c := range []struct {
		from, to  Class
		want, why string
	}{
		{
			TierSpendCap, RateLimit,
			"a spend cap now looks like a rate limit: the job is retried instead of paused, and nobody is alerted",
			"the harm that the source article is about",
		},
		{
			RateLimit, TierSpendCap,
			"a rate limit now looks like a spend cap: the job is paused instead of retried, and somebody is paged for nothing",
			"the reverse wakes a person",
		},
		{
			RateLimit, RampLimit,
			"a rate limit now looks like a ramp limit: the job is retried at a lower pace instead of after the stated wait",
			"two retries differ in how",
		},
		{
			TierSpendCap, Auth,
			"a spend cap now looks like a rejected key: a worker does the same, but the alert names the wrong cause",
			"same action, wrong alert",
		},
		{
			ServerError, Overloaded,
			"a server error now looks like an overloaded provider: a worker does the same, but the log names the wrong cause",
			"same action, nobody alerted",
		},
		{
			InvalidRequest, NotFound,
			"an invalid request now looks like a missing model: the job fares the same, but the model is blamed instead of the request",
			"only the scope differs",
		},
		{
			OKClamp, OK,
			"a success near its limit now looks like a success: the job is taken as done with no headroom to pace by instead of at a clamped pace",
			"lost rate-limit headers blind a throttle",
		},
		{
			UserSpendLimit, TierSpendCap,
			"a self-set spend limit now looks like a spend cap: somebody is paged where the limit's owner should be alerted",
			"only the alert differs",
		},
	} {
		if got := Consequence(c.from, c.to); got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", c.why, got, c.want)
		}
	}
}

func TestMoreHits(t *testing.T) {
	for _, c := range []struct {
		class Class
		hits  int
		want  string
		why   string
	}{
		{TierSpendCap, 3, "the layer sent a spend cap 3 times", "the sentence of the report"},
		{TierSpendCap, 1, "", "one hit is what was wanted"},
		{TierSpendCap, 0, "", "no hit is another verdict"},
		{OK, 2, "the layer sent the request 2 times", "a success is not a thing that is sent"},
		{OKClamp, 2, "the layer sent the request 2 times", "nor is any other success"},
	} {
		if got := MoreHits(c.class, c.hits); got != c.want {
			t.Errorf("%s: got %q, want %q", c.why, got, c.want)
		}
	}
}
