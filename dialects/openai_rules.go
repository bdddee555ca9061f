package dialects

import (
	"slices"

	"github.com/preservecheck/preservecheck/classify"
)

// The sources of the rules.
const (
	docOpenAIErrors   = "https://developers.openai.com/api/docs/guides/error-codes"
	docOpenAILimits   = "https://help.openai.com/en/articles/5955604-troubleshooting-api-rate-limits-and-429-errors"
	docOpenAIEvents   = "https://developers.openai.com/api/reference/resources/responses/streaming-events"
	docChatStream     = "https://platform.openai.com/docs/api-reference/chat-streaming"
	docRouterErrors   = "https://openrouter.ai/docs/api/reference/errors-and-debugging"
	docRouterLimits   = "https://openrouter.ai/docs/use-cases/limits"
	docAzureFilter    = "https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-filter"
	sdkOpenAIStatuses = "runs of the official Python, Node and Go SDKs on loopback, which raise an error of the server for every status from 500"
)

var (
	openAIChatRules = slices.Concat([]classify.Rule{noStatusLine, {
		Class: classify.Truncated, Truncated: true,
		Why:  "it broke off: neither a finish_reason nor [DONE] nor an error came, or the body is shorter than announced",
		From: docChatStream, Read: readOn,
	}}, openAIErrors)
	openAIResponsesRules = slices.Concat([]classify.Rule{noStatusLine, {
		Class: classify.Truncated, Truncated: true,
		Why:  "it broke off: neither response.completed nor response.incomplete nor an error came, or the body is shorter than announced",
		From: docOpenAIEvents, Read: readOn,
	}}, openAIErrors)
)

var noStatusLine = classify.Rule{
	Class: classify.NoAnswer, NoAnswer: true,
	Why:  "no status line came",
	From: "nothing was received", Read: readOn,
}

