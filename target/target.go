// Package target reads the file that says what a check is about: a layer with its name and version, and the routes into
// it.
//
// It starts nothing, looks nothing up and knows no value of an environment variable: a header's value is kept as it was
// written, with its place.
package target

import (
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/wire"
)

// Format is the format that Load reads, as written in a file's first key.
const Format = "preservecheck.target/1"

// DefaultDialect is the dialect of a route that names none.
const DefaultDialect = "anthropic"

// Target is a layer, or a chain of layers, and the ways into it.
type Target struct {
	Name    string
	Version string // "" when the file names none
	Hops    bool   // the routes are points of one chain, client first
	Routes  []Route
}

// Route is one way in. Its URL may hold credentials.
type Route struct {
	Name    string
	URL     Text
	Base    wire.Base // URL, parsed
	Dialect *dialects.Dialect
	Model   string // "" when the file names none
	Channel Text   // as --channel; Value is "auto" when the file names none
	Headers []Header
}

// Text is a value as it was written, and where.
type Text struct {
	Value string
	At    string // file:line:column
}

// Header is one header to send. Its value may hold $NAME or ${NAME}.
type Header struct {
	Name  string
	Value Text
}
