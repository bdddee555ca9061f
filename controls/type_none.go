package controls

// typeNone imitates gateways in Python that print a missing value (LiteLLM, public reports up to 2026-11-30).
var typeNone = retype("type-none", "None", `error.type becomes the text "None": no rule knows it`)
