package report

import "testing"

// computes leaves out, under -short, a test of much computing in which no two goroutines share anything: the race detector has
// nothing to say of it and makes it ten times slower. The run without the detector has it.
func computes(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("left to the run without the race detector")
	}
}
