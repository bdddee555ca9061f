package controls

import (
	"slices"
	"testing"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/wire"
)

// The tests beside this file try single parts of the proof on answers that are written down there, where the tests over the
// whole matrix need seconds to notice that such a part is wrong, and can't say which.

// answer is one with a body, its headers given as names and values in turn.
func answer(status int, body string, header ...string) *wire.Answer {
	a := &wire.Answer{Proto: "HTTP/1.1", Status: status, Body: []byte(body), Framing: wire.FramingLength, End: wire.EndComplete}
	for i := 0; i < len(header); i += 2 {
		addHeader(a, header[i], header[i+1])
	}
	return a
}

const (
	jsonType   = "application/json"
	eventsType = "text/event-stream"
)

func jsonError(status int, body string) *wire.Answer {
	return answer(status, body, "content-type", jsonType)
}

func events(body string) *wire.Answer { return answer(200, body, "content-type", eventsType) }

// made is a row with such an answer instead of a fixture's.
func made(a *wire.Answer, d *dialects.Dialect) subject {
	mode := fixture.Plain
	if isEventStream(a) {
		mode = fixture.Stream
	}
	row := check.Row{Fixture: &fixture.Fixture{Name: "made"}, Mode: mode, Dialect: d}
	return subject{row: row, expected: a, seen: Seen{Evidence: evidence.Of(a, d.Layout, fixture.NoID), Stream: mode == fixture.Stream}}
}

// bare is a proof without rows, for made ones.
func bare(faults ...*Fault) *prover {
	in := Input{Matrix: &fixture.Matrix{}, Rules: compare.Rules{Profile: compare.ProfileByName("full"), MaxLayerRetries: -1}}
	return newProver(in, faults)
}

// exactOn wants a fault to declare just these sights of an answer, and to show just what it declares.
func exactOn(t *testing.T, why string, f *Fault, a *wire.Answer, d *dialects.Dialect, sights ...string) {
	t.Helper()
	s, p := made(a, d), bare(f)
	slices.Sort(sights)
	if declared := had(f, s.seen); !slices.Equal(declared, sights) {
		t.Errorf("%s: %s declares %q, want %q", why, f.Name, declared, sights)
	}
	p.pair(f, &s)
	for _, m := range p.missed {
		t.Errorf("%s: %s", why, m)
	}
}
