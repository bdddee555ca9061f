package check

import (
	"net/textproto"
	"strings"

	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/wire"
)

// The values of request/ keys. What was sent is never told, only whether it arrived as it was.
const (
	asSent    = "as sent"
	different = "different"
)

// Marks are keyed hashes of the watched parts of a request, in the dialect's order; "" for a part that is not there.
func Marks(d *dialects.Dialect, r wire.Request, hash func([]byte) string) []string {
	_, query, _ := strings.Cut(r.Target, "?")
	return d.Marks(dialects.Arrived{Header: valuesOf(r), Query: query, Body: r.Body}, hash)
}

func valuesOf(r wire.Request) func(string) []string {
	return func(name string) (vs []string) {
		for _, f := range r.Header {
			if textproto.CanonicalMIMEHeaderKey(f.Name) == textproto.CanonicalMIMEHeaderKey(name) {
				vs = append(vs, strings.TrimSpace(f.Value))
			}
		}
		return vs
	}
}

// AppendRequest adds to the evidence of an answer what became of the request: of several arrivals, the first that differs.
func AppendRequest(e evidence.Evidence, d *dialects.Dialect, sent []string, arrived ...[]string) evidence.Evidence {
	for i, mark := range sent {
		v := evidence.Value{Kind: evidence.Text, Text: asSent}
		for _, a := range arrived {
			got := ""
			if i < len(a) {
				got = a[i]
			}
			if got == mark {
				continue
			}
			if v.Text = different; got == "" {
				v = evidence.Value{}
			}
			break
		}
		if v.Kind != evidence.Absent && mark != "" {
			e = append(e, evidence.Entry{Key: d.Watched[i].Key, Value: v})
		}
	}
	return e
}

// marksOf are what the stub noted of hits. Where none came there is nothing to compare: the verdict says so.
func marksOf(hits []ledger.Hit) (all [][]string) {
	for _, h := range hits {
		all = append(all, h.Marks)
	}
	return all
}

// watching reports whether this run sends and watches what the profile asks of requests.
func (r *runner) watching(d *dialects.Dialect) bool {
	return r.c.Rules.Profile.Watches() && d.Probe != nil
}

// probed adds to a request what is watched, and notes what was sent.
func (r *runner) probed(p *probe, q wire.Request) wire.Request {
	d := p.lane.dialect
	if !r.watching(d) {
		return q
	}
	q = d.Probe(q)
	p.sent = Marks(d, q, r.c.Hits.Hash)
	return q
}

// Expect adds to the evidence that is expected of an answer that all watched parts of the request arrived as sent.
func Expect(e evidence.Evidence, d *dialects.Dialect) evidence.Evidence {
	for _, w := range d.Watched {
		e = append(e, evidence.Entry{Key: w.Key, Value: evidence.Value{Kind: evidence.Text, Text: asSent}})
	}
	return e
}
