package main

import (
	"crypto/tls"
	"net"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/preservecheck/preservecheck/classifier"
	"github.com/preservecheck/preservecheck/gateway"
	"github.com/preservecheck/preservecheck/public"
	"github.com/preservecheck/preservecheck/wire"
)

// publicFlags say how a layer elsewhere reaches the stub; check and serve have them.
type publicFlags struct {
	any                            bool
	url, tlsCert, tlsKey           string
	acme, acmeEmail, acmeDirectory string
	acmeCA, acmeListen, acmeCache  string
	tunnel, tunnelURL              string
	secretFile, urlFile            string
	acmeForce                      bool
	maxDuration                    time.Duration
}

// Variables that hold secrets, which no flag may.
const (
	secretVariable = envPrefix + "SECRET"
	tokenVariable  = envPrefix + "TOKEN"
)

// defaultMaxDuration is how long a stub is public at most.
const defaultMaxDuration = time.Hour

// othersReach is where help has the flags for a stub that others reach.
const othersReach = "A stub that others reach (docs/hosted.md)"

func (f *publicFlags) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	listenAnyFlag(cmd, &f.any)
	fl.StringVar(&f.url, "stub-url", "", "`URL` under which the layer reaches the stub, when it is not the address; with https:// somebody else ends TLS there")
	fl.StringVar(&f.tlsCert, "tls-cert", "", "PEM `FILE` with a certificate, for a stub that speaks TLS itself; read again when it changes")
	fl.StringVar(&f.tlsKey, "tls-key", "", "PEM `FILE` with its key")
	fl.StringVar(&f.tunnel, "tunnel", "", "`COMMAND` that brings the stub to a public address, run without a shell; {addr} is where the stub listens, {port} its port")
	fl.StringVar(&f.tunnelURL, "tunnel-url", "", "`URL` of the tunnel, if the command does not print it, or a pattern for what it prints, as in https://*.example.org")
	fl.StringVar(&f.secretFile, "secret-file", "", "`FILE` with the secret that opens the stub, made if it is not there, so that later runs have the same address (or "+secretVariable+")")
	fl.StringVar(&f.urlFile, "url-file", "", "`FILE` to write the layer's upstream URL to, which holds the secret")
	fl.DurationVar(&f.maxDuration, "max-duration", defaultMaxDuration, "after which a stub that others can reach ends")
	heading(fl, othersReach)
	fl.StringVar(&f.acme, "acme", "", "`DOMAIN` to order a certificate for, which is kept for later runs; its ports 80 or 443 have to lead here")
	fl.StringVar(&f.acmeEmail, "acme-email", "", "`ADDRESS` that the authority may write to")
	fl.StringVar(&f.acmeDirectory, "acme-directory", "", "`URL` of the authority, or staging (default: Let's Encrypt, whose terms you accept by using it)")
	fl.StringVar(&f.acmeCA, "acme-ca", "", "PEM `FILE` with authorities to trust for the directory besides the system's")
	fl.StringVar(&f.acmeCache, "acme-cache", "", "`FOLDER` to keep certificates in (default: preservecheck/acme where this user's caches are)")
	fl.BoolVar(&f.acmeForce, "acme-force", false, "order although the last order failed a moment ago")
	fl.StringVar(&f.acmeListen, "acme-listen", "", "`ADDRESS` that answers the authority's question over HTTP (default: port 80 where the stub listens)")
	heading(fl, "A certificate for the stub that is ordered (docs/hosted.md)")
}

// opening is how others reach the stub, as far as it is decided before anything runs.
type opening struct {
	flags   *publicFlags
	way     string        // one of the ways below
	from    string        // the flag that says so
	guarded bool          // the stub asks for the secret
	secret  public.Secret // of a guarded stub
	kept    bool          // the secret comes from outside, where the user has it
	url     *wire.Base    // public base URL without the secret; nil: not known yet, or the address
	words   []string      // of the tunnel
	trust   *tls.Config   // to ask the stub under its public URL; nil: as the system does
}

// The ways to the stub.
const (
	wayLocal  = ""       // this machine alone
	wayAny    = "any"    // others reach the address
	wayURL    = "url"    // somebody else ends TLS and forwards
	wayFiles  = "files"  // our own listener with the user's certificate
	wayACME   = "acme"   // our own listener with a certificate that is ordered
	wayTunnel = "tunnel" // a command
)

