package stub

import (
	"net"
	"net/netip"
	"testing"
	"time"
)

func TestSourceOf(t *testing.T) {
	for _, c := range []struct{ why, a, want string }{
		{"IPv4", "192.0.2.7:1", "192.0.2.7"},
		{"IPv4 written as IPv6", "[::ffff:192.0.2.7]:1", "192.0.2.7"},
		{"IPv6 by its /64", "[2001:db8:1:2:3:4:5:6]:1", "2001:db8:1:2::"},
		{"IPv6 with a zone", "[fe80::1%eth0]:1", "fe80::"},
	} {
		if got := sourceOf(net.TCPAddrFromAddrPort(netip.MustParseAddrPort(c.a))); got.String() != c.want {
			t.Errorf("%s: %v, want %s", c.why, got, c.want)
		}
	}
	if got := sourceOf(&net.UnixAddr{Name: "/x"}); got.IsValid() {
		t.Error(got)
	}
}

// TestSourcesAreBounded: addresses cost nothing to whoever has many.
func TestSourcesAreBounded(t *testing.T) {
	d := newDoor(Options{PerSource: 1})
	busy := netip.MustParseAddr("192.0.2.1")
	d.source(busy).open = 1
	a := netip.MustParseAddr("2001:db8::")
	for range 3 * maxSources {
		b := a.As16()
		for i := 7; i >= 0; i-- { // the next /64
			if b[i]++; b[i] != 0 {
				break
			}
		}
		a = netip.AddrFrom16(b)
		d.source(a)
	}
	if len(d.sources) > maxSources || d.sources[busy] == nil {
		t.Errorf("%d sources, of those with connections: %v", len(d.sources), d.sources[busy])
	}
}

func TestBucket(t *testing.T) {
	var b bucket
	now := time.Now()
	taken := func(n int, at time.Duration, patience time.Duration) (ok int, wait time.Duration) {
		for range n {
			w, yes := b.take(now.Add(at), 10, 5, patience)
			if yes {
				ok, wait = ok+1, w
			}
		}
		return ok, wait
	}
	for _, c := range []struct {
		why          string
		n            int
		at, patience time.Duration
		ok           int
		wait         time.Duration
	}{
		{"as many as it is deep", 9, 0, 0, 5, 0},
		{"none at once", 1, 0, 0, 0, 0},
		{"one after the time of one", 3, 100 * time.Millisecond, 0, 1, 0},
		{"no more than its depth after long", 20, time.Hour, 0, 5, 0},
		{"those that can wait", 9, time.Hour, 250 * time.Millisecond, 2, 200 * time.Millisecond},
		{"a clock that goes back gives nothing", 1, 0, 0, 0, 0},
	} {
		ok, wait := taken(c.n, c.at, c.patience)
		if ok != c.ok || (wait-c.wait).Abs() > time.Millisecond {
			t.Errorf("%s: %d after %v, want %d after %v", c.why, ok, wait, c.ok, c.wait)
		}
	}
	b.giveBack()
	b.giveBack()
	b.giveBack()
	if ok, _ := taken(5, time.Hour, 0); ok != 1 {
		t.Errorf("what is given back can be taken: %d", ok)
	}
}
