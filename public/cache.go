package public

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// cache is the folder in which an authority's account and certificates stay between runs: a folder per directory, so that a
// staging certificate is never taken for a real one, with
//
//	account.pem        the account's private key
//	NAME.pem           the certificate's private key and chain, in one file, so that they can't be of two orders
//	NAME.failed.json   why the last order failed, and until when no other is placed
type cache struct{ dir, name string }

const (
	folderMode = 0o700
	fileMode   = 0o600
)

// openCache makes the folders if need be and refuses those that others could write into: who can plant a key there
// has our certificate's.
func openCache(root, directory, name string) (*cache, error) {
	u, err := url.Parse(directory)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(directory))
	dir := filepath.Join(root, portable(u.Host)+"-"+hex.EncodeToString(sum[:4]))
	for _, d := range []string{root, dir} {
		if err := os.MkdirAll(d, folderMode); err != nil {
			return nil, fmt.Errorf("the folder for certificates: %w; give another one", err)
		}
		info, err := os.Stat(d)
		if err != nil {
			return nil, fmt.Errorf("the folder for certificates: %w", err)
		}
		if who := whoWrites(info); who != "" {
			return nil, fmt.Errorf("the folder for certificates, %s, can be written by others: %s can; chmod 700 it, after a look at what is inside, or give another one", d, who)
		}
	}
	return &cache{dir: dir, name: portable(name)}, nil
}

// portable makes a part of a file name that Windows takes as well: IPv6 addresses and ports have colons.
func portable(s string) string { return strings.ReplaceAll(s, ":", "_") }

func (c *cache) path(suffix string) string { return filepath.Join(c.dir, c.name+suffix) }

// read takes a file only if nobody else could have written it.
func (c *cache) read(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if who := whoWrites(info); who != "" {
		return nil, fmt.Errorf("%s can be written by others: %s can; delete it, and a new one will be made", name, who)
	}
	return readBounded(name)
}

// write replaces a file at once, so that a run that is killed leaves the old one or the new one. CreateTemp gives it mode 0600.
func (c *cache) write(name string, b []byte) error {
	f, err := os.CreateTemp(c.dir, ".new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	err = errors.Join(err, f.Chmod(fileMode), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// account is the account's key, made at the first run. The authority finds the account by it.
func (c *cache) account() (*ecdsa.PrivateKey, error) {
	name := filepath.Join(c.dir, "account.pem")
	b, err := c.read(name)
	if errors.Is(err, fs.ErrNotExist) {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			return nil, err
		}
		b, err := keyPEM(key)
		if err != nil {
			return nil, err
		}
		return key, c.write(name, b)
	}
	if err != nil {
		return nil, err
	}
	if block, _ := pem.Decode(b); block != nil {
		if key, err := x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
			if key, ok := key.(*ecdsa.PrivateKey); ok {
				return key, nil
			}
		}
	}
	return nil, fmt.Errorf("%s: holds no account key of ours; delete it, and a new account will be made", name)
}

func keyPEM(key *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}

// certificate is the one that is kept for the name, nil if there is none or none that would do. An unfit one is no error,
// but for one that others could have put there: a new one takes its place.
func (c *cache) certificate(name string) (*tls.Certificate, error) {
	b, err := c.read(c.path(".pem"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if pair, err := tls.X509KeyPair(b, b); err == nil && pair.Leaf.VerifyHostname(name) == nil {
		return &pair, nil
	}
	return nil, nil
}

func (c *cache) keep(key *ecdsa.PrivateKey, chain [][]byte) error {
	b, err := keyPEM(key)
	if err != nil {
		return err
	}
	out := bytes.NewBuffer(b)
	for _, der := range chain {
		if err := pem.Encode(out, &pem.Block{Type: "CERTIFICATE", Bytes: der}); err != nil {
			return err
		}
	}
	return c.write(c.path(".pem"), out.Bytes())
}

// mark says why the last order failed.
type mark struct {
	Until   time.Time `json:"until"`
	Problem string    `json:"problem"`
}

// failed is the mark that still holds, nil if there is none. A mark that can't be read is none: it only saves orders.
func (c *cache) failed(now time.Time) *mark {
	b, err := c.read(c.path(".failed.json"))
	if err != nil {
		return nil
	}
	var m mark
	if json.Unmarshal(b, &m) != nil || !now.Before(m.Until) {
		return nil
	}
	return &m
}

func (c *cache) markFailed(m mark) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return c.write(c.path(".failed.json"), b)
}

func (c *cache) forget() { _ = os.Remove(c.path(".failed.json")) }

// readBounded reads a file whole, up to maxFile bytes.
func readBounded(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(b) > maxFile {
		err = &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("is larger than %d bytes; give a file of PEM", maxFile)}
	}
	return b, err
}
