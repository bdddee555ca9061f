package classify

// The classes. Their names stand in fixtures, records and known files, so they never change.
const (
	OK               Class = "ok"       // a success that tells no headroom
	OKAmple          Class = "ok_ample" // and those that do, by how much is left
	OKEase           Class = "ok_ease"
	OKClamp          Class = "ok_clamp"
	TierSpendCap     Class = "tier_spend_cap"
	ContractSpendCap Class = "contract_spend_cap"
	UserSpendLimit   Class = "user_spend_limit"
	CreditExhausted  Class = "credit_exhausted"
	ProviderLimit    Class = "provider_limit" // a usage limit that the provider assigned to the organization
	Billing          Class = "billing"
	OrgHold          Class = "org_hold"
	RateLimit        Class = "rate_limit"
	RampLimit        Class = "ramp_limit"
	InFlightLimit    Class = "in_flight_limit"
	Unknown429       Class = "unknown_429"
	InvalidRequest   Class = "invalid_request"
	Auth             Class = "auth"
	Permission       Class = "permission"
	NotFound         Class = "not_found"
	Conflict         Class = "conflict"
	RequestTooLarge  Class = "request_too_large"
	ServerError      Class = "server_error"
	Timeout          Class = "timeout"
	Overloaded       Class = "overloaded"
	Truncated        Class = "truncated"
	NoAnswer         Class = "no_answer" // a hang, a refused or cut connection: there is nothing to classify
	Other            Class = "other"
)

// Retry says whether a worker sends the job again.
type Retry string

// The ways to retry.
const (
	RetryNever     Retry = "never"
	RetryAfterWait Retry = "after-wait" // bounded as well, but not before the wait that the answer asks for
	RetryBounded   Retry = "bounded"    // a few times, with growing waits of the worker's own
)

// Alert says whom a worker tells.
type Alert string

// The alerts, from nobody to a person now.
const (
	AlertNone   Alert = "none"
	AlertTicket Alert = "ticket"
	AlertOwner  Alert = "owner" // whoever set the limit
	AlertPage   Alert = "page"
)

// Scope says how far a failure reaches, and so what a fallback may still try.
type Scope string

// The scopes.
const (
	ScopeRequest  Scope = "request"
	ScopeModel    Scope = "model"
	ScopeProvider Scope = "provider"
	ScopeAccount  Scope = "account"
	ScopeUnknown  Scope = "unknown"
)

// Action is what a worker does about a class.
type Action struct {
	Retry   Retry
	Outcome string // what becomes of the job when the worker stops, in the source article's words where it has one
	Alert   Alert
	Scope   Scope
}

// class is what is known of a class beside its rules.
type class struct {
	name    Class
	noun    string // fits "X now looks like Y"
	action  Action
	does    string // fits "the job is X"
	how     string // fits "the job is retried X" or "taken as done X"; empty when there is nothing to tell apart
	worker  string // what a worker does, one sentence without its period
	success bool
}

