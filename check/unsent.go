package check

import (
	"context"

	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/wire"
)

// noteUnsent keeps why this machine could not ask for a row. The layer had no part in it, so it is never a finding; what
// was not asked is not green either.
func (r *runner) noteUnsent(row Row, p *probe) {
	if p.answer.End != wire.EndLocal {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.unsent[row] == "" {
		r.unsent[row] = p.answer.Err
	}
}

// refused reports whether a canary that was sent did not come through. One that this machine could not send tells nothing
// of the layer, and that a look is missing concerns every row.
func (r *runner) refused(ctx context.Context, c *canary) bool {
	r.noteUnsent(Row{}, c.probe)
	return ctx.Err() == nil && !c.through && c.probe.answer.End != wire.EndLocal
}

// unable says why a row can't be told, "" when it can: hits may be missing by the stub's fault, or requests by this machine's.
// A fault stays one if its request reached the stub.
func (r *runner) unable(row Row, v compare.Verdict, by *seen) string {
	failed := compare.Worse(v, compare.Inconclusive) && by != nil
	switch {
	case r.trouble != "" && !(failed && by.from == compare.OwnHit):
		return r.trouble
	case r.wayLost != "" && (by == nil || by.from != compare.OwnHit && by.from != compare.Attributed):
		return r.wayLost
	case failed && len(by.hits) > 0:
		return ""
	case r.unsent[row] != "":
		return r.unsent[row]
	case failed:
		return r.anyUnsent()
	}
	return r.unsent[Row{}]
}

// anyUnsent is a reason why this machine could not ask for something, "" when it could always. Then silence is no longer
// the layer's for sure: what stands on the same machine, the stub above all, lacks the same.
func (r *runner) anyUnsent() string {
	for _, row := range r.c.Rows {
		if why := r.unsent[row]; why != "" {
			return why
		}
	}
	return r.unsent[Row{}]
}
