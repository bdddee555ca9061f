package main

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/preservecheck/preservecheck/wire"
)

// connectProxy takes CONNECT to anywhere with the right credentials, and leads it to one place.
func connectProxy(t *testing.T, to, credentials string) (addr string, asked func() []string) {
	t.Helper()
	l := listen()
	var mu sync.Mutex
	var all []string
	var wg sync.WaitGroup
	one := func(c net.Conn) {
		defer c.Close()
		r, err := http.ReadRequest(bufio.NewReader(c))
		if err != nil {
			return
		}
		mu.Lock()
		all = append(all, r.Method+" "+r.Host)
		mu.Unlock()
		if r.Method != http.MethodConnect || r.Header.Get("Proxy-Authorization") != credentials {
			_, _ = io.WriteString(c, "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n")
			return
		}
		up, err := net.Dial("tcp", to)
		if err != nil {
			return
		}
		defer up.Close()
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n")
		wg.Go(func() { _, _ = io.Copy(up, c) })
		_, _ = io.Copy(c, up)
	}
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { one(c) })
		}
	})
	t.Cleanup(func() { l.Close(); wg.Wait() })
	return l.Addr().String(), func() []string {
		mu.Lock()
		defer mu.Unlock()
		return all
	}
}

// TestProxy: the layer, and nothing else, is asked through the environment's proxy, and only when that is wanted.
func TestProxy(t *testing.T) {
	const password = "proxypassw0rd"
	stub := findPort()
	layer, end := startLayer(t, layers["honest"], stub)
	t.Cleanup(end)
	proxy, asked := connectProxy(t, strings.TrimPrefix(layer, "http://"), "Basic c29tZWJvZHk6cHJveHlwYXNzdzByZA==")
	args := []string{"check", "--layer", "http://layer.invalid:8080", "--fixture", "tier_cap", "--stream", "off", "--stub-listen", stub, "--settle", "200ms", "--ready-timeout", "1s"}
	for _, c := range []struct {
		why   string
		env   []string
		more  []string
		code  int
		says  string // anywhere
		asked bool
	}{
		{"through it", []string{"HTTP_PROXY=http://somebody:" + password + "@" + proxy}, []string{"--proxy", "env"}, exitPass, "note: the layer is asked through the proxy at " + proxy, true},
		{"in lower case, by our own variable", []string{"http_proxy=http://somebody:" + password + "@" + proxy, "PRESERVECHECK_PROXY=env"}, nil, exitPass, "through the proxy at " + proxy, true},
		{"set and not wanted", []string{"HTTP_PROXY=http://somebody:" + password + "@" + proxy}, nil, exitUnknown, "note: HTTP_PROXY is set and not used", false},
		{"set for others", []string{"HTTPS_PROXY=http://" + proxy}, []string{"--proxy", "env"}, exitUnknown, "layer.invalid", false},
		{"none for this host", []string{"HTTP_PROXY=http://" + proxy, "NO_PROXY=.invalid"}, []string{"--proxy", "env"}, exitUnknown, "layer.invalid", false},
		{"it refuses", []string{"HTTP_PROXY=http://somebody:wrong-" + password + "@" + proxy}, []string{"--proxy", "env"}, exitUnknown, "the proxy at " + proxy + " refused: 407 Proxy Authentication Required", true},
		{"of another kind", []string{"HTTP_PROXY=socks5://somebody:" + password + "@" + proxy}, []string{"--proxy", "env"}, exitUsage, `HTTP_PROXY names a proxy of the kind "socks5"`, false},
		{"no URL", []string{"HTTP_PROXY=http://somebody:" + password + "%zz@" + proxy}, []string{"--proxy", "env"}, exitUsage, "HTTP_PROXY is no URL", false},
		{"no choice", nil, []string{"--proxy", "auto"}, exitUsage, "write env or none", false},
	} {
		before := len(asked())
		r := program(t, c.env, append(args, c.more...)...)
		all := strings.Join(strings.Fields(r.out+" "+r.errors), " ")
		if r.code != c.code || !strings.Contains(all, c.says) || strings.Contains(all, password) {
			t.Errorf("%s: exit %d, want %d and %q:\n%s\n%s", c.why, r.code, c.code, c.says, r.out, r.errors)
		}
		if new := asked()[before:]; len(new) > 0 != c.asked {
			t.Errorf("%s: asked %q", c.why, new)
		}
	}
	for _, a := range asked() {
		if a != "CONNECT layer.invalid:8080" {
			t.Errorf("the proxy was asked for %q", a)
		}
	}
}

// TestLoopbackNeedsNoProxy: what is on this machine is never asked through one, and nothing has to be said of that.
func TestLoopbackNeedsNoProxy(t *testing.T) {
	find := proxies(newEnviron([]string{"HTTP_PROXY=http://proxy.example:3128", "HTTPS_PROXY=https://proxy.example"}))
	for text, want := range map[string]string{
		"http://127.0.0.1:8080": "", "http://localhost:8080": "", "https://[::1]:8443": "",
		"http://layer.example": "http://proxy.example:3128 by HTTP_PROXY", "https://layer.example": "https://proxy.example by HTTPS_PROXY",
	} {
		b, err := wire.ParseBase(text)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		u, from, err := find(b)
		if u != nil {
			got = u.String() + " by " + from
		}
		if err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", text, got, err, want)
		}
	}
}
