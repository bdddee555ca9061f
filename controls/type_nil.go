package controls

import "github.com/preservecheck/preservecheck/evidence"

// typeNil imitates new-api (commit 9f8a4ec0, run on 2026-11-30), which prints a missing code into the type.
var typeNil = &Fault{
	Name:      "type-nil",
	Why:       `error.type becomes the text "<nil>": no rule knows it`,
	Mechanism: OfBody,
	Change:    editError(func(e map[string]any) { e["type"] = "<nil>" }),
	Want:      inJSON("error/type", evidence.Changed),
}
