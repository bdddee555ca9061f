package check

import (
	"bytes"
	"compress/gzip"
	"context"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/wire"
)

func (book) Issue(ledger.Tag) {}

// another is the id of another request's hit.
const another = "00000000000000aa"

func (book) ByID(id string) (ledger.Hit, bool) { return ledger.Hit{ID: id}, id == another }

// answers is a way that always gives the same answer and keeps the last request.
type answers struct {
	a    *wire.Answer
	last wire.Request
}

func (w *answers) Do(_ context.Context, r wire.Request) *wire.Answer {
	w.last = r
	return w.a.Clone()
}

// TestDirectAsksAsTheClientDoes: what is fetched directly is held against what came through, so both are asked for alike.
func TestDirectAsksAsTheClientDoes(t *testing.T) {
	for mode, want := range map[fixture.Mode]bool{fixture.Plain: false, fixture.Stream: true} {
		r, row := tierCap(t)
		w := &answers{a: &wire.Answer{Status: 429}}
		r.ctx, r.c.Direct, r.c.Hits, r.c.Timeout, r.c.Rules.Profile = t.Context(), w, book{}, time.Second, compare.ProfileByName("core")
		r.direct(t.Context(), row.Fixture.Name, lane{dialect: dialects.Anthropic, mode: mode})
		if got := dialects.Anthropic.Stream(w.last.Body); got != want || !bytes.Contains(w.last.Body, []byte("fixture=tier_cap ")) {
			t.Errorf("%s: %s", mode, w.last.Body)
		}
	}
}

// TestAnAnswerThatIsTooLargeIsCut: it is broken in any case, and thousands of it must not fill the memory.
func TestAnAnswerThatIsTooLargeIsCut(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		why  string
		ctx  context.Context // the run's
		end  wire.End
		want int
		as   wire.End
	}{
		{"too large", t.Context(), wire.EndTooLarge, keepOfHuge, wire.EndTooLarge},
		{"as large as a client reads", t.Context(), wire.EndComplete, keepOfHuge + 9, wire.EndComplete},
		{"cut by the end of the run, which is nobody's fault", ended, wire.EndShort, keepOfHuge + 9, wire.EndCanceled},
		{"whole at the end of the run", ended, wire.EndComplete, keepOfHuge + 9, wire.EndComplete},
	} {
		r := &runner{ctx: c.ctx}
		a := r.do(t.Context(), &answers{a: &wire.Answer{Status: 200, End: c.end, Body: make([]byte, keepOfHuge+9)}}, wire.Request{}, time.Second)
		if len(a.Body) != c.want || a.End != c.as {
			t.Errorf("%s: %d bytes, %s", c.why, len(a.Body), a.End)
		}
	}
}

// TestIdsIn: an id is looked for where a client would read it, and where a label lies about the body in the bytes as they are.
func TestIdsIn(t *testing.T) {
	const own = "00000000000000bb"
	packed := func(text string) []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write([]byte(text))
		w.Close()
		return b.Bytes()
	}
	zipped := []wire.Field{{Name: "content-encoding", Value: "gzip"}}
	for _, c := range []struct {
		why        string
		header     []wire.Field
		body       []byte
		own, other bool
	}{
		{"in the body", nil, []byte(own), true, false},
		{"in a header", []wire.Field{{Name: "request-id", Value: "req_" + own}}, nil, true, false},
		{"in a compressed body", zipped, packed(own), true, false},
		{"in one that is only called so", zipped, []byte(own), true, false},
		{"another's", nil, []byte(another), false, true},
		{"both: one request's headers on another's body", []wire.Field{{Name: "request-id", Value: own}}, []byte(another), true, true},
		{"one that nobody knows", nil, []byte("00000000000000cc"), false, false},
	} {
		r := &runner{c: Config{Hits: book{}}}
		isOwn, other := r.idsIn(&wire.Answer{Header: c.header, Body: c.body}, []ledger.Hit{{ID: own}})
		if isOwn != c.own || (other != nil) != c.other || other != nil && other.ID != another {
			t.Errorf("%s: own %v, other %+v", c.why, isOwn, other)
		}
	}
}

// directly answers a row as its fixture says, with so much time between its parts, the first and the second time.
type directly struct {
	row   Row
	apart [2]time.Duration
	n     int
}

func (w *directly) Do(context.Context, wire.Request) *wire.Answer {
	a := w.row.Fixture.Expected(fixture.NoID, w.row.Mode == fixture.Stream).Clone()
	a.BodyAt = time.Unix(100, 0)
	a.LastAt = a.BodyAt.Add(w.apart[min(w.n, 1)])
	w.n++
	return a
}

// TestFetchDirect: each row is fetched twice, to see whether the way alters anything; one that breaks off may break off elsewhere,
// so it is fetched once. A stream that was passed on once had only a slow machine the other time; one that never was is held back.
func TestFetchDirect(t *testing.T) {
	m, err := fixture.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	var paused, cut *fixture.Fixture
	for _, f := range m.Rows {
		if paused == nil && f.Pause() > 0 && !f.ExpectFailure && f.Dialect == "anthropic" {
			paused = f
		}
		if cut == nil && f.ExpectFailure && f.Dialect == "anthropic" {
			cut = f
		}
	}
	for _, c := range []struct {
		why   string
		f     *fixture.Fixture
		apart [2]time.Duration // as parts of the pause
		asked int
		pace  string
	}{
		{"passed on both times", paused, [2]time.Duration{1, 1}, 2, string(wire.AsSent)},
		{"the first time", paused, [2]time.Duration{1, 0}, 2, string(wire.AsSent)},
		{"the second time", paused, [2]time.Duration{0, 1}, 2, string(wire.AsSent)},
		{"never", paused, [2]time.Duration{0, 0}, 2, string(wire.AtOnce)},
		{"a row that breaks off", cut, [2]time.Duration{0, 0}, 1, ""},
	} {
		row := Row{Fixture: c.f, Mode: fixture.Stream, Dialect: dialects.Anthropic}
		w := &directly{row: row}
		for i := range c.apart {
			w.apart[i] = c.apart[i] * c.f.Pause()
		}
		r := &runner{ctx: t.Context(), c: Config{Matrix: m, Rows: []Row{row}, Direct: w, Hits: book{}, Timeout: time.Second, Concurrency: 1, Rules: compare.Rules{Profile: compare.ProfileByName("core")}}}
		r.expected, r.directs, r.dirty, r.unsent = map[Row]evidence.Evidence{}, map[Row]evidence.Evidence{}, map[Row]string{}, map[Row]string{}
		r.ids, r.directTime = map[Row][]string{}, map[Row]time.Duration{}
		r.fetchDirect(t.Context())
		if got := r.directs[row].Get(paceKey).Text; w.n != c.asked || got != c.pace && c.pace != "" || r.dirty[row] != "" {
			t.Errorf("%s: asked %d times, pace %q, dirty %q", c.why, w.n, got, r.dirty[row])
		}
	}
}
