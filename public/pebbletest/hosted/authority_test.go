//go:build linux

package hosted

import (
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/letsencrypt/challtestsrv"
	"github.com/letsencrypt/pebble/v2/ca"
	"github.com/letsencrypt/pebble/v2/db"
	"github.com/letsencrypt/pebble/v2/va"
	"github.com/letsencrypt/pebble/v2/wfe"
)

// authority is Pebble, which comes to ports 80 and 443 of whatever a name leads to.
type authority struct {
	directory string
	caFile    string // root of the directory's own certificate
	rootFile  string // root of what it issues
	orders    atomic.Int32
}

const resolver = "127.0.0.1:5353"

// openAuthority starts it, and a resolver by which every name leads to the stub's machine.
func openAuthority(t *testing.T) *authority {
	t.Helper()
	quiet := log.New(io.Discard, "", 0)
	dns, err := challtestsrv.New(challtestsrv.Config{Log: quiet, DNSAddrs: []string{resolver}})
	if err != nil {
		t.Fatal(err)
	}
	dns.SetDefaultDNSIPv4(stubAddr)
	dns.SetDefaultDNSIPv6("")
	go dns.Run()
	t.Cleanup(dns.Shutdown)
	store := db.NewMemoryStore()
	profiles := map[string]ca.Profile{"ordinary": {Description: "90 days", ValidityPeriod: uint64((90 * 24 * time.Hour).Seconds())}}
	issuer := ca.New(quiet, store, "", "ecdsa", 0, 1, profiles)
	front := wfe.New(quiet, store, va.New(quiet, 80, 443, true, resolver, store), issuer, []string{"ca.example.net"}, true, false, 1, 1)
	a := &authority{}
	a.serve(t, front.Handler())
	w := httptest.NewRecorder()
	front.ManagementHandler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/roots/0", nil))
	a.rootFile = write(t, "root.pem", w.Body.String())
	return a
}

// serve counts orders.
func (a *authority) serve(t *testing.T, h http.Handler) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/order-plz" {
			a.orders.Add(1)
		}
		h.ServeHTTP(w, r)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	a.directory = s.URL + "/dir"
	a.caFile = write(t, "directory.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})))
}

// flags order a certificate from it.
func (a *authority) flags(cache string) []string {
	return []string{"--acme", stubName, "--acme-directory", a.directory, "--acme-ca", a.caFile, "--acme-cache", cache, "--listen-any"}
}

// write writes a file of the test's.
func write(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
