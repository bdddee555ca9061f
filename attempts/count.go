package attempts

import (
	"slices"
	"strconv"
	"time"

	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/record"
)

// parts is who sent how many of the requests of one call.
type parts struct {
	sdk   int // by the client
	layer int // by the layer, which are the hits; 0 where there is none
	own   int // that the layer answered by itself
	told  string
}

// count tells a call's requests apart. direct is the same call without the layer, nil where that is not known.
//
// A client that counts itself is believed, unless the header tells of more requests than it knows. The header
// x-stainless-retry-count rises with each request of an SDK, and a layer that sends one again repeats its value; it can't
// tell of requests that the layer answered by itself. Without either, only the time between hits is left.
func count(c *record.AttemptsCall, through bool, direct *record.AttemptsCall) parts {
	p := parts{layer: c.Hits, told: record.ToldNot}
	if !through {
		p.sdk, p.layer, p.told = c.Hits, 0, record.ToldDirect
		if c.Hits == 0 || c.Requests != nil && *c.Requests != c.Hits {
			p.told = record.ToldNot // requests got lost, or others were taken for ours
		}
		return p
	}
	byHeader, known := byHeader(c, direct)
	switch {
	case c.Requests != nil && known && byHeader > *c.Requests:
	case c.Requests != nil && known && byHeader == *c.Requests:
		p.sdk, p.told = *c.Requests, record.ToldBoth
	case c.Requests != nil:
		p.sdk, p.told = *c.Requests, record.ToldCounted
	case known:
		p.sdk, p.told = byHeader, record.ToldHeader
	default:
		p.sdk, p.told = inferred(c, direct)
	}
	if p.told != record.ToldNot {
		p.own = max(0, p.sdk-c.Hits) // at the least
		if known {
			p.own = max(0, p.sdk-byHeader)
		}
	}
	return p
}

// byHeader counts a client's requests by x-stainless-retry-count. It is not known of a client whose header did not count its
// requests directly either: one that retries around an SDK sends 0 each time.
func byHeader(c, direct *record.AttemptsCall) (n int, known bool) {
	if direct != nil {
		if n, known := rising(direct.RetryCounts); !known || n != direct.Hits {
			return 0, false
		}
	}
	return rising(c.RetryCounts)
}

// rising counts the requests of an SDK by x-stainless-retry-count: how many values there are. It is not known where a hit has
// none, or one that is no number.
func rising(counts []string) (n int, known bool) {
	var seen []int
	for _, c := range counts {
		v, err := strconv.Atoi(c)
		if err != nil || v < 0 {
			return 0, false
		}
		if !slices.Contains(seen, v) {
			seen = append(seen, v)
		}
	}
	return len(seen), len(seen) > 0
}

// atOnce is a gap that no client's own wait is as short as: those measured begin at 375 ms, half a second less its jitter.
const atOnce = 100 // milliseconds

// inferred tells by the gaps between hits, and only where that agrees with what the client did directly: a layer that waits as
// a client would can't be told from one.
func inferred(c, direct *record.AttemptsCall) (sdk int, told string) {
	if direct == nil || c.Hits == 0 || direct.Hits == 0 {
		return 0, record.ToldNot
	}
	shortest := float64(atOnce) / 0.6
	for i, gap := range direct.GapsMS {
		if i == 0 || gap < shortest {
			shortest = gap
		}
	}
	groups := 1
	for _, gap := range c.GapsMS {
		if gap >= 0.6*shortest {
			groups++
		}
	}
	if groups != direct.Hits {
		return 0, record.ToldNot
	}
	return groups, record.ToldInferred
}

// hitsOf fills in what the stub saw of a call.
func hitsOf(c *record.AttemptsCall, hits []ledger.Hit) {
	c.Hits = len(hits)
	for i, h := range hits {
		c.RetryCounts = append(c.RetryCounts, h.RetryCount)
		if i > 0 {
			c.GapsMS = append(c.GapsMS, milliseconds(h.At.Sub(hits[i-1].At)))
		}
	}
	if !slices.ContainsFunc(c.RetryCounts, func(s string) bool { return s != "" }) {
		c.RetryCounts = nil
	}
}

func milliseconds(d time.Duration) float64 {
	return float64(d.Round(time.Microsecond).Microseconds()) / 1000
}
