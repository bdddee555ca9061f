// Package honest_test holds the check to silence: layers of many makes that hand every answer on as HTTP allows must
// give no difference and no finding, and the same layers must be red once they lose something.
//
// It is no part of the program. What real proxies do is measured in real.
package honest_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
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

// TestWholeMatrix runs every row in every mode it has through every make.
func TestWholeMatrix(t *testing.T) {
	m := matrix(t)
	rows := rowsOf(m, func(*fixture.Fixture) bool { return true })
	if len(rows) < 200 {
		t.Fatalf("%d rows: that is not the whole matrix", len(rows))
	}
	sideBySide(t, func(t *testing.T, l layer) {
		demandSilence(t, l, run(t, m, l, rows, 1), len(rows), 1)
	})
}

// sideBySide runs a test for each make. Most of the time of a run is waiting for rows that do not answer, so more of them
// are under way than there are processors.
func sideBySide(t *testing.T, test func(t *testing.T, l layer)) {
	t.Helper()
	const width = 8
	var all sync.WaitGroup
	places := make(chan struct{}, width)
	for _, l := range layers() {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			t.Run(l.name, func(t *testing.T) { test(t, l) })
		})
	}
	all.Wait()
}

// TestEveryMakeCanFail shows that silence is not deafness: the same layer, but its upstream's answers lose their details.
func TestEveryMakeCanFail(t *testing.T) {
	m := matrix(t)
	rows := rowsOf(m, ofArticle)
	sideBySide(t, func(t *testing.T, l layer) {
		honest := l.upstream
		l.upstream = func(host string) upstream {
			up := honest(host)
			return upstream{dropDetails{up.RoundTripper}, up.close}
		}
		d := run(t, m, l, rows, 1)
		want, got := 0, 0
		for _, row := range rows {
			if holdsDetails(row) {
				want++
			}
		}
		for i := range d.Rows {
			if slices.ContainsFunc(d.Rows[i].Fields, func(f record.Field) bool { return f.Key == "error/details" && f.Dir == "lost" && f.Decides }) {
				got++
			}
		}
		if d.Result.Exit != compare.ExitFail || got != want || want == 0 {
			t.Errorf("exit %d (%s), details lost in %d of %d rows", d.Result.Exit, d.Result.Why, got, want)
		}
	})
}

// repeats is how often each of the ten rows goes through some layer in one run of the tests.
const repeats = 1000

// TestThousandRepeats asks for the ten rows a thousand times, shared out among the makes. Both modes count as one.
func TestThousandRepeats(t *testing.T) {
	if testing.Short() {
		t.Skip("10,000 requests")
	}
	m := matrix(t)
	rows := rowsOf(m, ofArticle)
	each := (repeats/2 + len(layers()) - 1) / len(layers())
	begin := time.Now()
	sideBySide(t, func(t *testing.T, l layer) {
		demandSilence(t, l, run(t, m, l, rows, each), len(rows), each)
	})
	t.Logf("%d rows, %d times each, through %d makes in %s", len(rows), each, len(layers()), time.Since(begin).Round(time.Millisecond))
}

// demandSilence: every row was judged by an answer to a hit of its own, and there is nothing to say about any.
func demandSilence(t *testing.T, l layer, d record.Document, rows, times int) {
	t.Helper()
	_, gathers := l.handler(nil, nil).(*rewriter)
	if up, ok := l.upstream("").RoundTripper.(*stalePool); ok { // it reads an answer before it knows that it came
		up.close()
		gathers = true
	}
	if d.Result.Exit != compare.ExitPass {
		t.Errorf("exit %d: %s", d.Result.Exit, d.Result.Why)
	}
	if len(d.Rows) != rows || d.Result.Counts[string(compare.Preserved)] != rows {
		t.Errorf("%d of %d rows judged, %d of them preserved", len(d.Rows), rows, d.Result.Counts[string(compare.Preserved)])
	}
	for _, f := range d.Findings {
		t.Errorf("a finding: %s: %s", f.Kind, f.Text)
	}
	for i := range d.Rows {
		row := &d.Rows[i]
		name := row.Row + " (" + row.Mode + ")"
		if row.Verdict != string(compare.Preserved) {
			t.Errorf("%s is %s: %s", name, row.Verdict, row.Reason)
			for _, h := range row.Hits {
				upstream := "no error seen" // of what the standard library's proxy read
				for id, err := range broken.Range {
					if strings.Contains(id.(string), h.ID) {
						upstream = err.(string)
					}
				}
				t.Errorf("%s: the stub finished answering hit %s: %v; reading it: %s", name, h.ID, h.Served.Finished, upstream)
			}
		}
		for _, f := range row.Fields {
			if f.Dir != "" && !mayDiffer(f.Key, gathers) && !matrix(t).Get(row.Row).ExpectFailure {
				t.Errorf("%s: %s %s: %s instead of %s", name, f.Key, f.Dir, text(f.Layer), text(f.Fixture))
			}
		}
		if row.HitsMin != 1 || row.HitsMax != 1 {
			t.Errorf("%s took %d to %d hits", name, row.HitsMin, row.HitsMax)
		}
		if len(row.Observations) < min(times, 20) {
			t.Errorf("%s was observed %d times, not %d", name, len(row.Observations), times)
		}
	}
}

