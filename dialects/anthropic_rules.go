package dialects

import "github.com/preservecheck/preservecheck/classify"

// The sources of the rules, and when they were read.
const (
	docErrors     = "https://platform.claude.com/docs/en/api/errors"
	docRateLimits = "https://platform.claude.com/docs/en/api/rate-limits"
	docStreaming  = "https://platform.claude.com/docs/en/build-with-claude/streaming"
	throttle      = `the throttle of "When Claude API Suddenly Starts Returning 429 in Production" (2026-07-07)`
	sdkCodes      = "anthropic-sdk-typescript 1.14.0 (2026-11-24), error codes per status in resources/shared.d.ts"
	readOn        = "2026-11-30"
)

// anthropicRules are the classifier of the article "An Anthropic 429 without retry-after is not enough to diagnose a spend cap",
// with the statuses and codes that Anthropic documents besides. An unknown code stays unknown, though the SDKs advise to
// read such an error as its bare type: until 2026-11-17 a contract's spend cap was such a code.
var anthropicRules = []classify.Rule{
	{
		Class: classify.NoAnswer, NoAnswer: true,
		Why:  "no status line came",
		From: "nothing was received", Read: readOn,
	},
	{
		Class: classify.Truncated, Truncated: true,
		Why:  "it broke off: neither message_stop nor an error came, or the body is shorter than announced",
		From: docStreaming, Read: readOn,
	},
	{
		Class: classify.OKClamp, Success: true, HeadroomUnder: 0.10,
		Why:  "a success whose rate-limit headers leave under 10 % of one of the limits",
		From: throttle, Read: readOn,
	},
	{
		Class: classify.OKEase, Success: true, HeadroomUnder: 0.30,
		Why:  "a success whose rate-limit headers leave under 30 % of one of the limits",
		From: throttle, Read: readOn,
	},
	{
		Class: classify.OKAmple, Success: true, Headroom: true,
		Why:  "a success whose rate-limit headers leave 30 % or more of each of the limits",
		From: throttle, Read: readOn,
	},
	{
		Class: classify.OK, Success: true,
		Why:  "a 2xx without an error event and without rate-limit headers, which every official SDK returns as a success, whatever the body says",
		From: "runs of the official Python, TypeScript and Go SDKs on loopback", Read: readOn,
	},

	{
		Class: classify.TierSpendCap, Status: []int{429}, Type: []string{"rate_limit_error"},
		Code: classify.CodeMatch{OneOf: []string{"enforced_spend_limit_reached"}},
		Why:  "the code enforced_spend_limit_reached is the documented mark of the tier's monthly spend cap",
		From: docRateLimits, Read: readOn,
	},
	{
		Class: classify.ContractSpendCap, Status: []int{429}, Type: []string{"rate_limit_error"},
		Code: classify.CodeMatch{OneOf: []string{"contract_spend_limit_reached"}},
		Why:  "the code contract_spend_limit_reached is the mark of the contract's spend limit",
		From: sdkCodes, Read: readOn,
	},
	{
		Class: classify.RampLimit, Status: []int{429}, Type: []string{"rate_limit_error"},
		Code: classify.CodeMatch{OneOf: []string{"ramp_limit_exceeded"}},
		Why:  "the code ramp_limit_exceeded says that usage rose too sharply",
		From: docRateLimits, Read: readOn,
	},
	{
		Class: classify.RateLimit, Status: []int{429}, Type: []string{"rate_limit_error"},
		Code: classify.CodeMatch{Absent: true}, RetryAfter: true,
		Why:  "a rate_limit_error with retry-after and without a code",
		From: docRateLimits, Read: readOn,
	},
	{
		Class: classify.Unknown429, Status: []int{429},
		Why:  "a 429 with neither a known code nor, where there is no code, retry-after; it may be a rate limit, a new kind of cap, or a layer's own",
		From: docRateLimits, Read: readOn,
	},

	{
		Class: classify.OrgHold, Status: []int{400}, Type: []string{"invalid_request_error"},
		Code: classify.CodeMatch{OneOf: []string{"organization_on_hold"}},
		Why:  "the code organization_on_hold says that the organization may not send requests",
		From: sdkCodes, Read: readOn,
	},
	{
		Class: classify.UserSpendLimit, Status: []int{400}, Type: []string{"invalid_request_error"},
		MessagePrefix: []string{
			"You have reached your specified API usage limits",
			"You have reached your specified workspace API usage limits",
		},
		Why:  "the message begins as that of a spend limit which the organization set itself; there is no code for it, so a change of wording would hide it",
		From: docRateLimits, Read: readOn,
	},
	{
		Class: classify.CreditExhausted, Status: []int{400}, Type: []string{"invalid_request_error"},
		MessagePrefix: []string{"Your credit balance is too low"},
		Why:           "the message begins as that of an empty credit balance, which comes as a 400 and not as a 402; there is no code for it, so a change of wording would hide it",
		From:          "seen by users, last in https://github.com/anthropics/claude-code/issues/91322 (2026-09-01)", Read: readOn,
	},
	{
		Class: classify.InvalidRequest, Status: []int{400}, Type: []string{"invalid_request_error"},
		Why:  "the documented pair for a request that can't be processed",
		From: docErrors, Read: readOn,
	},
	{
		Class: classify.Auth, Status: []int{401}, Type: []string{"authentication_error"},
		Why:  "the documented pair for a key or credential that is not accepted",
		From: docErrors, Read: readOn,
	},
	{
		Class: classify.Billing, Status: []int{402}, Type: []string{"billing_error"},
		Code: classify.CodeMatch{OneOf: []string{"linked_organization_spend_limit_reached", "linked_organization_billing_unavailable"}},
		Why:  "the code says that the linked organization, which pays, can't or won't pay; its owner must act",
		From: sdkCodes, Read: readOn,
	},
	{
		Class: classify.Billing, Status: []int{402}, Type: []string{"billing_error"},
		Why:  "the documented pair for a problem with billing or payment",
		From: docErrors, Read: readOn,
	},
	{
		Class: classify.Permission, Status: []int{403}, Type: []string{"permission_error"},
		Why:  "the documented pair for a key that may not use the resource",
		From: docErrors, Read: readOn,
	},
	{
		Class: classify.NotFound, Status: []int{404}, Type: []string{"not_found_error"},
		Why:  "the documented pair for a model or resource that is not there",
		From: docErrors, Read: readOn,
	},
	{
		Class: classify.Conflict, Status: []int{409}, Type: []string{"conflict_error"},
		Why:  "the documented pair for a conflict, to be resolved before the next try",
		From: docErrors, Read: readOn,
	},
	{
		Class: classify.RequestTooLarge, Status: []int{413}, Type: []string{"request_too_large"},
		Why:  "the documented pair for a body over the size limit; the edge before the API answers it, without request_id",
		From: docErrors, Read: readOn,
	},
	{
		Class: classify.ServerError, Status: []int{500}, Type: []string{"api_error"},
		Why:  "the documented pair for an error inside the provider",
		From: docErrors, Read: readOn,
	},
	{
		Class: classify.ServerError, Status: []int{503},
		Code: classify.CodeMatch{OneOf: []string{"cmek_key_unreachable", "cmek_context_unavailable"}},
		Why:  "the code says that the customer's own encryption key can't be reached for now",
		From: sdkCodes, Read: readOn,
	},
	{
		Class: classify.Timeout, Status: []int{504}, Type: []string{"timeout_error"},
		Why:  "the documented pair for a request that took too long at the provider",
		From: docErrors, Read: readOn,
	},
	{
		Class: classify.Overloaded, Status: []int{529}, Type: []string{"overloaded_error"},
		Why:  "the documented pair for a provider under too much load",
		From: docErrors, Read: readOn,
	},
	{
		Class: classify.Other,
		Why:   "no documented pair of status and error.type fits",
		From:  docErrors, Read: readOn,
	},
}
