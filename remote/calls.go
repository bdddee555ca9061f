package remote

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// Limits of what is believed of an answer, and how long is waited for one.
const (
	maxAnswer  = 8 << 20 // bytes; what is cut there is no JSON any more
	callFor    = 10 * time.Second
	firstAgain = 100 * time.Millisecond
)

// ErrAddress says that an address is none that credentials may be sent to.
var ErrAddress = errors.New("the address of the stub's ledger has to be https://HOST, or http:// with an address of this machine")

// Refusal is an error that the stub itself gave.
type Refusal struct{ Code, Message string }

func (r *Refusal) Error() string { return r.Message }

// errNothing is what somebody without the token is told, which is all that can be said of it.
var errNothing = errors.New("there is no ledger at this address, or it does not know this token: compare the address and the secret on both sides")

// caller makes calls to one API.
type caller struct {
	base     string
	token    string
	access   string // of the run; "" before there is one
	client   *http.Client
	patience time.Duration // for which a call that got no answer is made again
	times    *timeline
}

func newCaller(opt Options) (*caller, error) {
	u, err := url.Parse(opt.URL)
	if err != nil {
		return nil, ErrAddress
	}
	if u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fmt.Errorf("%w, not %s", ErrAddress, shown(u.Scheme+"://"+u.Host))
	}
	t := &http.Transport{
		TLSClientConfig: opt.TLS.Clone(), TLSHandshakeTimeout: callFor, ResponseHeaderTimeout: callFor, MaxResponseHeaderBytes: 16 << 10,
		MaxIdleConnsPerHost: 16, MaxConnsPerHost: 32, IdleConnTimeout: time.Minute, DisableCompression: true,
		TLSNextProto: map[string]func(string, *tls.Conn) http.RoundTripper{}, // HTTP/1.1
	}
	if t.TLSClientConfig == nil {
		t.TLSClientConfig = &tls.Config{}
	}
	t.TLSClientConfig.InsecureSkipVerify = false
	dial := net.Dialer{Timeout: callFor}
	if u.Scheme == "http" {
		dial.Control = onlyLoopback
	}
	t.DialContext = dial.DialContext
	return &caller{
		base: strings.TrimRight(opt.URL, "/"), token: opt.Token, patience: opt.Patience, times: newTimeline(),
		client: &http.Client{Transport: t, Timeout: callFor, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}, nil
}

// onlyLoopback refuses to connect to another machine. It sees the address itself, whatever a name led to.
func onlyLoopback(_, address string, _ syscall.RawConn) error {
	host, _, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() {
		return fmt.Errorf("%w: the token would go to %s in the clear", ErrAddress, address)
	}
	return nil
}

// call makes a call until it is answered, for as long as patience lasts. All calls may be made twice.
func (c *caller) call(ctx context.Context, method, path string, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return err
		}
	}
	end := time.Now().Add(c.patience)
	for wait := firstAgain; ; wait *= 2 {
		again, err := c.once(ctx, method, path, body, out)
		if err == nil || !again || ctx.Err() != nil || time.Now().Add(wait).After(end) {
			return err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
}

// once makes a call. It reports whether one that failed may do better the next time.
func (c *caller) once(ctx context.Context, method, path string, body []byte, out any) (again bool, err error) {
	left, came := time.Now(), time.Time{}
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn:              func(httptrace.GotConnInfo) { left = time.Now() }, // what it takes to connect is no way of the call's
		GotFirstResponseByte: func() { came = time.Now() },
	})
	r, err := http.NewRequestWithContext(ctx, method, c.base+"/"+Version+path, bytes.NewReader(body))
	if err != nil {
		return false, err
	}
	r.Header.Set("authorization", "Bearer "+c.token)
	r.Header.Set("user-agent", "preservecheck")
	if c.access != "" {
		r.Header.Set(AccessHeader, c.access)
	}
	if len(body) > 0 {
		r.Header.Set("content-type", "application/json")
	}
	answer, err := c.client.Do(r)
	switch {
	case errors.Is(err, ErrAddress):
		return false, fmt.Errorf("%w: the token would go over the network in the clear", ErrAddress)
	case err != nil:
		return true, fmt.Errorf("the stub's ledger gave no answer: %w", plainly(err))
	}
	defer func() { _ = answer.Body.Close() }() // what could not be read is told below
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if came.IsZero() {
		came = time.Now() // later than it was: that only widens what is known
	}
	switch {
	case err != nil:
		return true, fmt.Errorf("the answer of the stub's admin API broke off: %w", plainly(err))
	case answer.StatusCode == http.StatusNoContent && out == nil:
		return false, nil
	case answer.StatusCode != http.StatusOK:
		return refused(answer.StatusCode, text)
	case out == nil || json.Unmarshal(text, out) != nil:
		return false, errStrange
	}
	var stub struct {
		Clock clock `json:"clock"`
	}
	if json.Unmarshal(text, &stub) != nil || !c.times.note(left, came, stub.Clock) {
		return false, errStrange
	}
	return false, nil
}

// plainly leaves the address out of an error: it may hold a path that is nobody's business.
func plainly(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// refused reads an answer that is no success. One by whatever stands before the stub may pass.
func refused(status int, text []byte) (again bool, err error) {
	var e errorReply
	if json.Unmarshal(text, &e) == nil && e.Error.Code != "" && len(e.Error.Message) <= maxText && len(e.Error.Code) <= maxText {
		return false, &Refusal{shown(e.Error.Code), e.Error.Message}
	}
	if status == http.StatusNotFound {
		return false, errNothing
	}
	return status >= 500, fmt.Errorf("the stub's admin API answered %d, as no stub does: what stands before it?", status)
}