// openAIErrors go by the code where there is one, as the documentation asks: a type such as insufficient_quota covers
// several causes. Codes decide under the statuses that they are documented with, and a code that nobody documents is never
// guessed from its type. Where the documentation describes a status and no code, the status decides, if the answer has an
// error object at all.
var openAIErrors = []classify.Rule{
	{
		Class: classify.OK, Success: true,
		Why:  "a 2xx without an error event, which every official SDK returns as a success, whatever the body says",
		From: "runs of the official Python, Node and Go SDKs on loopback", Read: readOn,
	},

	{
		Class: classify.RampLimit, Status: []int{429, 503},
		Code: classify.CodeMatch{OneOf: []string{"slow_down"}},
		Why:  "the code slow_down says that traffic rose too sharply; it came as a 503 once and comes as a 429 now",
		From: docOpenAIErrors, Read: readOn,
	},
	{
		Class: classify.CreditExhausted, Status: []int{429},
		Code: classify.CodeMatch{OneOf: []string{"credit_balance_exhausted"}},
		Why:  "the code credit_balance_exhausted says that no prepaid credit is left",
		From: docOpenAILimits, Read: readOn,
	},
	{
		Class: classify.UserSpendLimit, Status: []int{429},
		Code: classify.CodeMatch{OneOf: []string{"organization_spend_limit_exceeded", "project_spend_limit_exceeded"}},
		Why:  "the code names a spend limit that the organization set itself, for all of it or for one project",
		From: docOpenAILimits, Read: readOn,
	},
	{
		Class: classify.ProviderLimit, Status: []int{429},
		Code: classify.CodeMatch{OneOf: []string{"organization_usage_limit_exceeded"}},
		Why:  "the code organization_usage_limit_exceeded names the usage limit that the provider assigned to the organization",
		From: docOpenAILimits, Read: readOn,
	},
	{
		Class: classify.CreditExhausted, Status: []int{429},
		Code: classify.CodeMatch{OneOf: []string{"insufficient_quota"}},
		Why:  "the code insufficient_quota is the older form for credit or quota that is used up",
		From: docOpenAIErrors, Read: readOn,
	},
	{
		Class: classify.RateLimit, Status: []int{429},
		Code: classify.CodeMatch{OneOf: []string{"rate_limit_exceeded"}},
		Why:  "the code rate_limit_exceeded is that of a limit on requests or tokens per minute; retry-after need not be there",
		From: docOpenAILimits, Read: readOn,
	},
	{
		Class: classify.Unknown429, Status: []int{429},
		Why:  "a 429 without a code that the documentation knows; it may be a rate limit, a quota, or a layer's own",
		From: docOpenAIErrors, Read: readOn,
	},

	{
		Class: classify.InFlightLimit, Status: []int{402}, Limit: []string{"openrouter_in_flight_budget"},
		Why:  "limit_source openrouter_in_flight_budget says that running requests fill the spending budget for now, though there is credit",
		From: docRouterLimits, Read: readOn,
	},
	{
		Class: classify.CreditExhausted, Status: []int{402}, Limit: []string{"openrouter_credits"},
		Why:  "limit_source openrouter_credits says that the balance can't cover the request",
		From: docRouterErrors, Read: readOn,
	},
	{
		Class: classify.UserSpendLimit, Status: []int{402, 403},
		Limit: []string{"openrouter_key_limit", "openrouter_guardrail_budget", "openrouter_workspace_budget"},
		Why:   "limit_source names a budget that the account's owner set, for a key, a guardrail or a workspace",
		From:  docRouterErrors, Read: readOn,
	},
	{
		Class: classify.Billing, Status: []int{402}, HasError: true,
		Why:  "the status of a missing payment, without a limit_source that says whose limit it was",
		From: docRouterErrors, Read: readOn,
	},

	{
		Class: classify.InvalidRequest, Status: []int{400},
		Code: classify.CodeMatch{OneOf: []string{"content_filter", "invalid_prompt"}},
		Why:  "the code says that the prompt itself was refused",
		From: docAzureFilter + " for content_filter; the enum of response.error.code in openai-node 7.59 for invalid_prompt", Read: readOn,
	},
	{
		Class: classify.InvalidRequest, Status: []int{400}, Type: []string{"invalid_request_error"},
		Why:  "the documented pair for a request that can't be processed",
		From: docOpenAIErrors, Read: readOn,
	},
	{
		Class: classify.InvalidRequest, Status: []int{400}, Code: classify.CodeMatch{Odd: true}, HasError: true,
		Why:  "a 400 whose code is a number, as OpenRouter writes it: a parameter is invalid or missing",
		From: docRouterErrors, Read: readOn,
	},
	{
		Class: classify.Auth, Status: []int{401}, HasError: true,
		Why:  "the documented status for a key, an organization or an address that is not accepted",
		From: docOpenAIErrors, Read: readOn,
	},
	{
		Class: classify.Other, Status: []int{403}, Code: classify.CodeMatch{Odd: true},
		Why:  "a 403 whose code is a number, as OpenRouter writes it for a flagged prompt and for other refusals alike",
		From: docRouterErrors, Read: readOn,
	},
	{
		Class: classify.Permission, Status: []int{403}, HasError: true,
		Why:  "the documented status for a caller that may not use the API, such as a country that is not served",
		From: docOpenAIErrors, Read: readOn,
	},
	{
		Class: classify.NotFound, Status: []int{404}, HasError: true,
		Why:  "the status for a model that does not exist or that this key can't see",
		From: "the official SDKs' NotFoundError; the error page names no code for it", Read: readOn,
	},
	{
		Class: classify.Timeout, Status: []int{408}, HasError: true,
		Why:  "the documented status for a request that took too long at the provider",
		From: docRouterErrors, Read: readOn,
	},
	{
		Class: classify.Overloaded, Status: []int{503},
		Code: classify.CodeMatch{OneOf: []string{"server_is_overloaded"}},
		Why:  "the code server_is_overloaded says that the provider is under too much load",
		From: docOpenAIErrors, Read: readOn,
	},
	{
		Class: classify.ServerError, Status: []int{500, 502, 503, 504}, HasError: true,
		Why:  "an error inside the provider or behind it, in the provider's own shape",
		From: docOpenAIErrors + " and " + docRouterErrors + "; " + sdkOpenAIStatuses, Read: readOn,
	},
	{
		Class: classify.Other,
		Why:   "no documented code and no documented status fits",
		From:  docOpenAIErrors, Read: readOn,
	},
}
