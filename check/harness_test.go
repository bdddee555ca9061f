package check_test

import (
	"bytes"
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/stub"
	"github.com/preservecheck/preservecheck/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// layer answers one request; ask sends one to the real stub.
type layer func(ctx context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer

func (l layer) through(up *wire.Client) check.Way { return way{l, up} }

type way struct {
	l  layer
	up *wire.Client
}

func (w way) Do(ctx context.Context, r wire.Request) *wire.Answer {
	sent := time.Now()
	a := w.l(ctx, r, func(r wire.Request) *wire.Answer { return w.up.Do(context.WithoutCancel(ctx), r) }).Clone()
	a.SentAt, a.DoneAt, a.Local = sent, time.Now(), "" // the socket to the stub is the layer's, not the client's
	if a.FirstAt.IsZero() || a.FirstAt.Before(sent) {
		a.FirstAt = a.DoneAt
	}
	return a
}

// honest passes everything on.
func honest(_ context.Context, r wire.Request, ask func(wire.Request) *wire.Answer) *wire.Answer {
	return ask(r)
}

type option func(*check.Config)

// run checks a layer in front of a real stub on loopback.
func run(t *testing.T, l layer, opts ...option) record.Document {
	t.Helper()
	m, err := fixture.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	id := ledger.NewRun()
	book := ledger.New(id)
	s, err := stub.New(stub.Options{Matrix: m, Ledger: book, Watch: true})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(ln) }()
	t.Cleanup(func() { s.Close(); <-done })
	base, err := wire.ParseBase("http://" + ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	client := &wire.Client{Base: base, Limits: wire.Default}
	c := check.Config{
		Run: id, Matrix: m, Hits: book, Rules: compare.Rules{Profile: compare.ProfileByName("core"), MaxLayerRetries: -1},
		Channel: "auto", Model: "m-{fixture}", Layer: l.through(client), Direct: client, Idle: s.Idle,
		Proof:       func(context.Context) record.Proof { return record.Proof{Pairs: 1, Exact: 1, Keys: 1, Deciding: 1} },
		Concurrency: 8, Timeout: 2 * time.Second, Deadline: time.Minute, ReadyTimeout: 2 * time.Second, Settle: 300 * time.Millisecond,
	}
	for _, f := range m.Rows { // the ten that everybody knows; the whole matrix is run by whoever tests the matrix
		if f.Family == fixture.ArticleFamily {
			c.Rows = append(c.Rows, check.Row{Fixture: f, Mode: fixture.Plain, Dialect: dialects.Anthropic})
		}
	}
	for _, o := range opts {
		o(&c)
	}
	return check.Run(t.Context(), c)
}

func both(c *check.Config) {
	for _, r := range c.Rows[:len(c.Rows):len(c.Rows)] {
		c.Rows = append(c.Rows, check.Row{Fixture: r.Fixture, Mode: fixture.Stream, Dialect: r.Dialect})
	}
}

func channel(name string) option { return func(c *check.Config) { c.Channel = name } }

// own is an answer of the layer's own.
func own(status int, body string) *wire.Answer {
	return &wire.Answer{
		Proto: "HTTP/1.1", Status: status, Framing: wire.FramingLength, End: wire.EndComplete, Body: []byte(body),
		Header: []wire.Field{{Name: "content-type", Value: "application/json"}},
	}
}

func isCanary(r wire.Request) bool { return bytes.Contains(r.Body, []byte("fixture=ok")) }

func wants(r wire.Request, name string) bool {
	return bytes.Contains(r.Body, []byte("fixture="+name+" "))
}

// row finds a row of a document.
func row(t *testing.T, d record.Document, name string) record.Row {
	t.Helper()
	for _, r := range d.Rows {
		if r.Row == name {
			return r
		}
	}
	t.Fatalf("no row %s in the record (%s)", name, d.Result.Why)
	return record.Row{}
}

func finding(d record.Document, kind string) *record.Finding {
	for i := range d.Findings {
		if d.Findings[i].Kind == kind {
			return &d.Findings[i]
		}
	}
	return nil
}

func verdicts(d record.Document) string {
	var s []string
	for _, r := range d.Rows {
		s = append(s, r.Row+"/"+r.Mode+"="+r.Verdict)
	}
	return strings.Join(s, " ")
}

// replaceBody changes an answer's text, whatever it is.
func replaceBody(a *wire.Answer, old, new string) *wire.Answer {
	a.Body = bytes.ReplaceAll(a.Body, []byte(old), []byte(new))
	return a
}
