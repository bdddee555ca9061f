package stub

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
)

// corpus is one request of each kind that is read in its own way.
func corpus() []string {
	n := "00000000000000aa"
	list := []string{
		ask("tier_cap", n), ask("steps", n), ask("gzip_429", n), ask("nosuch", n), streaming(ask("ok", n)),
		post("/p/v1/messages?beta=true", "ok", n, "X-Stainless-Retry-Count: 1\r\nAccept-Encoding: gzip\r\nx-fixture: ok\r\nx-fixture-id: "+testRun+"."+n+"\r\n"),
		strings.Replace(ask("tier_cap", n), "HTTP/1.1", "HTTP/1.0", 1),
		post("/v1/messages", "tier_cap", n, "Connection: close\r\n"),
		post("/v1/messages?beta=true", "tier_cap", n, "Anthropic-Version: 1\r\nanthropic-beta: a\r\nANTHROPIC-BETA: b\r\n"),
		chunkedHead + "10\r\n[[preservecheck \r\n10;x=y\r\nfixture=tier_cap\r\n2\r\n]]\r\n0\r\nA: b\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: s\r\n\r\n", "GET /v1/models HTTP/1.1\r\nHost: s\r\n\r\n", "HEAD / HTTP/1.1\r\nHost: s\r\n\r\n",
		"POST /v1/v1/messages HTTP/1.1\r\nHost: s\r\nContent-Length: 0\r\n\r\n",
		"POST /v1/messages HTTP/1.1\r\nHost: s\r\nContent-Length: 9000\r\n\r\n" + strings.Repeat(" ", 8967) + "[[preservecheck fixture=invalid]]",
		"POST /v1/messages HTTP/1.1\r\nHost: s\r\nX: " + strings.Repeat("y", 9000) + "\r\nContent-Length: 33\r\n\r\n[[preservecheck fixture=invalid]]",
		ask("tier_cap", n) + ask("invalid", n),
	}
	for _, c := range smuggled {
		list = append(list, c.head+inner)
	}
	return list
}

var anyID = regexp.MustCompile(`(req_|hit |data: ok )[0-9a-f]{16}|one [0-9a-f]{16}`)

// TestTricklingChangesNothing sends each request whole, in halves and in small pieces: what is read in one go from the
// buffer and what is gathered piece by piece must give the same bytes and the same hit.
func TestTricklingChangesNothing(t *testing.T) {
	s := start(t, func(o *Options) { o.Watch = true })
	outcome := func(in string, piece int) (string, []ledger.Hit) {
		before := s.ledger.Len()
		nc := s.dial()
		defer nc.Close()
		for from := 0; from < len(in); from += piece {
			if _, err := io.WriteString(nc, in[from:min(from+piece, len(in))]); err != nil {
				break // refused before all was sent
			}
			if from > 0 && from/piece < 8 {
				time.Sleep(200 * time.Microsecond) // or the kernel joins the pieces
			}
		}
		_ = nc.CloseWrite()
		out, _ := io.ReadAll(nc)
		return anyID.ReplaceAllString(string(out), "ID"), s.ledger.All()[before:]
	}
	for _, in := range corpus() {
		want, wantHits := outcome(in, len(in))
		for _, piece := range []int{(len(in) + 1) / 2, 7, 1} {
			if piece == 1 && len(in) > 1000 {
				continue // takes long and shows nothing new
			}
			got, gotHits := outcome(in, piece)
			if len(gotHits) != len(wantHits) || len(wantHits) == 0 {
				t.Errorf("%.80q in pieces of %d: %d hits, want %d", in, piece, len(gotHits), len(wantHits))
				continue
			}
			if d := cmp.Diff(want, got) + cmp.Diff(wantHits, gotHits, cmpopts.IgnoreFields(ledger.Hit{}, "ID", "At", "From", "Served.AnswerAt", "Served.RestAt")); d != "" {
				t.Errorf("%.80q in pieces of %d: %s", in, piece, d)
			}
		}
	}
}

// asRead is a request as a reader saw it.
type asRead struct{ Method, Path, BodyHash string }

// netHTTP reads requests as net/http's lenient reader does, as far as it gets. strayed is true when it stopped for
// a target that is none of its URLs, about which the stub has no opinion.
func netHTTP(in []byte, hash func([]byte) string) (all []asRead, strayed bool) {
	br := bufio.NewReader(bytes.NewReader(in))
	for {
		rq, err := http.ReadRequest(br)
		var bad *url.Error
		if err != nil {
			return all, errors.As(err, &bad)
		}
		body, err := io.ReadAll(rq.Body)
		if err != nil {
			return all, false
		}
		path, _, _ := strings.Cut(string(originForm([]byte(rq.RequestURI))), "?")
		all = append(all, asRead{rq.Method, path, hash(body)})
	}
}

// checkAgainstNetHTTP sends bytes to the stub and holds what it read against what net/http reads.
func checkAgainstNetHTTP(t *testing.T, s *running, in []byte) {
	t.Helper()
	before := s.ledger.Len()
	out := s.exchange(string(in))
	if len(in) > 0 && len(out) == 0 {
		t.Fatalf("closed without an answer: %q", in)
	}
	var mine []asRead
	refused := 0
	for _, h := range s.ledger.All()[before:] {
		if h.Served.Status == 400 && h.Served.Fixture == "" || h.Served.Status == 413 || h.Served.Status == 417 {
			refused++
			continue
		}
		mine = append(mine, asRead{h.Method, h.Path, h.BodyHash})
	}
	if refused > 1 {
		t.Errorf("%d refusals on one connection: it went on after the first: %q", refused, in)
	}
	theirs, strayed := netHTTP(in, s.ledger.Hash)
	for i := range theirs {
		theirs[i].Path = string(s.shape([]byte(theirs[i].Path)))
	}
	for i, m := range mine {
		if len(m.Path) >= maxKeptPath || i >= len(theirs) && strayed {
			return
		}
		if i >= len(theirs) || m != theirs[i] {
			t.Fatalf("request %d: the stub read %+v, net/http %+v of %q", i+1, m, theirs, in)
		}
	}
}

func TestReaderAgainstNetHTTP(t *testing.T) {
	s := start(t, nil)
	for _, in := range corpus() {
		checkAgainstNetHTTP(t, s, []byte(in))
	}
}

// FuzzConnection sends raw bytes to the real listener: no panic, always an answer, never more requests than another
// reader finds, and each with the same method, path and body.
func FuzzConnection(f *testing.F) {
	for _, in := range corpus() {
		if len(in) < 4096 {
			f.Add([]byte(in))
		}
	}
	all := start(f, func(o *Options) {
		o.Matrix = quick()
		o.OnPanic = func(_ any, stack []byte) { panic(string(stack)) }
	})
	f.Fuzz(func(t *testing.T, in []byte) {
		if all.ledger.Len() > ledger.DefaultLimit/2 {
			t.Skip("the ledger is nearly full, and what is not kept can't be compared")
		}
		checkAgainstNetHTTP(t, &running{all.Server, t, all.ledger, all.addr}, in)
	})
}

// quick is the matrix without pauses and resets.
func quick() *fixture.Matrix {
	m := testMatrix()
	m.Rows = m.Rows[:3]
	return m
}
