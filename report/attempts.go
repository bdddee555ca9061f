package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/preservecheck/preservecheck/record"
)

// Attempts writes what jobs cost for a person: the result, then a table for each client, the dearest rows first.
func Attempts(w io.Writer, d record.Attempts, o TextOptions) error {
	p := newPage(o)
	p.items(0, "   ", attemptsHead(&d))
	p.gap()
	p.block(word{text: plain(strings.ToUpper(d.Word)), tone: attemptsTone(&d)}, plain(d.Why))
	if _, err := p.buf.WriteTo(w); err != nil {
		return err
	}
	for _, b := range attemptsBlocks(&d) {
		p := newPage(o)
		p.line(word{}, "")
		p.block(word{}, plain(b.title()))
		if _, err := p.buf.WriteTo(w); err != nil {
			return err
		}
		if err := Table(w, b.table(), p.width); err != nil {
			return err
		}
		for _, s := range b.sentences() {
			p.para(plain(s))
		}
		if _, err := p.buf.WriteTo(w); err != nil {
			return err
		}
	}
	return attemptsTail(w, &d, o)
}

func attemptsHead(d *record.Attempts) (parts []safe) {
	if d.Target == nil {
		return []safe{"no layer: what clients do by themselves"}
	}
	parts = []safe{"layer " + plain(strings.TrimSpace(d.Target.Name+" "+d.Target.Version))}
	if d.Target.URL != "" {
		parts = append(parts, plain(d.Target.URL))
	}
	return parts
}

func attemptsTone(d *record.Attempts) tone {
	if d.Exit == 0 {
		return noTone // a count is neither good nor bad
	}
	return unsure
}

func attemptsTail(w io.Writer, d *record.Attempts, o TextOptions) error {
	p := newPage(o)
	p.gap()
	if d.Unexplained > 0 {
		p.block(word{}, plain(fmt.Sprintf("note: %s at the stub belong to no call", count(d.Unexplained, "request"))))
	}
	for _, n := range d.Notes {
		p.block(word{}, "note: "+plain(n))
	}
	if d.Next != "" {
		p.line(word{}, "next: "+plain(d.Next))
	}
	var b bytes.Buffer
	b.WriteString("\n")
	_, _ = p.buf.WriteTo(&b)
	_, err := b.WriteTo(w)
	return err
}

// attemptsBlock is what one client did with every fixture, on one route and in one mode.
type attemptsBlock struct {
	client  *record.AttemptsClient
	route   string
	mode    string
	retries []int
	through bool
	several bool // there are several routes
	rows    []*attemptsRow
}

// attemptsRow is a fixture: for each setting of retries the job without the layer and the one through it, nil for none.
type attemptsRow struct {
	fixture string
	jobs    map[int]*[2]*record.AttemptsJob
}

// attemptsBlocks sorts jobs into tables. Direct jobs have no route; they stand beside those of each.
func attemptsBlocks(d *record.Attempts) (out []*attemptsBlock) {
	all := map[string]bool{}
	for _, j := range d.Jobs {
		if j.Way == "through" {
			all[j.Route] = true
		}
	}
	for i := range d.Clients {
		client := &d.Clients[i]
		routes, modes := map[string]bool{}, map[string]bool{}
		for j := range d.Jobs {
			if job := &d.Jobs[j]; job.Client == client.Name {
				modes[job.Mode] = true
				if job.Way == "through" {
					routes[job.Route] = true
				}
			}
		}
		through := len(routes) > 0
		if !through {
			routes[""] = true
		}
		for _, route := range slices.Sorted(maps.Keys(routes)) {
			for _, mode := range slices.Sorted(maps.Keys(modes)) {
				b := &attemptsBlock{client: client, route: route, mode: mode, through: through, several: len(all) > 1}
				for j := range d.Jobs {
					b.add(&d.Jobs[j])
				}
				b.sort()
				out = append(out, b)
			}
		}
	}
	return out
}

func (b *attemptsBlock) add(j *record.AttemptsJob) {
	way := 0
	if j.Way == "through" {
		way = 1
	}
	if j.Client != b.client.Name || j.Mode != b.mode || way == 1 && j.Route != b.route {
		return
	}
	i := slices.IndexFunc(b.rows, func(r *attemptsRow) bool { return r.fixture == j.Fixture })
	if i < 0 {
		i, b.rows = len(b.rows), append(b.rows, &attemptsRow{fixture: j.Fixture, jobs: map[int]*[2]*record.AttemptsJob{}})
	}
	if b.rows[i].jobs[j.MaxRetries] == nil {
		b.rows[i].jobs[j.MaxRetries] = &[2]*record.AttemptsJob{}
	}
	b.rows[i].jobs[j.MaxRetries][way] = j
	if !slices.Contains(b.retries, j.MaxRetries) {
		b.retries = append(b.retries, j.MaxRetries)
		slices.Sort(b.retries)
	}
}

