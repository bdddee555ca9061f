package controls

// typeNil imitates new-api (commit 9f8a4ec0, run on 2026-11-30), which prints a missing code into the type.
var typeNil = retype("type-nil", "<nil>", `error.type becomes the text "<nil>": no rule knows it`)
