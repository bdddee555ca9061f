package main

import (
	"strings"

	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/wire"
)

// publicTexts are texts of ours that a report is full of: the fixtures as they are served, their names, and the
// requests as they are sent. Pieces of them are no secret, even if a secret has one like it.
func publicTexts(m *fixture.Matrix) []string {
	texts := []string{"preservecheck", defaultListen}
	for _, list := range [][]*fixture.Fixture{m.Rows, m.Canaries} {
		for _, f := range list {
			texts = append(texts, f.Name, string(f.Class), strings.ReplaceAll(defaultModel, ledger.Placeholder, f.Name), servedText(f))
		}
	}
	for _, d := range dialects.All() {
		r := d.Request("", wire.Ask{Model: "preservecheck", Prompt: "preservecheck: synthetic request"})
		texts = append(texts, d.Name, d.Path, d.ModelsPath, string(r.Body))
		for _, h := range r.Header {
			texts = append(texts, h.Name+": "+h.Value)
		}
		for _, key := range d.Keys {
			texts = append(texts, key)
		}
	}
	return texts
}

// servedText is a fixture as it goes over the wire, uncompressed.
func servedText(f *fixture.Fixture) string {
	r := f.Render(true, false)
	var raw []byte
	for i := range r.Writes() {
		raw = r.Append(raw, i, fixture.NoID)
	}
	return string(raw)
}
