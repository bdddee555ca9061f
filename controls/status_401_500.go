package controls

// keyTo500 imitates gateways that hide that their own key was refused (public reports of 2026).
var keyTo500 = toStatus("status-401-to-500", "a rejected key becomes a 500: clients retry for ever, and nobody looks at the key",
	only(401), 500, "Internal Server Error")
