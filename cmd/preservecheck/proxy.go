package main

import (
	"errors"
	"net/url"

	"github.com/spf13/cobra"
	"golang.org/x/net/http/httpproxy"

	"github.com/preservecheck/preservecheck/wire"
)

// The choices of --proxy.
const (
	proxyNone = "none"
	proxyEnv  = "env"
)

// proxies gives the proxy that the environment names for a URL, nil for none, and the variable that does. It reads what every
// other program reads (HTTPS_PROXY, HTTP_PROXY, NO_PROXY, in lower case as well), and like those it leaves loopback alone.
func proxies(env environ) func(b wire.Base) (*url.URL, string, error) {
	first := func(names ...string) (value, name string) {
		for _, name = range names {
			if value = env.get(name); value != "" {
				return value, name
			}
		}
		return "", ""
	}
	https, httpsFrom := first("HTTPS_PROXY", "https_proxy")
	http, httpFrom := first("HTTP_PROXY", "http_proxy")
	no, _ := first("NO_PROXY", "no_proxy")
	choose := (&httpproxy.Config{HTTPProxy: http, HTTPSProxy: https, NoProxy: no}).ProxyFunc()
	return func(b wire.Base) (*url.URL, string, error) {
		value, from := http, httpFrom
		if b.Scheme == "https" {
			value, from = https, httpsFrom
		}
		if value != "" && !namesProxy(value) { // it would be taken for none
			return nil, from, errNoURL
		}
		u, err := choose(&url.URL{Scheme: b.Scheme, Host: b.Authority})
		return u, from, err
	}
}

var errNoURL = errors.New("no URL")

// namesProxy reports whether a variable's value is a URL with a host, or a host alone, which means http.
func namesProxy(value string) bool {
	for _, text := range []string{value, "http://" + value} {
		if u, err := url.Parse(text); err == nil && u.Host != "" && u.Scheme != "" {
			return true
		}
	}
	return false
}

// readProxy reads --proxy. Only the layer is ever asked through a proxy: never the stub, nor one elsewhere.
func (p *plan) readProxy(a *app, cmd *cobra.Command) error {
	choice, from := p.flags.proxy, origin(cmd, "proxy")
	if choice != proxyNone && choice != proxyEnv {
		return usage("write env or none", "%s: %q is not a choice", from, choice)
	}
	if p.control != "" {
		return nil
	}
	find := proxies(a.env)
	for _, b := range p.layers() {
		u, variable, err := find(b)
		switch {
		case u == nil && err == nil:
			continue
		case choice == proxyNone:
			a.note("note: %s is set and not used: the layer is asked directly (--proxy env asks it through the proxy)", variable)
			return nil
		case err != nil: // it would repeat the URL, and with it a password
			return usage("write it like http://proxy.example:3128", "%s: %s is no URL", from, variable)
		case u.Scheme != "http" && u.Scheme != "https":
			return usage("use a proxy that takes CONNECT, as in http://proxy.example:3128", "%s: %s names a proxy of the kind %q", from, variable, u.Scheme)
		}
		base, err := parseBase((&url.URL{Scheme: u.Scheme, User: u.User, Host: u.Host}).String(), variable, &p.secrets)
		if err != nil {
			return err
		}
		if p.proxied == nil {
			p.proxied = map[string]*wire.Proxy{}
			a.note("note: the layer is asked through the proxy at %s, by CONNECT", base.Host)
		}
		p.proxied[b.Host] = &wire.Proxy{Base: base, TLS: p.tls}
	}
	return nil
}

// layers are the base URLs of the layer.
func (p *plan) layers() (all []wire.Base) {
	if p.target == nil {
		return []wire.Base{p.layer}
	}
	for _, r := range p.routes {
		all = append(all, r.base)
	}
	return all
}

// client asks the layer at a base URL.
func (p *plan) client(b wire.Base) wire.Client {
	return wire.Client{Base: b, TLS: p.tls, Proxy: p.proxied[b.Host]}
}
