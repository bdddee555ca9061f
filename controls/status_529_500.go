package controls

// overloadTo500 imitates gateways whose framework knows no 529 (public reports up to 2026-11-30).
var overloadTo500 = toStatus("status-529-to-500", "an overload becomes a 500: it reads as the provider's bug and not as a wait",
	only(529), 500, "Internal Server Error")
