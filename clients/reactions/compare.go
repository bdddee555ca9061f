package reactions

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/record"
)

// change is what becomes of one client's reaction.
type change struct {
	client          *Client
	direct, through Reaction
	text            string
	weight          int // worst first
}

// The weights of a change, by what is lost.
const (
	weighsLittle   = iota // another wait, or another pace
	weighsFewer           // fewer requests
	weighsRequests        // more requests
	weighsRecovery        // fails where it recovered
	weighsOutcome         // another outcome of the job
	weighsTold            // fewer are told
	weighsSuccess         // a failure is taken for a success
)

// Compare says what changes for whom when clients get an answer as it comes through a layer instead of as it was served, worst first;
// hits is how often the layer asked its upstream for one request of a client. Clients for which nothing changes are not named, and
// neither are those of which the data does not know what they do.
//
// No text of either answer is in the lines: only numbers, and words of ours.
func Compare(clients []*Client, direct, through View, hits int) []record.Consequence {
	var changes []change
	end := endOf(direct)
	for _, c := range clients {
		if !c.Speaks(direct.dialect.Name) {
			continue
		}
		d, known := Of(c, direct)
		t, known2 := Of(c, through)
		if !known || !known2 || d.equal(t) {
			continue
		}
		ch := change{client: c, direct: d, through: t, weight: weigh(d, t, end)}
		ch.text = sentence(d, t, end)
		if why := cause(c, direct, through, t); why != "" {
			ch.text += " (" + why + ")"
		}
		ch.text += told(d, t)
		changes = append(changes, ch)
	}
	slices.SortStableFunc(changes, func(a, b change) int { return b.weight - a.weight })
	out := joined(changes, clients, direct.dialect.Name)
	if job := oneJob(clients, direct, through, hits, end); job != nil {
		worse := 0 // lines that weigh as much or more
		for _, ch := range changes {
			if ch.weight >= weighsRequests {
				worse = 1 + slices.IndexFunc(out, func(c record.Consequence) bool { return slices.Contains(c.Clients, ch.client.Name) })
			}
		}
		out = slices.Insert(out, worse, *job)
	}
	return out
}

// joined makes a line of all clients whose change reads the same.
func joined(changes []change, clients []*Client, dialect string) (out []record.Consequence) {
	lines := map[string][]change{}
	var order []string
	for _, ch := range changes {
		if lines[ch.text] == nil {
			order = append(order, ch.text)
		}
		lines[ch.text] = append(lines[ch.text], ch)
	}
	for _, text := range order {
		same := lines[text]
		c := record.Consequence{Who: who(same, clients, dialect), Text: text, Direct: same[0].direct.record(), Through: same[0].through.record(), Minor: same[0].weight == weighsLittle}
		for _, ch := range same {
			c.Clients = append(c.Clients, ch.client.Name)
		}
		out = append(out, c)
	}
	return out
}

// who names clients: a group whose asked members are all there by its name, others one by one.
func who(same []change, clients []*Client, dialect string) string {
	size := map[string]int{}
	for _, c := range clients {
		if c.Speaks(dialect) {
			size[c.Group]++
		}
	}
	in := map[string]int{}
	for _, ch := range same {
		in[ch.client.Group]++
	}
	var names []string
	for _, ch := range same {
		name := ch.client.Title
		if g := ch.client.Group; in[g] == size[g] && in[g] > 1 {
			name = g
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

func (r Reaction) record() record.Reaction {
	return record.Reaction{
		Requests: r.Requests, WaitMS: ms(r.Wait()), PauseMS: ms(r.Pause), Done: r.Done, Outcome: r.Words, Tells: r.Tells,
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// end is when the failure behind an answer ends: by its class, and by the wait that it states.
type end struct {
	never bool
	after time.Duration // 0: nothing says when
}

// stating reads a wait as its standard has it (RFC 9110 section 10.2.3).
var stating = Client{reads: []reading{{header: retryAfter, forms: []string{"whole", "date"}, zero: onNext, negative: onNext, past: onNext, twice: "first"}}}

func endOf(v View) end {
	if classify.ActionOf(v.class()).Retry == classify.RetryNever {
		return end{never: true}
	}
	d, _ := stating.stated(v)
	return end{after: d}
}

// recovers is how long a client waits until it gets through, and how many requests that takes.
func (r Reaction) recovers(e end) (after time.Duration, requests int, ok bool) {
	if e.never || e.after == 0 || r.Done {
		return 0, 0, false
	}
	for i, w := range r.Waits {
		if after += w; after >= e.after {
			return after, i + 2, true
		}
	}
	return 0, 0, false
}

func weigh(d, t Reaction, e end) int {
	_, _, before := d.recovers(e)
	_, _, after := t.recovers(e)
	switch {
	case t.Done && !d.Done:
		return weighsSuccess
	case alerts[t.Tells] < alerts[d.Tells]:
		return weighsTold
	case d.Words != t.Words && (d.Pause == 0 && t.Pause == 0):
		return weighsOutcome
	case before && !after:
		return weighsRecovery
	case t.Requests > d.Requests:
		return weighsRequests
	}
	return cmp.Compare(d.Requests, t.Requests) // fewer requests weigh more than other waits
}

var alerts = map[string]int{"": 0, "none": 0, "ticket": 1, "owner": 2, "page": 2}
