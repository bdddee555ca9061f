package stub

import (
	"strings"

	"github.com/preservecheck/preservecheck/wire"
)

// watched is what is kept of a head until the body was read; then only keyed hashes of it are.
type watched struct {
	header []wire.Field
	query  string
}

// watch keeps the headers of a provider's own family and the query.
func (c *conn) watch(query []byte) {
	c.watched.query = string(query)
	for i := range c.head.n {
		f := c.head.fields[i]
		if name := string(c.head.at(f.name)); hasPrefixFold(name, "anthropic-") {
			c.watched.header = append(c.watched.header, wire.Field{Name: name, Value: string(c.head.at(f.value))})
		}
	}
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

func (w *watched) values(name string) (vs []string) {
	for _, f := range w.header {
		if strings.EqualFold(f.Name, name) {
			vs = append(vs, strings.TrimSpace(f.Value))
		}
	}
	return vs
}
