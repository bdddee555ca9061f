//go:build linux

package hosted

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Bounds of the crowd.
const (
	strangers     = 2000
	slowOnes      = 20
	sources       = 8 // addresses that they come from
	strangersWait = 2 * time.Second
)

// crowd are strangers at the stub's public port.
type crowd struct {
	t        *testing.T
	roots    *x509.CertPool
	port     string
	over     chan struct{}
	all      sync.WaitGroup
	sent     atomic.Int32
	answered atomic.Int32
}

// gather starts them. They come until they are told to leave, and not more than so many of them.
func gather(t *testing.T, s *served) *crowd {
	t.Helper()
	b, err := os.ReadFile(s.authority.rootFile)
	if err != nil {
		t.Fatal(err)
	}
	c := &crowd{t: t, roots: x509.NewCertPool(), port: "443", over: make(chan struct{})}
	c.roots.AppendCertsFromPEM(b)
	for i := range sources {
		c.all.Go(func() { c.come(i) })
	}
	for i := range slowOnes {
		c.all.Go(func() { c.dawdle(i) })
	}
	return c
}

// leave ends it, and makes sure that there was a crowd.
func (c *crowd) leave() {
	c.t.Helper()
	close(c.over)
	c.all.Wait()
	c.t.Logf("%d strangers came, %d were answered", c.sent.Load(), c.answered.Load())
	if c.sent.Load() < 100 || c.answered.Load() < 20 {
		c.t.Errorf("%d strangers came, %d were answered: nothing was shown", c.sent.Load(), c.answered.Load())
	}
}

func (c *crowd) left() bool {
	select {
	case <-c.over:
		return true
	default:
		return false
	}
}

// dial comes from one of many addresses.
func (c *crowd) dial(source int) (net.Conn, error) {
	from := &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(1+source%sources))}
	nc, err := (&net.Dialer{Timeout: strangersWait, LocalAddr: from}).Dial("tcp", net.JoinHostPort("127.0.0.1", c.port))
	if err == nil {
		err = nc.SetDeadline(time.Now().Add(strangersWait))
	}
	return nc, err
}

// come asks one thing after the other.
func (c *crowd) come(source int) {
	for i := 0; !c.left() && c.sent.Add(1) <= strangers; i++ {
		nc, err := c.dial(source)
		if err != nil {
			continue // turned away
		}
		if i%4 == 0 {
			c.babble(nc)
		} else {
			c.ask(nc, i)
		}
		_ = nc.Close()
		time.Sleep(5 * time.Millisecond)
	}
}

// babble sends what is no TLS.
func (c *crowd) babble(nc net.Conn) {
	b := make([]byte, 300)
	for i := range b {
		b[i] = byte(rand.Uint32())
	}
	_, _ = nc.Write(b)
	_, _ = io.Copy(io.Discard, nc)
}

// ask sends a request that is wrong in one of several ways. Whatever it is: the answer is the bare 404, or none.
func (c *crowd) ask(nc net.Conn, i int) {
	wrong := fmt.Sprintf("%064x", rand.Uint64())
	body := `{"model":"claude-tier_cap","messages":[{"role":"user","content":"[[preservecheck fixture=tier_cap id=0123456789abcdef.0123456789abcdef]]"}]}`
	head := "host: " + stubName + "\r\ncontent-type: application/json\r\nx-fixture: tier_cap\r\ncontent-length: " + fmt.Sprint(len(body)) + "\r\n"
	asks := []string{
		"GET / HTTP/1.1\r\nhost: " + stubName + "\r\n\r\n",
		"POST /v1/messages HTTP/1.1\r\n" + head + "\r\n" + body,
		"POST /" + wrong + "/v1/messages HTTP/1.1\r\n" + head + "\r\n" + body,
		"POST /v1/messages HTTP/1.1\r\nx-api-key: " + wrong + "\r\n" + head + "\r\n" + body,
		"GET /../../etc/passwd HTTP/1.1\r\n\r\n",
		"\x00\xff\x16\x03\x01 rubbish\r\n\r\n",
		"POST /v1/messages HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
		"GET / HTTP/1.1\r\nx: " + strings.Repeat("y", 20_000) + "\r\n\r\n",
	}
	tc := tls.Client(nc, &tls.Config{RootCAs: c.roots, ServerName: stubName})
	if _, err := io.WriteString(tc, asks[i%len(asks)]); err != nil {
		return
	}
	answer, err := http.ReadResponse(bufio.NewReader(tc), nil)
	if err != nil {
		return // turned away
	}
	defer answer.Body.Close()
	got, err := io.ReadAll(answer.Body)
	c.answered.Add(1)
	if answer.StatusCode != http.StatusNotFound || len(got) > 0 || err != nil || len(answer.Header) > 2 {
		c.t.Errorf("%.60q was answered %d %v %.100q", asks[i%len(asks)], answer.StatusCode, answer.Header, got)
	}
}

// dawdle holds a connection and sends a byte now and then, again and again.
func (c *crowd) dawdle(i int) {
	for !c.left() {
		if nc, err := c.dial(i); err == nil {
			w := io.Writer(nc)
			if i%2 == 0 {
				w = tls.Client(nc, &tls.Config{RootCAs: c.roots, ServerName: stubName})
			}
			for _, err = io.WriteString(w, "G"); err == nil && !c.left(); _, err = io.WriteString(w, "E") {
				time.Sleep(200 * time.Millisecond)
			}
			_ = nc.Close()
		}
		time.Sleep(100 * time.Millisecond)
	}
}
