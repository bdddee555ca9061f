package compare

import (
	"runtime"
	"testing"

	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/fixture"
)

// heap is what is in use after everything that can go has gone.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what a pool held goes with the second
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// compared reads and judges answers to one row so many times, as a run does it for each: every second one lacks its details.
// It returns by how much the heap has grown.
func compared(t testing.TB, n int) int64 {
	m, err := fixture.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	f := m.Get("tier_cap")
	same, other := f.Expected(fixture.NoID, false), f.Expected(fixture.NoID, false)
	other.Body = []byte(`{"type":"error","error":{"type":"rate_limit_error","message":"You have reached your API usage limits: fixture"}}`)
	o := Observed{Fixture: f, Mode: fixture.Plain, Dialect: dialects.Anthropic, Expected: evidence.Of(same, dialects.Anthropic.Layout, fixture.NoID), Hits: 1, Provenance: OwnHit}
	o.Direct = o.Expected
	r := rules("full")
	start := int64(0)
	for i := range n {
		if i == n/100 { // what is made once has been made
			start = heap()
		}
		o.Answer = same
		want := Preserved
		if i%2 == 1 {
			o.Answer, want = other, Reclassified
		}
		if j := judge(o, r); j.Verdict != want {
			t.Fatalf("comparison %d: %s", i, j.Verdict)
		}
	}
	return heap() - start
}

const mayGrow = 64 << 10 // bytes: less than a tenth of a byte a comparison

func TestComparisonsKeepNothing(t *testing.T) {
	if grown := compared(t, 20_000); grown > mayGrow {
		t.Errorf("20,000 comparisons left %d bytes", grown)
	}
}

// BenchmarkMillion makes a million comparisons for each N and fails when they leave something behind:
// go test -run='^$' -bench=Million -benchtime=1x ./compare
func BenchmarkMillion(b *testing.B) {
	for b.Loop() {
		grown := compared(b, 1_000_000)
		if grown > mayGrow {
			b.Fatalf("a million comparisons left %d bytes", grown)
		}
		b.ReportMetric(float64(grown), "bytes-left")
	}
}
