package ledger

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// parts stand for a request of which the hub may keep hashes.
type parts struct{}

func (parts) Hashed(hash func([]byte) string) (string, []string) {
	return hash([]byte("body")), []string{hash([]byte("mark")), ""}
}

// testHub is a hub with a clock that the test turns.
type testHub struct {
	*Hub
	t    *testing.T
	time time.Time
}

func newTestHub(t *testing.T, l HubLimits) *testHub {
	h := &testHub{NewHub(l), t, time.Now()}
	h.now = func() time.Time { return h.time }
	return h
}

// checker is a run with its mint.
type checker struct {
	*testHub
	run  string
	key  Key
	mint *Mint
}

func (h *testHub) open() *checker {
	h.t.Helper()
	run, k, err := h.Open()
	if err != nil {
		h.t.Fatal(err)
	}
	return &checker{h, run, k, NewMint(run, k)}
}

func (c *checker) tag(fixture string) Tag { return Tag{c.run, fixture, c.mint.Nonce(fixture)} }

func (c *checker) all() Increment {
	c.t.Helper()
	in, err := c.Since(c.run, 0, 0, 1000)
	if err != nil {
		c.t.Fatal(err)
	}
	return in
}

func (h *testHub) arrive(tag Tag, ch ...Channel) Hit {
	one := hit(tag, ch...)
	h.Arrived(one, parts{})
	return one
}

// TestHubKeepsRunsApart: what is not a run's own, by a proof, is nowhere in it.
func TestHubKeepsRunsApart(t *testing.T) {
	h := newTestHub(t, HubLimits{})
	a, b := h.open(), h.open()
	closed := h.open()
	old := closed.tag("ok")
	h.Close(closed.run)
	mine := a.tag("tier_cap")
	h.arrive(mine, Marker)
	h.arrive(Tag{mine.Run, mine.Fixture, strings.ToUpper(mine.Nonce)}, Marker)
	theirs := b.tag("ok")
	h.arrive(theirs, Marker)
	for _, foul := range []Tag{
		{a.run, "tier_cap", NewNonce()}, {a.run, "ok", mine.Nonce}, {b.run, mine.Fixture, mine.Nonce}, old, {"ffffffff", "ok", NewNonce()},
	} {
		h.arrive(foul, Marker)
	}
	in := a.all()
	if len(in.Hits) != 2 || in.Hits[0].Hit.Tag != mine || in.Hits[1].Hit.Tag != mine || len(in.Strays) != 0 || in.Refused != 2 {
		t.Errorf("%+v", in)
	}
	if in := b.all(); len(in.Hits) != 1 || in.Hits[0].Hit.Tag != theirs || len(in.Strays) != 0 || in.Refused != 1 {
		t.Errorf("%+v", in)
	}
	if s := h.Stats(); s.Refused != 5 || s.Runs != 2 || s.Hits != 3 {
		t.Errorf("%+v", s)
	}
	if got := in.Hits[0].Hit; got.BodyHash != a.key.Hash([]byte("body")) || got.Marks[0] != a.key.Hash([]byte("mark")) {
		t.Errorf("the checker has to be able to make the same hashes: %+v", got)
	}
	if h.Allowed(a.run, b.key.Access()) || h.Allowed(a.run, "") || !h.Allowed(a.run, a.key.Access()) || h.Allowed(closed.run, closed.key.Access()) {
		t.Error("a run is open to its own checker alone")
	}
}

