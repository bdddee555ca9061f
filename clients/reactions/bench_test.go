package reactions

import (
	"testing"

	"github.com/preservecheck/preservecheck/dialects"
)

// BenchmarkCompare is one failing row, with the data loaded.
func BenchmarkCompare(b *testing.B) {
	all, err := All()
	if err != nil {
		b.Fatal(err)
	}
	direct, through := See(answer(429, cap429), dialects.Anthropic, ""), See(answer(429, bare429, "retry-after: 1"), dialects.Anthropic, "")
	for b.Loop() {
		if len(Compare(all, direct, through, 1)) == 0 {
			b.Fatal("nothing changed")
		}
	}
}

// BenchmarkLoad is what a run with a failing row pays once.
func BenchmarkLoad(b *testing.B) {
	names, _ := builtin.ReadDir(".")
	for b.Loop() {
		for _, n := range names {
			raw, _ := builtin.ReadFile(n.Name())
			if _, err := Load(n.Name(), raw); err != nil {
				b.Fatal(err)
			}
		}
	}
}
