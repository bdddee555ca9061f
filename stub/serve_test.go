package stub

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
)

func TestNewNeedsMatrixAndLedger(t *testing.T) {
	if _, err := New(Options{}); !errors.Is(err, ErrOptions) {
		t.Error(err)
	}
}

func TestBuiltinFixturesByteForByte(t *testing.T) {
	m, err := fixture.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Rows) == 0 || len(m.Canaries) == 0 {
		t.Fatal("an empty matrix proves nothing")
	}
	s := start(t, func(o *Options) { o.Matrix = m })
	for _, f := range m.Rows {
		if f.Answer.Raw || f.Answer.End != fixture.EndComplete {
			continue // connections that break off have tests of their own
		}
		for _, http11 := range []bool{true, false} {
			nonce, in := ledger.NewNonce(), ""
			if in = ask(f.Name, nonce); !http11 {
				in = strings.Replace(in, "HTTP/1.1", "HTTP/1.0", 1)
			}
			got := s.exchange(in)
			hits := s.ledger.Of(nonce)
			if len(hits) != 1 {
				t.Errorf("%s: %d hits", f.Name, len(hits))
				continue
			}
			var want []byte
			r := f.Render(http11, false)
			for i := range r.Writes() {
				want = r.Append(want, i, hits[0].ID)
			}
			if d := cmp.Diff(string(want), string(got)); d != "" {
				t.Errorf("%s: %s", f.Name, d)
			}
			if !bytes.Contains(got, []byte(hits[0].ID)) {
				t.Errorf("%s: the answer does not say which hit it belongs to", f.Name)
			}
		}
	}
}

func TestHitHasAllThatIsKnown(t *testing.T) {
	s := start(t, nil)
	nonce := ledger.NewNonce()
	before := time.Now()
	req := streaming(post("/layer/v1/messages?beta=true&key=hush&bare", "tier_cap", nonce, "X-Stainless-Retry-Count: 2\r\nAuthorization: Bearer hush\r\n"))
	s.exchange(req)
	eventually(t, "the hit is complete", func() bool { h := s.ledger.Of(nonce); return len(h) == 1 && h[0].Served.Finished })
	got := s.ledger.Of(nonce)[0]
	_, body, _ := strings.Cut(req, "\r\n\r\n")
	want := ledger.Hit{
		Tag: ledger.Tag{Run: testRun, Fixture: "tier_cap", Nonce: nonce}, Channels: []ledger.Channel{ledger.Marker},
		Method: "POST", Path: "/layer/v1/messages", Query: []string{"beta", "key", "bare"},
		Header: []string{"Host", "Content-Type", "X-Stainless-Retry-Count", "Authorization", "Content-Length"},
		Model:  "m", Stream: true, RetryCount: "2", BodyHash: s.ledger.Hash([]byte(body)),
		Served: ledger.Served{Fixture: "tier_cap", Proto: "HTTP/1.1", Status: 429, Framing: "length", Finished: true},
	}
	if d := cmp.Diff(want, got, cmpopts.IgnoreFields(ledger.Hit{}, "ID", "At", "From", "Served.AnswerAt", "Served.RestAt")); d != "" {
		t.Error(d)
	}
	if got.At.Before(before) || got.Served.AnswerAt.Before(got.At) || time.Since(got.Served.AnswerAt) > patience {
		t.Errorf("asked %v, arrived %v, answered %v", before, got.At, got.Served.AnswerAt)
	}
	if !strings.HasPrefix(got.From, "127.0.0.1:") || len(got.ID) != ledger.NonceLen {
		t.Errorf("from %q, id %q", got.From, got.ID)
	}
	b, _ := json.Marshal(s.ledger.All())
	if bytes.Contains(b, []byte("hush")) {
		t.Errorf("a secret is kept: %s", b)
	}
}

// A connection uses strings of its previous request again; nothing of that request may shine through.
func TestHitsOfOneConnectionDoNotMix(t *testing.T) {
	s := start(t, nil)
	n1, n2, n3 := ledger.NewNonce(), ledger.NewNonce(), ledger.NewNonce()
	s.exchange(post("/a/v1/messages?q=1", "tier_cap", n1, "X-Stainless-Retry-Count: 1\r\nx-fixture: tier_cap\r\nx-fixture-id: "+testRun+"."+n1+"\r\nAccept-Encoding: gzip\r\n") +
		post("/b/v1/messages", "gzip_429", n2, "") + post("/b/v1/messages?q", "tier_cap", n3, ""))
	h1, h2, h3 := s.ledger.Of(n1)[0], s.ledger.Of(n2)[0], s.ledger.Of(n3)[0]
	if h2.RetryCount != "" || h2.Path != "/b/v1/messages" || h2.Query != nil || len(h2.Header) != 3 || len(h2.Channels) != 1 || h2.Served.Encoding != "" || h2.Note != "" {
		t.Errorf("the second hit has something of the first: %+v", h2)
	}
	if h1.Path != "/a/v1/messages" || len(h1.Header) != 7 || len(h1.Channels) != 2 || len(h1.Query) != 1 || h1.RetryCount != "1" {
		t.Errorf("the first hit changed when the second came: %+v", h1)
	}
	if len(h3.Query) != 1 || h3.Path != h2.Path {
		t.Errorf("%+v", h3)
	}
}

