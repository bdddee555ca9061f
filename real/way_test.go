//go:build real && linux

package real_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"
)

// TestDirtyWay puts one nginx before the stub, as a CDN would stand there, and another behind it, as the layer. What the first
// replaces is told of it alone; everything else comes through both.
func TestDirtyWay(t *testing.T) {
	stub, cert := freeAddress(t), certificate(t)
	way := strings.TrimPrefix(nginx.start(t, strings.ReplaceAll(nginx.config(t, "way"), "@CERT@", cert), stub), "http://")
	layer := nginx.start(t, nginx.config(t, "behind"), way)
	const secret = "0123456789abcdef0123456789abcdef" // both pass the path on, as they got it
	kept := write(t, t.TempDir(), "stub.secret", secret+"\n")
	args := []string{"--layer", layer + "/" + secret, "--stub-url", "https://" + way, "--layer-ca", cert, "--secret-file", kept}
	for _, c := range []struct {
		why  string
		more []string
		exit int
	}{{"could not tell", nil, 3}, {"the rest is judged", []string{"--allow-untestable"}, 0}} {
		doc, exit := check(t, stub, append(args, c.more...)...)
		if exit != c.exit {
			t.Errorf("%s: exit %d, want %d: %s", c.why, exit, c.exit, doc.Result.Why)
		}
		replaced := 0
		for _, r := range doc.Rows {
			swapped := r.Direct != nil && (r.Direct.Status == 502 || r.Direct.Status == 504)
			if swapped {
				replaced++
			}
			if want := map[bool]string{true: "untestable", false: "preserved"}[swapped]; r.Verdict != want {
				t.Errorf("%s (%s): %s, want %s: %s", r.Row, r.Mode, r.Verdict, want, r.Reason)
			}
		}
		told := ""
		for _, f := range doc.Findings {
			if told += f.Text + "\n"; f.Kind != "dirty-way" {
				t.Errorf("told of the layer: %s: %s", f.Kind, f.Text)
			}
		}
		if !strings.Contains(told, "the way to the stub replaces 502, 504 bodies") || replaced < 10 || replaced > 60 {
			t.Errorf("%d rows replaced:\n%s", replaced, told)
		}
		if notes := strings.Join(doc.Notes, "\n"); !strings.Contains(notes, "header/via invented") {
			t.Errorf("%q", notes)
		}
	}
}

// certificate writes a key and its certificate for 127.0.0.1 into one file, which is its own authority.
func certificate(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	is := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "way"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, is, is, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	text := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})) + string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	return write(t, t.TempDir(), "way.pem", text)
}
