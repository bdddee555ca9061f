package controls

// billingTo400 imitates gateways that fold the 4xx they do not know into one (statuses that few test, in
// public reports up to 2026-11-30).
var billingTo400 = toStatus("status-402-to-400", "an unpaid account becomes a bad request: the job fails, and nobody pays",
	only(402), 400, "Bad Request")
