package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/wire"
)

// call is one request to a layer that exists only in tests.
type call struct {
	c   net.Conn
	req wire.Request
	up  wire.Client
	n   int64 // of the requests that named a row, from 1
	all int64 // of all requests, from 1
	ctx context.Context
}

// ask sends a request to the stub.
func (c *call) ask(r wire.Request) *wire.Answer { return c.up.Do(c.ctx, r) }

// send writes an answer; one that broke off is closed in the middle.
func (c *call) send(a *wire.Answer) {
	b := wire.Encode(a)
	if !a.End.Orderly() {
		b = b[:max(0, len(b)-5)]
	}
	c.write(string(b))
}

func (c *call) write(s string) { _, _ = io.WriteString(c.c, s) }

// layers are small layers with faults that no control has, because they need time, memory, several requests or bytes that no
// HTTP library would send. Canaries always come through.
var layers = map[string]func(c *call){
	"honest": func(c *call) { c.send(c.ask(c.req)) },
	"renames": edits(func(_ *call, a *wire.Answer) {
		for i := range a.Header {
			if strings.EqualFold(a.Header[i].Name, "retry-after") {
				a.Header[i].Name = "llm_provider-retry-after"
			}
		}
	}),
	"wraps": edits(func(_ *call, a *wire.Answer) {
		setBody(a, `{"type":"error","error":{"type":"rate_limit_error","message":`+quoted("litellm.RateLimitError: AnthropicException - b'"+string(a.Body)+"'. Received Model Group=x")+`}}`)
	}),
	"generic": edits(func(_ *call, a *wire.Answer) {
		setBody(a, `{"type":"error","error":{"type":"rate_limit_error","message":"Upstream request failed"}}`)
	}),
	"first-line": edits(func(_ *call, a *wire.Answer) {
		if at := bytes.Index(a.Body, []byte(`\n`)); at > 0 {
			a.Body = append(append([]byte{}, a.Body[:at]...), a.Body[bytes.Index(a.Body[at:], []byte(`"`))+at:]...)
		}
	}),
	"code-as-text": edits(func(_ *call, a *wire.Answer) {
		a.Body = bytes.Replace(a.Body, []byte(`"error_code":429`), []byte(`"error_code":"429"`), 1)
	}),
	"ascii": edits(func(_ *call, a *wire.Answer) {
		a.Body = []byte(strings.Map(func(r rune) rune {
			if r > 127 {
				return '\ufffd'
			}
			return r
		}, string(a.Body)))
	}),
	"clamps": edits(func(_ *call, a *wire.Answer) {
		for i := range a.Header {
			if strings.EqualFold(a.Header[i].Name, "retry-after") {
				a.Header[i].Value = "60"
			}
		}
	}),
	"swallows": edits(func(_ *call, a *wire.Answer) {
		if at := bytes.Index(a.Body, []byte("event: error")); at >= 0 {
			a.Body = a.Body[:at]
		}
	}),
	"parser": edits(func(_ *call, a *wire.Answer) {
		if bytes.Contains(a.Body, []byte(`"details":[`)) { // it knows details as an object only
			a.Status, a.Reason = 502, "Bad Gateway"
			setBody(a, `{"error":{"message":"Failed to process error response","type":"provider_response_error"}}`)
		}
	}),
	"whole": edits(func(_ *call, a *wire.Answer) { a.End, a.Framing = wire.EndComplete, wire.FramingLength }),
	"rescues": edits(func(_ *call, a *wire.Answer) {
		if a.Status == 0 {
			*a = wire.Answer{Status: 200, Reason: "OK", Framing: wire.FramingLength, End: wire.EndComplete}
			setBody(a, `{}`)
		}
	}),
	"sometimes": edits(func(c *call, a *wire.Answer) {
		if c.n%4 == 0 {
			a.Body = bytes.Replace(a.Body, []byte(`, "details": {"error_code": "enforced_spend_limit_reached"}`), nil, 1)
		}
	}),
	"sleeps":   rows(func(c *call) { time.Sleep(600 * time.Millisecond); c.send(c.ask(c.req)) }),
	"too-long": rows(func(c *call) { c.write(resized(c.ask(c.req), 40)) }),
	"too-short": rows(func(c *call) {
		c.write(resized(c.ask(c.req), -40))
	}),
	"endless": rows(func(c *call) {
		a := c.ask(c.req)
		a.Framing = wire.FramingClose
		c.send(a)
		for ; c.ctx.Err() == nil; time.Sleep(time.Millisecond) {
			if _, err := io.WriteString(c.c, " "); err != nil {
				return
			}
		}
	}),
	"falls-back": rows(func(c *call) {
		c.ask(c.req)
		c.req.Body = bytes.Replace(c.req.Body, []byte(`"model":"`), []byte(`"model":"backup-`), 1)
		c.send(c.ask(c.req))
	}),
	"other-route": rows(func(c *call) {
		c.ask(c.req)
		c.req.Target = "/backup" + c.req.Target
		c.send(c.ask(c.req))
	}),
	"hurries": rows(func(c *call) { c.ask(c.req); c.send(c.ask(c.req)) }),
	"claims": rows(func(c *call) {
		c.ask(c.req)
		a := c.ask(c.req)
		a.Header = append(a.Header, wire.Field{Name: "x-portkey-retry-attempt-count", Value: "0"})
		c.send(a)
	}),
	"nginx-page": rows(func(c *call) {
		page := "<html>\r\n<head><title>429 Too Many Requests</title></head>\r\n<body>\r\n<center><h1>429 Too Many Requests</h1></center>\r\n<hr><center>nginx/1.22.1</center>\r\n</body>\r\n</html>\r\n"
		c.write(fmt.Sprintf("HTTP/1.1 429 Too Many Requests\r\ncontent-type: text/html\r\ncontent-length: %d\r\n\r\n%s", len(page), page))
	}),
	"limiter": func(c *call) {
		if c.all > 8 {
			c.write("HTTP/1.1 429 Too Many Requests\r\ncontent-type: text/plain\r\ncontent-length: 9\r\n\r\nslow down")
			return
		}
		c.send(c.ask(c.req))
	},
	"translates": edits(func(_ *call, a *wire.Answer) {
		setBody(a, `{"error":{"message":"fixture: translated","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`)
	}),
}

