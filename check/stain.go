package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/evidence"
)

// The kinds of deeds by which a way to the stub makes rows untestable, from the one that hides most.
const (
	answersItself = "answers itself"
	fromMemory    = "from memory"
	sentAgain     = "sent again"
	noWhole       = "no whole answer"
	otherStatus   = "other status"
	otherBody     = "other body"
	heldBack      = "held back"
	otherHeader   = "other header"
	otherwise     = "otherwise"
)

// stain is what the way to the stub did to a row, or to several in the same way.
type stain struct {
	kind string
	from []int    // statuses that were sent
	to   []int    // statuses that came, where they are others
	hits int      // the most that one request caused
	keys []string // what differs, in words
	own  string   // who wrote the page, as far as it shows
}

// stainOf says what a fetch over the way shows, which was not preserved: the status that was sent, and who wrote what came.
func stainOf(s *seen, sent int, own string) stain {
	a := s.probe.answer
	x := stain{from: []int{sent}, hits: len(s.hits), own: own}
	ds := deciding(s.judged.Differences)
	for _, d := range ds {
		x.keys = append(x.keys, d.Difference.Key+" "+string(d.Dir))
	}
	moved := a.Status != sent && a.Status > 0
	if moved {
		x.to = []int{a.Status}
	}
	switch {
	case len(s.hits) == 0 && a.Status > 0:
		x.kind, x.to, x.keys = answersItself, []int{a.Status}, []string{"the stub saw no hit of our own request"}
	case s.from == compare.OtherHit:
		x.kind, x.keys = fromMemory, []string{"the answer carries the id of another request's hit"}
	case len(s.hits) > 1:
		x.kind, x.keys = sentAgain, []string{fmt.Sprintf("%d hits of one request of ours", len(s.hits))}
	case a.Status == 0 || !a.End.Orderly() && !s.row.Fixture.ExpectFailure:
		x.kind, x.keys = noWhole, []string{strings.TrimSpace(string(a.End) + " " + a.Err)}
	case moved:
		x.kind = otherStatus
	case replaced(ds):
		x.kind = otherBody
	case allKeys(ds, func(key string) bool { return key == paceKey }):
		x.kind = heldBack
	case allKeys(ds, func(key string) bool { return strings.HasPrefix(key, "header/") }):
		x.kind = otherHeader
	default:
		x.kind = otherwise
	}
	if len(x.keys) == 0 {
		x.keys = []string{s.judged.Reason}
	}
	return x
}

// replaced: the error is gone, or the whole body is another text and not the same one with something around it.
func replaced(ds []compare.Difference) bool {
	return slices.ContainsFunc(ds, func(d compare.Difference) bool {
		switch d.Difference.Key {
		case "error":
			return d.Dir == evidence.Lost || d.Want.Kind != d.Got.Kind
		case "body":
			return d.Dir != evidence.Invented && d.Nuance != evidence.Embedded
		}
		return false
	})
}

func allKeys(ds []compare.Difference, is func(key string) bool) bool {
	return len(ds) > 0 && !slices.ContainsFunc(ds, func(d compare.Difference) bool { return !is(d.Difference.Key) })
}

// with adds another row's stain of the same kind.
func (x stain) with(y stain) stain {
	for _, n := range y.from {
		x.from = onceInt(x.from, n)
	}
	for _, n := range y.to {
		x.to = onceInt(x.to, n)
	}
	x.hits = max(x.hits, y.hits)
	if x.own != y.own {
		x.own = ""
	}
	return x
}

func onceInt(list []int, n int) []int {
	if slices.Contains(list, n) {
		return list
	}
	return append(list, n)
}

// deed says what the way does, as a verb.
func (x stain) deed() string {
	page := ""
	if x.own != "" {
		page = " by a page of its own (" + x.own + ")"
	}
	switch x.kind {
	case answersItself:
		return "answers with status " + statuses(x.to) + page + " and does not ask the stub"
	case fromMemory:
		return "answers with what was meant for another request (a cache?)"
	case sentAgain:
		return fmt.Sprintf("sends requests again, up to %d times in all", x.hits)
	case noWhole:
		return "gives no whole answer"
	case otherStatus:
		return "makes status " + statuses(x.to) + " of " + statuses(x.from) + page
	case otherBody:
		return "replaces " + statuses(x.from) + " bodies" + page
	case heldBack:
		return "holds streams back until their end"
	case otherHeader:
		return "alters headers of " + statuses(x.from) + " answers"
	}
	return "alters " + statuses(x.from) + " answers"
}

func statuses(list []int) string {
	list = slices.Sorted(slices.Values(list))
	words := make([]string, 0, len(list))
	for _, n := range list {
		words = append(words, strconv.Itoa(n))
	}
	return some(words)
}
