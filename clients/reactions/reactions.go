// Package reactions says what clients do about an answer, as data: how often each sends a request again, how long it waits, what
// becomes of the job and who is told.
//
// A file is a client. It is a model: each rule names the source that it was read in or measured by, the version and the date. The
// package runs no client (attempts does), gives no verdict, and says nothing where no rule covers an answer.
package reactions

import (
	"embed"
	"regexp"
	"slices"
	"sync"
	"time"
)

// Format is the format of a file, as written in its first key.
const Format = "preservecheck.reactions/1"

// Kind is what a client is to a job.
type Kind string

// The kinds, in the order in which they stand around a request.
const (
	SDK      Kind = "sdk"      // sends requests for a worker
	Agent    Kind = "agent"    // is used by a person
	Worker   Kind = "worker"   // has jobs, and an SDK below it
	Chain    Kind = "chain"    // goes from route to route
	Throttle Kind = "throttle" // paces what is sent next
)

func kinds() []string {
	return []string{string(SDK), string(Agent), string(Worker), string(Chain), string(Throttle)}
}

// Client is what is known about one client.
type Client struct {
	Name     string // as --client takes it
	Title    string // in a line: "Claude Code"
	Group    string // under which clients that react alike are named together: "Anthropic SDKs"
	Kind     Kind
	Dialects []string // that it speaks; none: any
	Versions string   // that the rules hold for
	Sources  []Source
	Note     string // where other versions differ; "" for nothing
	Rules    []Rule

	retries int // by default
	backoff backoff
	reads   []reading
	longest time.Duration // a longer stated wait is not taken; 0: any is
	take    take
}

// Source says where rules come from.
type Source struct {
	Key     string // that rules name it by
	What    string
	Version string // of the client; "" where the source does not say
	Date    string // read or run, YYYY-MM-DD
}

// Rule is what a client does about the answers that fit. The first that fits counts.
type Rule struct {
	Source string // key of one of the client's sources
	Text   string // the rule as the file has it, on one line, for the docs
	when   when
	then   then
}

// when are conditions; all that are set have to hold.
type when struct {
	dialect, class, typ, code []string
	status                    []span
	message                   []*regexp.Regexp
	stream                    []string
	should                    string
	success, wrapped, missing bool
	wait                      string // given or none
	over                      time.Duration
	told                      string // yes or no: headroom
	under                     float64
}

// span is a range of statuses.
type span struct{ from, to int }

// then is what follows.
type then struct {
	retries int // -1: the client's default or setting
	routes  int // that are tried, each as often
	words   string
	tells   string // none, ticket, owner, page; "" where it only raises to its caller
	done    bool   // it takes the answer for a success
	pause   time.Duration
	unknown bool
}

// backoff are the waits of a client's own: doubled from try to try, without jitter.
type backoff struct{ first, most time.Duration }

// after is the wait before retry n, counted from 0.
func (b backoff) after(n int) time.Duration {
	d := b.first
	for range n {
		if d *= 2; d >= b.most {
			return b.most
		}
	}
	return min(d, b.most)
}

// take says what a client makes of a wait that an answer states.
type take string

const (
	takeStated take = "stated" // waits as long
	takeLarger take = "larger" // or as its own backoff, whichever is longer
	takeOwn    take = "own"    // only learns from it whether to retry
)

// reading is one place that a client reads a wait from.
type reading struct {
	header               string
	message              *regexp.Regexp // its first group is the number
	forms                []string       // seconds, whole, milliseconds, date
	zero, negative, past string         // default, at-once, next
	twice                string         // two lines of one name: first or default
}

// The answers to an odd wait.
const (
	onDefault = "default" // its own backoff
	onOnce    = "at-once"
	onNext    = "next" // it reads the next place
)

//go:embed *.yaml
var builtin embed.FS

// load reads the built-in files once.
var load = sync.OnceValues(func() ([]*Client, error) {
	names, err := builtin.ReadDir(".")
	if err != nil {
		return nil, err
	}
	var all []*Client
	for _, n := range names {
		b, err := builtin.ReadFile(n.Name())
		if err != nil {
			return nil, err
		}
		c, err := Load(n.Name(), b)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	order := func(c *Client) int {
		n := 2 * slices.Index(kinds(), string(c.Kind))
		if c.Group == c.Title {
			n++ // behind those that come in groups, which are the official ones
		}
		return n
	}
	slices.SortStableFunc(all, func(a, b *Client) int { return order(a) - order(b) })
	return all, nil
})

// All lists the clients, by kind and then by name.
func All() ([]*Client, error) { return load() }

// Names lists the names of clients.
func Names(all []*Client) (names []string) {
	for _, c := range all {
		names = append(names, c.Name)
	}
	return names
}

// Speaks reports whether a client can be asked about answers of a dialect.
func (c *Client) Speaks(dialect string) bool {
	return len(c.Dialects) == 0 || slices.Contains(c.Dialects, dialect)
}