// The actions follow the policy of the article "An Anthropic 429 without retry-after is not enough to diagnose a spend
// cap" (read 2026-11-30) where it has the class. For the others, scope and retry follow Anthropic's error reference
// (platform.claude.com/docs/en/api/errors, read 2026-11-30), and the alert follows from who can end the failure:
// only a person can lift a cap or mend a key, nobody can mend an overload.
var classes = []class{
	//
	// The four successes follow the throttle of the article "When Claude API Suddenly Starts Returning 429 in Production"
	// (2026-07-07, read 2026-11-30), which waits before the next request while little headroom is left.
	{
		name: OK, noun: "a success", does: "taken as done", how: "with no headroom to pace by", success: true,
		action: Action{RetryNever, "done", AlertNone, ScopeRequest},
		worker: "Take the answer; the job is done. A throttle that reads rate-limit headers is blind here",
	},
	{
		name: OKAmple, noun: "a success with headroom", does: "taken as done", how: "at full pace", success: true,
		action: Action{RetryNever, "done", AlertNone, ScopeRequest},
		worker: "Take the answer, and send the next at full pace",
	},
	{
		name: OKEase, noun: "a success with thin headroom", does: "taken as done", how: "at an eased pace", success: true,
		action: Action{RetryNever, "done_and_ease_off", AlertNone, ScopeRequest},
		worker: "Take the answer, and ease off: wait a little before the next, since under 30 % of a limit is left",
	},
	{
		name: OKClamp, noun: "a success near its limit", does: "taken as done", how: "at a clamped pace", success: true,
		action: Action{RetryNever, "done_and_clamp", AlertNone, ScopeRequest},
		worker: "Take the answer, and clamp down: wait long before the next, since under 10 % of a limit is left",
	},
	{
		name: TierSpendCap, noun: "a spend cap", does: "paused",
		action: Action{RetryNever, "pause_and_page", AlertPage, ScopeAccount},
		worker: "Pause the queue for the whole organization and page once; no retry can succeed before the cap is lifted",
	},
	{
		name: ContractSpendCap, noun: "a contract's spend cap", does: "paused",
		action: Action{RetryNever, "pause_and_page", AlertPage, ScopeAccount},
		worker: "Pause the queue for the whole organization and page once; only a change of the contract's limit helps",
	},
	{
		name: UserSpendLimit, noun: "a self-set spend limit", does: "paused",
		action: Action{RetryNever, "pause_and_page_limit_owner", AlertOwner, ScopeAccount},
		worker: "Pause the queue and alert whoever owns the limit; it was set on purpose",
	},
	{
		name: CreditExhausted, noun: "an empty credit balance", does: "paused",
		action: Action{RetryNever, "pause_and_page", AlertPage, ScopeAccount},
		worker: "Pause the queue for the whole organization and page once; somebody must buy credits",
	},
	{
		name: ProviderLimit, noun: "an assigned usage limit", does: "paused",
		action: Action{RetryNever, "pause_and_page", AlertPage, ScopeAccount},
		worker: "Pause the queue for the whole organization and page once; somebody must ask the provider for a higher limit",
	},
	{
		name: Billing, noun: "a billing problem", does: "paused",
		action: Action{RetryNever, "pause_and_page", AlertPage, ScopeAccount},
		worker: "Pause the queue for the whole organization and page once; somebody must look at the billing page",
	},
	{
		name: OrgHold, noun: "an organization on hold", does: "paused",
		action: Action{RetryNever, "pause_and_page", AlertPage, ScopeAccount},
		worker: "Pause the queue for the whole organization and page once; somebody must talk to the provider",
	},
	{
		name: RateLimit, noun: "a rate limit", does: "retried", how: "after the stated wait",
		action: Action{RetryAfterWait, "hold_with_delay", AlertNone, ScopeModel},
		worker: "Wait at least retry-after, try a bounded number of times, then hold the job",
	},
	{
		name: RampLimit, noun: "a ramp limit", does: "retried", how: "at a lower pace",
		action: Action{RetryAfterWait, "hold_and_slow_down", AlertNone, ScopeAccount},
		worker: "Wait at least retry-after, lower the concurrency, grow slowly again",
	},
	{
		name: InFlightLimit, noun: "a limit on spending in flight", does: "retried", how: "with fewer requests at a time",
		action: Action{RetryAfterWait, "hold_and_slow_down", AlertNone, ScopeAccount},
		worker: "Wait at least retry-after, lower the concurrency so that running requests can settle, then try a bounded number of times",
	},
	{
		name: Unknown429, noun: "an unclassified 429", does: "retried", how: "with growing waits",
		action: Action{RetryBounded, "hold_and_investigate", AlertTicket, ScopeUnknown},
		worker: "Try a bounded number of times, then hold the job and open a ticket that says \"unclassified 429\" and carries the evidence",
	},
	{
		name: InvalidRequest, noun: "an invalid request", does: "given up",
		action: Action{RetryNever, "fail_job", AlertNone, ScopeRequest},
		worker: "Fail this job; the same request can't succeed",
	},
	{
		name: Auth, noun: "a rejected key", does: "paused",
		action: Action{RetryNever, "pause_and_page", AlertPage, ScopeAccount},
		worker: "Pause the queue that uses this key and page once; somebody must mend the key",
	},
	{
		name: Permission, noun: "a missing permission", does: "paused",
		action: Action{RetryNever, "pause_and_page", AlertPage, ScopeAccount},
		worker: "Pause the jobs that need this permission and page once; somebody must grant it",
	},
	{
		name: NotFound, noun: "a missing model", does: "given up",
		action: Action{RetryNever, "fail_job", AlertNone, ScopeModel},
		worker: "Fail this job, and take the model out of the routes if it is gone for good",
	},
	{
		name: Conflict, noun: "a conflict", does: "retried", how: "with growing waits",
		action: Action{RetryBounded, "fail_job", AlertNone, ScopeRequest},
		worker: "Resolve the conflict and try again a bounded number of times, then fail this job",
	},
	{
		name: RequestTooLarge, noun: "an oversized request", does: "given up",
		action: Action{RetryNever, "fail_job", AlertNone, ScopeRequest},
		worker: "Fail this job; it must be made smaller",
	},
	{
		name: ServerError, noun: "a server error", does: "retried", how: "with growing waits",
		action: Action{RetryBounded, "hold_with_delay", AlertNone, ScopeProvider},
		worker: "Try a bounded number of times with growing waits, then use another provider or hold the job",
	},
	{
		name: Timeout, noun: "a timeout at the provider", does: "retried", how: "with growing waits",
		action: Action{RetryBounded, "hold_with_delay", AlertNone, ScopeProvider},
		worker: "Try a bounded number of times with growing waits, as a stream if the request is long, then hold the job",
	},
	{
		name: Overloaded, noun: "an overloaded provider", does: "retried", how: "with growing waits",
		action: Action{RetryBounded, "hold_with_delay", AlertNone, ScopeProvider},
		worker: "Try a bounded number of times with growing waits, then use another model or provider, or hold the job",
	},
	{
		name: Truncated, noun: "a broken-off answer", does: "held",
		action: Action{RetryNever, "hold_and_investigate", AlertTicket, ScopeUnknown},
		worker: "Throw the partial answer away and hold the job; what was already passed on can't be taken back by a retry",
	},
	{
		name: NoAnswer, noun: "a missing answer", does: "retried", how: "with growing waits",
		action: Action{RetryBounded, "hold_with_delay", AlertNone, ScopeUnknown},
		worker: "Try a bounded number of times with growing waits, then hold the job; nothing says what happened",
	},
	{
		name: Other, noun: "an unclassified error", does: "held",
		action: Action{RetryNever, "investigate", AlertTicket, ScopeUnknown},
		worker: "Hold the job and open a ticket that carries the evidence; no rule names this answer",
	},
}

// All lists the classes in the order of reports.
func All() []Class {
	out := make([]Class, len(classes))
	for i := range classes {
		out[i] = classes[i].name
	}
	return out
}

// Known reports whether a class exists.
func Known(c Class) bool { return find(c) != nil }

// ActionOf returns what a worker does about a class; an unknown class gets the action of Other.
func ActionOf(c Class) Action { return get(c).action }

// Success reports whether a class is one of the successes.
func Success(c Class) bool { return get(c).success }

// Noun names a class in the middle of a sentence: "a spend cap".
func Noun(c Class) string { return get(c).noun }

// Worker says in one sentence, without its period, what a worker does about a class.
func Worker(c Class) string { return get(c).worker }

func find(c Class) *class {
	for i := range classes {
		if classes[i].name == c {
			return &classes[i]
		}
	}
	return nil
}

func get(c Class) *class {
	if f := find(c); f != nil {
		return f
	}
	return find(Other)
}
