package controls

// overloadTo503 imitates gateways whose list of statuses ends where the standard's does (public reports up to 2026-11-30).
var overloadTo503 = toStatus("status-529-to-503", "an overload becomes a 503: clients that treat the two apart wait too short or page somebody",
	only(529), 503, "Service Unavailable")