// TestHubStrays: what carries no whole tag is told to every open run, from when it was opened, and never more than a few are kept.
func TestHubStrays(t *testing.T) {
	h := newTestHub(t, HubLimits{Strays: 10})
	h.arrive(Tag{})
	a := h.open()
	h.Arrived(Hit{ID: NewID(), Aside: true, Path: "/", Header: []string{"host"}, Tag: a.tag("ok")}, parts{})
	one := h.arrive(Tag{Fixture: "ok"}, Model)
	if in := a.all(); len(in.Strays) != 1 || in.Strays[0].Hit.ID != one.ID || in.Born != 1 || in.Strays[0].Hit.BodyHash != "" {
		t.Errorf("%+v", in)
	}
	if page, next := h.Arrivals(0, 100); len(page) != 3 || next != 3 || page[1].Hit.Header != nil || page[1].Hit.Tag != (Tag{}) {
		t.Errorf("%d up to %d: who waits for a first request wants to see all", len(page), next)
	}
	h.Served(one.ID, Served{Status: 404})
	if in, _ := a.Since(a.run, 0, 3, 10); len(in.Strays) != 1 || in.Strays[0].Hit.Served.Status != 404 {
		t.Errorf("what was served comes later: %+v", in)
	}
	for range 10_000 {
		h.arrive(Tag{Fixture: "ok"}, Model)
	}
	if in := a.all(); len(in.Strays) != 10 || in.Born != 10_001 || h.Stats().Hits != 10 || len(in.Hits) != 0 {
		t.Errorf("%d strays of %d, %+v", len(in.Strays), in.Born, h.Stats())
	}
}

// TestHubAnnounce: one request while one is announced is the announced one. Any other, and any that says otherwise, may be
// somebody else's, and then nothing of it is believed.
func TestHubAnnounce(t *testing.T) {
	row := Tag{Fixture: "tier_cap"}
	for _, c := range []struct {
		why   string
		ch    Channel
		come  []Tag
		hits  int
		doubt string
		stray int
	}{
		{"the announced one", Model, []Tag{row}, 1, "", 0},
		{"armed: it says nothing", Armed, []Tag{{}}, 1, "", 0},
		{"another fixture", Model, []Tag{{Fixture: "ok"}, row}, 1, "", 1},
		{"a second one", Model, []Tag{row, row}, 2, secondRequest, 0},
		{"armed: a second one", Armed, []Tag{{}, {}}, 2, secondRequest, 0},
		{"armed: it says another fixture", Armed, []Tag{{Fixture: "ok"}}, 1, otherFixture, 0},
		{"a flood is not kept", Armed, make([]Tag, 1000), maxLeaseHits, secondRequest, 0},
	} {
		h := newTestHub(t, HubLimits{})
		a, b := h.open(), h.open()
		tag := a.tag("tier_cap")
		if _, err := h.Announce(a.run, nil, c.ch, tag); err != nil {
			t.Fatal(err)
		}
		for _, come := range c.come {
			one := hit(come, Model)
			if come.Fixture == "" {
				one.Channels = nil
			}
			got, _ := h.Arrived(one, parts{})
			if c.stray == 0 && got != tag {
				t.Errorf("%s: the stub would serve %+v", c.why, got)
			}
		}
		in := a.all()
		if len(in.Hits) != c.hits || len(in.Strays) != c.stray || in.Lost > 0 {
			t.Errorf("%s: %d hits, %d strays, %d lost", c.why, len(in.Hits), len(in.Strays), in.Lost)
		}
		for _, n := range in.Hits {
			if n.Hit.Tag != tag || n.Hit.Doubt != c.doubt || n.Hit.BodyHash != a.key.Hash([]byte("body")) {
				t.Errorf("%s: %+v", c.why, n.Hit)
			}
		}
		if in := b.all(); len(in.Hits) > 0 || len(in.Strays) != c.stray {
			t.Errorf("%s: another run sees %+v", c.why, in)
		}
	}
}