// mayDiffer: beyond what the profile reads, an honest layer adds headers, interim answers, trailers and keepalives, and
// nothing else; one that reads answers to their end holds streams back. Rows that expect a failure may come as any.
func mayDiffer(key string, gathers bool) bool {
	if key == "stream/pace" {
		return gathers
	}
	for _, own := range []string{"header/", "interim", "trailer/", "stream/keepalive"} {
		if strings.HasPrefix(key, own) && !slices.Contains(compare.ProfileByName("core").Names(), key) {
			return true
		}
	}
	return false
}

func text(v *record.Value) string {
	if v == nil {
		return "nothing"
	}
	return fmt.Sprintf("%.200q", v.Text)
}

func matrix(t *testing.T) *fixture.Matrix {
	t.Helper()
	m, err := fixture.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func ofArticle(f *fixture.Fixture) bool { return f.Family == fixture.ArticleFamily }

// rowsOf gives the rows of some fixtures in both modes, each asked for in the dialect that it is served in.
func rowsOf(m *fixture.Matrix, want func(*fixture.Fixture) bool) (rows []check.Row) {
	for _, mode := range []fixture.Mode{fixture.Plain, fixture.Stream} {
		for _, f := range m.Rows {
			if want(f) && f.In(mode) {
				rows = append(rows, check.Row{Fixture: f, Mode: mode, Dialect: dialects.ByName(f.Dialect)})
			}
		}
	}
	return rows
}

// run checks a layer in front of a real stub on loopback.
func run(t *testing.T, m *fixture.Matrix, l layer, rows []check.Row, times int) record.Document {
	t.Helper()
	id := ledger.NewRun()
	book := ledger.New(id)
	s, err := stub.New(stub.Options{Matrix: m, Ledger: book})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(ln) }()
	up := l.upstream(ln.Addr().String())
	busy := &counted{next: l.handler(up, &url.URL{Scheme: "http", Host: ln.Addr().String()})}
	front := httptest.NewUnstartedServer(busy)
	front.Config.ErrorLog = log.New(io.Discard, "", 0) // rows that break off are told there
	front.Start()
	t.Cleanup(func() {
		front.Close()
		up.close()
		_ = s.Close()
		<-served
	})
	d := check.Run(t.Context(), check.Config{
		Run: id, Matrix: m, Rows: rows, Hits: book, Rules: compare.Rules{Profile: compare.ProfileByName("core"), MaxLayerRetries: -1},
		Channel: "auto", Model: "m-{fixture}", Layer: client(t, front.URL), Direct: client(t, "http://"+ln.Addr().String()),
		Idle:   func() bool { return busy.n.Load() == 0 && s.Idle() },
		Proof:  func(context.Context) record.Proof { return record.Proof{Pairs: 1, Exact: 1, Keys: 1, Deciding: 1} },
		Repeat: times, Concurrency: 8, Timeout: 10 * time.Second, Deadline: 5 * time.Minute, ReadyTimeout: 10 * time.Second, Settle: 300 * time.Millisecond,
	})
	if l, ok := busy.next.(*rewriter); ok && l.idle() && len(rows) > 100 { // the ten rows hold no event and nothing compressed
		t.Error("this make changed no body")
	}
	return d
}

// counted knows whether a request is under way, so that nobody has to wait for late hits.
type counted struct {
	next http.Handler
	n    atomic.Int64
}

func (c *counted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.n.Add(1)
	defer c.n.Add(-1)
	c.next.ServeHTTP(w, r)
}

// client leaves no connection in TIME_WAIT.
func client(t *testing.T, to string) wire.Client {
	t.Helper()
	base, err := wire.ParseBase(to)
	if err != nil {
		t.Fatal(err)
	}
	return wire.Client{Base: base, Abrupt: true}
}

// layer is an honest layer of one make.
type layer struct {
	name, why string
	upstream  func(host string) upstream
	handler   func(up http.RoundTripper, to *url.URL) http.Handler
}

// upstream is how a layer calls, and what ends its connections.
type upstream struct {
	http.RoundTripper
	close func()
}
