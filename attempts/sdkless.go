package attempts

import (
	"context"
	"fmt"

	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// Sdkless is a client without an SDK: each call is one request, whatever max_retries says. So what is counted with it is the
// layer's alone, and attempts has something to run where nothing is installed.
type Sdkless struct {
	Wire    wire.Client
	Dialect *dialects.Dialect
	Header  []wire.Field
}

// SdklessName is how it is called.
const SdklessName = "sdkless"

// Call sends one request.
func (s *Sdkless) Call(ctx context.Context, c Call) (Reply, error) {
	a := s.Wire.Do(ctx, s.Dialect.Request(s.Wire.Base.Path, wire.Ask{Model: c.Model, Prompt: c.Prompt, Stream: c.Stream, Header: s.Header}))
	switch a.End {
	case wire.EndCanceled, wire.EndTimeout:
		if cause := context.Cause(ctx); cause != nil {
			return Reply{}, cause
		}
	case wire.EndLocal:
		return Reply{}, fmt.Errorf("no connection could be opened: %s", a.Err)
	}
	return s.reply(c.ID, a), nil
}

// Close does nothing.
func (*Sdkless) Close() error { return nil }

// reply says of an answer what a client that hides nothing would show.
func (s *Sdkless) reply(id string, a *wire.Answer) Reply {
	one := 1
	r := Reply{ID: id, Outcome: outcomeError, Requests: &one, WaitsMS: []*float64{}}
	facts := s.Dialect.Facts(evidence.Of(a, s.Dialect.Layout, ""))
	if facts.Status != 0 {
		r.Status = &facts.Status
	}
	switch {
	case a.Status == 0 || !a.End.Orderly():
		r.Message = &a.Err
	case facts.Status >= 200 && facts.Status <= 299 && !facts.InStream && !facts.Truncated:
		r.Outcome = outcomeOK
		return r
	}
	for _, f := range []struct {
		to   **string
		text string
		is   bool
	}{
		{&r.Type, facts.Type.Text, facts.Type.State != 0}, {&r.Code, facts.Code.Text, facts.Code.State != 0},
		{&r.Message, facts.Message.Text, facts.Message.State != 0}, {&r.RetryAfter, facts.RetryAfter.Text, facts.RetryAfter.State != 0},
	} {
		if f.is {
			text := f.text
			*f.to = &text
		}
	}
	return r
}
