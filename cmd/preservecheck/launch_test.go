package main

import (
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// myGateway is a gateway that passes everything on, unless it is told otherwise.
func myGateway() {
	f := flag.NewFlagSet("my-gateway", flag.ExitOnError)
	version := f.Bool("v", false, "")
	listen, upstream, config := f.String("listen", "", ""), f.String("upstream", "", ""), f.String("config", "", "")
	fail, deaf := f.Bool("fail", false, ""), f.Bool("deaf", false, "")
	_ = f.Parse(os.Args[1:])
	hide := ""
	if *config != "" {
		b, err := os.ReadFile(*config)
		if err != nil {
			panic(err)
		}
		for line := range strings.Lines(string(b)) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
			switch key {
			case "listen":
				*listen = value
			case "upstream":
				*upstream = value
			case "hide":
				hide = value
			}
		}
	}
	switch {
	case *version:
		fmt.Println("my-gateway/4.5.6")
		return
	case *fail:
		fmt.Println("\x1b[2Jbad \x1b[31mconfiguration")
		os.Exit(5)
	case *deaf:
		time.Sleep(time.Minute)
	}
	for _, kv := range os.Environ() {
		if strings.Contains(kv, "horse-0123456789") {
			fmt.Println("a secret reached the gateway: " + kv)
			os.Exit(6)
		}
	}
	to, err := url.Parse(*upstream)
	if err != nil {
		panic(err)
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			to := to
			if own, err := url.Parse(r.In.Header.Get("x-upstream")); err == nil && own.Host != "" {
				to = own // as gateways without a configuration do
			}
			r.SetURL(to)
		},
		ModifyResponse: func(r *http.Response) error {
			r.Header.Del(hide)
			return nil
		},
	}
	l, err := net.Listen("tcp", *listen)
	if err != nil {
		panic(err)
	}
	_ = http.Serve(l, proxy)
}

func TestFillWords(t *testing.T) {
	p := &plan{}
	for _, c := range []struct{ why, word, want, err string }{
		{"the stub", "--to={stub_url}/v1", "--to=http://127.0.0.1:9/v1", ""},
		{"host and port", "{stub_host} {stub_port} {stub} {dir}", "127.0.0.1 9 127.0.0.1:9 /d", ""},
		{"other braces stay", "{a} ${b} {", "{a} ${b} {", ""},
		{"a typo", "{stubb}", "", "is none"},
		{"the user knows the port himself", "{port}", "", "is none"},
	} {
		got, err := fillWords([]string{c.word}, p.stubWords("127.0.0.1:9", "/d"))
		if c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) || c.err == "" && (err != nil || got[0] != c.want) {
			t.Errorf("%s: %q, %v", c.why, got, err)
		}
	}
}

// TestLayerEnvironment: a layer gets what it needs to run, and no key.
func TestLayerEnvironment(t *testing.T) {
	r := &running{launch: &launch{}, root: "/r"}
	env := environ{"PATH": "/bin", "HOME": "/root", "LANG": "C", "LC_ALL": "C", "TMPDIR": "/x", "ANTHROPIC_API_KEY": "k", "https_proxy": "p", "NODE_PATH": "/n", "USER": "u"}
	want := []string{"A=b", "HOME=/r/home", "LANG=C", "LC_ALL=C", "PATH=/bin:/usr/local/sbin:/usr/sbin:/sbin", "TMPDIR=/r/tmp"}
	if got := r.environment(env, []string{"A=b"}); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
