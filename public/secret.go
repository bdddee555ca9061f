// Package public brings the stub to a public HTTPS address, safely: the secret that opens it, certificates of a user's own or
// by ACME, and tunnels.
//
// It serves nothing (the stub does), asks no layer and judges nothing.
package public

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// Secret is what opens a stub that others can reach. A gateway knows the path, since it stands in its upstream URL or is its API key;
// only a checker knows the token, which opens the ledger. Neither can be guessed from the other. The zero value opens nothing.
type Secret struct {
	path, token string
	// Open says that others on this machine may read the file it came from.
	Open bool
}

// Path is the segment of the upstream's URL, or its API key.
func (s Secret) Path() string { return s.path }

// Token is the bearer token of the ledger; "" where there is none.
func (s Secret) Token() string { return s.token }

// String keeps a secret out of messages.
func (s Secret) String() string { return "[secret]" }

// GoString does so for %#v.
func (s Secret) GoString() string { return "[secret]" }

const (
	// secretBytes are random: 128 bits is what no guessing over a network reaches, this is twice that.
	secretBytes = 32
	// minSecret is 128 bits as hexadecimal digits.
	minSecret = 32
	// maxSecret keeps it a path segment that gateways take.
	maxSecret = 128
	// minSigns is how many different signs 32 random digits have at least, but for one time in a million.
	minSigns = 8
)

// NewSecret makes a secret for one run.
func NewSecret() Secret { return Secret{path: random(), token: random()} }

func random() string {
	var b [secretBytes]byte
	_, _ = rand.Read(b[:]) // documented never to fail (crypto/rand, Go 1.24)
	return hex.EncodeToString(b[:])
}

// SecretOf makes a secret of values that the user chose. The token may be left out.
func SecretOf(path, token string) (Secret, error) {
	if err := strong(path); err != nil {
		return Secret{}, fmt.Errorf("the secret %w", err)
	}
	if token == "" {
		return Secret{path: path}, nil
	}
	if err := strong(token); err != nil {
		return Secret{}, fmt.Errorf("the token %w", err)
	}
	if token == path {
		return Secret{}, errors.New("the token is the secret: every gateway that knows the one would know the other")
	}
	return Secret{path: path, token: token}, nil
}

// strong refuses what was not made at random, as far as that can be seen, and what is no path segment. No message shows the value.
func strong(s string) error {
	switch {
	case len(s) < minSecret:
		return fmt.Errorf("has %d characters, and needs %d or more, made at random", len(s), minSecret)
	case len(s) > maxSecret:
		return fmt.Errorf("has %d characters, and may have %d", len(s), maxSecret)
	}
	signs := map[rune]bool{}
	for _, c := range s {
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' || c == '_') {
			return errors.New("holds a character that is no letter, digit, - or _")
		}
		signs[c] = true
	}
	if len(signs) < minSigns {
		return errors.New("was not made at random: it has too few different characters")
	}
	return nil
}

// ReadSecret reads a secret file: the secret in its first line, the token in its second. A file that is not there is made, readable by its
// owner alone, so that the next run has the same secret; made says so.
func ReadSecret(file string) (s Secret, made bool, err error) {
	b, info, err := readOwn(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s := NewSecret()
		return s, true, writeSecret(file, s)
	case err != nil:
		return Secret{}, false, err
	}
	lines := strings.Fields(string(bytes.TrimPrefix(b, []byte("\ufeff"))))
	if len(lines) == 0 || len(lines) > 2 {
		return Secret{}, false, fmt.Errorf("it holds %d words, and should hold two lines: the secret, and the token of the ledger", len(lines))
	}
	if s, err = SecretOf(lines[0], strings.Join(lines[1:], "")); err != nil {
		return Secret{}, false, err
	}
	s.Open = readableByOthers(info.Mode())
	return s, false, nil
}

// maxSecretFile is far more than a secret file has, in bytes.
const maxSecretFile = 4 << 10

// readOwn reads a file that nobody else could have written: whoever plants a secret in a folder that others write into, like /tmp, knows the
// stub's address and opens its ledger.
func readOwn(file string) ([]byte, fs.FileInfo, error) {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return nil, nil, err
	case !info.Mode().IsRegular():
		return nil, nil, errors.New("it is no regular file") // and might never end
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil { // of what was opened, whatever has taken its name meanwhile
		return nil, nil, err
	}
	if who := whoWrites(info); who != "" {
		return nil, nil, fmt.Errorf("%s can write it, so the secret may be known to others: make a new one elsewhere, or by rm and another run", who)
	}
	b, err := io.ReadAll(io.LimitReader(f, maxSecretFile+1))
	if err == nil && len(b) > maxSecretFile {
		err = fmt.Errorf("it has more than %d bytes", maxSecretFile)
	}
	return b, info, err
}

func writeSecret(file string, s Secret) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(s.path + "\n" + s.token + "\n")
	return errors.Join(err, f.Close())
}
