package public

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/preservecheck/preservecheck/gateway"
	"github.com/preservecheck/preservecheck/wire"
)

// Bounds of the search for a tunnel's URL.
const (
	// DefaultWithin is how long a tunnel has to print its URL and to work.
	DefaultWithin = 60 * time.Second
	// settle is how long a URL rests before it is tried. Programs go on to print the right one behind others, and who asks for a
	// name before it exists is told for minutes that it does not (negative caching, RFC 2308).
	settle = 3 * time.Second
	// maxTries is how often each URL is tried: most are somebody's documentation.
	maxTries  = 12
	tryWithin = 5 * time.Second
	lastPause = 4 * time.Second
)

// TunnelOptions say which program makes the stub public, and how to know that it does.
type TunnelOptions struct {
	// Gateway says how to start the program: supervisor, environment, folder, log, grace. Its Command may hold {addr}, {host} and
	// {port}, which stand for Addr. It is started without a shell.
	Gateway gateway.Options
	Addr    string // host:port at which the program reaches the stub
	// URL names the tunnel's URL where its output does not: whole, or as a pattern with * for any characters but a slash, which
	// a URL in the output has to fit, as in https://*.example.com. "" is any.
	URL string
	// Prove sends a request of the caller's own to a URL and returns nil exactly when that came to the stub. It must not give
	// away a secret to a URL that has not proven itself without it.
	Prove  func(ctx context.Context, base wire.Base) error
	Within time.Duration // 0 is DefaultWithin

	settle time.Duration // 0 is the constant; tests do not wait so long
}

// Tunnel is a program that runs and makes the stub public.
type Tunnel struct {
	base wire.Base
	g    *gateway.Gateway
}

// StartTunnel starts a program and waits until one of the URLs that it prints leads to the stub. An error means that nothing runs.
//
// Programs print other URLs as well: documentation, terms, their maker's API. No list of products decides which is the one, since it
// would be out of date tomorrow: whichever brings our own request to the stub is. What products are known to print only says
// what is tried first, and spares the others a request.
func StartTunnel(ctx context.Context, o TunnelOptions) (*Tunnel, error) {
	command, err := FillTunnel(o.Gateway.Command, o.Addr)
	if err != nil {
		return nil, err
	}
	only, whole, err := wanted(o.URL)
	if err != nil {
		return nil, err
	}
	if o.Within <= 0 {
		o.Within = DefaultWithin
	}
	if o.settle <= 0 {
		o.settle = settle
	}
	o.Gateway.Command, o.Gateway.URLs = command, true
	g, err := gateway.Start(o.Gateway)
	if err != nil {
		return nil, err
	}
	within, cancel := context.WithTimeout(ctx, o.Within)
	defer cancel()
	s := search{o: &o, g: g, only: only, byURL: map[string]*candidate{}}
	if whole != nil {
		s.add(o.URL, *whole, true)
	}
	base, err := s.run(within)
	if err == nil {
		return &Tunnel{base: base, g: g}, nil
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return nil, errors.Join(err, g.Stop())
}

// Base is the tunnel's URL.
func (t *Tunnel) Base() wire.Base { return t.base }

// PID is the process that was started.
func (t *Tunnel) PID() int { return t.g.PID() }

// Gone says why the tunnel leads nowhere any more, "" while its program runs.
func (t *Tunnel) Gone() string {
	if how := t.g.How(); how != "" {
		return "the tunnel ended by itself: " + how
	}
	return ""
}

// Close ends the program and all that it started. An error names what may still run.
func (t *Tunnel) Close() error { return t.g.Stop() }

// FillTunnel puts the stub's address in place of {addr}, {host} and {port}. Other braces stay.
func FillTunnel(words []string, addr string) ([]string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("%q is no address of a stub: %w", addr, err)
	}
	if len(words) == 0 {
		return nil, errors.New("there is no command")
	}
	fill := strings.NewReplacer("{addr}", addr, "{host}", host, "{port}", port)
	out := make([]string, len(words))
	for i, w := range words {
		if out[i] = fill.Replace(w); strings.Contains(out[i], "{addr") || strings.Contains(out[i], "{stub") {
			return nil, fmt.Errorf("%q has a placeholder that is none: known are {addr}, {host} and {port}", w)
		}
	}
	return out, nil
}

