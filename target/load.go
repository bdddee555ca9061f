package target

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/wire"
)

// Bounds of a file. Every route is asked for every row, and a request with more headers is refused by servers.
const (
	maxRoutes  = 32
	maxHeaders = 50
	maxName    = 200
)

// The shapes of a file. Leaves are nodes, which keep what was written and where.
type (
	rawFile struct {
		Format, Name, Version, Hops, Routes fixture.Node
		Start                               fixture.Node // refused with words
	}
	rawRoute struct {
		Name, URL, Dialect, Headers, Model, Channel fixture.Node
		Start                                       fixture.Node
	}
)

// loader reads one file and gathers what is wrong with it.
type loader struct {
	fixture.Reader
	names map[string]int // line of each route's name
}

// Load reads a target's file. Every problem that it can see is in the error, with line and column. No message shows a
// header's value or a URL, which may hold credentials.
func Load(name string, b []byte) (*Target, error) {
	var raw rawFile
	if err := fixture.Strict(name, b, &raw); err != nil {
		return nil, err
	}
	l := &loader{Reader: fixture.Reader{File: name}, names: map[string]int{}}
	l.format(&raw.Format)
	t := &Target{Name: l.line(&raw.Name, "name"), Version: l.optional(&raw.Version, "version"), Hops: l.Truth(&raw.Hops, "hops")}
	l.start(&raw.Start)
	for _, n := range l.List(nil, &raw.Routes, "routes") {
		t.Routes = append(t.Routes, l.route(n))
	}
	l.routes(t, &raw)
	if err := l.Err(); err != nil {
		return nil, err
	}
	return t, nil
}

// LoadRoutes reads the routes of another kind of file that names ways into a layer, as strictly as those of a target. file
// is its name, for messages.
func LoadRoutes(file string, list *fixture.Node) ([]Route, error) {
	l := &loader{Reader: fixture.Reader{File: file}, names: map[string]int{}}
	raw, t := rawFile{Routes: *list}, &Target{}
	for _, n := range l.List(nil, list, "routes") {
		t.Routes = append(t.Routes, l.route(n))
	}
	l.routes(t, &raw)
	if err := l.Err(); err != nil {
		return nil, err
	}
	return t.Routes, nil
}

func (l *loader) format(n *fixture.Node) {
	if got, ok := l.text(nil, n, "format"); ok && got != Format {
		l.Bad(n, fmt.Sprintf("format %q is not %q", got, Format), "write format: "+Format)
	}
}

// start refuses a section that a recipe may have. Silence would let somebody wait for a layer that nobody starts.
func (l *loader) start(n *fixture.Node) {
	if fixture.Present(n) {
		l.Bad(n, "a target never starts anything", "remove start, and start the layer yourself before the check")
	}
}

// routes looks at the routes beside each other.
func (l *loader) routes(t *Target, raw *rawFile) {
	n := &raw.Routes
	if n.Kind != fixture.SequenceNode {
		return
	}
	switch {
	case len(t.Routes) == 0:
		l.Bad(n, "no routes", "add a route with a name and a url")
	case len(t.Routes) > maxRoutes:
		l.Bad(n, fmt.Sprintf("%d routes, more than %d", len(t.Routes), maxRoutes), "split the file")
	case t.Hops && len(t.Routes) < 2:
		l.Bad(&raw.Hops, "hops of one route", "name two or more points of the chain, client first")
	case t.Hops && slices.ContainsFunc(t.Routes, func(r Route) bool { return r.Dialect != t.Routes[0].Dialect }):
		l.Bad(&raw.Hops, "hops with different dialects", "points of one chain are asked in one dialect")
	}
}

func (l *loader) route(n *fixture.Node) Route {
	var raw rawRoute
	r := Route{Channel: Text{Value: "auto"}}
	if !l.Decode(n, &raw) {
		return r
	}
	l.start(&raw.Start)
	r.Name = l.name(n, &raw.Name)
	r.URL, r.Base = l.url(n, &raw.URL)
	r.Dialect = l.dialect(&raw.Dialect)
	r.Model = l.optional(&raw.Model, "model")
	r.Headers = l.headers(&raw.Headers)
	if fixture.Present(&raw.Channel) {
		r.Channel = l.channel(&raw.Channel, r.Model)
	}
	return r
}

var goodName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$`) })

func (l *loader) name(route, n *fixture.Node) string {
	name, ok := l.text(route, n, "name")
	switch {
	case !ok:
	case !goodName().MatchString(name):
		l.Bad(n, fmt.Sprintf("bad name %q", name), "use 1 to 40 letters, digits and ._-, the first a letter or digit")
	case l.names[name] != 0:
		l.Bad(n, fmt.Sprintf("duplicate name %q, first in line %d", name, l.names[name]), "give each route its own name")
	default:
		l.names[name] = n.Line
	}
	return name
}

func (l *loader) url(route, n *fixture.Node) (Text, wire.Base) {
	text, ok := l.text(route, n, "url")
	if !ok {
		return Text{}, wire.Base{}
	}
	base, err := wire.ParseBase(text)
	if err != nil {
		l.Bad(n, "url: "+err.Error(), "write it like http://127.0.0.1:8080 or https://gateway.example/anthropic")
	}
	return Text{text, l.at(n)}, base
}

func (l *loader) dialect(n *fixture.Node) *dialects.Dialect {
	if !fixture.Present(n) {
		return dialects.ByName(DefaultDialect)
	}
	name, ok := l.text(n, n, "dialect")
	d := dialects.ByName(name)
	if ok && d == nil {
		var names []string
		for _, d := range dialects.All() {
			names = append(names, d.Name)
		}
		l.Bad(n, fmt.Sprintf("unknown dialect %q", name), "write "+strings.Join(names, " or "))
	}
	return d
}

// channelNames are the channels that need nothing said beside them.
var channelNames = []string{"auto", string(ledger.Marker), string(ledger.Model), string(ledger.Header), string(ledger.Path), string(ledger.Armed)}

func (l *loader) channel(n *fixture.Node, model string) Text {
	s, ok := l.text(n, n, "channel")
	header, named := strings.CutPrefix(s, string(ledger.Header)+":")
	switch {
	case !ok:
	case named && !isToken(header):
		l.Bad(n, fmt.Sprintf("%q is no name of a header", header), "write channel: header:x-my-fixture")
	case !named && !slices.Contains(channelNames, s):
		l.Bad(n, fmt.Sprintf("unknown channel %q", s), "write "+strings.Join(channelNames, ", ")+" or header:NAME")
	case s == string(ledger.Model) && model != "" && !strings.Contains(model, ledger.Placeholder):
		l.Bad(n, "the channel model needs "+ledger.Placeholder+" in the model's name", "write it like model: claude-"+ledger.Placeholder)
	}
	return Text{s, l.at(n)}
}