func TestCanaryFollowsTheRequestsMode(t *testing.T) {
	for _, c := range []struct {
		why, name    string
		stream       bool
		want, served string
	}{
		{"a plain canary asked for plainly", "ok", false, `"fixture":"ok"`, "ok"},
		{"the layer streams upstream for a plain ask", "ok", true, "data: ok", "ok_stream"},
		{"the layer collects a stream", "ok_stream", false, `"fixture":"ok"`, "ok"},
		{"a stream asked for as a stream", "ok_stream", true, "data: ok", "ok_stream"},
		{"an error is the same in both modes", "tier_cap", true, `"fixture":"tier_cap"`, "tier_cap"},
		{"a stream selected by name is served, whatever was asked", "steps", false, "two", "steps"},
	} {
		s, nonce := start(t, nil), ledger.NewNonce()
		req := ask(c.name, nonce)
		if c.stream {
			req = streaming(req)
		}
		if _, bodies := answers(t, s.exchange(req)); len(bodies) != 1 || !strings.Contains(bodies[0], c.want) {
			t.Errorf("%s: %q", c.why, bodies)
		}
		if h := s.ledger.Of(nonce); len(h) != 1 || h[0].Served.Fixture != c.served || h[0].Tag.Fixture != c.name {
			t.Errorf("%s: %+v", c.why, h)
		}
	}
}

func TestGzipOnlyWhenAccepted(t *testing.T) {
	s := start(t, nil)
	for _, c := range []struct {
		why, header string
		want        bool
	}{
		{"not asked for", "", false},
		{"asked for", "Accept-Encoding: gzip, deflate\r\n", true},
		{"asked for last, in another case", "accept-encoding: br, GZIP\r\n", true},
		{"asked for on a second line", "Accept-Encoding: br\r\nAccept-Encoding: gzip\r\n", true},
		{"refused", "Accept-Encoding: gzip;q=0\r\n", false},
		{"refused at length", "Accept-Encoding: gzip ; q=0.000\r\n", false},
		{"liked little", "Accept-Encoding: gzip;q=0.1\r\n", true},
		{"another coding", "Accept-Encoding: xgzip, identity\r\n", false},
	} {
		nonce := ledger.NewNonce()
		res, bodies := answers(t, s.exchange(post("/v1/messages", "gzip_429", nonce, c.header)))
		h := s.ledger.Of(nonce)[0]
		if got := res[0].Header.Get("Content-Encoding") == "gzip"; got != c.want || (h.Served.Encoding == "gzip") != c.want {
			t.Errorf("%s: gzip %t, hit %+v", c.why, got, h.Served)
		}
		body := []byte(bodies[0])
		if c.want {
			z, err := gzip.NewReader(bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			body, _ = io.ReadAll(z)
		}
		if !bytes.Contains(body, []byte(h.ID)) {
			t.Errorf("%s: %q", c.why, body)
		}
	}
}

func TestArmed(t *testing.T) {
	s, nonce := start(t, nil), ledger.NewNonce()
	done, _ := s.ledger.Announce(ledger.Armed, ledger.Tag{Run: testRun, Fixture: "tier_cap", Nonce: nonce})
	res, _ := answers(t, s.exchange("POST /v1/messages HTTP/1.1\r\nHost: s\r\nContent-Length: 2\r\n\r\n{}"))
	done()
	if res[0].StatusCode != 429 || len(s.ledger.Of(nonce)) != 1 {
		t.Errorf("%v %+v", res[0].StatusCode, s.ledger.All())
	}
	res, _ = answers(t, s.exchange("POST /v1/messages HTTP/1.1\r\nHost: s\r\nContent-Length: 2\r\n\r\n{}"))
	if res[0].Header.Get(MarkHeader) != KindNoFixture {
		t.Error("still armed after done")
	}
}

func TestEveryChannelReachesItsFixture(t *testing.T) {
	s := start(t, nil)
	id := testRun + "." + ledger.NewNonce()
	for _, c := range []struct{ why, in string }{
		{"model", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nContent-Length: 25\r\n\r\n" + `{"model":"x/m-tier_cap"} `},
		{"header", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nX-FIXTURE: tier_cap\r\nX-Fixture-ID: " + id + "\r\nContent-Length: 2\r\n\r\n{}"},
		{"path", "POST /pre/fx/tier_cap/v1/messages?x HTTP/1.1\r\nHost: s\r\nContent-Length: 2\r\n\r\n{}"},
		{"path in absolute form", "POST http://s/fx/tier_cap/v1/messages HTTP/1.1\r\nHost: s\r\nContent-Length: 2\r\n\r\n{}"},
		{"marker in a chunked body", "POST /v1/messages HTTP/1.1\r\nHost: s\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n[[preservecheck \r\n10\r\nfixture=tier_cap\r\n2\r\n]]\r\n0\r\n\r\n"},
	} {
		if res, _ := answers(t, s.exchange(c.in)); len(res) != 1 || res[0].StatusCode != http.StatusTooManyRequests {
			t.Errorf("%s: %d answers, %+v", c.why, len(res), s.ledger.All()[s.ledger.Len()-1])
		}
	}
}
