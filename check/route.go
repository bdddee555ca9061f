package check

import (
	"slices"
	"strings"

	"github.com/preservecheck/preservecheck/wire"
)

// Route is one way into a layer, or one point of a chain of layers. What a client would be given for it stands here.
type Route struct {
	Name    string // "" for the only route of a run without a target
	Layer   Way
	Base    string       // path of the base URL
	Model   string       // model name; {fixture} stands for the fixture's name, which makes it a channel
	Channel string       // auto, marker, model, header, path, armed
	Header  []wire.Field // sent on this route only
}

// routesOf gives the routes of a run by name. Without any there is one without a name, described by the config itself.
func routesOf(c *Config) map[string]*Route {
	if len(c.Routes) == 0 {
		return map[string]*Route{"": {Layer: c.Layer, Base: c.Base, Model: c.Model, Channel: c.Channel, Header: c.Header}}
	}
	all := map[string]*Route{}
	for i := range c.Routes {
		all[c.Routes[i].Name] = &c.Routes[i]
	}
	return all
}

// several reports whether rows have to be told apart by their routes.
func (r *runner) several() bool { return len(r.routes) > 1 }

func (r *runner) model(row Row, name string) string {
	return modelName(r.routes[row.Route].Model, name)
}

// label names a row in findings. Names of rows and routes have no parentheses.
func (r *runner) label(row Row) string {
	s := row.Fixture.Name + " (" + string(row.Mode)
	if r.several() {
		s += "; route " + row.Route
	}
	return s + ")"
}

// on says which route a row is on, where there are several.
func (r *runner) on(row Row) string {
	if !r.several() {
		return ""
	}
	return "on route " + row.Route + " "
}

// selfError says that what should be a layer is the stub.
type selfError struct{ route string }

func (e selfError) Error() string {
	if e.route == "" {
		return "--layer is the stub itself, not a layer in front of it"
	}
	return "route " + e.route + " is the stub itself, not a layer in front of it"
}

// advise says how to give something that a canary lacked: by a flag, or by a key of the route in its target's file.
func (t *Route) advise(flag, key string) string {
	if t.Name == "" {
		return flag
	}
	return key + " in the target file"
}

// whyNone says why no canary came through at all: of each route the first reason.
func (r *runner) whyNone() string {
	if !r.several() {
		return r.notReady[r.lanes()[0]]
	}
	var told, whys []string
	for _, l := range r.lanes() {
		if !slices.Contains(told, l.route) {
			told = append(told, l.route)
			whys = append(whys, "route "+l.route+": "+r.notReady[l])
		}
	}
	return strings.Join(whys, "; ")
}

// routeNames gives the names of the routes in the order in which they were given.
func (c *Config) routeNames() (names []string) {
	for i := range c.Routes {
		names = append(names, c.Routes[i].Name)
	}
	return names
}
