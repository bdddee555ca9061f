package controls

// typeAPIError imitates gateways that know one type for all that a provider refuses (runs and public reports up to 2026-11-30).
var typeAPIError = retype("type-api-error", "api_error", "every error.type becomes api_error: a limit and a bad request look like the provider's own failure")
