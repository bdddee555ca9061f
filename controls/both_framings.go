package controls

import "github.com/preservecheck/preservecheck/wire"

var bothFramings = &Fault{
	Name:      "both-framings",
	Why:       "content-length stands beside transfer-encoding: strict clients and the next proxy refuse the answer",
	Mechanism: OfHeader,
	Change: func(a *wire.Answer, _ bool) {
		if isError(a) {
			a.Faults = append(a.Faults, wire.FaultLengthAndCoding)
		}
	},
	Want:   onErrors("framing"),
	Breaks: true,
}
