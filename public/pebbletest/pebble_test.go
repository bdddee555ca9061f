package pebbletest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/letsencrypt/challtestsrv"
	"github.com/letsencrypt/pebble/v2/ca"
	"github.com/letsencrypt/pebble/v2/db"
	"github.com/letsencrypt/pebble/v2/va"
	"github.com/letsencrypt/pebble/v2/wfe"
	"go.uber.org/goleak"

	"github.com/preservecheck/preservecheck/public"
)

// TestMain leaves out what Pebble starts and never ends. Pebble is told by the environment not to dawdle.
func TestMain(m *testing.M) {
	os.Setenv("PEBBLE_VA_NOSLEEP", "1")
	os.Setenv("PEBBLE_AUTHZREUSE", "0")
	end := startDNS()
	run := &cleaned{m, end}
	goleak.VerifyTestMain(run, goleak.IgnoreAnyFunction("github.com/letsencrypt/pebble/v2/va.VAImpl.processTasks"))
}

// dnsAddr is of one resolver for all tests, since its maker keeps one list of handlers for the whole process.
var dnsAddr string

// startDNS leads every name but one to this machine.
func startDNS() (end func()) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	dnsAddr = l.Addr().String()
	l.Close()
	s, err := challtestsrv.New(challtestsrv.Config{Log: log.New(io.Discard, "", 0), DNSAddrs: []string{dnsAddr}})
	if err != nil {
		panic(err)
	}
	s.SetDefaultDNSIPv4("127.0.0.1")
	s.SetDefaultDNSIPv6("")
	s.AddDNSServFailRecord(nowhere)
	go s.Run()
	return s.Shutdown
}

// cleaned ends the resolver before goroutines are counted.
type cleaned struct {
	m   *testing.M
	end func()
}

func (c *cleaned) Run() int {
	defer c.end()
	return c.m.Run()
}

const (
	nowhere = "nowhere.example.org"
	name    = "stub.example.org"
	blocked = "blocked.example.org"

	// patience bounds what a test waits for; it is only ever waited out when a test fails.
	patience = 60 * time.Second
)

// pebble is an authority with a machine beside it on which the name is.
type pebble struct {
	t        *testing.T
	url      string // of the directory
	caFile   string // root of the directory's own certificate
	roots    *x509.CertPool
	http     string           // where the authority looks for HTTP-01
	listener *net.TCPListener // where it looks for TLS-ALPN-01

	mu       sync.Mutex
	requests map[string]int
	nonces   int // rejected
	accounts int // made
	log      []string
	refuse   func(w http.ResponseWriter, r *http.Request) bool
}

// starting guards what Pebble reads from the environment.
var starting sync.Mutex

// start rejects so many percent of the nonces.
func start(t *testing.T, rejectNonces int) *pebble {
	t.Helper()
	p := &pebble{t: t, requests: map[string]int{}, http: freePort(t)}
	var err error
	if p.listener, err = net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.listener.Close() })
	quiet := log.New(io.Discard, "", 0)
	store := db.NewMemoryStore()
	if err := store.AddBlockedDomain(blocked); err != nil {
		t.Fatal(err)
	}
	profiles := map[string]ca.Profile{"shortlived": {Description: "160 hours", ValidityPeriod: 160 * 3600}}
	for i := range 30 { // Pebble takes one by chance where none is asked for
		profiles[fmt.Sprint("ordinary", i)] = ca.Profile{Description: "90 days", ValidityPeriod: 90 * 24 * 3600}
	}
	authority := ca.New(quiet, store, "", "ecdsa", 0, 1, profiles)
	validator := va.New(quiet, port(p.http), p.listener.Addr().(*net.TCPAddr).Port, true, dnsAddr, store)
	starting.Lock()
	os.Setenv("PEBBLE_WFE_NONCEREJECT", fmt.Sprint(rejectNonces))
	front := wfe.New(quiet, store, validator, authority, []string{"ca.example.net"}, true, false, 1, 1)
	starting.Unlock()
	p.serve(front.Handler())
	p.readRoots(front.ManagementHandler())
	return p
}

// serve puts a counter and a seam for refusals in front of the authority.
func (p *pebble) serve(h http.Handler) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.requests[r.URL.Path]++
		refuse := p.refuse
		p.mu.Unlock()
		if refuse != nil && refuse(w, r) {
			return
		}
		seen := &statusOf{ResponseWriter: w}
		h.ServeHTTP(seen, r)
		p.mu.Lock()
		defer p.mu.Unlock()
		if strings.Contains(string(seen.body), "badNonce") {
			p.nonces++
		}
		if r.URL.Path == "/sign-me-up" && seen.status == http.StatusCreated {
			p.accounts++
		}
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	p.t.Cleanup(s.Close)
	p.url = s.URL + "/dir"
	p.caFile = filepath.Join(p.t.TempDir(), "directory.pem")
	b := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	if err := os.WriteFile(p.caFile, b, 0o600); err != nil {
		p.t.Fatal(err)
	}
}

type statusOf struct {
	http.ResponseWriter
	status int
	body   []byte
}

func (s *statusOf) WriteHeader(status int) {
	s.status = status
	s.ResponseWriter.WriteHeader(status)
}

func (s *statusOf) Write(b []byte) (int, error) {
	s.body = append(s.body, b...)
	return s.ResponseWriter.Write(b)
}

func (p *pebble) readRoots(management http.Handler) {
	w := httptest.NewRecorder()
	management.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/roots/0", nil))
	p.roots = x509.NewCertPool()
	if !p.roots.AppendCertsFromPEM(w.Body.Bytes()) {
		p.t.Fatalf("no root: %s", w.Body)
	}
}

// options are those of a run that works.
func (p *pebble) options(cache string) public.Options {
	return public.Options{
		Name: name, Directory: p.url, CAFile: p.caFile, CacheDir: cache, HTTPListen: p.http, Listener: p.listener, Timeout: patience,
		Log: func(s string) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.log = append(p.log, s)
			p.t.Log(s)
		},
	}
}

// order is a run: how many orders were placed, and what came of it.
func (p *pebble) order(opt public.Options) (c *public.Certificate, orders int, err error) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	before := p.count("/order-plz")
	c, err = public.ACME(ctx, opt)
	return c, p.count("/order-plz") - before, err
}

func (p *pebble) count(path string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.requests[path]
}

func (p *pebble) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.log = nil
}

func (p *pebble) said(text string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.log, func(s string) bool { return strings.Contains(s, text) })
}

// trusted asks over TLS as a gateway would, verifying the authority's root.
func (p *pebble) trusted(serverName string, protos ...string) (*tls.Conn, error) {
	d := &net.Dialer{Timeout: patience}
	return tls.DialWithDialer(d, "tcp", p.listener.Addr().String(), &tls.Config{RootCAs: p.roots, ServerName: serverName, NextProtos: protos})
}

// freePort is one that nobody has at the moment.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func port(addr string) int {
	a, _ := net.ResolveTCPAddr("tcp", addr)
	return a.Port
}

// only is the one file of a cache that fits the pattern.
func only(t *testing.T, cache, pattern string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(cache, "*", pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %v %v", pattern, found, err)
	}
	return found[0]
}
