package controls

// dropEncodingLabel imitates gateways that pass a compressed body on and forget its label (public reports of 2026).
var dropEncodingLabel = &Fault{
	Name:      "drop-encoding-label",
	Why:       "a body comes compressed without a content-encoding: clients find bytes where they look for JSON",
	Mechanism: OfBody,
	Change:    compressed(func(zipped []byte) []byte { return zipped }),
	Want:      noLongerRead,
}
