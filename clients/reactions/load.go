package reactions

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/fixture"
)

// The shapes of a file.
type (
	rawFile struct {
		Format, Name, Title, Group, Kind, Versions, Note fixture.Node
		Dialects                                         []string
		Sources                                          fixture.Node
		Retries                                          int
		Backoff                                          rawBackoff
		Longest, Take                                    string
		Reads, Rules                                     []fixture.Node
	}
	rawBackoff struct{ First, Cap string }
	rawSource  struct{ What, Version, Date string }
	rawReading struct {
		Header, Message, Zero, Negative, Past, Twice string
		As                                           []string
	}
	rawRule struct {
		When   fixture.Node
		Then   fixture.Node
		Source string
	}
	rawWhen struct {
		Dialect, Status, Class, Type, Code, Message, Stream []string
		Should                                              string `yaml:"should-retry"`
		Success, Wrapped                                    bool
		Missing                                             bool `yaml:"no-answer"`
		Wait                                                string
		Over                                                string `yaml:"wait-over"`
		Headroom                                            string
		Under                                               float64 `yaml:"headroom-under"`
	}
	rawThen struct {
		Retries, Words, Tells, Pause string
		Routes                       int
		Done, Unknown                bool
	}
)

// maxRetries bounds what a file may claim; the longest that is known are ten.
const maxRetries = 100

// maxWait bounds the times of a file.
const maxWait = time.Hour

// loader reads one file and gathers what is wrong with it.
type loader struct {
	fixture.Reader
	client *Client
}

// Load reads a client's file. Every problem that it can see is in the error, with line and column.
func Load(name string, b []byte) (*Client, error) {
	var raw rawFile
	if err := fixture.Strict(name, b, &raw); err != nil {
		return nil, err
	}
	l := &loader{fixture.Reader{File: name}, &Client{}}
	l.head(&raw)
	l.sources(&raw.Sources)
	l.waits(&raw)
	for i := range raw.Rules {
		l.rule(&raw.Rules[i])
	}
	if len(raw.Rules) == 0 {
		l.Bad(nil, "no rules", "add a rule with when, then and source")
	}
	if err := l.Err(); err != nil {
		return nil, err
	}
	return l.client, nil
}

func (l *loader) head(raw *rawFile) {
	c := l.client
	if got, ok := l.Text(nil, &raw.Format, "format"); ok && got != Format {
		l.Bad(&raw.Format, fmt.Sprintf("format %q is not %q", got, Format), "write format: "+Format)
	}
	c.Name, _ = l.Text(nil, &raw.Name, "name")
	c.Title, _ = l.Text(nil, &raw.Title, "title")
	c.Versions, _ = l.Text(nil, &raw.Versions, "versions")
	kind, ok := l.Text(nil, &raw.Kind, "kind")
	if c.Kind = Kind(kind); ok {
		l.among(&raw.Kind, "kind", kind, kinds())
	}
	if c.Group = c.Title; fixture.Present(&raw.Group) {
		c.Group, _ = l.Text(nil, &raw.Group, "group")
	}
	if fixture.Present(&raw.Note) {
		c.Note, _ = l.Text(nil, &raw.Note, "note")
	}
	c.Dialects = raw.Dialects
	l.each(nil, "dialect", raw.Dialects, dialectNames())
	if c.retries = raw.Retries; c.retries < 0 || c.retries > maxRetries {
		l.Bad(nil, fmt.Sprintf("%d retries", c.retries), fmt.Sprintf("write 0 to %d", maxRetries))
	}
}

func dialectNames() (names []string) {
	for _, d := range dialects.All() {
		names = append(names, d.Name)
	}
	return names
}

func (l *loader) sources(n *fixture.Node) {
	if !l.Mapping(nil, n, "sources") {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		var raw rawSource
		if !l.Decode(n.Content[i+1], &raw) {
			continue
		}
		if _, err := time.Parse(time.DateOnly, raw.Date); err != nil || raw.What == "" {
			l.Bad(n.Content[i], "a source needs what and date", "write what: and date: YYYY-MM-DD")
		}
		l.client.Sources = append(l.client.Sources, Source{n.Content[i].Value, raw.What, raw.Version, raw.Date})
	}
}

func (l *loader) waits(raw *rawFile) {
	c := l.client
	c.backoff = backoff{l.time(nil, "backoff.first", raw.Backoff.First), l.time(nil, "backoff.cap", raw.Backoff.Cap)}
	if c.backoff.most == 0 {
		c.backoff.most = maxWait
	}
	c.longest = l.time(nil, "longest", raw.Longest)
	if c.take = takeStated; raw.Take != "" {
		l.among(nil, "take", raw.Take, []string{string(takeStated), string(takeLarger), string(takeOwn)})
		c.take = take(raw.Take)
	}
	for i := range raw.Reads {
		l.reading(&raw.Reads[i])
	}
}

func (l *loader) reading(n *fixture.Node) {
	var raw rawReading
	if !l.Decode(n, &raw) {
		return
	}
	r := reading{header: raw.Header, forms: raw.As, zero: raw.Zero, negative: raw.Negative, past: raw.Past, twice: raw.Twice}
	l.each(n, "as", raw.As, []string{"seconds", "whole", "milliseconds", "date"})
	for _, odd := range []*string{&r.zero, &r.negative, &r.past} {
		if *odd == "" {
			*odd = onDefault
		}
		l.among(n, "zero, negative and past", *odd, []string{onDefault, onOnce, onNext})
	}
	if r.twice == "" {
		r.twice = "first"
	}
	l.among(n, "twice", r.twice, []string{"first", onDefault})
	if (raw.Header == "") == (raw.Message == "") || len(raw.As) == 0 {
		l.Bad(n, "a place to read a wait from is a header or a message, and has as", "write header: retry-after and as: [seconds]")
	}
	if raw.Message != "" {
		if r.message = l.pattern(n, raw.Message); r.message != nil && r.message.NumSubexp() != 1 {
			l.Bad(n, "the pattern has not one group", "put the number into parentheses")
		}
	}
	l.client.reads = append(l.client.reads, r)
}

