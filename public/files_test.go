package public

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

const day = 24 * time.Hour

// pair is a certificate of its own, in PEM, with its key.
func pair(t *testing.T, name string, begin, end time.Duration) (cert, key []byte) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	tmpl := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: now.Add(begin), NotAfter: now.Add(end), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, tmpl, k.Public(), k)
	if err != nil {
		t.Fatal(err)
	}
	if key, err = keyPEM(k); err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), key
}

// inFiles writes both, the key for us alone.
func inFiles(t *testing.T, cert, key []byte) (certFile, keyFile string) {
	t.Helper()
	dir := t.TempDir()
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	put(t, certFile, cert, 0o644)
	put(t, keyFile, key, 0o600)
	return certFile, keyFile
}

func put(t *testing.T, file string, b []byte, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(file, b, mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, mode); err != nil {
		t.Fatal(err)
	}
}

func TestFilesThatAreRefused(t *testing.T) {
	cert, key := pair(t, "a.example.org", -day, day)
	_, other := pair(t, "a.example.org", -day, day)
	expired, expiredKey := pair(t, "a.example.org", -2*day, -day)
	early, earlyKey := pair(t, "a.example.org", day, 2*day)
	locked := pem.EncodeToMemory(&pem.Block{Type: "ENCRYPTED PRIVATE KEY", Bytes: []byte("x")})
	oldLocked := pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Headers: map[string]string{"DEK-Info": "AES-256-CBC,00"}, Bytes: []byte("x")})
	for _, c := range []struct {
		why       string
		cert, key []byte
		want      []string // the file among it
	}{
		{"the key of another certificate", cert, other, []string{"key.pem", "does not belong", "first"}},
		{"an issuer stands first", append(append([]byte{}, expired...), cert...), key, []string{"key.pem", "put the server's own certificate first"}},
		{"expired", expired, expiredKey, []string{"cert.pem", "expired on 20", "renew"}},
		{"not yet valid", early, earlyKey, []string{"cert.pem", "not valid before 20", "clock"}},
		{"the two are swapped", key, cert, []string{"cert.pem", "holds PRIVATE KEY", "should hold a certificate"}},
		{"a key where none is", cert, cert, []string{"key.pem", "holds CERTIFICATE", "should hold a private key"}},
		{"DER", []byte{0x30, 0x82, 1, 2}, key, []string{"cert.pem", "no PEM at all"}},
		{"nothing", nil, key, []string{"cert.pem", "no PEM at all"}},
		{"a passphrase", cert, locked, []string{"key.pem", "passphrase", "openssl pkey"}},
		{"a passphrase of the old kind", cert, oldLocked, []string{"key.pem", "passphrase"}},
		{"PEM around nonsense", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("x")}), key, []string{"cert.pem", "in PEM anew"}},
		{"far too large", append(make([]byte, maxFile), cert...), key, []string{"cert.pem", "larger than"}},
	} {
		certFile, keyFile := inFiles(t, c.cert, c.key)
		_, err := Files(certFile, keyFile, nil)
		if err == nil {
			t.Errorf("%s: taken", c.why)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: without %q: %v", c.why, w, err)
			}
		}
	}
	certFile, keyFile := inFiles(t, cert, key)
	for _, missing := range []string{certFile, keyFile} {
		gone := missing + ".no"
		if err := os.Rename(missing, gone); err != nil {
			t.Fatal(err)
		}
		if _, err := Files(certFile, keyFile, nil); err == nil || !strings.Contains(err.Error(), missing+": there is no such file") {
			t.Errorf("%s is missing: %v", missing, err)
		}
		_ = os.Rename(gone, missing)
	}
	if _, err := Files(filepath.Join(certFile, "below"), keyFile, nil); err == nil || strings.Count(err.Error(), certFile) != 1 {
		t.Errorf("below a file: %v", err)
	}
	if runtime.GOOS != "windows" && os.Geteuid() != 0 {
		put(t, keyFile, key, 0o000)
		if _, err := Files(certFile, keyFile, nil); err == nil || !strings.Contains(err.Error(), "may not read it") {
			t.Errorf("unreadable: %v", err)
		}
	}
}

func TestFilesWarn(t *testing.T) {
	cert, key := pair(t, "a.example.org", -day, day)
	for _, c := range []struct {
		why  string
		mode os.FileMode
		want string
	}{
		{"ours alone", 0o600, ""},
		{"not even writable", 0o400, ""},
		{"a group may read it", 0o640, "the file's group can read this private key; chmod 600"},
		{"all may read it", 0o644, "everybody on this machine can read"},
	} {
		if runtime.GOOS == "windows" {
			break
		}
		certFile, keyFile := inFiles(t, cert, key)
		if err := os.Chmod(keyFile, c.mode); err != nil {
			t.Fatal(err)
		}
		var said []string
		if _, err := Files(certFile, keyFile, func(s string) { said = append(said, s) }); err != nil {
			t.Errorf("%s: %v", c.why, err)
		}
		if got := strings.Join(said, "\n"); (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q", c.why, got)
		}
	}
	leaf, leafKey := issued(t)
	certFile, keyFile := inFiles(t, leaf, leafKey)
	var said []string
	if _, err := Files(certFile, keyFile, func(s string) { said = append(said, s) }); err != nil || len(said) != 1 || !strings.Contains(said[0], "full chain") {
		t.Errorf("a leaf without its issuer: %q %v", said, err)
	}
}

// issued is a certificate of an issuer that is not in its file.
func issued(t *testing.T) (cert, key []byte) {
	t.Helper()
	caKey, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	k, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	ca := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "an issuer"}, IsCA: true, BasicConstraintsValid: true}
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "a.example.org"}, NotBefore: time.Now().Add(-day), NotAfter: time.Now().Add(day)}
	der, err := x509.CreateCertificate(rand.Reader, tmpl, ca, k.Public(), caKey)
	if err != nil {
		t.Fatal(err)
	}
	if key, err = keyPEM(k); err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), key
}

