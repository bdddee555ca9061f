package controls

import (
	"context"
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/fixture"
)

// TestProofRunsUnderTheKnownFile: what a known file lets pass can't make a run red, and a key that it lets pass wherever it
// differs makes every run "could not tell". What a fault shows is proven the same.
func TestProofRunsUnderTheKnownFile(t *testing.T) {
	m, err := fixture.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	core := compare.ProfileByName("core")
	prove := func(known compare.Known) (out struct {
		silenced, pairs int
		missed          string
		deciding        bool
	}) {
		p := Prove(context.Background(), Input{Matrix: m, Modes: []fixture.Mode{fixture.Plain},
			Rules: compare.Rules{Profile: core, FailOn: "changed", MaxLayerRetries: -1, Known: known}})
		out.silenced, out.pairs, out.missed, out.deciding = p.Silenced, p.Exact, strings.Join(p.Missed, "\n"), p.Deciding == p.Keys
		return out
	}
	key := func(key string, dir string) compare.Known {
		return func(_ *compare.Observed, d *compare.Difference) []compare.Declaration {
			if d.Difference.Key != key || dir != "" && string(d.Dir) != dir {
				return nil
			}
			return []compare.Declaration{{Entry: "e"}}
		}
	}
	none := prove(nil)
	if none.silenced != 0 || none.missed != "" || !none.deciding {
		t.Fatalf("without a known file: %+v", none)
	}
	if got := prove(key("header/retry-after", "changed")); got.silenced == 0 || !got.deciding || got.missed != "" || got.pairs != none.pairs {
		t.Errorf("one direction of a key: %+v", got)
	}
	// The only fault of a key, by its very value: another value of the key would still turn a row red.
	exact := func(_ *compare.Observed, d *compare.Difference) []compare.Declaration {
		if d.Difference.Key != "header/retry-after-ms" || d.Got.Text == otherValue {
			return nil
		}
		return []compare.Declaration{{Entry: "e"}}
	}
	if got := prove(exact); got.silenced == 0 || !got.deciding || got.missed != "" {
		t.Errorf("one value of a key: %+v", got)
	}
	got := prove(key("header/retry-after-ms", ""))
	if got.deciding || !strings.Contains(got.missed, "declares every fault in key header/retry-after-ms") || got.pairs != none.pairs {
		t.Errorf("a key that is silenced everywhere: %+v", got)
	}
}
