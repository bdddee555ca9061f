package gateway

import (
	"os"
	"path/filepath"
	"testing"
)

const reaps = true

// TestKilledSupervisor: with nobody left to end the family, the layer itself at least is asked to end by the kernel.
func TestKilledSupervisor(t *testing.T) {
	dir := t.TempDir()
	g, err := Start(options(dir, "sleep", filepath.Join(dir, "pids")))
	if err != nil {
		t.Fatal(err)
	}
	pids := started(t, dir, 1)
	_ = g.cmd.Process.Kill()
	<-g.Ended()
	within(t, "the layer to end", func() bool { return gone(pids) })
	if err := g.Stop(); err == nil {
		t.Error("nobody says that the supervisor was killed")
	}
}

func TestParent(t *testing.T) {
	if got := parent(os.Getpid()); got != os.Getppid() {
		t.Errorf("%d, want %d", got, os.Getppid())
	}
	if parent(0) != 0 {
		t.Error("there is no process 0")
	}
}
