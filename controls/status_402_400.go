package controls

// billingTo400 imitates gateways that fold the 4xx they do not know into one.
var billingTo400 = toStatus("status-402-to-400", "an unpaid account becomes a bad request: the job fails, and nobody pays",
	only(402), 400, "Bad Request")
