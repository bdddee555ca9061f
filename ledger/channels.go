package ledger

import (
	"strings"

	"github.com/preservecheck/preservecheck/wire"
)

// Channel is how a client request tells the stub which fixture it wants.
type Channel string

// The channels, in the order in which "auto" prefers them.
const (
	Marker Channel = "marker" // [[preservecheck fixture=NAME id=RUN.NONCE]] in the prompt; carries the whole tag
	Model  Channel = "model"  // the model name ends in the fixture's name; carries only the fixture
	Header Channel = "header" // x-fixture and x-fixture-id; carries the whole tag
	Path   Channel = "path"   // /fx/NAME before the dialect's path; carries only the fixture
	Armed  Channel = "armed"  // the checker tells the stub which fixture comes next; carries nothing
)

// Whole reports whether the channel carries the whole tag.
func (c Channel) Whole() bool { return c == Marker || c == Header }

// DefaultHeader is the header of the channel Header when no other name was asked for.
const DefaultHeader = "x-fixture"

// Placeholder stands for the fixture's name in a model template.
const Placeholder = "{fixture}"

// Channels are the settings that both ends of the channels must agree on. The zero value is the default.
type Channels struct {
	Header string // name of the header with the fixture, x-fixture by default; the id goes into the same name with "-id"
}

// Names returns the header with the fixture's name and the header with the id.
func (c Channels) Names() (fixture, id string) {
	if c.Header == "" {
		return DefaultHeader, DefaultHeader + "-id"
	}
	return c.Header, c.Header + "-id"
}

// Mark writes the tag into an ask through each of the given channels. The channel Model needs Placeholder in the
// ask's model and leaves a model without it alone; Armed writes nothing.
func (c Channels) Mark(a *wire.Ask, t Tag, use []Channel) {
	for _, ch := range use {
		switch ch {
		case Marker:
			a.Prompt = joinPrompt(a.Prompt, marker(t))
		case Model:
			a.Model = strings.ReplaceAll(a.Model, Placeholder, t.Fixture)
		case Header:
			name, id := c.Names()
			a.Header = append(a.Header, wire.Field{Name: name, Value: t.Fixture}, wire.Field{Name: id, Value: t.id()})
		case Path:
			a.Prefix += pathSegment + t.Fixture
		}
	}
}

func joinPrompt(prompt, marker string) string {
	if prompt == "" {
		return marker
	}
	return prompt + " " + marker
}

// Arrival is what of a request the channels are read from. Read keeps nothing of it.
type Arrival struct {
	Path   string
	Header func(name string) []string // all values of a header, whatever its case; nil: there are none
	Model  string
	Body   []byte
}

// Reading is what the channels of one arrival said.
type Reading struct {
	Tag      Tag       // Fixture is set as soon as one channel named it; Run and Nonce only by a whole channel
	Channels []Channel // that arrived and agree with Tag; shared, not to be changed
	Note     string    // what did not agree or arrived in part, in words; "" when all is well
}

// said is what one channel carried.
type said struct {
	channel Channel
	tag     Tag
	trouble string // why the channel can't be used, or is used in part
}

func (s said) whole() bool { return s.tag.Nonce != "" }

// Read is the other end of Mark. Of channels that disagree, one with the whole tag wins over one that only names the
// fixture, and the marker over the header; what the others said goes into the note. A channel that contradicts
// itself (two different markers in one prompt: the layer mixed two requests) counts as not arrived.
func (c Channels) Read(a Arrival, names *Names) Reading {
	all := [...]said{readMarker(a.Body, names), c.readHeader(a.Header, names), readModel(a.Model, names), readPath(a.Path, names)}
	best := -1
	for i, s := range all {
		if s.tag.Fixture != "" && (best < 0 || s.whole() && !all[best].whole()) {
			best = i
		}
	}
	var r Reading
	var set channelSet
	for i, s := range all {
		if s.trouble != "" {
			r.Note = addNote(r.Note, s.trouble)
		}
		switch {
		case s.tag.Fixture == "":
		case !agree(all[best].tag, s.tag):
			r.Note = addNote(r.Note, string(s.channel)+" says "+s.tag.String()+", "+string(all[best].channel)+" says "+all[best].tag.String())
		case s.whole() == s.channel.Whole(): // one that carries the whole tag and lost half of it did not arrive
			set |= bitOf(all[i].channel)
		}
	}
	if best >= 0 {
		r.Tag = all[best].tag
	}
	r.Channels = set.list()
	return r
}

// agree reports whether a channel says the same as the best one as far as it says anything.
func agree(best, t Tag) bool {
	return best.Fixture == t.Fixture && (t.Nonce == "" || t == best)
}

// readHeader reads the two headers. Proxies may repeat a header or join two into one line; equal values are one.
func (c Channels) readHeader(get func(string) []string, names *Names) said {
	s := said{channel: Header}
	if get == nil {
		return s
	}
	name, idName := c.Names()
	fixture, n := single(get(name))
	if n == 0 {
		return s
	}
	if n > 1 || !validName(fixture) {
		s.trouble = name + " arrived with several values, or one that is no fixture's name"
		return s
	}
	s.tag.Fixture = names.intern(fixture)
	id, n := single(get(idName))
	run, nonce, ok := splitID(strings.Clone(id)) // the values may stand in a buffer that is used again
	if n != 1 || !ok {
		s.trouble = name + " arrived without a usable " + idName
		return s
	}
	s.tag.Run, s.tag.Nonce = run, nonce
	return s
}

// single returns the only value of a header and how many different ones there are.
func single(values []string) (v string, different int) {
	for _, line := range values {
		for len(line) > 0 {
			var one string
			one, line, _ = strings.Cut(line, ",")
			if one = strings.TrimSpace(one); one == "" || (different > 0 && one == v) {
				continue
			}
			v = one
			different++
		}
	}
	return v, different
}

func addNote(note, more string) string {
	if note == "" {
		return more
	}
	return note + "; " + more
}
