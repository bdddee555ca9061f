package classify

import "fmt"

// Consequence says in one plain sentence, without its period, what a worker does now that an answer of one class looks
// like another. It is empty when the classes are the same.
func Consequence(from, to Class) string {
	if from == to {
		return ""
	}
	f, t := get(from), get(to)
	head := f.noun + " now looks like " + t.noun + ": "
	job, alert := jobChange(f, t), alertChanges[[2]Alert{f.action.Alert, t.action.Alert}]
	switch {
	case job != "" && alert != "":
		return head + job + ", and " + alert
	case job != "" || alert != "":
		return head + job + alert
	}
	return head + sameAction(f, t)
}

// jobChange says what becomes of the job, "" when it is the same.
func jobChange(f, t *class) string {
	switch {
	case f.does != t.does:
		return "the job is " + t.does + " instead of " + f.does
	case f.how != t.how:
		return "the job is " + t.does + " " + t.how + " instead of " + f.how
	}
	return ""
}

// sameAction finds what is still wrong when a worker does the same thing under another name.
func sameAction(f, t *class) string {
	switch {
	case blame[f.action.Scope] != "" && blame[t.action.Scope] != "" && f.action.Scope != t.action.Scope:
		return fmt.Sprintf("the job fares the same, but %s is blamed instead of %s",
			blame[t.action.Scope], blame[f.action.Scope])
	case f.action.Alert != AlertNone:
		return "a worker does the same, but the alert names the wrong cause"
	}
	return "a worker does the same, but the log names the wrong cause"
}

// blame names what a fallback avoids next time; an unknown scope blames nothing.
var blame = map[Scope]string{
	ScopeRequest:  "the request",
	ScopeModel:    "the model",
	ScopeProvider: "the provider",
	ScopeAccount:  "the account",
}

// alertChanges says who hears of it now; a pair that is not here is no change.
var alertChanges = map[[2]Alert]string{
	{AlertPage, AlertNone}:    "nobody is alerted",
	{AlertOwner, AlertNone}:   "nobody is alerted",
	{AlertTicket, AlertNone}:  "nobody is alerted",
	{AlertPage, AlertTicket}:  "a ticket is opened where somebody should be paged",
	{AlertOwner, AlertTicket}: "a ticket is opened where the limit's owner should be alerted",
	{AlertPage, AlertOwner}:   "the alert goes to a limit's owner where somebody should be paged",
	{AlertOwner, AlertPage}:   "somebody is paged where the limit's owner should be alerted",
	{AlertTicket, AlertPage}:  "somebody is paged where a ticket would do",
	{AlertTicket, AlertOwner}: "a limit's owner is alerted where a ticket would do",
	{AlertNone, AlertPage}:    "somebody is paged for nothing",
	{AlertNone, AlertOwner}:   "a limit's owner is alerted for nothing",
	{AlertNone, AlertTicket}:  "a ticket is opened for nothing",
}

// MoreHits says that the layer sent one request more than once; it is empty for one hit or none.
func MoreHits(c Class, hits int) string {
	if hits < 2 {
		return ""
	}
	what := Noun(c)
	if Success(c) || c == Truncated || c == NoAnswer { // these are no thing that is sent
		what = "the request"
	}
	return fmt.Sprintf("the layer sent %s %d times", what, hits)
}