func (l *loader) rule(n *fixture.Node) {
	var raw rawRule
	if !l.Decode(n, &raw) {
		return
	}
	r := Rule{Source: raw.Source, Text: oneLine(&raw.When) + " → " + oneLine(&raw.Then)}
	if !slices.ContainsFunc(l.client.Sources, func(s Source) bool { return s.Key == raw.Source }) {
		l.Bad(n, fmt.Sprintf("there is no source %q", raw.Source), "name one of sources")
	}
	if !fixture.Present(&raw.Then) {
		l.Bad(n, "a rule needs then", "write then: {retries: none}")
	}
	r.when, r.then = l.when(n, &raw.When), l.then(n, &raw.Then)
	l.client.Rules = append(l.client.Rules, r)
}

func (l *loader) when(at, n *fixture.Node) when {
	var raw rawWhen
	if fixture.Present(n) && !l.Decode(n, &raw) {
		return when{}
	}
	w := when{
		dialect: raw.Dialect, class: raw.Class, typ: raw.Type, code: raw.Code, stream: raw.Stream, should: raw.Should, success: raw.Success,
		wrapped: raw.Wrapped, missing: raw.Missing, wait: raw.Wait, over: l.time(at, "wait-over", raw.Over), told: raw.Headroom, under: raw.Under,
	}
	l.each(at, "dialect", raw.Dialect, dialectNames())
	l.each(at, "class", raw.Class, classNames())
	l.each(at, "stream", raw.Stream, []string{streamFirst, streamLater, streamUnnamed, streamCut, streamEnd, streamEmpty})
	l.among(at, "wait", raw.Wait, []string{"", "given", "none"})
	l.among(at, "headroom", raw.Headroom, []string{"", "told", "untold"})
	for _, s := range raw.Status {
		w.status = append(w.status, l.span(at, s))
	}
	for _, m := range raw.Message {
		if p := l.pattern(at, m); p != nil {
			w.message = append(w.message, p)
		}
	}
	return w
}

func classNames() (names []string) {
	for _, c := range classify.All() {
		names = append(names, string(c))
	}
	return names
}

func (l *loader) then(at, n *fixture.Node) then {
	var raw rawThen
	if !fixture.Present(n) || !l.Decode(n, &raw) {
		return then{}
	}
	t := then{words: raw.Words, tells: raw.Tells, pause: l.time(at, "pause", raw.Pause), routes: max(1, raw.Routes), done: raw.Done, unknown: raw.Unknown}
	l.among(at, "tells", raw.Tells, []string{"", "none", "ticket", "owner", "page"})
	switch raw.Retries {
	case "client":
		t.retries = -1
	case "", "none":
	default:
		var err error
		if t.retries, err = strconv.Atoi(raw.Retries); err != nil || t.retries < 1 || t.retries > maxRetries {
			l.Bad(at, fmt.Sprintf("retries %q", raw.Retries), "write client, none or a number")
		}
	}
	return t
}

// oneLine is a part of a rule on one line, as it was written.
func oneLine(n *fixture.Node) string {
	var parts []string
	for i := 0; i+1 < len(n.Content); i += 2 {
		value := n.Content[i+1]
		text := value.Value
		if value.Kind == fixture.SequenceNode {
			var items []string
			for _, c := range value.Content {
				items = append(items, c.Value)
			}
			text = strings.Join(items, ", ")
		}
		parts = append(parts, n.Content[i].Value+" "+text)
	}
	if len(parts) == 0 {
		return "anything else"
	}
	return strings.Join(parts, "; ")
}

// span reads 429, 5xx or 400-407.
func (l *loader) span(at *fixture.Node, s string) span {
	if d, ok := strings.CutSuffix(s, "xx"); ok {
		if n, err := strconv.Atoi(d); err == nil && n >= 1 && n <= 5 {
			return span{n * 100, n*100 + 99}
		}
	}
	low, high, ok := strings.Cut(s, "-")
	if !ok {
		high = low
	}
	from, err := strconv.Atoi(low)
	to, err2 := strconv.Atoi(high)
	if err != nil || err2 != nil || from < 100 || to > 599 || from > to {
		l.Bad(at, fmt.Sprintf("status %q", s), "write it like 429, 5xx or 400-407")
	}
	return span{from, to}
}

func (l *loader) pattern(at *fixture.Node, s string) *regexp.Regexp {
	p, err := regexp.Compile(s)
	if err != nil {
		l.Bad(at, fmt.Sprintf("%q is no regular expression", s), "see https://golang.org/s/re2syntax")
		return nil
	}
	return p
}

// time reads a time from 0 to maxWait; "" is 0.
func (l *loader) time(at *fixture.Node, key, s string) time.Duration {
	if s == "" {
		return 0
	}
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 || d > maxWait {
		l.Bad(at, fmt.Sprintf("%s %q is no time over 0 and up to %s", key, s, maxWait), "write a number with a unit, as 500ms")
	}
	return d
}

func (l *loader) each(at *fixture.Node, key string, got, known []string) {
	for _, g := range got {
		l.among(at, key, g, known)
	}
}

func (l *loader) among(at *fixture.Node, key, got string, known []string) {
	if !slices.Contains(known, got) {
		l.Bad(at, fmt.Sprintf("%s has no %q", key, got), "write "+strings.Join(slices.DeleteFunc(slices.Clone(known), func(s string) bool { return s == "" }), ", "))
	}
}
