package controls

// ownWords is what OpenRouter and many relays say of every error (documentation and public reports read up to 2026-11-30).
const ownWords = "Provider returned error"

// replaceMessage imitates relays that hide the provider's text from their customers, some of them on purpose (28 of 118
// public reports read up to 2026-11-30 drop or replace the message).
var replaceMessage = &Fault{
	Name:      "replace-message",
	Why:       "every message becomes the layer's own generic text: a limit that only its words tell is gone",
	Mechanism: OfBody,
	Change:    editMessage(func(string) string { return ownWords }),
	Want:      inMessage(func(m string) bool { return m != ownWords }),
}
