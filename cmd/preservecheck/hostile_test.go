package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// hostile is a layer that misbehaves: one of the behaviours below, for everything or for all but canaries.
type hostile struct {
	listener net.Listener
	kind     string
	scheme   string
	behave   func(h *hostile, c net.Conn)
	stub     string // host:port; canaries go there
	rows     chan struct{}
	visits   atomic.Int32 // connections at the host that a redirect names
	other    net.Listener
	mu       sync.Mutex
	conns    map[net.Conn]bool
	done     chan struct{}
	wg       sync.WaitGroup
}

// behaviours are what a hostile layer does once a request has arrived.
var behaviours = map[string]func(h *hostile, c net.Conn){
	"silent":   func(h *hostile, _ net.Conn) { <-h.done },
	"garbage":  func(_ *hostile, c net.Conn) { write(c, "\x00\x01\x1b[31mSSH-2.0-OpenSSH_9.9\r\n::error::x\r\n") },
	"tls":      func(_ *hostile, c net.Conn) { write(c, "\x15\x03\x01\x00\x02\x02\x46") }, // an alert: this port speaks TLS
	"h2only":   func(_ *hostile, c net.Conn) { write(c, "\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x64") },
	"redirect": (*hostile).redirect,
	"headers": func(_ *hostile, c net.Conn) {
		write(c, "HTTP/1.1 429 Too Many Requests\r\n")
		for i := 0; write(c, fmt.Sprintf("x-filler-%d: %s\r\n", i, strings.Repeat("a", 1000))); i++ {
		}
	},
	"gigabyte": func(_ *hostile, c net.Conn) {
		write(c, "HTTP/1.1 429 Too Many Requests\r\ncontent-length: 1073741824\r\n\r\n")
		chunk := strings.Repeat("a", 1<<20)
		for i := 0; i < 1024 && write(c, chunk); i++ {
		}
	},
	"drip": func(h *hostile, c net.Conn) {
		for write(c, "HTTP/1.1 429 T"[:1]) {
			select {
			case <-time.After(time.Second):
			case <-h.done:
				return
			}
		}
	},
	"flood103": func(_ *hostile, c net.Conn) {
		for write(c, "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n") {
		}
	},
	"badchunk": func(_ *hostile, c net.Conn) {
		write(c, "HTTP/1.1 429 Too Many Requests\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nnot a chunk\r\n")
	},
	"escapes": func(_ *hostile, c net.Conn) {
		body := "{\"type\":\"error\",\"error\":{\"type\":\"\x1b[31m\",\"message\":\"\x00::error::x\\u001b[2J\\n::error::y\\n##[error]z\"}}"
		write(c, fmt.Sprintf("HTTP/1.1 429 \x1b[31mred\r\nx-\x1b: ::error::x\r\ncontent-length: %d\r\n\r\n%s", len(body), body))
	},
	// One row comes back with another status at once, the others never.
	"one503": func(h *hostile, c net.Conn) { <-h.done },
	"reset": func(_ *hostile, c net.Conn) {
		if t, ok := c.(*net.TCPConn); ok {
			_ = t.SetLinger(0)
		}
	},
}

func write(w io.Writer, s string) bool {
	_, err := io.WriteString(w, s)
	return err == nil
}

func (h *hostile) redirect(c net.Conn) {
	write(c, "HTTP/1.1 307 Temporary Redirect\r\nlocation: http://"+h.other.Addr().String()+"/v1/messages\r\ncontent-length: 0\r\n\r\n")
}

// startHostile starts a layer of this kind on a free loopback port, nil for a kind that there is not.
func startHostile(kind, stub string) *hostile {
	h := &hostile{kind: kind, scheme: "http", stub: strings.TrimPrefix(stub, "http://"), rows: make(chan struct{}, 1000),
		conns: map[net.Conn]bool{}, done: make(chan struct{})}
	h.listener, h.other = listen(), listen()
	switch kind {
	case "plain": // behind a URL that says https
		h.scheme = "https"
		h.behave = behaviours["garbage"]
	default:
		h.behave = behaviours[kind]
	}
	if h.behave == nil {
		return nil
	}
	h.wg.Add(2)
	go h.accept(h.listener, h.serve)
	go h.accept(h.other, func(net.Conn) { h.visits.Add(1) })
	return h
}

func listen() net.Listener {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	return l
}

func (h *hostile) url() string { return h.scheme + "://" + h.listener.Addr().String() }

func (h *hostile) close() {
	close(h.done)
	_ = h.listener.Close()
	_ = h.other.Close()
	h.mu.Lock()
	for c := range h.conns {
		_ = c.Close()
	}
	h.mu.Unlock()
	h.wg.Wait()
}

func (h *hostile) accept(l net.Listener, serve func(net.Conn)) {
	defer h.wg.Done()
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		h.mu.Lock()
		h.conns[c] = true
		h.mu.Unlock()
		h.wg.Go(func() {
			defer c.Close()
			serve(c)
		})
	}
}

// serve reads one request and lets a canary through or misbehaves.
func (h *hostile) serve(c net.Conn) {
	r, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil {
		if h.scheme == "http" && h.stub == "" {
			h.behave(h, c)
		} else {
			write(c, "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")
		}
		return
	}
	body, _ := io.ReadAll(r.Body)
	if h.stub != "" && bytes.Contains(body, []byte("fixture=ok")) {
		h.pass(c, r, body)
		return
	}
	if h.kind == "one503" && bytes.Contains(body, []byte("fixture=tier_cap")) {
		h.pass(statusOf503{c}, r, body)
		return
	}
	select {
	case h.rows <- struct{}{}:
	default:
	}
	h.behave(h, c)
}

// statusOf503 writes an answer with another status, if the status is in the first write.
type statusOf503 struct{ io.Writer }

func (w statusOf503) Write(b []byte) (int, error) {
	_, err := w.Writer.Write(bytes.Replace(b, []byte("HTTP/1.1 429 "), []byte("HTTP/1.1 503 "), 1))
	return len(b), err
}

// pass sends the request on as it is and the answer back.
func (h *hostile) pass(c io.Writer, r *http.Request, body []byte) {
	up, err := net.Dial("tcp", h.stub)
	if err != nil {
		write(c, "HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n")
		return
	}
	defer up.Close()
	r.Body, r.ContentLength, r.Close = io.NopCloser(bytes.NewReader(body)), int64(len(body)), true
	if r.Write(up) == nil {
		_, _ = io.Copy(c, up)
	}
}