// TestHubLeases: an announcement ends with its time, its release or its run, and bars those of others meanwhile.
func TestHubLeases(t *testing.T) {
	h := newTestHub(t, HubLimits{Lease: time.Minute, Quiet: time.Hour})
	a, b := h.open(), h.open()
	tag, other := a.tag("ok"), b.tag("ok")
	id, err := h.Announce(a.run, nil, Model, tag)
	if again, err2 := h.Announce(a.run, nil, Model, tag); err != nil || err2 != nil || again != id {
		t.Fatalf("asked twice, it is the same: %d %d %v %v", id, again, err, err2)
	}
	if id, err := h.Announce(a.run, nil, Marker, tag); id != 0 || err != nil {
		t.Errorf("a whole channel needs none: %d %v", id, err)
	}
	for _, c := range []struct {
		why     string
		ch      Channel
		fixture string
		barred  bool
	}{{"the same", Model, "ok", true}, {"armed takes all", Armed, "tier_cap", true}, {"another fixture", Model, "tier_cap", false}, {"another channel", Path, "ok", false}} {
		id, err := h.Announce(b.run, nil, c.ch, Tag{b.run, c.fixture, other.Nonce})
		if errors.Is(err, ErrLeased) != c.barred {
			t.Errorf("%s: %v", c.why, err)
		}
		_ = h.Release(b.run, []uint64{id})
	}
	h.time = h.time.Add(40 * time.Second)
	if gone, err := h.Renew(a.run, []uint64{id, id + 100}); err != nil || !slices.Equal(gone, []uint64{id + 100}) {
		t.Errorf("%v %v", gone, err)
	}
	h.time = h.time.Add(40 * time.Second)
	if got, _ := h.Arrived(hit(Tag{Fixture: "ok"}, Model), parts{}); got != tag {
		t.Errorf("it was renewed, so it holds: %+v", got)
	}
	h.time = h.time.Add(time.Minute)
	if got, _ := h.Arrived(hit(Tag{Fixture: "ok"}, Model), parts{}); got.Nonce != "" {
		t.Errorf("its time is over: %+v", got)
	}
	if _, err := h.Announce(b.run, nil, Armed, other); err != nil {
		t.Errorf("and it bars nobody: %v", err)
	}
	h.Close(b.run)
	if _, err := h.Announce(a.run, nil, Armed, tag); err != nil {
		t.Errorf("those of a run end with it: %v", err)
	}
	if gone, _ := h.Renew(a.run, []uint64{id}); len(gone) != 1 {
		t.Error("what is over is gone")
	}
	for range 2 * maxLeases {
		_, err = h.Announce(a.run, nil, Path, a.tag("ok"))
	}
	if !errors.Is(err, ErrLeases) {
		t.Errorf("%v", err)
	}
}

// TestHubTwoAnnouncements: a request that two runs wait for is doubtful for both.
func TestHubTwoAnnouncements(t *testing.T) {
	h := newTestHub(t, HubLimits{})
	a, b := h.open(), h.open()
	if _, err := h.Announce(a.run, nil, Model, a.tag("ok")); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Announce(b.run, nil, Path, b.tag("ok")); err != nil {
		t.Fatal(err)
	}
	one := h.arrive(Tag{Fixture: "ok"}, Model, Path)
	h.Served(one.ID, Served{Status: 200})
	for _, c := range []*checker{a, b} {
		in := c.all()
		if len(in.Hits) != 1 || in.Hits[0].Hit.Doubt != twoRuns || in.Hits[0].Hit.Tag.Run != c.run || in.Hits[0].Hit.Served.Status != 200 || len(in.Strays) > 0 {
			t.Errorf("%+v", in)
		}
	}
	h.Close(a.run)
	if in := b.all(); len(in.Hits) != 1 || h.Stats().Hits != 1 {
		t.Errorf("one run's end is not the other's: %+v", in)
	}
}

// TestHubExpires: a checker that is gone leaves nothing.
func TestHubExpires(t *testing.T) {
	h := newTestHub(t, HubLimits{Runs: 2})
	a, b := h.open(), h.open()
	if _, _, err := h.Open(); !errors.Is(err, ErrRuns) {
		t.Errorf("%v", err)
	}
	h.arrive(a.tag("ok"), Marker)
	if _, err := h.Announce(a.run, nil, Armed, a.tag("ok")); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		h.time = h.time.Add(40 * time.Second)
		b.all()
	}
	if _, err := h.Since(a.run, 0, 0, 1); !errors.Is(err, ErrNoRun) {
		t.Errorf("%v", err)
	}
	for _, err := range []error{h.Forget(a.run, nil), h.Release(a.run, nil)} {
		if !errors.Is(err, ErrNoRun) {
			t.Errorf("%v", err)
		}
	}
	if s := h.Stats(); s.Runs != 1 || s.Hits != 0 || len(h.leases) != 0 || h.Has(a.run) || !h.Has(b.run) {
		t.Errorf("%+v, %d leases", s, len(h.leases))
	}
	h.time = h.time.Add(time.Hour)
	h.Sweep()
	if len(h.runs) != 0 {
		t.Error("a sweep has to do it where nobody asks")
	}
}

