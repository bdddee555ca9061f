package controls

import (
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// The two faults here are legal HTTP that many clients never show. Profile core leaves them alone.

var earlyHints = &Fault{
	Name:      "early-hints",
	Why:       "an interim 103 comes before every error: harmless to most clients, fatal to some proxies",
	Mechanism: OfHeader,
	Change: func(a *wire.Answer, _ bool) {
		if isError(a) {
			a.Interim = append(a.Interim, 103)
		}
	},
	Want: onErrors("interim"),
}

var addTrailer = &Fault{
	Name:      "add-trailer",
	Why:       "a retry-after is sent behind the body, where no client looks",
	Mechanism: OfHeader,
	Change: func(a *wire.Answer, _ bool) {
		if isError(a) {
			a.Trailer = append(a.Trailer, wire.Field{Name: "Retry-After", Value: "30"})
		}
	},
	Want: onErrors("trailer/retry-after"),
}

// onErrors declares a key on every error row: invented, but for bytes that have one already.
func onErrors(key string) func(Seen) []Sight {
	return func(r Seen) []Sight {
		switch {
		case !r.isError():
			return nil
		case r.has(key):
			return []Sight{{key, evidence.Changed}}
		}
		return []Sight{{key, evidence.Invented}}
	}
}
