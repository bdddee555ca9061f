package compare

import (
	"slices"

	"github.com/preservecheck/preservecheck/record"
)

// Hops says where in a chain of routes, client first, each deciding difference shows first, seen from the provider. Asked
// for at the last route an answer passes only that one, asked for at the first it passes all; so what differs at one
// route and did not at the next judged one nearer to the provider was done between the two.
//
// A key that differs at one route and is whole again nearer to the client is reported where it differs. A route whose row
// could not be judged says nothing and is passed over: the difference then lies somewhere between its neighbours.
func Hops(routes []string, rows []record.Row) (out []record.Hop) {
	for _, chain := range chains(routes, rows) {
		var whole, keys seenAt // of the hop nearer to the provider
		for i := len(chain) - 1; i >= 0; i-- {
			r := chain[i]
			if r == nil || !tells(r) {
				continue
			}
			now := changes(r)
			for _, c := range now {
				from := &keys
				if c.key == "" {
					from = &whole
				}
				if !slices.Contains(from.changes, c) {
					out = addHop(out, c, routes[i], from.route, r)
				}
			}
			whole = seenAt{routes[i], now}
			if !ownAnswer(r) {
				keys = seenAt{routes[i], now}
			}
		}
	}
	return out
}

// seenAt is what differs at a route.
type seenAt struct {
	route   string
	changes []change
}

// chains puts the rows of one fixture in one mode together, in the order of the routes; nil where a route has none.
func chains(routes []string, rows []record.Row) (all [][]*record.Row) {
	type id struct{ row, mode, asked string }
	at := map[id]int{}
	for i := range rows {
		r := &rows[i]
		route := slices.Index(routes, r.Route)
		if route < 0 {
			continue
		}
		k := id{r.Row, r.Mode, r.Asked}
		n, ok := at[k]
		if !ok {
			n = len(all)
			at[k] = n
			all = append(all, make([]*record.Row, len(routes)))
		}
		all[n][route] = r
	}
	return all
}

// change is one thing that a hop can do: to a key, or, without a key, to the answer as a whole. Values are left out: two
// requests through a layer that writes an id of its own into every message differ in it.
type change struct{ key, dir string }

// tells reports whether a row says what came of the answer. One that could not be judged does not.
func tells(r *record.Row) bool {
	switch Verdict(r.Verdict) {
	case Inconclusive, Untestable:
		return false
	}
	return true
}

// ownAnswer reports whether what the client got is no answer of the stub's: its keys say nothing about the way.
func ownAnswer(r *record.Row) bool {
	v := Verdict(r.Verdict)
	return v == LayerMade || v == Broken
}

// changes lists what differs in a row.
func changes(r *record.Row) (out []change) {
	if ownAnswer(r) {
		return []change{{dir: r.Verdict}}
	}
	if r.HitsAllowed > 0 && r.HitsMax > r.HitsAllowed {
		out = append(out, change{dir: string(Retried)})
	}
	for i := range r.Fields {
		if f := &r.Fields[i]; f.Dir != "" && f.Decides {
			out = append(out, change{f.Key, f.Dir})
		}
	}
	return out
}

// addHop adds a row to the line that tells the same, or begins one.
func addHop(hops []record.Hop, c change, at, next string, r *record.Row) []record.Hop {
	name := r.Row + " (" + r.Mode + ")"
	for i := range hops {
		if h := &hops[i]; h.Key == c.key && h.Dir == c.dir && h.At == at && h.Next == next {
			h.Rows = append(h.Rows, name)
			return hops
		}
	}
	return append(hops, record.Hop{Key: c.key, Dir: c.dir, At: at, Next: next, Rows: []string{name}})
}
