package report

import (
	"slices"

	"github.com/preservecheck/preservecheck/record"
)

// kind is one kind of thing that can be wrong. The list is closed: machine-readable formats take their rule names and
// labels from it and never from a record.
type kind struct {
	name  string
	short string // a few words, as a title
	help  string // what it means and what to do
}

// kinds lists every kind, in the order of a list of rules. Names are published and are never given another meaning.
func kinds() []kind { return slices.Concat(faultKinds(), runKinds()) }

// faultKinds are what can be wrong with an answer.
func faultKinds() []kind {
	return []kind{
		{"broken", "no usable answer", "The provider answered, and the client got nothing that it can use, or a success where only a failure may come. Look at timeouts, limits of size and the layer's own error handling."},
		{"layer-made", "answer made by the layer", "The client got an answer although the provider was not asked. Rate limits, caches and circuit breakers of the layer do that; a client can't tell such an answer from the provider's."},
		{"reclassified", "a worker acts differently", "What came through the layer reads as another class of error, so a worker retries where it should pause, or the reverse."},
		{"success-invented", "an error became a success", "A client takes for done what nobody called done: the worst that a layer can do to an error. It can't be declared in a known file."},
		{"lost", "evidence lost", "The provider sent this, and it did not come through the layer. Look for allow-lists of headers, and for code that builds an error of its own from a status and a message."},
		{"changed", "evidence changed", "What came through the layer has another value than the provider sent."},
		{"invented", "evidence invented", "The provider did not send this; the layer added it. A client acts on it as on the provider's word."},
		{"retried", "sent again by the layer", "The layer sent the request to the provider more often than the client asked for. Each time may cost money and uses up a limit."},
		{"inconclusive", "could not tell", "The row could not be judged. That is no pass: see the reason."},
		{"untestable", "the way can't carry it", "What stands between the stub and the layer changes this answer, so the layer can't be judged by it. --allow-untestable lets such rows pass."},
		{"own-class", "another class for your own classifier", "Your own classifier (--classifier) reads the answer as another class once it came through the layer."},
		{"new-fault", "new against the baseline", "The older record that was given with --baseline does not have this fault."},
	}
}

// runKinds are what can be wrong with a layer as a whole, or with a run.
func runKinds() []kind {
	return []kind{
		{"layer-state", "one answer changed the next", "After an answer the layer treated later requests differently, for example by no longer calling the provider."},
		{"crosstalk", "answers mixed up", "A client got the answer to somebody else's request. Do not put this layer in front of anything."},
		{"cached", "answered from memory", "The layer answered from a cache. Switch off caching of POST requests, or key the cache by the whole request."},
		{"intermittent", "comes and goes", "The same row came out in more than one way. One run that passes proves little for such a layer."},
		{"unexplained-hits", "requests nobody sent", "The provider's side saw requests that no request of this run explains."},
		{"dirty-way", "the direct way is not clean", "Answers that were fetched without the layer differed from what the stub sends, so something else stands in the way."},
		{"slept", "the layer slept", "The layer held an answer back, so that a client's own waiting and time limits no longer mean what they say."},
		{"known-entry", "an entry of a known file fails", "The entry is stale (nothing differs any more), expired, or so wide that it would hide anything. Remove it or narrow it down."},
		{"own-classifier", "your own classifier failed", "It could not be asked about every row, so the run can't be judged by it."},
		{"proof", "a control was missed", "The check did not notice a fault that was put in on purpose. Its verdicts can't be trusted; this says nothing about the layer."},
		{"run", "the run says nothing", "The run did not come to a result: nothing came through the layer, it was interrupted, or it could not be compared."},
		{"other", "something else", "This version has no name for it; the text says what it is."},
	}
}

// kindOf returns the kind of this name; other for one that is not in the list.
func kindOf(name string) kind {
	all := kinds()
	at := slices.IndexFunc(all, func(k kind) bool { return k.name == name })
	if at < 0 {
		at = len(all) - 1
	}
	return all[at]
}

// rowKind is the kind of a row that does not pass.
func rowKind(r *record.Row) string {
	if r.InventedSuccess {
		return "success-invented"
	}
	return kindOf(r.Verdict).name
}

// findingKind is the kind of a finding: only those that are about a layer, so that no record makes one look like ours.
func findingKind(name string) string {
	switch name {
	case "layer-state", "crosstalk", "cached", "intermittent", "unexplained-hits", "dirty-way", "slept":
		return name
	}
	return "other"
}

// verdictName is a verdict from the closed list, other for one that is not in it.
func verdictName(v string) string {
	if slices.Contains(worstFirst, v) {
		return v
	}
	return "other"
}
