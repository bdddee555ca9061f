package controls

import (
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/wire"
)

func ownProfile(t *testing.T, keys string) *compare.Profile {
	t.Helper()
	p, err := compare.ReadProfile("mine.yaml", []byte("format: preservecheck.profile/1\nname: mine\nkeys: ["+keys+"]\n"))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A user's own profile is proven like ours, over the whole matrix and in every protocol.
func TestProveAUsersProfile(t *testing.T) {
	in := input(t, "core", bothModes...)
	in.Rules.Profile = ownProfile(t, "header/x-queue, header/x-lane-*, trailer/x-sum, error/hint, error/details/wait, body/trace, 'body/**', 'error/details/*'")
	in.Rows = every(t, in)
	p := Prove(t.Context(), in)
	for i, m := range p.Missed {
		if i < 10 {
			t.Error(m)
		}
	}
	if p.Pairs != p.Exact || p.Keys != 8 || p.Deciding != 8 {
		t.Errorf("%d of %d pairs, %d of %d keys", p.Exact, p.Pairs, p.Deciding, p.Keys)
	}
}

// A key that stands nowhere and can't be invented is told, not counted as proven.
func TestAKeyThatNothingTurnsRed(t *testing.T) {
	in := input(t, "core", bothModes...)
	in.Rules.Profile = ownProfile(t, "status, body/nowhere/id, stream/nowhere")
	p := Prove(t.Context(), in)
	if all := strings.Join(p.Missed, "\n"); p.Deciding != 1 || len(p.Missed) != 2 || !strings.Contains(all, "body/nowhere/id") || !strings.Contains(all, "stream/nowhere") {
		t.Errorf("%d decide, missed %q", p.Deciding, p.Missed)
	}
}

// TestInventedMembers: where a member of a user's key is put, and where it can't be.
func TestInventedMembers(t *testing.T) {
	for _, c := range []struct {
		why, pattern string
		answer       *wire.Answer
		sights       []string
	}{
		{"beside the error", "body/hint", jsonError(400, envelope), []string{"body/hint invented"}},
		{"in the error", "error/hint", jsonError(400, envelope), []string{"error/hint invented"}},
		{"below a member that is there", "body/a/b", jsonError(400, `{"a":{}}`), []string{"body/a/b invented"}},
		{"in the place of null", "body/a", jsonError(400, `{"a":null}`), []string{"body/a changed"}},
		{"not in the place of a value", "body/a", jsonError(400, `{"a":1}`), nil},
		{"nor where nothing is", "body/a/b", jsonError(400, `{}`), nil},
		{"nor in a text", "body/a/b", jsonError(400, `{"a":"x"}`), nil},
		{"nor in a success", "body/a", jsonError(399, `{}`), nil},
		{"nor in events", "body/a", answer(400, "data: {}\n\n", "content-type", eventsType), nil},
		{"in a trailer", "trailer/x-sum", jsonError(400, `{}`), []string{"trailer/x-sum invented"}},
		{"in no trailer of a success", "trailer/x-sum", jsonError(399, `{}`), nil},
		{"in a header", "header/x-a", jsonError(400, `{}`), []string{"header/x-a invented"}},
		{"in no header that is there", "header/x-a", answer(400, "", "x-a", "1"), nil},
		{"for the end of a name", "header/x-*", jsonError(400, `{}`), []string{"header/x-preservecheck invented"}},
		{"for all below", "body/a/**", jsonError(400, `{"a":{}}`), []string{"body/a/preservecheck invented"}},
	} {
		faults := forFile(ownProfile(t, "'"+c.pattern+"'"))
		if len(faults) != 1 {
			t.Fatalf("%s: %d faults", c.why, len(faults))
		}
		exactOn(t, c.why, faults[0], c.answer, dialects.Anthropic, c.sights...)
	}
	if got := forFile(ownProfile(t, "status, error/type, stream/nowhere")); len(got) != 0 {
		t.Errorf("%d faults for our own keys, and for one that can't be invented", len(got))
	}
	if got := forFile(compare.ProfileByName("core")); got != nil {
		t.Errorf("%d faults for a profile of ours", len(got))
	}
}
