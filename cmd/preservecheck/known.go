package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/gate"
	"github.com/preservecheck/preservecheck/record"
)

// maxKnownFile bounds what is read of one file; the loader refuses less than that.
const maxKnownFile = 2 << 20

// readKnown reads the files of --known. It needs the target's name and the matrix.
func (p *plan) readKnown(_ *app, cmd *cobra.Command) error {
	from := origin(cmd, "known")
	for _, name := range append(append([]string{}, p.flags.known...), p.flags.baseline) {
		for _, o := range p.outputs {
			if name != "" && samePlace(o.path, name) {
				return usage("give the output another name", "%s: %s is read by this run, and would be overwritten by it", p.outputFrom, name)
			}
		}
	}
	const hint = "docs/known.md has the format and examples"
	var files []*gate.File
	for _, name := range p.flags.known {
		b, err := readFile(name, maxKnownFile)
		if err != nil {
			return usage(hint, "%s: %s", from, err)
		}
		f, err := gate.Load(name, b)
		if err != nil {
			return usage(hint, "%s: %s", from, err)
		}
		for _, other := range files {
			if other.Name == f.Name {
				return usage("a report names entries by their file", "%s: two files are called %s", from, f.Name)
			}
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		return nil
	}
	var routes []string
	for _, r := range p.routes {
		routes = append(routes, r.name)
	}
	var err error
	if p.known, err = gate.For(files, p.targetName(), routes, p.matrix); err != nil {
		return usage(hint, "%s: %s", from, err)
	}
	p.known.Hide = p.redact
	p.rules.Known = p.known.Known
	return nil
}

// readBaseline reads the record of --baseline.
func (p *plan) readBaseline(_ *app, cmd *cobra.Command) error {
	name := p.flags.baseline
	if name == "" {
		return nil
	}
	d, err := readRecord(name)
	if err != nil {
		return usage("give a file that check wrote with -o json=FILE", "%s: %s", origin(cmd, "baseline"), err)
	}
	p.baseline = d
	return nil
}

// judgeNews settles a finished run by its known files and its baseline.
func (p *plan) judgeNews(d *record.Document) {
	if p.known != nil {
		p.known.Settle(d, time.Now())
		compare.Settle(d)
	}
	if p.baseline != nil && d.Refused == "" {
		d.News = gate.News(p.baseline, d)
		p.hideNews(d.News)
		compare.Settle(d)
	}
}

// hideNews removes the secrets of this run from what an older one wrote.
func (p *plan) hideNews(n *record.News) {
	texts := []*string{&n.Old.Layer, &n.Old.Version, &n.Old.Result, &n.Old.Tool}
	for i := range n.Changes {
		c := &n.Changes[i]
		texts = append(texts, &c.Row, &c.Route, &c.Key, &c.Before, &c.After, &c.Text)
	}
	for i := range n.Untold {
		texts = append(texts, &n.Untold[i])
	}
	for i := range n.Unequal {
		texts = append(texts, &n.Unequal[i])
	}
	for _, t := range texts {
		*t = p.hide(*t)
	}
}

// readRecord reads a saved record that a gate may rest on.
func readRecord(name string) (*record.Document, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s can't be read: %w", name, cause(err))
	}
	defer f.Close()
	d, err := record.Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := gate.Usable(&d); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &d, nil
}

func readFile(name string, most int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s can't be read: %w", name, cause(err))
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return nil, fmt.Errorf("%s can't be read: %w", name, cause(err))
	}
	return b, nil
}
