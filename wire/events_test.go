package wire

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestEvents(t *testing.T) {
	for _, c := range []struct {
		why, in string
		want    []Event
	}{
		{"nothing", "", nil},
		{"name and data", "event: error\ndata: {}\n\n", []Event{{Name: "error", Data: "{}", Complete: true}}},
		{"data only, as OpenAI sends it", "data: a\n\ndata: [DONE]\n\n", []Event{{Data: "a", Complete: true}, {Data: "[DONE]", Complete: true}}},
		{"CRLF", "event: x\r\ndata: a\r\n\r\ndata: b\r\n\r\n", []Event{{Name: "x", Data: "a", Complete: true}, {Data: "b", Complete: true}}},
		{"CR", "event: x\rdata: a\r\rdata: b\r\r", []Event{{Name: "x", Data: "a", Complete: true}, {Data: "b", Complete: true}}},
		{"mixed ends", "data: a\r\ndata: b\rdata: c\n\r\n", []Event{{Data: "a\nb\nc", Complete: true}}},
		{"CRLF is one end, not two", "data: a\r\ndata: b\n\n", []Event{{Data: "a\nb", Complete: true}}},
		{"data lines are joined", "data: a\ndata\ndata:\ndata: b\n\n", []Event{{Data: "a\n\n\nb", Complete: true}}},
		{"the buffer for joining starts anew", "data: a\ndata: b\n\ndata: c\n\ndata: d\ndata: e\n\n",
			[]Event{{Data: "a\nb", Complete: true}, {Data: "c", Complete: true}, {Data: "d\ne", Complete: true}}},
		{"one space goes, the second stays", "data:  a\n\ndata:b\n\n", []Event{{Data: " a", Complete: true}, {Data: "b", Complete: true}}},
		{"comments are no events", ": ping\n\n:\ndata: a\n: in between\n\n", []Event{{Data: "a", Complete: true}}},
		{"retry is ignored, id is kept", "retry: 5\nid: 7\ndata: a\n\nid: 8\n\n", []Event{{Data: "a", ID: "7", Complete: true}}},
		{"an id with NUL is ignored", "id: 7\x00\ndata: a\n\n", []Event{{Data: "a", Complete: true}}},
		{"unknown fields and wrong case are ignored", "Data: x\nDATA: y\n data: z\nfoo\n\n", nil},
		{"the last name counts", "event: a\nevent: b\ndata: c\n\n", []Event{{Name: "b", Data: "c", Complete: true}}},
		{"a name without data is marked", "event: ping\n\n", []Event{{Name: "ping", NoData: true, Complete: true}}},
		{"empty data is data", "event: ping\ndata\n\n", []Event{{Name: "ping", Complete: true}}},
		{"a cut before the blank line", "event: error\ndata: {}\n", []Event{{Name: "error", Data: "{}"}}},
		{"a cut in a name", "data: a\n\nevent: content_bl", []Event{{Data: "a", Complete: true}, {Name: "content_bl", NoData: true}}},
		{"a cut in data", "data: a\ndata: {\"x", []Event{{Data: "a\n{\"x"}}},
		{"blank lines alone", "\n\n\r\n\r\r", nil},
		{"a BOM further on is text", "data: a\n\n\ufeffdata: b\n\n", []Event{{Data: "a", Complete: true}}},
		{"bytes that are no UTF-8 are kept", "data: \xe6\x96\n\n", []Event{{Data: "\xe6\x96", Complete: true}}},
	} {
		got, bom := Events([]byte(c.in))
		if d := cmp.Diff(c.want, got); d != "" && len(c.want)+len(got) > 0 || bom {
			t.Errorf("%s: %q (bom %v)\n%s", c.why, c.in, bom, d)
		}
		withBOM, bom := Events([]byte("\ufeff" + c.in))
		if d := cmp.Diff(got, withBOM); d != "" || !bom {
			t.Errorf("%s: a BOM in front changes it (bom %v)\n%s", c.why, bom, d)
		}
	}
}

func TestEventsLimit(t *testing.T) {
	ev, _ := Events([]byte(strings.Repeat("data: a\n\n", MaxEvents+7)))
	if len(ev) != MaxEvents || ev[MaxEvents-1].Rest != 7 || ev[0].Rest != 0 {
		t.Errorf("%d events, rest %d", len(ev), ev[len(ev)-1].Rest)
	}
	ev, _ = Events([]byte(strings.Repeat("data: a\n\n", MaxEvents)))
	if len(ev) != MaxEvents || ev[MaxEvents-1].Rest != 0 {
		t.Errorf("exactly the limit: %d events, rest %d", len(ev), ev[len(ev)-1].Rest)
	}
}

// TestEventsLinear: no input may cost more than its length; a quadratic reader would take minutes here.
func TestEventsLinear(t *testing.T) {
	for _, line := range []string{"\r", "\n", "\r\n", "data\n", "data\r", "a", ":\r"} {
		start := time.Now()
		Events([]byte(strings.Repeat(line, (2<<20)/len(line))))
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("%q: %v", line, d)
		}
	}
}
