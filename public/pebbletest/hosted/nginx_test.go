//go:build linux

package hosted

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// pair is a key with a certificate that signs itself, in files: of a user who has one already, and of the gateway.
type pair struct{ cert, key string }

func selfSigned(t *testing.T, name string) pair {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		BasicConstraintsValid: true, IsCA: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, leaf, leaf, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return pair{
		write(t, "cert.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))),
		write(t, "key.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}))),
	}
}

// proxy is one nginx.
type proxy struct {
	on       machine
	port     int
	tls      pair
	upstream string // a URL, with the secret where there is one
	trust    string // file with the roots by which the upstream is verified
	more     string // directives of the location
	server   string // directives of the server
}

// write writes its configuration, which holds what an operator would write and nothing for our sake, into a folder.
func (p *proxy) write(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	verify := ""
	if p.trust != "" {
		verify = "proxy_ssl_verify on; proxy_ssl_verify_depth 3; proxy_ssl_server_name on; proxy_ssl_trusted_certificate " + p.trust + ";"
	}
	conf := fmt.Sprintf(`
user root; daemon off; master_process off; pid %[1]s/pid; error_log stderr warn;
events { worker_connections 256; }
http {
  access_log off; client_body_temp_path %[1]s/body; proxy_temp_path %[1]s/proxy;
  fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;
  server {
    listen %[2]d ssl; ssl_certificate %[3]s; ssl_certificate_key %[4]s; %[8]s
    location / {
      proxy_pass %[5]s; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off; %[6]s %[7]s
    }
  }
}`, dir, p.port, p.tls.cert, p.tls.key, strings.TrimRight(p.upstream, "/")+"/", verify, p.more, p.server)
	if err := os.WriteFile(filepath.Join(dir, "nginx.conf"), []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// start starts it and waits until it listens.
func (p *proxy) start(t *testing.T) *process {
	t.Helper()
	dir := p.write(t)
	n := start(t, p.on, nil, "nginx", "-e", "stderr", "-p", dir, "-c", filepath.Join(dir, "nginx.conf"))
	n.until("listens", func() bool { return listens(p.on, p.port) })
	return n
}

// listens reports whether something listens at a port of a machine.
func listens(on machine, port int) bool {
	host := stubAddr
	if on.holder != nil {
		host = gatewayAddr
	}
	c, err := net.DialTimeout("tcp", net.JoinHostPort(host, fmt.Sprint(port)), time.Second)
	if err == nil {
		_ = c.Close() // it was only to see
	}
	return err == nil
}

// end ends one that somebody else started, by the process that its folder names.
func (p *proxy) end(t *testing.T, dir string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil || pid < 2 {
		t.Fatalf("%d %v", pid, err)
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
}

// url is where clients ask it.
func (p *proxy) url() string {
	name := frontName
	if p.on.holder != nil {
		name = gatewayName
	}
	return fmt.Sprintf("https://%s:%d", name, p.port)
}

// together writes the certificates of several files into one, as --layer-ca takes them.
func together(t *testing.T, files ...string) string {
	t.Helper()
	var all strings.Builder
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
	}
	return write(t, "roots.pem", all.String())
}
