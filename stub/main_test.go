package stub

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testRun = "0a1b2c3d"

// patience bounds what a test waits for. It is long, because it is only ever waited out when a test fails.
const patience = 10 * time.Second

// plainFixture is a whole answer with an id in header and body.
func plainFixture(name string, status int) *fixture.Fixture {
	return &fixture.Fixture{Name: name, Dialect: "anthropic", Stream: fixture.StreamBoth, Answer: fixture.Answer{
		Status: status, End: fixture.EndComplete,
		Header: []wire.Field{{Name: "Content-Type", Value: "application/json"}, {Name: "request-id", Value: "req_{{id}}"}},
		Body:   []byte(`{"fixture":"` + name + `","request_id":"req_{{id}}"}`),
	}}
}

func streamFixture(name string, end fixture.End, steps ...fixture.Step) *fixture.Fixture {
	f := plainFixture(name, 200)
	f.Answer.Body, f.Answer.Steps, f.Answer.End = nil, steps, end
	return f
}

// testMatrix has one fixture for each thing that a script can do.
func testMatrix() *fixture.Matrix {
	step, pause := stepOf, pauseOf(30*time.Millisecond)
	gz := plainFixture("gzip_429", 429)
	gz.Answer.Gzip = true
	hold := streamFixture("hold", fixture.EndHold, step("first {{id}}"))
	hold.Answer.Hold = 50 * time.Millisecond
	short := plainFixture("short", 200)
	short.Answer.End = fixture.EndClose
	ok, okStream := plainFixture("ok", 200), streamFixture("ok_stream", fixture.EndComplete, step("data: ok {{id}}\n\n"))
	ok.Stream, okStream.Stream = fixture.StreamNever, fixture.StreamOnly
	return &fixture.Matrix{
		Version: "test",
		Rows: []*fixture.Fixture{
			plainFixture("tier_cap", 429), plainFixture("invalid", 400), gz, hold, short,
			streamFixture("steps", fixture.EndComplete, step("one {{id}}\n"), pause, step("two\n")),
			streamFixture("cut", fixture.EndClose, step("one\n"), pause, step("tw")),
			streamFixture("reset", fixture.EndReset, step("one\n"), pause, step("tw")),
		},
		Canaries: []*fixture.Fixture{ok, okStream},
	}
}

// running is a stub under test.
type running struct {
	*Server
	t      testing.TB
	ledger *ledger.Ledger
	addr   string
}

func start(t testing.TB, change func(*Options)) *running {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	book := ledger.New(testRun)
	opt := Options{Matrix: testMatrix(), Ledger: book, OnPanic: func(v any, stack []byte) { t.Errorf("panic: %v\n%s", v, stack) }}
	if change != nil {
		change(&opt)
	}
	s, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error("Close:", err)
		}
		if err := <-ended; err != nil {
			t.Error("Serve:", err)
		}
	})
	return &running{s, t, book, l.Addr().String()}
}

func (r *running) dial() *net.TCPConn {
	r.t.Helper()
	return r.dialAt(r.addr)
}

func (r *running) dialAt(addr string) *net.TCPConn {
	r.t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(patience))
	return c.(*net.TCPConn)
}

// exchange sends bytes, ends writing and returns all that comes back.
func (r *running) exchange(in string) []byte {
	r.t.Helper()
	return r.exchangeAt(r.addr, in)
}

func (r *running) exchangeAt(addr, in string) []byte {
	r.t.Helper()
	c := r.dialAt(addr)
	defer c.Close()
	// The stub may refuse and stop reading before all is sent: what counts is what comes back.
	_, _ = io.WriteString(c, in)
	_ = c.CloseWrite()
	out, err := io.ReadAll(c)
	if err != nil && len(out) == 0 {
		r.t.Fatalf("no answer to %.200q: %v", in, err)
	}
	return out
}

// answers parses a sequence of answers, which must fill the bytes.
func answers(t testing.TB, b []byte) (all []*http.Response, bodies []string) {
	t.Helper()
	br := bufio.NewReader(bytes.NewReader(b))
	for {
		if _, err := br.Peek(1); err != nil {
			return all, bodies
		}
		res, err := http.ReadResponse(br, nil)
		if err != nil {
			t.Fatalf("answer %d of %q: %v", len(all)+1, b, err)
		}
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatalf("body %d of %q: %v", len(all)+1, b, err)
		}
		if res.StatusCode == 100 {
			continue
		}
		all, bodies = append(all, res), append(bodies, string(body))
	}
}

// ask is a request with a marker, as a client behind an honest layer sends it.
func ask(name, nonce string) string { return post("/v1/messages", name, nonce, "") }

func post(target, name, nonce, header string) string {
	body := fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":"hi [[preservecheck fixture=%s id=%s.%s]]"}]}`, name, testRun, nonce)
	return "POST " + target + " HTTP/1.1\r\nHost: stub\r\nContent-Type: application/json\r\n" + header +
		fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
}

// streaming turns a request into one that asks for a stream.
func streaming(req string) string {
	head, body, _ := strings.Cut(req, "\r\n\r\n")
	body = `{"stream":true,` + body[1:]
	i := strings.LastIndex(head, ": ")
	return head[:i+2] + fmt.Sprint(len(body)) + "\r\n\r\n" + body
}

// eventually waits for what another goroutine is about to do.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("never happened: " + what)
		}
	}
}