// edits makes a layer that changes answers to rows.
func edits(change func(c *call, a *wire.Answer)) func(c *call) {
	return rows(func(c *call) {
		a := c.ask(c.req)
		change(c, a)
		c.send(a)
	})
}

// rows makes a layer that lets canaries through.
func rows(do func(c *call)) func(c *call) {
	return func(c *call) {
		if bytes.Contains(c.req.Body, []byte("fixture=ok")) {
			c.send(c.ask(c.req))
			return
		}
		do(c)
	}
}

func setBody(a *wire.Answer, s string) { a.Body = []byte(s) }

func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// resized is an answer whose content-length is off by so much.
func resized(a *wire.Answer, by int) string {
	n := len(a.Body)
	a.Framing = wire.FramingLength
	return strings.Replace(string(wire.Encode(a)), fmt.Sprintf("content-length: %d\r\n", n), fmt.Sprintf("content-length: %d\r\n", n+by), 1)
}

// startLayer starts a layer of the list above, or a limiter that answers by itself after so many requests, in front of stub.
func startLayer(t *testing.T, do func(c *call), stub string) (url string, close func()) {
	t.Helper()
	base, err := wire.ParseBase("http://" + stub)
	if err != nil {
		t.Fatal(err)
	}
	l := listen()
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	var n, all atomic.Int64
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { serveLayer(ctx, c, do, wire.Client{Base: base}, &n, &all) })
		}
	})
	return "http://" + l.Addr().String(), func() { cancel(); l.Close(); wg.Wait() }
}

func serveLayer(ctx context.Context, c net.Conn, do func(c *call), up wire.Client, n, all *atomic.Int64) {
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(30 * time.Second))
	stop := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	in, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil {
		return
	}
	body, err := io.ReadAll(in.Body)
	if err != nil {
		return
	}
	r := wire.Request{Method: in.Method, Target: in.URL.RequestURI(), Body: body}
	for name, vs := range in.Header {
		if name != "Content-Length" && name != "Connection" {
			r.Header = append(r.Header, wire.Field{Name: name, Value: strings.Join(vs, ", ")})
		}
	}
	k := &call{c: c, req: r, up: up, ctx: ctx, all: all.Add(1)}
	if !bytes.Contains(body, []byte("fixture=ok")) {
		k.n = n.Add(1)
	}
	do(k)
}

// tunnel is a way to the stub, with a certificate of its own, that swaps every second answer to the spend cap.
func tunnel(t *testing.T, stub string) (url, ca string) {
	t.Helper()
	base, err := wire.ParseBase("http://" + stub)
	if err != nil {
		t.Fatal(err)
	}
	var n atomic.Int64
	front := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, in *http.Request) {
		body, _ := io.ReadAll(in.Body)
		r := wire.Request{Method: in.Method, Target: in.URL.RequestURI(), Body: body, Header: []wire.Field{{Name: "Content-Type", Value: "application/json"}}}
		a := wire.Client{Base: base}.Do(in.Context(), r)
		for _, f := range a.Header {
			w.Header().Set(f.Name, f.Value)
		}
		if bytes.Contains(body, []byte("fixture=tier_cap ")) && n.Add(1)%2 == 0 {
			a.Status = http.StatusBadGateway
		}
		w.Header()["Date"] = nil
		w.WriteHeader(a.Status)
		_, _ = w.Write(a.Body)
	}))
	t.Cleanup(front.Close)
	ca = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: front.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return front.URL, ca
}
