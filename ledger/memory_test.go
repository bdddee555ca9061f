package ledger

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func hit(tag Tag, ch ...Channel) Hit { return Hit{ID: NewID(), Tag: tag, Channels: ch, At: time.Now()} }

func TestAddAndFind(t *testing.T) {
	l := New(testRun)
	n1, n2 := NewNonce(), NewNonce()
	a, b, c := hit(Tag{testRun, "ok", n1}, Marker), hit(Tag{testRun, "ok", n2}, Marker), hit(Tag{testRun, "ok", n1}, Marker)
	for _, h := range []Hit{a, b, c} {
		l.Issue(h.Tag)
		l.Add(h)
	}
	if d := cmp.Diff([]Hit{a, c}, l.Of(n1)); d != "" {
		t.Errorf("the hits of one request, in order: %s", d)
	}
	if d := cmp.Diff([]Hit{a, b, c}, l.All()); d != "" {
		t.Error(d)
	}
	if got, ok := l.ByID(b.ID); !ok || got.ID != b.ID {
		t.Errorf("ByID: %+v %t", got, ok)
	}
	if _, ok := l.ByID(NewID()); ok {
		t.Error("found a hit that never was")
	}
	if l.Of(NewNonce()) != nil || l.Of("") != nil || l.Of("zz") != nil {
		t.Error("found hits of a request that never was")
	}
	if l.Len() != 3 || l.Overflowed() != 0 || len(l.Unexplained()) != 0 {
		t.Errorf("%d kept, %d lost, %d unexplained", l.Len(), l.Overflowed(), len(l.Unexplained()))
	}
}

func TestHitsStandInOrderOfArrival(t *testing.T) {
	l, n := New(testRun), NewNonce()
	late, early := hit(Tag{testRun, "ok", n}), hit(Tag{testRun, "ok", n})
	early.At = late.At.Add(-time.Second)
	l.Add(late) // its body was read first
	l.Add(early)
	if got := l.Of(n); got[0].ID != early.ID {
		t.Error("the hit that arrived first stands second")
	}
}

func TestServedAndNote(t *testing.T) {
	l, h := New(testRun), hit(Tag{testRun, "ok", NewNonce()})
	l.Add(h)
	l.Served(h.ID, Served{Fixture: "ok", Status: 200, Finished: true})
	l.Note(h.ID, "one")
	l.Note(h.ID, "two")
	l.Served(NewID(), Served{}) // unknown ids are passed over
	l.Served("", Served{})
	got, _ := l.ByID(h.ID)
	if !got.Served.Finished || got.Note != "one; two" {
		t.Errorf("%+v", got)
	}
}

func TestUnexplained(t *testing.T) {
	for _, c := range []struct {
		why  string
		hit  Hit
		want int
	}{
		{"a tag of this run", hit(Tag{testRun, "ok", NewNonce()}), 0},
		{"a tag of this run that was never issued: the layer made it up", hit(Tag{testRun, "ok", "1234567890abcdef"}), 1},
		{"another run's tag", hit(Tag{"ffffffff", "ok", NewNonce()}), 1},
		{"no tag", hit(Tag{}), 1},
		{"a fixture without a nonce that nobody announced", hit(Tag{Fixture: "ok"}, Model), 1},
		{"a health check asks for nothing", Hit{ID: NewID(), Aside: true}, 0},
	} {
		l := New(testRun)
		if c.want == 0 {
			l.Issue(c.hit.Tag)
		}
		l.Add(c.hit)
		if got := len(l.Unexplained()); got != c.want {
			t.Errorf("%s: %d unexplained, want %d", c.why, got, c.want)
		}
		if c.hit.Tag.Run != testRun && l.Of(c.hit.Tag.Nonce) != nil {
			t.Errorf("%s: the hit counts for a request of this run", c.why)
		}
	}
}

func TestAnnounce(t *testing.T) {
	mine := Tag{testRun, "tier_cap", NewNonce()}
	row := Tag{Fixture: "tier_cap"}
	for _, c := range []struct {
		why  string
		ch   Channel
		hit  Hit
		want Hit // Tag, Channels and Note count
	}{
		{"a model name of this fixture", Model, hit(row, Model), Hit{Tag: mine, Channels: []Channel{Model}}},
		{"a path of this fixture", Path, hit(row, Path), Hit{Tag: mine, Channels: []Channel{Path}}},
		{"another fixture is another's", Model, hit(Tag{Fixture: "ok"}, Model), Hit{Tag: Tag{Fixture: "ok"}, Channels: []Channel{Model}}},
		{"it came over another channel than was announced", Path, hit(row, Model), Hit{Tag: row, Channels: []Channel{Model}}},
		{"a request with a nonce speaks for itself", Model, hit(Tag{testRun, "tier_cap", testNonce}, Marker), Hit{Tag: Tag{testRun, "tier_cap", testNonce}, Channels: []Channel{Marker}}},
		{"armed: a request that says nothing", Armed, hit(Tag{}), Hit{Tag: mine, Channels: []Channel{Armed}}},
		{"armed: a request that says the same", Armed, hit(row, Model), Hit{Tag: mine, Channels: []Channel{Model, Armed}}},
		{"armed: a request that says another", Armed, hit(Tag{Fixture: "ok"}, Model), Hit{Tag: mine, Channels: []Channel{Armed}, Note: "the request says ok, but tier_cap was armed"}},
		{"armed: a health check is no request for a fixture", Armed, Hit{ID: NewID(), Aside: true}, Hit{}},
		{"whole channels need no announcement", Marker, hit(row, Model), Hit{Tag: row, Channels: []Channel{Model}}},
	} {
		l := New(testRun)
		done, _ := l.Announce(c.ch, mine)
		tag, channels := l.Add(c.hit)
		got, _ := l.ByID(c.hit.ID)
		if tag != c.want.Tag || got.Tag != tag || got.Note != c.want.Note || !cmp.Equal(channels, c.want.Channels) || !cmp.Equal(got.Channels, channels) {
			t.Errorf("%s: tag %+v channels %v note %q, want %+v", c.why, tag, channels, got.Note, c.want)
		}
		done()
		done() // twice does no harm
		late := hit(c.hit.Tag, c.hit.Channels...)
		if tag, _ = l.Add(late); tag != c.hit.Tag {
			t.Errorf("%s: after done the tag was still filled in: %+v", c.why, tag)
		}
	}
}