// TestFilesAreReadAgain goes through what happens to files under a server that runs for months.
func TestFilesAreReadAgain(t *testing.T) {
	first, firstKey := pair(t, "a.example.org", -day, day)
	second, secondKey := pair(t, "b.example.org", -day, day)
	expired, expiredKey := pair(t, "c.example.org", -2*day, -day)
	certFile, keyFile := inFiles(t, first, firstKey)
	var said []string
	c, err := Files(certFile, keyFile, func(s string) { said = append(said, s) })
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	c.files.now = func() time.Time { return now }
	replace := func(cert, key []byte) func() {
		return func() {
			put(t, certFile, cert, 0o644)
			put(t, keyFile, key, 0o600)
			now = now.Add(time.Minute)
			_ = os.Chtimes(certFile, now, now) // later than before, however coarse the clock of the disk is
		}
	}
	for _, step := range []struct {
		why  string
		do   func()
		want string // the name that clients see
		said string // "" for nothing
	}{
		{"as it was", func() { now = now.Add(time.Minute) }, "a.example.org", ""},
		{"broken", replace([]byte("broken"), firstKey), "a.example.org", "holds no PEM at all"},
		{"still broken: said once", func() { now = now.Add(time.Minute) }, "a.example.org", ""},
		{"expired", replace(expired, expiredKey), "a.example.org", "cert.pem: the certificate expired"},
		{"the certificate is new and the key is not yet", replace(second, firstKey), "a.example.org", "does not belong"},
		{"now both are new", replace(second, secondKey), "b.example.org", "the new one is in use"},
		{"changed again", replace(first, firstKey), "a.example.org", "the new one is in use"},
		{"gone", func() { _ = os.Rename(certFile, certFile+".away"); now = now.Add(time.Minute) }, "a.example.org", "there is no such file"},
		{"still gone: said once", func() { now = now.Add(time.Minute) }, "a.example.org", ""},
		{"back, the same: nothing to say", func() { _ = os.Rename(certFile+".away", certFile); now = now.Add(time.Minute) }, "a.example.org", ""},
		{"gone again", func() { _ = os.Remove(keyFile); now = now.Add(time.Minute) }, "a.example.org", "there is no such file"},
		{"and new", replace(second, secondKey), "b.example.org", "the new one is in use"},
		{"within a second nobody looks", func() {
			put(t, certFile, first, 0o644)
			put(t, keyFile, firstKey, 0o600)
			now = now.Add(lookEvery - 1)
		}, "b.example.org", ""},
		{"a second later somebody does", func() { now = now.Add(1) }, "a.example.org", "the new one is in use"},
	} {
		said = nil
		step.do()
		got, err := c.TLS().GetCertificate(&tls.ClientHelloInfo{})
		if err != nil || got.Leaf.DNSNames[0] != step.want {
			t.Errorf("%s: %v %v", step.why, got.Leaf.DNSNames, err)
		}
		if all := strings.Join(said, "\n"); (step.said == "") != (all == "") || !strings.Contains(all, step.said) {
			t.Errorf("%s: said %q, want %q", step.why, all, step.said)
		}
	}
}

// TestTLS shakes hands with all kinds of clients.
func TestTLS(t *testing.T) {
	cert, key := pair(t, "a.example.org", -day, day)
	c, err := Files(inFilesOf(t, cert, key))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Renew(t.Context()); err != nil {
		t.Errorf("who writes the files renews them: %v", err)
	}
	for _, k := range []struct {
		why    string
		client *tls.Config
		want   string // protocol agreed on
		fails  bool
	}{
		{"without ALPN", &tls.Config{}, "", false},
		{"as gateways do", &tls.Config{NextProtos: []string{"h2", "http/1.1"}}, "http/1.1", false},
		{"HTTP/2 alone", &tls.Config{NextProtos: []string{"h2"}}, "", true},
		{"no server name", &tls.Config{ServerName: ""}, "", false},
		{"an old version", &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}, "", true},
		{"an authority while nothing is under way", &tls.Config{NextProtos: []string{"acme-tls/1"}}, "", true},
		{"who offers acme-tls/1 among others is none", &tls.Config{NextProtos: []string{"acme-tls/1", "http/1.1"}}, "http/1.1", false},
	} {
		k.client.InsecureSkipVerify = true
		got, err := shake(t, c.TLS(), k.client)
		if (err != nil) != k.fails || err == nil && got.NegotiatedProtocol != k.want {
			t.Errorf("%s: %q %v", k.why, got.NegotiatedProtocol, err)
		}
	}
	if _, err := shake(t, (&Certificate{}).TLS(), &tls.Config{InsecureSkipVerify: true}); err == nil {
		t.Error("there is no certificate yet, and a handshake worked")
	}
}

func inFilesOf(t *testing.T, cert, key []byte) (certFile, keyFile string, log func(string)) {
	certFile, keyFile = inFiles(t, cert, key)
	return certFile, keyFile, nil
}

// shake is one handshake over a pipe.
func shake(t *testing.T, server, client *tls.Config) (tls.ConnectionState, error) {
	t.Helper()
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	_ = a.SetDeadline(time.Now().Add(patience))
	_ = b.SetDeadline(time.Now().Add(patience))
	done := make(chan error)
	go func() { err := tls.Server(a, server).Handshake(); _ = a.Close(); done <- err }()
	tc := tls.Client(b, client)
	err := tc.Handshake()
	_ = b.Close()
	return tc.ConnectionState(), errors.Join(err, <-done)
}
