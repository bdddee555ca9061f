package controls

import "github.com/preservecheck/preservecheck/evidence"

// dropDetails imitates every gateway seen that converts errors on its native route (runs of 2026-11-30).
var dropDetails = &Fault{
	Name:      "drop-details",
	Why:       "error.details is lost: a spend cap can't be told from a rate limit",
	Mechanism: OfBody,
	Change:    editError(func(e map[string]any) { delete(e, "details") }),
	Want:      inJSON("error/details", evidence.Lost),
}
