package reactions

import (
	"fmt"
	"strconv"
	"time"
)

// sentence is a change in a few words, "waited 1 s and recovered → fails at once".
func sentence(d, t Reaction, e end) string {
	_, _, before := d.recovers(e)
	_, _, after := t.recovers(e)
	plain := d.Words == "" && t.Words == "" && !d.Done && !t.Done && !before && !after
	switch {
	case plain && d.Requests != t.Requests:
		return requests(d.Requests) + during(d) + " → " + strconv.Itoa(t.Requests) + during(t)
	case plain:
		return "waits " + first(d) + " → " + first(t)
	case d.Words != "" && d.Words == t.Words && d.Requests == t.Requests:
		return d.Words + ": waits " + first(d) + " → " + first(t)
	case d.Words != "" && d.Words == t.Words: // a policy that sends more or fewer, or waits longer
		return fmt.Sprintf("%s: %s%s → %d%s", d.Words, requests(d.Requests), during(d), t.Requests, during(t))
	}
	return past(d, e) + " → " + present(t, e)
}

func past(r Reaction, e end) string {
	after, n, ok := r.recovers(e)
	switch {
	case r.Words != "":
		return r.Words
	case r.Done:
		return "took it for a success"
	case ok:
		return "waited " + spell(after) + " and recovered" + try(n)
	case r.Requests == 1:
		return "failed at once"
	}
	return "failed after " + requests(r.Requests) + during(r)
}

func present(r Reaction, e end) string {
	after, n, ok := r.recovers(e)
	switch {
	case r.Words != "":
		return r.Words
	case r.Done:
		return "takes it for a success"
	case ok:
		return "waits " + spell(after) + " and recovers" + try(n)
	case r.Requests == 1:
		return "fails at once"
	}
	return "fails after " + requests(r.Requests) + during(r)
}

// try names the request that got through, where it was not the second.
func try(n int) string {
	if n == 2 {
		return ""
	}
	return fmt.Sprintf(" with request %d", n)
}

func requests(n int) string {
	if n == 1 {
		return "1 request"
	}
	return strconv.Itoa(n) + " requests"
}

// during says how long it takes, where somebody would notice.
func during(r Reaction) string {
	if w := r.Wait(); w >= 10*time.Second {
		return " over " + spell(w)
	}
	return ""
}

// first is what a client waits, as far as one number says it.
func first(r Reaction) string {
	if len(r.Waits) == 0 {
		return "not at all"
	}
	if len(r.Waits) > 1 && r.Waits[0] != r.Waits[1] {
		return spell(r.Waits[0]) + ", then longer"
	}
	return spell(r.Waits[0])
}

// spell is a time in words.
func spell(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < 10*time.Second:
		return strconv.FormatFloat(float64(d.Round(100*time.Millisecond))/float64(time.Second), 'f', -1, 64) + " s"
	case d <= 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 2*day:
		return fmt.Sprintf("%.0f h", d.Hours())
	}
	return fmt.Sprintf("%d days", d/day)
}

// told says who hears of it now, "" where that is the same.
func told(d, t Reaction) string {
	switch {
	case d.Tells == t.Tells || d.Tells == "" || t.Tells == "":
		return ""
	case t.Tells == "none":
		return map[string]string{"page": "; nobody is paged", "owner": "; the limit's owner is not told", "ticket": "; no ticket is opened"}[d.Tells]
	case t.Tells == "ticket" && d.Tells != "none":
		return map[string]string{"page": "; a ticket, and nobody is paged", "owner": "; a ticket, and the limit's owner is not told"}[d.Tells]
	case d.Tells == "none":
		return map[string]string{"page": "; somebody is paged for nothing", "owner": "; a limit's owner is told for nothing", "ticket": "; a ticket for nothing"}[t.Tells]
	}
	return map[string]string{"page": "; somebody is paged instead", "owner": "; a limit's owner is told instead"}[t.Tells]
}