// wanted reads TunnelOptions.URL: a pattern, a whole URL, or nothing.
func wanted(url string) (pattern string, whole *wire.Base, err error) {
	if strings.Contains(url, "*") {
		if _, err := path.Match(url, ""); err != nil || !strings.HasPrefix(url, "https://") {
			return "", nil, errors.New("a pattern of a tunnel's URL begins with https:// and has * for what varies, as in https://*.example.com")
		}
		return url, nil, nil
	}
	if url == "" {
		return "", nil, nil
	}
	b, err := wire.ParseBase(url)
	if err == nil && b.Scheme != "https" {
		err = errors.New("a tunnel's URL begins with https://")
	}
	return "", &b, err
}

// EndedError says that the program ended before there was a tunnel.
type EndedError struct{ How string }

func (e *EndedError) Error() string {
	return "the tunnel's program ended before there was a tunnel: " + e.How
}

// candidate is one URL that the program printed.
type candidate struct {
	url   string
	base  wire.Base
	known bool // it looks like what a known product prints, or the user named it
	tries int
	next  time.Time
	why   error // why the last try failed
}

// search is the search for the tunnel's URL.
type search struct {
	o     *TunnelOptions
	g     *gateway.Gateway
	only  string
	all   []*candidate
	byURL map[string]*candidate
}

func (s *search) run(ctx context.Context) (wire.Base, error) {
	tick := time.NewTicker(min(50*time.Millisecond, s.o.settle))
	defer tick.Stop()
	for {
		select {
		case url := <-s.g.URLs():
			s.printed(url)
			continue
		case <-s.g.Ended():
			return wire.Base{}, &EndedError{s.g.How()}
		case <-ctx.Done():
			return wire.Base{}, s.failed()
		case <-tick.C:
		}
		c := s.due(time.Now())
		if c == nil {
			continue
		}
		c.tries++
		if c.why = s.try(ctx, c.base); c.why == nil && s.g.How() == "" {
			return c.base, nil
		}
		c.next = time.Now().Add(min(s.o.settle<<min(c.tries-1, 8)/4, lastPause))
	}
}

// try asks for one proof. It gives up when the program ends.
func (s *search) try(ctx context.Context, base wire.Base) error {
	ctx, cancel := context.WithTimeout(ctx, tryWithin)
	defer cancel()
	go func() {
		select {
		case <-s.g.Ended():
			cancel()
		case <-ctx.Done():
		}
	}()
	return s.o.Prove(ctx, base)
}

// printed takes a URL of the output, if it can be the tunnel's at all.
func (s *search) printed(url string) {
	clean, _, _ := strings.Cut(url, "?")
	clean, _, _ = strings.Cut(clean, "#")
	base, err := wire.ParseBase(clean)
	if err != nil || base.User != "" || here(base) || s.byURL[base.String()] != nil {
		return
	}
	if s.only != "" {
		if ok, _ := path.Match(s.only, base.String()); !ok {
			return
		}
	}
	s.add(base.String(), base, s.only != "" || knownTunnel(base))
}

func (s *search) add(url string, base wire.Base, known bool) {
	c := &candidate{url: url, base: base, known: known, next: time.Now().Add(s.o.settle)}
	s.byURL[url] = c
	s.all = append(s.all, c)
}

// due gives the candidate to try now, nil when none is. Where one is known, the others are left in peace: who they are to is
// nobody's business of ours.
func (s *search) due(now time.Time) *candidate {
	known := slices.ContainsFunc(s.all, func(c *candidate) bool { return c.known })
	var best *candidate
	for _, c := range s.all {
		if c.known == known && (c.known || c.tries < maxTries) && !now.Before(c.next) && (best == nil || c.next.Before(best.next)) {
			best = c
		}
	}
	return best
}

// failed says why there is no tunnel when the time is over.
func (s *search) failed() error {
	var tried []string
	for _, c := range s.all {
		if c.tries > 0 {
			tried = append(tried, fmt.Sprintf("%s: %v", c.base, c.why))
		}
	}
	switch {
	case len(tried) > 0:
		const most = 5
		if n := len(tried); n > most {
			tried = append(tried[:most], fmt.Sprintf("and %d more", n-most))
		}
		return fmt.Errorf("no URL that the tunnel's program printed led to the stub within %s: %s", s.o.Within, strings.Join(tried, "; "))
	case s.only != "":
		return fmt.Errorf("the tunnel's program printed no URL like %s within %s", s.only, s.o.Within)
	}
	return fmt.Errorf("the tunnel's program printed no https URL within %s", s.o.Within)
}

// here reports whether a URL is one of this machine, such as the stub's own or a program's console. It may lead to the stub, and
// nobody else could use it.
func here(b wire.Base) bool {
	host, _, _ := net.SplitHostPort(b.Host)
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && (ip.IsLoopback() || ip.IsUnspecified() || ip.IsLinkLocalUnicast())
}
