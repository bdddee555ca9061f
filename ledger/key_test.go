package ledger

import (
	"strings"
	"testing"
)

func TestKeyIsReadBack(t *testing.T) {
	k := NewKey()
	if got, err := ParseKey(k.String()); err != nil || got != k {
		t.Errorf("%v %v", got, err)
	}
	for _, bad := range []string{"", k.String()[1:], k.String() + "00", strings.Repeat("g", 64)} {
		if _, err := ParseKey(bad); err == nil {
			t.Errorf("%q is no key", bad)
		}
	}
	if k == NewKey() || k.Access() == k.String() || strings.Contains(k.Access(), k.Hash(nil)) {
		t.Error("what comes from a key must differ from it, and from use to use")
	}
}

// TestMint: each part of a tag is under the MAC, so that none can be exchanged for another.
func TestMint(t *testing.T) {
	m := NewMint(testRun, NewKey())
	n := m.Nonce("tier_cap")
	if len(n) != NonceLen || n == m.Nonce("tier_cap") {
		t.Fatalf("%q", n)
	}
	flipped := []byte(n)
	flipped[0] ^= 1
	for _, c := range []struct {
		why  string
		tag  Tag
		made bool
	}{
		{"its own", Tag{testRun, "tier_cap", n}, true},
		{"in capitals, as some layers write hex", Tag{testRun, "tier_cap", strings.ToUpper(n)}, true},
		{"another fixture", Tag{testRun, "ok", n}, false},
		{"another run", Tag{"ffffffff", "tier_cap", n}, false},
		{"another counter", Tag{testRun, "tier_cap", string(flipped)}, false},
		{"another key's", Tag{testRun, "tier_cap", NewMint(testRun, NewKey()).Nonce("tier_cap")}, false},
		{"the counter alone", Tag{testRun, "tier_cap", n[:6] + "0000000000"}, false},
		{"none", Tag{testRun, "tier_cap", ""}, false},
		{"too short", Tag{testRun, "tier_cap", n[:15]}, false},
	} {
		if m.Made(c.tag) != c.made {
			t.Errorf("%s: %+v", c.why, c.tag)
		}
	}
	m.made.Store(maxCounter - 1)
	if last, over := m.Nonce("ok"), m.Nonce("ok"); last[:6] != "ffffff" || over != "" {
		t.Errorf("a counter must not begin anew: %q %q", last, over)
	}
}
