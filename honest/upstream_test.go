package honest_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/fixture"
)

// pool is the standard library's transport. It holds so many connections that no port is used up.
func pool(string) upstream {
	t := &http.Transport{MaxIdleConnsPerHost: 32, DisableCompression: true, IdleConnTimeout: time.Minute}
	return upstream{t, t.CloseIdleConnections}
}

// fresh opens a connection for each request. The reset on its end keeps it from staying in TIME_WAIT.
func fresh(host string) upstream {
	return upstream{dialing{host: host, proto: "HTTP/1.1"}, func() {}}
}

func oldProtocol(host string) upstream {
	return upstream{dialing{host: host, proto: "HTTP/1.0"}, func() {}}
}

// dialing asks on a connection of its own.
type dialing struct{ host, proto string }

func (d dialing) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	c, err := net.Dial("tcp", d.host)
	if err != nil {
		return nil, err
	}
	stop := make(chan struct{})
	var gone sync.WaitGroup
	gone.Go(func() { // a client that goes away ends the call
		select {
		case <-r.Context().Done():
			_ = c.SetDeadline(time.Unix(1, 0))
		case <-stop:
		}
	})
	end := sync.OnceFunc(func() {
		close(stop)
		gone.Wait()
		_ = c.(*net.TCPConn).SetLinger(0)
		_ = c.Close()
	})
	if _, err = c.Write(message(r, d.proto, body)); err != nil {
		end()
		return nil, err
	}
	res, err := http.ReadResponse(bufio.NewReader(c), r)
	if err != nil {
		end()
		return nil, err
	}
	res.Body = ending{res.Body, end}
	return res, nil
}

// message is a request as it is sent.
func message(r *http.Request, proto string, body []byte) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s %s\r\nHost: %s\r\nContent-Length: %d\r\n", r.Method, r.URL.RequestURI(), proto, r.URL.Host, len(body))
	for name, values := range r.Header {
		for _, v := range values {
			fmt.Fprintf(&b, "%s: %s\r\n", name, v)
		}
	}
	b.WriteString("\r\n")
	b.Write(body)
	return b.Bytes()
}

// ending ends something when a body was read.
type ending struct {
	io.ReadCloser
	end func()
}

func (e ending) Close() error {
	e.end()
	return nil
}

// stale keeps connections of its own and lets some of them die before it uses them again.
func stale(host string) upstream {
	s := &stalePool{host: host}
	return upstream{s, s.close}
}

// stalePool hands out what it has without looking. Every third connection it closes itself behind its own back, as an
// upstream's idle timeout would, and asks anew on a fresh one when that shows.
type stalePool struct {
	host string
	mu   sync.Mutex
	idle []net.Conn
	used int
}

func (s *stalePool) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if c := s.take(); c != nil {
		if res, err := s.try(c, r, body); !errors.Is(err, errUnsent) {
			return res, err
		}
	}
	c, err := net.Dial("tcp", s.host)
	if err != nil {
		return nil, err
	}
	return s.try(c, r, body)
}

// take gives an idle connection, nil when there is none.
func (s *stalePool) take() net.Conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.idle)
	if n == 0 {
		return nil
	}
	c := s.idle[n-1]
	s.idle = s.idle[:n-1]
	if s.used++; s.used%3 == 0 {
		_ = c.Close()
	}
	return c
}

// errUnsent: the connection was gone, so nothing reached the upstream and asking again adds no hit.
var errUnsent = errors.New("nothing was sent on this connection")

func (s *stalePool) try(c net.Conn, r *http.Request, body []byte) (*http.Response, error) {
	_ = c.SetDeadline(time.Now().Add(15 * time.Second))
	if _, err := c.Write(message(r, "HTTP/1.1", body)); err != nil {
		_ = c.Close()
		return nil, errUnsent
	}
	res, err := http.ReadResponse(bufio.NewReader(c), r)
	if err != nil {
		_ = c.Close()
		return nil, err
	}
	whole, err := io.ReadAll(res.Body)
	res.Body = io.NopCloser(io.MultiReader(bytes.NewReader(whole), failing{err}))
	if err != nil || res.Close {
		_ = c.(*net.TCPConn).SetLinger(0)
		_ = c.Close()
		return res, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idle = append(s.idle, c)
	return res, nil
}

func (s *stalePool) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.idle {
		_ = c.Close()
	}
}

// failing ends a body as it ended upstream.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) {
	if f.err == nil {
		return 0, io.EOF
	}
	return 0, f.err
}

// dropDetails is the fault that every make is shown to be red with. It asks for bodies without compression.
type dropDetails struct{ next http.RoundTripper }

func (d dropDetails) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Header.Del("Accept-Encoding")
	res, err := d.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil {
		body = mapJSON(body, res.Header, withoutDetails)
	}
	res.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), failing{err}))
	res.ContentLength = -1
	res.Header.Del("Content-Length")
	return res, nil
}

func withoutDetails(b []byte) []byte {
	var v map[string]any
	if json.Unmarshal(b, &v) != nil {
		return b
	}
	if e, ok := v["error"].(map[string]any); ok {
		delete(e, "details")
	}
	out, err := json.Marshal(v)
	if err != nil {
		return b
	}
	return out
}

func holdsDetails(row check.Row) bool {
	e := evidence.Of(row.Fixture.Expected(fixture.NoID, false), dialects.ByName(row.Fixture.Dialect).Layout, fixture.NoID)
	return e.Get("error/details").Kind != evidence.Absent
}

func lowerContentType(h http.Header) {
	if v := h.Get("Content-Type"); v != "" {
		h.Set("Content-Type", strings.ToLower(v))
	}
}

func addCharset(h http.Header) {
	if v := h.Get("Content-Type"); v != "" && !strings.Contains(v, "charset") {
		h.Set("Content-Type", v+"; charset=utf-8")
	}
}