// sort puts what could not be told first, then what costs most through the layer, or without one; ties stay as they were.
func (b *attemptsBlock) sort() {
	slices.SortStableFunc(b.rows, func(x, y *attemptsRow) int {
		ux, hx := x.worth()
		uy, hy := y.worth()
		return cmp.Or(cmp.Compare(uy, ux), cmp.Compare(hy, hx))
	})
}

// worth is how many jobs could not be told, and how many requests the dearest made.
func (r *attemptsRow) worth() (untold, hits int) {
	for _, both := range r.jobs {
		for _, j := range both {
			if j == nil {
				continue
			}
			if j.Told == record.ToldNot {
				untold++
			}
			hits = max(hits, j.Hits)
		}
	}
	return untold, hits
}

func (b *attemptsBlock) title() string {
	s := b.client.Title
	if len(b.client.Packages) > 0 {
		var all []string
		for _, name := range slices.Sorted(maps.Keys(b.client.Packages)) {
			all = append(all, name+" "+b.client.Packages[name])
		}
		s += " (" + strings.Join(all, ", ") + ")"
	}
	if b.mode == "stream" {
		s += ", asked for streams"
	}
	if b.route != "" && b.several {
		s += ", route " + b.route
	}
	if b.client.Skipped {
		s += ", waits skipped"
	}
	return s
}

// table has a line for each fixture: the worker's calls, and for each setting of retries the requests of one job.
func (b *attemptsBlock) table() [][]string {
	head := []string{"fixture", "worker"}
	for _, n := range b.retries {
		head = append(head, "at "+strconv.Itoa(n))
	}
	rows := [][]string{append(head, "class")}
	for _, r := range b.rows {
		row := []string{r.fixture, r.each(b, func(j *record.AttemptsJob) string {
			if j.Failed != "" {
				return "?"
			}
			return strconv.Itoa(j.Worker)
		})}
		for _, n := range b.retries {
			row = append(row, r.hits(n, b.through))
		}
		rows = append(rows, append(row, r.each(b, func(j *record.AttemptsJob) string {
			if j.Class == "" {
				return "?"
			}
			return j.Class
		})))
	}
	return rows
}

// hits is "9" without a layer and "9 → 27" with one; a question mark stands for what could not be told.
func (r *attemptsRow) hits(retries int, through bool) string {
	both := r.jobs[retries]
	if both == nil {
		return ""
	}
	say := func(j *record.AttemptsJob) string {
		switch {
		case j == nil:
			return "?"
		case j.Failed != "":
			return "?"
		case j.Told == record.ToldNot:
			return strconv.Itoa(j.Hits) + "?"
		case j.Told == record.ToldInferred:
			return strconv.Itoa(j.Hits) + "~"
		}
		return strconv.Itoa(j.Hits)
	}
	if !through {
		return say(both[0])
	}
	return say(both[0]) + " → " + say(both[1])
}

// each is what jobs say, once if they all say the same: directly, and behind an arrow through the layer.
func (r *attemptsRow) each(b *attemptsBlock, say func(*record.AttemptsJob) string) string {
	var ways [2][]string
	for _, n := range b.retries {
		for way, j := range *r.pair(n) {
			if j != nil && !slices.Contains(ways[way], say(j)) {
				ways[way] = append(ways[way], say(j))
			}
		}
	}
	direct, through := strings.Join(ways[0], "/"), strings.Join(ways[1], "/")
	if direct == through || through == "" {
		return direct
	}
	return direct + " → " + through
}

func (r *attemptsRow) pair(retries int) *[2]*record.AttemptsJob {
	if both := r.jobs[retries]; both != nil {
		return both
	}
	return &[2]*record.AttemptsJob{}
}

// sentences say what the dearest job came to, and each reason for which something could not be told, once.
func (b *attemptsBlock) sentences() (out []string) {
	var dearest *record.AttemptsJob
	untold := map[string][]string{}
	var order []string
	signs := ""
	for _, r := range b.rows {
		for _, n := range b.retries {
			for _, j := range *r.pair(n) {
				if j == nil {
					continue
				}
				if j.Told == record.ToldInferred {
					signs = "~ inferred: by the time between requests, and by what the client did directly"
				}
				if j.Told == record.ToldNot {
					if untold[j.Costs] == nil {
						order = append(order, j.Costs)
					}
					untold[j.Costs] = append(untold[j.Costs], fmt.Sprintf("%s at %d, %s", j.Fixture, j.MaxRetries, j.Way))
					continue
				}
				if dearest == nil || j.Hits > dearest.Hits {
					dearest = j
				}
			}
		}
	}
	if dearest != nil {
		out = append(out, fmt.Sprintf("%s at %d, %s: %s", dearest.Fixture, dearest.MaxRetries, dearest.Way, dearest.Costs))
	}
	if s := b.told(); s != "" {
		out = append(out, s)
	}
	if signs != "" {
		out = append(out, signs)
	}
	for _, why := range order {
		jobs := untold[why]
		where := strings.Join(jobs, "; ")
		if len(jobs) > 3 {
			where = fmt.Sprintf("%s; and %d more", strings.Join(jobs[:3], "; "), len(jobs)-3)
		}
		out = append(out, "? "+why+" ("+where+")")
	}
	return out
}
