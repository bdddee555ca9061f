package main

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/target"
	"github.com/preservecheck/preservecheck/wire"
)

// route is one way into the layer, of the file that --target names.
type route struct {
	name           string
	base           wire.Base
	addr           []netip.Addr
	header         []wire.Field
	dialect        *dialects.Dialect
	model, channel string
}

// maxTarget bounds what is read of a target's file, in bytes; the loader refuses less than that.
const maxTarget = 2 << 20

const targetHint = "docs/targets.md has examples"

// saidByRoutes are the flags whose place a target's file takes, each with the key that says it there.
var saidByRoutes = [][2]string{{"layer", "url"}, {"dialect", "dialect"}, {"model", "model"}, {"header", "headers"}, {"channel", "channel"}}

// readTarget reads the file of --target but for the values of headers.
func (p *plan) readTarget(cmd *cobra.Command) error {
	f, from := p.flags, origin(cmd, "target")
	for _, s := range saidByRoutes {
		if cmd.Flags().Changed(s[0]) {
			return usage("leave one of them out; in the file each route has its own "+s[1], "%s and %s exclude each other", from, origin(cmd, s[0]))
		}
	}
	b, err := readRegular(f.target, maxTarget)
	if err != nil {
		return usage("give the file of a target; "+targetHint, "%s: %s can't be read: %s", from, f.target, cause(err))
	}
	t, err := target.Load(f.target, b)
	if err != nil {
		return usage(targetHint, "%s: %s", from, strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return p.useTarget(cmd, t)
}

// useTarget takes on the routes of a target but for the values of headers.
func (p *plan) useTarget(cmd *cobra.Command, t *target.Target) (err error) {
	p.target = t
	for i := range p.target.Routes {
		t := &p.target.Routes[i]
		r := route{name: t.Name, dialect: t.Dialect, model: t.Model}
		if r.model == "" {
			r.model = defaultModel
		}
		if r.base, err = parseBase(t.URL.Value, t.URL.At, &p.secrets); err != nil {
			return err
		}
		if err := p.readRouteChannel(&r, t); err != nil {
			return err
		}
		r.addr = addresses(cmd.Context(), r.base)
		p.routes = append(p.routes, r)
	}
	return nil
}

// readRouteChannel notes the channel of a route. The stub reads one name of a header, so all routes have to agree on it.
func (p *plan) readRouteChannel(r *route, t *target.Route) error {
	channel, own, err := parseChannel(t.Channel.Value, t.Channel.At)
	if err != nil {
		return err
	}
	if own.Header != "" && p.channels.Header != "" && !strings.EqualFold(own.Header, p.channels.Header) {
		return usage("give all routes the same", "%s: another route has the fixture in the header %s, and the stub reads one", t.Channel.At, p.channels.Header)
	}
	if own.Header != "" {
		p.channels = own
	}
	r.channel = channel
	return nil
}

// readRouteHeaders puts the values of variables into the headers of routes. A file may be somebody else's, so it names only
// variables that --allow-env allows: it could else send any of them to a host of its choice.
func (p *plan) readRouteHeaders(a *app, cmd *cobra.Command) error {
	for _, name := range p.flags.allowEnv {
		if n, rest, _ := variableName(name); n == "" || rest != "" {
			return usage("write --allow-env GATEWAY_KEY", "%s: %q is no name of a variable", origin(cmd, "allow-env"), name)
		}
	}
	env := environ{}
	for _, name := range p.flags.allowEnv {
		env[name] = a.env[name]
	}
	p.routeEnv = env
	for i := range p.routes {
		fields, err := routeHeaders(&p.target.Routes[i], env, &p.secrets)
		if err != nil {
			return err
		}
		p.routes[i].header = fields
	}
	return nil
}

func routeHeaders(t *target.Route, env environ, s *secrets) (fields []wire.Field, err error) {
	for _, h := range t.Headers {
		if err := allowed(h, env); err != nil {
			return nil, err
		}
		field, err := headerField(h.Name, h.Value.Value, h.Value.At, env, s)
		if err != nil {
			return nil, err
		}
		fields = append(fields, field)
	}
	return fields, nil
}

// routesTo fills the routes of a recipe in for the stub as it listens: a URL or a header may name the layer's upstream.
func (p *plan) routesTo(stub string) error {
	if p.launch == nil || p.launch.recipe == nil {
		return nil
	}
	p.launch.place.Stub = stub
	t, err := p.launch.recipe.In(p.launch.variant, p.launch.place)
	if err != nil {
		return err
	}
	var known secrets // they were noted when the plan was made
	for i := range t.Routes {
		r := &p.routes[i]
		if r.base, err = parseBase(t.Routes[i].URL.Value, t.Routes[i].URL.At, &known); err != nil {
			return err
		}
		if r.header, err = routeHeaders(&t.Routes[i], p.routeEnv, &known); err != nil {
			return err
		}
		if t.Routes[i].Model != "" {
			r.model = t.Routes[i].Model
		}
	}
	return nil
}

// allowed refuses a value that names a variable which is not in env. What stands inside a word may be part of a password
// and is not repeated.
func allowed(h target.Header, env environ) error {
	for word := range strings.SplitSeq(h.Value.Value, " ") {
		parts := strings.Split(word, "$")
		for _, part := range parts[1:] {
			name, rest, ok := variableName(part)
			if _, allowed := env[name]; !ok || name == "" || allowed {
				continue
			}
			if len(parts) == 2 && parts[0]+rest == "" {
				return usage("allow it with --allow-env "+name, "%s: %s wants the environment variable %s, which is not allowed", h.Value.At, h.Name, name)
			}
			return usage("allow it with --allow-env NAME; a value with a dollar sign of its own can be put into a variable",
				"%s: the value of %s wants an environment variable inside a word, which is not allowed", h.Value.At, h.Name)
		}
	}
	return nil
}

// dialectsOfRoutes gives each dialect of the routes once.
func dialectsOfRoutes(routes []route) (ds []*dialects.Dialect) {
	for _, r := range routes {
		if !slices.Contains(ds, r.dialect) {
			ds = append(ds, r.dialect)
		}
	}
	return ds
}

// checkRoutes is the routes as a run needs them.
func (p *plan) checkRoutes() (out []check.Route) {
	for _, r := range p.routes {
		out = append(out, check.Route{
			Name: r.name, Layer: p.watch.over(p.client(r.base)), Base: r.base.Path, Model: r.model, Channel: r.channel, Header: r.header,
		})
	}
	return out
}

// ownSocket gives what the user called the layer if it is the socket of the stub, "" if none is.
func (p *plan) ownSocket(s *station) string {
	if p.control == "" && p.target == nil && sameSocket(p.layer, p.layerAddr, s.addr) {
		return "--layer " + p.layer.String()
	}
	for _, r := range p.routes {
		if sameSocket(r.base, r.addr, s.addr) {
			return "the url of route " + r.name
		}
	}
	return ""
}

// targetOf is what the record says of a target's file.
func (p *plan) targetOf() record.Target {
	t := record.Target{Name: p.hide(p.targetName()), Version: p.target.Version, Hops: p.target.Hops}
	if p.flags.layerVersion != "" {
		t.Version = p.flags.layerVersion
	}
	for _, r := range p.routes {
		out := record.Route{Name: r.name, URL: p.hide(r.base.String()), Dialect: r.dialect.Name, Model: r.model, Channel: r.channel, Headers: headerNames(r.base, r.header)}
		t.Routes = append(t.Routes, out)
	}
	if len(t.Routes) == 1 {
		t.URL = t.Routes[0].URL
	}
	return t
}

// headerNames names the headers that a client of this base URL sends, credentials of the URL included.
func headerNames(base wire.Base, header []wire.Field) (names []string) {
	if base.User != "" {
		names = append(names, "authorization")
	}
	for _, h := range header {
		names = append(names, h.Name)
	}
	return names
}

// headersSent names every header that goes to the layer, on any route.
func (p *plan) headersSent() []string {
	names := headerNames(p.layer, p.header)
	for _, r := range p.routes {
		for _, n := range headerNames(r.base, r.header) {
			if !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	return names
}
