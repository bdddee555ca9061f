package reactions

import (
	"fmt"
	"strings"
	"time"

	"github.com/preservecheck/preservecheck/record"
)

// jobName is whom the line of the product speaks of.
const jobName = "one job"

// cost is what a job of a worker costs: each of its attempts goes through an SDK, and each request of that through the layer.
type cost struct {
	worker, sdk, layer int
	took               time.Duration // until the worker stops
	tells              string
}

func (c cost) requests() int { return c.worker * c.sdk * c.layer }

func (c cost) String() string {
	factors := []string{fmt.Sprintf("worker %d", c.worker), fmt.Sprintf("SDK %d", c.sdk)}
	if c.layer > 1 {
		factors = append(factors, fmt.Sprintf("layer %d", c.layer))
	}
	return fmt.Sprintf("%d (%s)", c.requests(), strings.Join(factors, " × "))
}

// oneJob multiplies out what the worker, an SDK and the layer send for one job, nil where that does not grow and nobody is told
// later. hits under 1 are taken as 1: what a layer answers by itself costs the upstream nothing.
func oneJob(clients []*Client, direct, through View, hits int, e end) *record.Consequence {
	var worker *Client
	for _, c := range clients {
		if c.Kind == Worker {
			worker = c
		}
	}
	if worker == nil {
		return nil
	}
	before, ok := costs(worker, clients, direct, 1)
	after, ok2 := costs(worker, clients, through, max(1, hits))
	if !ok || !ok2 {
		return nil
	}
	later := tellsSomebody(before.tells) && tellsSomebody(after.tells) && after.took-before.took >= time.Minute
	if after.requests() <= before.requests() && !later {
		return nil
	}
	out := &record.Consequence{Who: jobName, Clients: []string{worker.Name}, Direct: before.record(), Through: after.record()}
	if after.requests() > before.requests() {
		out.Text = "requests " + before.String() + " → " + after.String()
		if e.never {
			out.Text += ", of which none can succeed"
		}
	}
	if later {
		if out.Text != "" {
			out.Text += "; "
		}
		out.Text += "somebody is told after " + spell(after.took) + " instead of " + spell(before.took)
	}
	return out
}

func tellsSomebody(tells string) bool { return tells != "" && tells != "none" }

func (c cost) record() record.Reaction {
	r := record.Reaction{Requests: c.requests(), WaitMS: ms(c.took), Tells: c.tells}
	if tellsSomebody(c.tells) {
		took := ms(c.took)
		r.ToldAfterMS = &took
	}
	return r
}

// costs takes the SDK that sends most; it is the one below a worker of the kind that knows no better.
func costs(worker *Client, clients []*Client, v View, layer int) (c cost, ok bool) {
	w, known := Of(worker, v)
	if !known {
		return cost{}, false
	}
	var wait time.Duration
	for _, s := range clients {
		if s.Kind != SDK || s.Group == s.Title || !s.Speaks(v.dialect.Name) {
			continue
		}
		if r, known := Of(s, v); known && r.Requests > c.sdk {
			c.sdk, wait = r.Requests, r.Wait()
		}
	}
	if c.sdk == 0 {
		return cost{}, false
	}
	c.worker, c.layer, c.tells = w.Requests, layer, w.Tells
	const most = 10_000 * time.Hour // so that sums of waits till a far date are no negative times
	c.took = min(w.Wait(), most) + time.Duration(w.Requests)*min(wait, most)
	return c, true
}
