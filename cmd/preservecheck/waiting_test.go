package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/check"
)

// TestArrivalsAlike: what happens every few seconds while nobody has set the gateway up does not fill the screen.
func TestArrivalsAlike(t *testing.T) {
	var b bytes.Buffer
	l := &above{bar: testProgress(&b, false, 0)}
	line := func(kind string) { fmt.Fprintf(l, "18:00:00 %s\n", kind) }
	for range 25 {
		line("POST /v1/v1/messages 404")
	}
	line("POST /v1/messages 200")
	l.more()
	want := strings.Repeat("arrived: 18:00:00 POST /v1/v1/messages 404\n", 3) +
		"arrived: 6 more like those above\narrived: 18:00:00 POST /v1/v1/messages 404\n" +
		"arrived: 9 more like those above\narrived: 18:00:00 POST /v1/v1/messages 404\n" +
		"arrived: 5 more like those above\narrived: 18:00:00 POST /v1/messages 200\n"
	if b.String() != want {
		t.Errorf("printed\n%swant\n%s", b.String(), want)
	}
	for i := range mostKinds + 10 {
		line(fmt.Sprint("GET /", i))
	}
	if len(l.kinds) != mostKinds {
		t.Errorf("%d kinds are remembered", len(l.kinds))
	}
}

// TestRestart: the time until somebody presses Enter is no time that the layer has had.
func TestRestart(t *testing.T) {
	var b bytes.Buffer
	p := testProgress(&b, true, time.Hour)
	p.restart()
	if got := p.line(check.Progress{Phase: waitingPhase}, time.Now(), 80); !strings.Contains(got, ", 30 s left") {
		t.Error(got)
	}
}
