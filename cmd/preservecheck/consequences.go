package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/clients/reactions"
	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/record"
)

// noClient switches the model of clients off.
const noClient = "none"

// clientModel says what changes for clients in the rows that fail.
type clientModel struct {
	clients []*reactions.Client // that it speaks of; nil: all
	seen    []seenPair
}

// seenPair is one row as clients see it, in the order of the record's rows.
type seenPair struct {
	direct, through reactions.View
}

// readClients reads --client: nothing for all that are known.
func (p *plan) readClients(_ *app, cmd *cobra.Command) error {
	if err := noneEmpty(cmd, "client"); err != nil {
		return err
	}
	p.clients = &clientModel{}
	asked, from := list(p.flags.client), origin(cmd, "client")
	if len(asked) == 0 {
		return nil
	}
	all, err := reactions.All()
	if err != nil {
		return err
	}
	asked, err = clientsFor(cmd, asked, append(reactions.Names(all), noClient), clientsToRun(), func(name string) string {
		return fmt.Sprintf("check knows nothing of %q: attempts alone has it", name)
	}, "docs/reactions.md lists those that check knows")
	if err != nil || len(asked) == 0 {
		return err
	}
	if slices.Contains(asked, noClient) {
		if len(asked) > 1 {
			return usage("give it alone, or leave it out", "%s: %s leaves no client to name another beside it", from, noClient)
		}
		p.clients = nil
		return nil
	}
	p.clients.clients = slices.DeleteFunc(slices.Clone(all), func(c *reactions.Client) bool { return !slices.Contains(asked, c.Name) })
	return nil
}

// clientNames are what --client takes.
func clientNames() []string {
	all, err := reactions.All()
	if err != nil {
		return nil
	}
	return append(reactions.Names(all), noClient)
}

// note reads both answers of a row. A date in the fixture counts from when the layer's answer came, so that only the layer's own
// change of it is one.
func (m *clientModel) note(d check.Decided) {
	served := d.Row.Fixture.Dialect
	if d.Row.Dialect.Name != served {
		m.seen = append(m.seen, seenPair{}) // a translation is judged by its own rules
		return
	}
	through := reactions.See(d.Layer, d.Row.Dialect, fixture.NoID, d.IDs...)
	direct := reactions.See(d.Fixture, d.Row.Dialect, fixture.NoID)
	if d.Layer != nil {
		direct = direct.At(d.Layer.FirstAt)
	}
	m.seen = append(m.seen, seenPair{direct, through})
}

// add writes what changes into the rows that fail and whose answer has a class: of others nobody knows what a client got. The data
// is read only once a row fails, since that takes longer than anything else before a run.
func (m *clientModel) add(d *record.Document, rules compare.Rules, hide func(string) string) {
	if len(m.seen) != len(d.Rows) { // the run ended before its rows
		return
	}
	for i := range d.Rows {
		r := &d.Rows[i]
		if !rules.Fails(compare.Verdict(r.Verdict)) || r.Class.Layer == "" || r.Asked != r.Served {
			continue
		}
		if m.clients == nil {
			if m.clients, _ = reactions.All(); m.clients == nil { // built in, and loaded by tests
				return
			}
		}
		r.Consequences = reactions.Compare(m.clients, m.seen[i].direct, m.seen[i].through, r.HitsMax)
		for j := range r.Consequences {
			r.Consequences[j].Text = hide(r.Consequences[j].Text)
		}
	}
}
