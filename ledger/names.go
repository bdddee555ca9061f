package ledger

import "strings"

// maxName bounds a fixture's name as it is read off the wire, in bytes.
const maxName = 64

// Names are the names of all fixtures, for looking them up without a copy of the bytes they stand in.
type Names struct{ known map[string]string }

// NewNames makes a set of names.
func NewNames(names []string) *Names {
	n := &Names{known: make(map[string]string, len(names))}
	for _, s := range names {
		n.known[s] = s
	}
	return n
}

// Has reports whether there is a fixture of this name.
func (n *Names) Has(name string) bool {
	_, ok := n.known[name]
	return ok
}

// intern returns a string of its own for a name that may stand in a buffer which is used again.
func (n *Names) intern(name string) string {
	if s, ok := n.known[name]; ok {
		return s
	}
	return strings.Clone(name)
}

// validName keeps what may be a fixture's name: nothing that could break out of a header, a path or a marker.
func validName(s string) bool {
	if s == "" || len(s) > maxName {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') && c != '_' && c != '-' && c != '.' {
			return false
		}
	}
	return true
}

// readModel finds the longest name that is the model, or stands at its end after a delimiter: gateways put their own
// provider's name in front ("anthropic/claude-tier_cap", "eu.anthropic.tier_cap").
func readModel(model string, names *Names) said {
	s := said{channel: Model}
	for i := max(0, len(model)-maxName-1); i < len(model); i++ {
		if i > 0 && !delimiter(model[i-1]) {
			continue
		}
		if name, ok := names.known[model[i:]]; ok {
			s.tag.Fixture = name
			return s
		}
	}
	return s
}

func delimiter(c byte) bool { return strings.IndexByte("-_/:,.@ ", c) >= 0 }

const pathSegment = "/fx/"

// readPath finds /fx/NAME/ anywhere in a path.
func readPath(path string, names *Names) said {
	s := said{channel: Path}
	for rest := path; ; {
		i := strings.Index(rest, pathSegment)
		if i < 0 {
			return s
		}
		rest = rest[i+len(pathSegment):]
		name, _, closed := strings.Cut(rest, "/")
		switch known, ok := names.known[name]; {
		case !closed || !ok:
			s.trouble = "the path names no known fixture after " + pathSegment
		case s.tag.Fixture != "" && s.tag.Fixture != known:
			return said{channel: Path, trouble: "the path names two fixtures"}
		default:
			s.tag.Fixture = known
		}
	}
}

// channelSet is a set of channels as bits, so that a hit's list of channels need not be allocated.
type channelSet uint8

var channelOrder = [...]Channel{Marker, Model, Header, Path, Armed}

func bitOf(c Channel) channelSet {
	for i, o := range channelOrder {
		if o == c {
			return 1 << i
		}
	}
	return 0
}

var channelLists = func() (lists [1 << len(channelOrder)][]Channel) {
	for set := range lists {
		for i, c := range channelOrder {
			if set&(1<<i) != 0 {
				lists[set] = append(lists[set], c)
			}
		}
		lists[set] = lists[set][:len(lists[set]):len(lists[set])]
	}
	return lists
}()

func (s channelSet) list() []Channel { return channelLists[s] }

func setOf(list []Channel) (s channelSet) {
	for _, c := range list {
		s |= bitOf(c)
	}
	return s
}