func mustAnnounce(t *testing.T, l *Ledger, ch Channel, tag Tag) {
	t.Helper()
	done, err := l.Announce(ch, tag)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(done)
}

func TestTwoAnnouncementsForOneRequest(t *testing.T) {
	l := New(testRun)
	mustAnnounce(t, l, Armed, Tag{testRun, "ok", NewNonce()})
	mustAnnounce(t, l, Armed, Tag{testRun, "tier_cap", NewNonce()})
	if tag, _ := l.Add(hit(Tag{})); tag != (Tag{}) {
		t.Errorf("guessed %+v", tag)
	}
	if u := l.Unexplained(); len(u) != 1 || u[0].Note == "" {
		t.Errorf("%+v", u)
	}
}

func TestOverflow(t *testing.T) {
	l := NewLimited(testRun, 3)
	mustAnnounce(t, l, Armed, Tag{testRun, "ok", testNonce})
	for range 5 {
		if tag, _ := l.Add(hit(Tag{})); tag.Fixture != "ok" {
			t.Error("a full ledger must still say what to serve")
		}
	}
	if l.Len() != 3 || l.Overflowed() != 2 {
		t.Errorf("%d kept, %d lost", l.Len(), l.Overflowed())
	}
}

func TestTextIsBounded(t *testing.T) {
	l, long := New(testRun), string(make([]byte, maxText/4))
	for range 5 {
		l.Add(Hit{ID: NewID(), Header: []string{long}})
	}
	if l.Len() != 4 || l.Overflowed() != 1 {
		t.Errorf("%d kept, %d lost", l.Len(), l.Overflowed())
	}
	l.Add(hit(Tag{testRun, "ok", testNonce}))
	if l.Overflowed() != 2 {
		t.Error("more text than the bound is kept")
	}
}

func TestHashIsKeyed(t *testing.T) {
	a, b := New(testRun), New(testRun)
	body := []byte("the same body")
	if a.Hash(body) != a.Hash([]byte("the same body")) {
		t.Error("one ledger, one body, two hashes")
	}
	if a.Hash(body) == a.Hash([]byte("another body")) || a.Hash(body) == b.Hash(body) {
		t.Error("hashes must tell bodies apart and say nothing to another ledger")
	}
}

func TestIDs(t *testing.T) {
	seen := map[string]bool{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 500 {
				id := NewID()
				if _, ok := parse16(id); !ok {
					t.Errorf("%q is no id", id)
				}
				mu.Lock()
				if seen[id] {
					t.Errorf("%s twice", id)
				}
				seen[id] = true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(NewRun()) != RunLen || NewNonce() == NewNonce() {
		t.Error("runs and nonces")
	}
	if v, ok := parse16("0123456789ABCdef"); !ok || v != 0x0123456789abcdef || hex16(v) != "0123456789abcdef" {
		t.Errorf("%x %t", v, ok)
	}
}

func TestParallelUse(t *testing.T) {
	l := New(testRun)
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 300 {
				h := hit(Tag{testRun, fmt.Sprint("f", w), NewNonce()}, Marker)
				l.Add(h)
				l.Served(h.ID, Served{Status: i})
				if got := l.Of(h.Tag.Nonce); len(got) != 1 || got[0].Served.Status != i {
					t.Errorf("%+v", got)
				}
				done, _ := l.Announce(Armed, h.Tag)
				done()
			}
			l.All()
			l.Unexplained()
		})
	}
	wg.Wait()
	if l.Len() != 2400 {
		t.Errorf("%d kept", l.Len())
	}
}

func BenchmarkAddServed(b *testing.B) {
	l, h := New(testRun), hit(Tag{testRun, "ok", testNonce}, Marker)
	b.ReportAllocs()
	for b.Loop() {
		h.ID = NewID()
		l.Add(h)
		l.Served(h.ID, Served{Status: 200})
	}
}