// readOpening reads the flags. embedded says that the layer is on this machine and gets its upstream from us, for which there is no way to open.
func readOpening(a *app, cmd *cobra.Command, f *publicFlags, s *secrets, embedded bool, other *elsewhere) (*opening, error) {
	o := &opening{flags: f}
	if other != nil {
		o.way, o.from, o.url = wayRemote, other.from, &other.stub
		return o, o.readSecret(a, cmd, s)
	}
	if err := o.pickWay(cmd); err != nil {
		return nil, err
	}
	if embedded && o.way != wayLocal {
		return nil, usage("leave it out", "%s: the layer is on this machine, and so is the stub", o.from)
	}
	steps := []func(*app, *cobra.Command, *secrets) error{o.readURL, o.readTLS, o.readTunnel, o.readSecret, o.readBounds}
	if embedded {
		steps = steps[:1]
	}
	for _, step := range steps {
		if err := step(a, cmd, s); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// pickWay finds the one way that was asked for.
func (o *opening) pickWay(cmd *cobra.Command) error {
	for _, w := range [][2]string{{wayFiles, "tls-cert"}, {wayACME, "acme"}, {wayTunnel, "tunnel"}} {
		if !cmd.Flags().Changed(w[1]) {
			continue
		}
		if o.way != wayLocal {
			return usage("leave one of them out", "%s and %s are two ways to the stub", o.from, origin(cmd, w[1]))
		}
		o.way, o.from = w[0], origin(cmd, w[1])
	}
	for _, p := range [][3]string{
		{"tls-key", wayFiles, "tls-cert"}, {"acme-email", wayACME, "acme"}, {"acme-directory", wayACME, "acme"}, {"acme-ca", wayACME, "acme"},
		{"acme-listen", wayACME, "acme"}, {"acme-cache", wayACME, "acme"}, {"acme-force", wayACME, "acme"}, {"tunnel-url", wayTunnel, "tunnel"},
	} {
		if cmd.Flags().Changed(p[0]) && o.way != p[1] {
			return usage("give --"+p[2]+" as well, or leave it out", "%s belongs to --%s", origin(cmd, p[0]), p[2])
		}
	}
	if o.way == wayTunnel && (o.flags.any || o.flags.url != "") {
		return usage("leave the other out", "%s: the tunnel itself reaches the stub on this machine, and says under which URL others do", o.from)
	}
	switch {
	case o.way != wayLocal:
	case strings.HasPrefix(strings.ToLower(o.flags.url), "https://"):
		o.way, o.from = wayURL, origin(cmd, "stub-url")
	case o.flags.any:
		o.way, o.from = wayAny, origin(cmd, "listen-any")
	}
	return nil
}

func (o *opening) readURL(_ *app, cmd *cobra.Command, s *secrets) error {
	text, flag := o.flags.url, "stub-url"
	if o.flags.tunnelURL != "" {
		text, flag = o.flags.tunnelURL, "tunnel-url"
	}
	if text == "" || flag == "tunnel-url" && strings.Contains(text, "*") { // a pattern, for what the command prints
		return nil
	}
	b, err := parseBase(text, origin(cmd, flag), s)
	switch {
	case err != nil:
		return err
	case b.User != "":
		return usage("leave them out", "%s: the stub asks for no credentials", origin(cmd, flag))
	case b.Scheme != "https" && (o.way == wayFiles || o.way == wayACME || o.way == wayTunnel):
		return usage("write https://", "%s: the stub is reached by TLS, as %s says", origin(cmd, flag), o.from)
	}
	o.url = &b
	return nil
}

// readTLS checks what a listener of our own needs.
func (o *opening) readTLS(_ *app, cmd *cobra.Command, _ *secrets) error {
	if o.way != wayFiles && o.way != wayACME {
		return nil
	}
	if o.way == wayFiles && o.flags.tlsKey == "" {
		return usage("give --tls-key FILE as well", "%s needs the key of the certificate", o.from)
	}
	if !o.flags.any && !cmd.Flags().Changed("stub-listen") {
		return usage("add --listen-any, or give --stub-listen 127.0.0.1:8443 where something brings the connections here",
			"%s: others have to reach the stub, and it listens on this machine alone", o.from)
	}
	if o.way != wayACME {
		return nil
	}
	name := strings.ToLower(o.flags.acme)
	if ip := net.ParseIP(name); ip == nil && (!strings.Contains(name, ".") || strings.ContainsAny(name, "/:@*? ") || strings.HasPrefix(name, ".")) {
		return usage("write it like --acme stub.example.org", "%s: %q is no domain that a certificate can be ordered for", o.from, o.flags.acme)
	}
	if o.url == nil {
		b, err := wire.ParseBase("https://" + hostForURL(name))
		if err != nil {
			return usage("write it like --acme stub.example.org", "%s: %s", o.from, err)
		}
		o.url = &b
	}
	return nil
}

// hostForURL puts brackets around an IPv6 address.
func hostForURL(host string) string {
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}

const tunnelHint = "write it like --tunnel 'cloudflared tunnel --url {addr}'; see docs/hosted.md"

func (o *opening) readTunnel(a *app, _ *cobra.Command, _ *secrets) error {
	if o.way != wayTunnel {
		return nil
	}
	if !gateway.Supported() {
		return usage("start the tunnel yourself, and give --stub-url URL", "%s: %s", o.from, gateway.ErrUnsupported)
	}
	words, err := classifier.Split(o.flags.tunnel)
	if err != nil {
		return usage(tunnelHint, "%s: %s", o.from, err)
	}
	if !strings.Contains(o.flags.tunnel, "{addr}") && !strings.Contains(o.flags.tunnel, "{port}") {
		return usage(tunnelHint, "%s: {addr} is missing, the address where the stub listens (or {port}, its port)", o.from)
	}
	if words[0], err = lookProgram(words[0], a.env); err != nil {
		return usage("install it, or give its path", "%s: the program is not there, or can't be run", o.from)
	}
	o.words = words
	return nil
}

// readSecret reads or makes the secret of a stub that others can reach, or that was given one.
func (o *opening) readSecret(a *app, cmd *cobra.Command, s *secrets) (err error) {
	path, token := a.env.get(secretVariable), a.env.get(tokenVariable)
	for _, name := range []string{secretVariable, tokenVariable} {
		if value, there := a.env[name]; there && strings.TrimSpace(value) == "" {
			return usage("unset it, or give it a value", "the environment variable %s is set but empty", name)
		}
	}
	switch {
	case cmd.Flags().Changed("secret-file"):
		if o.secret, err = a.secretFile(o.flags.secretFile, origin(cmd, "secret-file")); err != nil {
			return err
		}
	case path != "" || token != "":
		if o.secret, err = public.SecretOf(strings.TrimSpace(path), strings.TrimSpace(token)); err != nil {
			return usage("make one by: openssl rand -hex 32", "%s or %s: %s", secretVariable, tokenVariable, err)
		}
	case o.way == wayRemote:
		return usage("give --secret-file FILE, a copy of the one that serve has, or "+secretVariable+" and "+tokenVariable, "%s needs the secret and the token of that stub", o.from)
	case o.way != wayLocal:
		o.secret = public.NewSecret()
	default:
		return nil
	}
	o.guarded, o.kept = true, cmd.Flags().Changed("secret-file") || path != ""
	if o.way == wayRemote && o.secret.Token() == "" {
		return usage("copy the file that serve made, or set "+tokenVariable, "%s: the secret is there, and the token of the stub's ledger is not", o.from)
	}
	s.add(stubSecret, o.secret.Path())
	s.add("token of the stub", o.secret.Token())
	return o.told(a)
}

// stubSecret is what stands in reports in place of the secret part of the stub's URL.
const stubSecret = "address of the stub"

// secretFile reads a secret file, and says when it was made or is open to others.
func (a *app) secretFile(file, from string) (public.Secret, error) {
	s, made, err := public.ReadSecret(file)
	switch {
	case err != nil:
		return s, usage("name another file, which is then made, or mend this one", "%s: %s: %s", from, file, cause(err))
	case made:
		a.note("secret: made in %s; keep it, and the stub has the same address next time", file)
	case s.Open:
		a.note("warning: others on this machine may read %s: chmod 600 %s", file, file)
	}
	return s, nil
}

// readBounds checks what bounds a public stub, and removes the URL of an earlier run.
func (o *opening) readBounds(_ *app, cmd *cobra.Command, _ *secrets) error {
	if o.flags.maxDuration < time.Second {
		return usage("give 1s or more, like 1h", "%s: %s is out of range", origin(cmd, "max-duration"), o.flags.maxDuration)
	}
	if o.flags.urlFile == "" {
		return nil
	}
	if !o.guarded && o.url == nil && o.way == wayLocal {
		return usage("leave it out", "%s: the stub is on this machine alone, and its URL is printed", origin(cmd, "url-file"))
	}
	if info, err := os.Lstat(o.flags.urlFile); err == nil && info.IsDir() { // an empty one would be removed
		return usage("name a file in it", "%s: %s is a folder", origin(cmd, "url-file"), o.flags.urlFile)
	}
	if err := os.Remove(o.flags.urlFile); err != nil && !os.IsNotExist(err) {
		return usage("name a file that can be written", "%s: %s", origin(cmd, "url-file"), cause(err))
	}
	return nil
}

// listen is where the stub listens when nobody said it.
func (o *opening) listen(otherwise string) string {
	switch {
	case !o.flags.any:
		return otherwise
	case o.way == wayFiles || o.way == wayACME:
		return "0.0.0.0:443"
	}
	return anyListen
}

// perSource is a limit for each source of connections, where there is more than one: what forwards to this machine is a single one.
func (o *opening) perSource(address string) int {
	host, _, _ := net.SplitHostPort(address)
	if ip, err := netip.ParseAddr(host); o.way == wayURL || o.way == wayTunnel || err != nil || ip.IsLoopback() {
		return -1
	}
	return 0
}

// below adds the secret to a base URL, as the layer has to ask it.
func (o *opening) below(b wire.Base) wire.Base {
	if o.guarded && !strings.Contains(b.Path+"/", "/"+o.secret.Path()+"/") {
		b.Path = strings.TrimRight(b.Path, "/") + "/" + o.secret.Path()
	}
	return b
}
