package attempts

import (
	"fmt"

	"github.com/preservecheck/preservecheck/record"
)

// worst is the order of how surely parts were told; a job is told as its least sure call.
var worst = []string{record.ToldNot, record.ToldInferred, record.ToldHeader, record.ToldCounted, record.ToldBoth, record.ToldDirect}

// settle adds the calls of a job up. direct is the same job without the layer, nil where there is none.
func settle(j *record.AttemptsJob, direct *record.AttemptsJob) {
	through := j.Way == Through
	j.Worker = len(j.Calls)
	all := make([]parts, len(j.Calls))
	at := len(worst) - 1
	for i := range j.Calls {
		var d *record.AttemptsCall
		if direct != nil && i < len(direct.Calls) {
			d = &direct.Calls[i]
		}
		all[i] = count(&j.Calls[i], through, d)
		j.Hits += j.Calls[i].Hits
		for n, told := range worst {
			if told == all[i].told {
				at = min(at, n)
			}
		}
	}
	if j.Told = worst[at]; j.Failed != "" {
		j.Told = record.ToldNot
	}
	if j.Told == record.ToldNot {
		j.Costs = untold(j)
		return
	}
	sdk, own := 0, 0
	for _, p := range all {
		sdk, own = sdk+p.sdk, own+p.own
	}
	j.SDK = &sdk
	if through {
		j.Layer, j.Own = &j.Hits, &own
	}
	j.Costs = costs(j, all, through)
}

// took is how long it takes until the worker stops: the times between hits, the worker's waits, and those that the client noted
// instead of waiting (skipped). It is nil where a wait is not known, as of an SDK's own backoff that was skipped.
func took(calls []record.AttemptsCall, skipped bool) *float64 {
	sum := 0.0
	for _, c := range calls {
		sum += c.WorkerWait
		for _, gap := range c.GapsMS {
			sum += gap
		}
		if !skipped {
			continue
		}
		for _, wait := range c.WaitsMS {
			if wait == nil {
				return nil
			}
			sum += *wait
		}
	}
	return &sum
}

func untold(j *record.AttemptsJob) string {
	if j.Failed != "" {
		return "could not tell: " + j.Failed
	}
	if j.Way == Direct {
		return "could not tell: " + differ(j)
	}
	return fmt.Sprintf("one job = %s; whose they are could not be told", requests(j.Hits))
}

// differ says what client and stub counted, each.
func differ(j *record.AttemptsJob) string {
	counted := 0
	for _, c := range j.Calls {
		if c.Requests == nil {
			return requests(j.Hits) + " at the stub for " + someCalls(j.Worker)
		}
		counted += *c.Requests
	}
	return fmt.Sprintf("%s at the stub, and the client counted %d", requests(j.Hits), counted)
}

func someCalls(n int) string {
	if n == 1 {
		return "1 call"
	}
	return fmt.Sprintf("%d calls", n)
}

// costs says what a job came to. It is a product where every call and every request went the same way, and a sum otherwise.
func costs(j *record.AttemptsJob, all []parts, through bool) string {
	s := fmt.Sprintf("one job = %s: worker %d", requests(j.Hits), j.Worker)
	calls := " calls"
	if j.Worker == 1 {
		calls = " call"
	}
	same, even := true, true
	for _, p := range all {
		same = same && p.sdk == all[0].sdk && p.layer == all[0].layer
		even = even && p.sdk > 0 && p.layer%p.sdk == 0
	}
	switch {
	case !through && same:
		return s + fmt.Sprintf(" × SDK %d", all[0].sdk)
	case !through:
		return s + fmt.Sprintf("%s, SDK %d", calls, *j.SDK)
	case same && even && *j.Own == 0:
		return s + fmt.Sprintf(" × SDK %d × layer %d", all[0].sdk, all[0].layer/all[0].sdk)
	case *j.Own > 0:
		return s + fmt.Sprintf("%s, SDK %d, of which %d did not reach the stub", calls, *j.SDK, *j.Own)
	}
	return s + fmt.Sprintf("%s, SDK %d, layer %d", calls, *j.SDK, *j.Layer)
}

func requests(n int) string {
	if n == 1 {
		return "1 request"
	}
	return fmt.Sprintf("%d requests", n)
}