// TestHubIsBounded: whoever has a whole tag can fill the ledger of its run. Then hits are missing, which is told, and no other
// run has a part in it.
func TestHubIsBounded(t *testing.T) {
	h := newTestHub(t, HubLimits{Hits: 100, Text: 10_000})
	a, b := h.open(), h.open()
	tag := a.tag("ok")
	for range 1000 {
		h.arrive(tag, Marker)
	}
	if in := a.all(); len(in.Hits) != 100 || in.Lost != 900 {
		t.Errorf("%d hits, %d lost", len(in.Hits), in.Lost)
	}
	mine := b.tag("ok")
	for range 10 {
		long := hit(mine, Marker)
		long.Path = strings.Repeat("x", 3000)
		h.Arrived(long, parts{})
	}
	if in := b.all(); len(in.Hits) != 3 || in.Lost != 7 {
		t.Errorf("%d hits, %d lost", len(in.Hits), in.Lost)
	}
	var ids []string
	for _, n := range a.all().Hits {
		ids = append(ids, n.Hit.ID)
	}
	if err := h.Forget(a.run, append(ids, "no id", NewID())); err != nil || len(a.all().Hits) != 0 || h.Stats().Hits != 3 {
		t.Errorf("%v, %d left", err, len(a.all().Hits))
	}
	h.Served(ids[0], Served{Status: 200})
	h.arrive(tag, Marker)
	if in := a.all(); len(in.Hits) != 1 || slices.Contains(ids, in.Hits[0].Hit.ID) {
		t.Errorf("what is forgotten makes room, and what comes later must not vanish: %+v", in.Hits)
	}
}

// TestIncrementsAddUp: whoever takes in all increments, in whatever pages, has what a look at the whole has.
func TestIncrementsAddUp(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	h := newTestHub(t, HubLimits{Strays: 30})
	a := h.open()
	known, ids := map[string]Hit{}, []string{}
	var seq, stray uint64
	for range 3000 {
		switch rnd.IntN(5) {
		case 0:
			ids = append(ids, h.arrive(a.tag("ok"), Marker).ID)
		case 1:
			ids = append(ids, h.arrive(Tag{Fixture: "ok"}, Model).ID)
		case 2, 3:
			if len(ids) > 0 {
				h.Note(ids[rnd.IntN(len(ids))], fmt.Sprint(rnd.IntN(10)))
			}
		default:
			in, err := h.Since(a.run, seq, stray, 1+rnd.IntN(4))
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range append(in.Hits, in.Strays...) {
				known[n.Hit.ID] = n.Hit
			}
			seq, stray = in.Seq, in.Stray
		}
	}
	for more := true; more; {
		in, _ := h.Since(a.run, seq, stray, 7)
		for _, n := range append(in.Hits, in.Strays...) {
			known[n.Hit.ID] = n.Hit
		}
		seq, stray, more = in.Seq, in.Stray, in.More
	}
	whole := a.all()
	for _, n := range append(whole.Hits, whole.Strays...) {
		if got := known[n.Hit.ID]; got.Note != n.Hit.Note || got.ID == "" {
			t.Fatalf("%s has the note %q instead of %q", n.Hit.ID, got.Note, n.Hit.Note)
		}
	}
	if len(whole.Hits) < 100 || len(whole.Strays) != 30 {
		t.Errorf("%d hits, %d strays", len(whole.Hits), len(whole.Strays))
	}
}
