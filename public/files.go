package public

import (
	"crypto/tls"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"
)

// lookEvery is how often files are looked at, at most: a stat of two files for each of hundreds of connections would be
// waste, and a second late is soon enough.
const lookEvery = time.Second

// maxFile bounds what is read of a certificate or key, in bytes; a long chain has 20 kB.
const maxFile = 1 << 20

// files is a certificate that somebody else writes and renews.
type files struct {
	certFile, keyFile string
	log               func(string)
	now               func() time.Time

	mu     sync.Mutex
	next   time.Time // when to look again
	loaded [2]fs.FileInfo
	broken [2]fs.FileInfo // what was complained about
}

// Files takes the user's own certificate: PEM with the whole chain, the server's first, and its private key. When either
// file changes the pair is read again as soon as a client comes, a second later at most; a new pair that does not work is said once
// and the old one stays in use. A key that others on this machine can read and a chain that seems to lack its issuer are
// said, too, and no error. log may be nil, and may be called by several goroutines, one at a time.
func Files(certFile, keyFile string, log func(string)) (*Certificate, error) {
	if log == nil {
		log = func(string) {}
	}
	f := &files{certFile: certFile, keyFile: keyFile, log: log, now: time.Now}
	infos, err := f.stat()
	if err != nil {
		return nil, err
	}
	cert, err := f.load()
	if err != nil {
		return nil, err
	}
	for _, w := range f.warnings(cert, infos[1]) {
		log(w)
	}
	f.loaded, f.next = infos, f.now().Add(lookEvery)
	c := &Certificate{files: f}
	c.current.Store(cert)
	return c, nil
}

// look reads the pair again if a file is another one than before.
func (f *files) look(c *Certificate) {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.now()
	if now.Before(f.next) {
		return
	}
	f.next = now.Add(lookEvery)
	infos, err := f.stat()
	if err == nil && same(infos, f.loaded) {
		f.broken = [2]fs.FileInfo{}
		return
	}
	if err == nil && same(infos, f.broken) {
		return
	}
	var cert *tls.Certificate
	if err == nil {
		cert, err = f.load()
	}
	if err != nil {
		f.complain(infos, err, c)
		return
	}
	f.loaded, f.broken = infos, [2]fs.FileInfo{}
	c.current.Store(cert)
	f.log(fmt.Sprintf("the certificate in %s has changed: the new one is in use and valid until %s", f.certFile, stamp(cert.Leaf.NotAfter)))
}

// missing stands for files that are gone, so that this, too, is said once.
var missing = [2]fs.FileInfo{absent{}, absent{}}

type absent struct{ fs.FileInfo }

func (f *files) complain(infos [2]fs.FileInfo, err error, c *Certificate) {
	if infos[0] == nil || infos[1] == nil {
		infos = missing
	}
	if infos == missing && f.broken == missing {
		return
	}
	f.broken = infos
	f.log(fmt.Sprintf("%v. The certificate that was read before stays in use; it is valid until %s", err, stamp(c.Leaf().NotAfter)))
}

func (f *files) stat() (infos [2]fs.FileInfo, err error) {
	for i, name := range []string{f.certFile, f.keyFile} {
		if infos[i], err = os.Stat(name); err != nil {
			return infos, fmt.Errorf("%s: %s", name, whyUnread(err))
		}
	}
	return infos, nil
}

// same compares by size, time and, where the system has them, inodes: a tool that renews may put a file of the same second
// and size in the place of another.
func same(a, b [2]fs.FileInfo) bool {
	for i := range a {
		if b[i] == nil || b[i] == (absent{}) {
			return false
		}
		if a[i].Size() != b[i].Size() || !a[i].ModTime().Equal(b[i].ModTime()) || !os.SameFile(a[i], b[i]) {
			return false
		}
	}
	return true
}

// load reads the pair and says which file is wrong, in what, and what to do.
func (f *files) load() (*tls.Certificate, error) {
	certPEM, err := f.read(f.certFile, "CERTIFICATE", "a certificate in PEM, with -----BEGIN CERTIFICATE-----")
	if err != nil {
		return nil, err
	}
	keyPEM, err := f.read(f.keyFile, "PRIVATE KEY", "a private key in PEM, with -----BEGIN PRIVATE KEY-----, not encrypted")
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		return nil, f.mismatch(err)
	}
	if err := checkPeriod(pair.Leaf, f.now()); err != nil {
		return nil, fmt.Errorf("%s: %w; %s", f.certFile, err, periodRemedy(err))
	}
	return &pair, nil
}

// read wants a PEM block whose type ends in a word.
func (f *files) read(name, word, want string) ([]byte, error) {
	b, err := readBounded(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", name, whyUnread(err))
	}
	var found []string
	for rest := b; ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if block.Type == "ENCRYPTED PRIVATE KEY" || block.Headers["DEK-Info"] != "" {
			return nil, fmt.Errorf("%s: the key is encrypted with a passphrase; decrypt it (openssl pkey -in KEY -out PLAIN)", name)
		}
		if strings.HasSuffix(block.Type, word) {
			return b, nil
		}
		found = append(found, block.Type)
	}
	if len(found) > 0 {
		return nil, fmt.Errorf("%s: holds %s; it should hold %s", name, clean(strings.Join(found, ", ")), want)
	}
	return nil, fmt.Errorf("%s: holds no PEM at all; it should hold %s", name, want)
}

func (f *files) mismatch(err error) error {
	if strings.Contains(err.Error(), "private key does not match") || strings.Contains(err.Error(), "private key type does not match") {
		return fmt.Errorf("%s: this key does not belong to the first certificate in %s; give the key that the certificate was issued for, and put the server's own certificate first in its file",
			f.keyFile, f.certFile)
	}
	return fmt.Errorf("%s and %s: %s; export both in PEM anew", f.certFile, f.keyFile, clean(err.Error()))
}

func periodRemedy(err error) string {
	var p *errPeriod
	if errors.As(err, &p) && !p.expired {
		return "set this machine's clock right, or wait"
	}
	return "renew it"
}

// warnings are about what works here and may not elsewhere.
func (f *files) warnings(cert *tls.Certificate, key fs.FileInfo) (list []string) {
	if others := whoElse(key); others != "" {
		list = append(list, fmt.Sprintf("%s: %s can read this private key; chmod 600 %s", f.keyFile, others, f.keyFile))
	}
	if len(cert.Certificate) == 1 && cert.Leaf.Issuer.String() != cert.Leaf.Subject.String() {
		list = append(list, fmt.Sprintf("%s: holds the server's certificate alone, without that of its issuer (%s); most clients can't verify that. "+
			"Unless the issuer is a root which the gateway knows, give the full chain", f.certFile, clean(cert.Leaf.Issuer.String())))
	}
	return list
}

func whyUnread(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "there is no such file; give the path of one"
	case errors.Is(err, fs.ErrPermission):
		return "this user may not read it; give it the permission, or run as who has it"
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}
