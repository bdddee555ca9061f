package remote_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/remote"
)

const bearing = "GET /v1/arrivals?after=0 HTTP/1.1\r\nhost: stub\r\nauthorization: Bearer " + token + "\r\n\r\n"

// from opens a connection to the API.
func (p *place) from(ip string) net.Conn {
	p.t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(ip)}, Timeout: 5 * time.Second}
	c, err := d.Dial("tcp", strings.TrimPrefix(p.api, "http://"))
	if err != nil {
		p.t.Skip("this machine has no such loopback addresses: ", err)
	}
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	p.t.Cleanup(func() { _ = c.Close() })
	return c
}

// bears reports whether a connection gets an answer to a call with the token.
func bears(c net.Conn) bool {
	if _, err := io.WriteString(c, bearing); err != nil {
		return false
	}
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return false
	}
	_, err = io.Copy(io.Discard, answer.Body)
	return err == nil && answer.StatusCode == 200
}

// closed reports whether a connection was closed from the other side.
func closed(c net.Conn) bool {
	_, err := c.Read(make([]byte, 1))
	return err != nil
}

// narrow is a place whose API serves eight connections.
func narrow(t *testing.T) *place {
	p := placed(t, ledger.HubLimits{}, nil)
	api, err := remote.NewServer(remote.ServerOptions{Hub: p.hub, Token: token, Settings: remote.SettingsOf(p.matrix, ledger.Channels{}, true)})
	if err != nil {
		t.Fatal(err)
	}
	server := api.HTTP()
	p.api = listen(t, func(l net.Listener) { _ = server.Serve(remote.Bounded(l, 8)) }, func() { _ = server.Close() })
	return p
}

// TestSilenceKeepsNobodyOut: whoever holds connections without the token keeps no checker out, from its own address or from others.
func TestSilenceKeepsNobodyOut(t *testing.T) {
	for _, sources := range [][]string{{"127.0.0.1"}, {"127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5", "127.0.0.6"}} {
		p := narrow(t)
		mine := p.from("127.0.0.1")
		if !bears(mine) {
			t.Fatal("no answer")
		}
		var silent []net.Conn
		for _, from := range sources {
			for range 4 {
				silent = append(silent, p.from(from))
			}
		}
		if !bears(p.from("127.0.0.1")) {
			t.Errorf("%v: a new connection of a checker was turned away", sources)
		}
		if !bears(mine) {
			t.Errorf("%v: a connection that had shown the token was closed", sources)
		}
		if !closed(silent[0]) {
			t.Errorf("%v: the oldest is still there", sources)
		}
	}
}

// TestOneSourceHasAQuarter: it takes no place of others.
func TestOneSourceHasAQuarter(t *testing.T) {
	p := narrow(t)
	other := p.from("127.0.0.3")
	var silent []net.Conn
	for range 6 {
		silent = append(silent, p.from("127.0.0.2"))
	}
	for i, c := range silent[:4] {
		if !closed(c) {
			t.Errorf("connection %d of a source that may have two is still there", i)
		}
	}
	for _, c := range append(silent[4:], other) {
		if !bears(c) {
			t.Error("one that had its place was closed")
		}
	}
}

// TestFullOfThoseWhoMay: where all have shown the token, a new one is closed, and none of them.
func TestFullOfThoseWhoMay(t *testing.T) {
	p := narrow(t)
	var all []net.Conn
	for range 8 {
		c := p.from("127.0.0.1")
		if all = append(all, c); !bears(c) {
			t.Fatal("no answer")
		}
	}
	if !closed(p.from("127.0.0.1")) {
		t.Error("a ninth was served")
	}
	for _, c := range all {
		if !bears(c) {
			t.Error("one that had shown the token was closed")
		}
	}
	_ = all[0].Close()
	for range 100 {
		if bears(p.from("127.0.0.1")) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Error("a place that was left is not free")
}
