package reactions

import "testing"

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
