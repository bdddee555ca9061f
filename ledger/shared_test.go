package ledger

import "testing"

// TestSharedDoubts: at a stub that others reach, a second request inside an announcement, or one for another fixture, may be anybody's
// who knows the way; a retry that a layer must not make can't be faked by it.
func TestSharedDoubts(t *testing.T) {
	for _, c := range []struct {
		why    string
		shared bool
		ch     Channel
		first  Hit
		second *Hit
		want   []string // of both
	}{
		{"one is the run's", true, Armed, hit(Tag{}), nil, []string{""}},
		{"two are nobody's", true, Armed, hit(Tag{}), &Hit{ID: NewID()}, []string{secondRequest, secondRequest}},
		{"also over the model", true, Model, hit(Tag{Fixture: "ok"}, Model), &Hit{ID: NewID(), Tag: Tag{Fixture: "ok"}, Channels: []Channel{Model}}, []string{secondRequest, secondRequest}},
		{"another fixture was asked for", true, Armed, hit(Tag{Fixture: "other"}, Header), nil, []string{otherFixture}},
		{"on this machine alone a second is the layer's retry", false, Armed, hit(Tag{}), &Hit{ID: NewID()}, []string{"", ""}},
	} {
		l := New(testRun)
		if c.shared {
			l.Share()
		}
		tag := Tag{testRun, "ok", NewNonce()}
		l.Issue(tag)
		done, _ := l.Announce(c.ch, tag)
		l.Add(c.first)
		if c.second != nil {
			l.Add(*c.second)
		}
		done()
		all := l.Of(tag.Nonce)
		if len(all) != len(c.want) || l.Shared() != c.shared {
			t.Errorf("%s: %+v, shared %v", c.why, all, l.Shared())
			continue
		}
		for i, h := range all {
			if h.Doubt != c.want[i] {
				t.Errorf("%s: hit %d: %q", c.why, i, h.Doubt)
			}
		}
	}
}

// TestSharedDoubtOfForgotten: a hit that is forgotten meanwhile is no place to write to.
func TestSharedDoubtOfForgotten(t *testing.T) {
	l := New(testRun)
	l.Share()
	tag := Tag{testRun, "ok", NewNonce()}
	l.Issue(tag)
	done, _ := l.Announce(Armed, tag)
	defer done()
	for range slabSize {
		l.Add(hit(Tag{}))
	}
	l.Forget(tag.Nonce)
	l.Add(hit(Tag{}))
	if got := l.Of(tag.Nonce); len(got) != 1 || got[0].Doubt != secondRequest {
		t.Errorf("%+v", got)
	}
}
