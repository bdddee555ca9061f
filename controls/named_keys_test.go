package controls

import (
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/compare"
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
