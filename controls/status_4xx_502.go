package controls

// refusalTo502 imitates gateways that call every refusal a bad gateway (TensorZero and agentgateway in public reports of 2026).
var refusalTo502 = toStatus("status-4xx-to-502", "every refusal becomes a 502: clients retry what no retry can help",
	func(s int) bool { return s >= 400 && s < 500 }, 502, "Bad Gateway")
