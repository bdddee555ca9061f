package controls

import "github.com/preservecheck/preservecheck/evidence"

// dropStreamDetails is drop-details inside a stream: layers that are right without a stream are wrong with one (public reports of
// 2026 of two gateways).
var dropStreamDetails = &Fault{
	Name:      "drop-stream-details",
	Why:       "error.details is lost from an error inside a stream: a spend cap can't be told from a rate limit",
	Mechanism: OfEvent,
	Change:    editStreamError(func(_ *event, inner map[string]any) { delete(inner, "details") }),
	Want:      inStream("error/details", evidence.Lost, nil),
}
