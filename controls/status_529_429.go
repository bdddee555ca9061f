package controls

// overloadTo429 imitates gateways that know one kind of "too much" (public reports up to 2026-11-30).
var overloadTo429 = toStatus("status-529-to-429", "an overload of the provider becomes a 429: the client believes that its own limit is reached",
	only(529), 429, "Too Many Requests")
