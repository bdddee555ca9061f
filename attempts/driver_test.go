package attempts

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

func call(t *testing.T, d Driver, wait time.Duration) (Reply, error) {
	t.Helper()
	c, err := d.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}()
	ctx, cancel := context.WithTimeoutCause(t.Context(), wait, errLate)
	defer cancel()
	r, err := c.Call(ctx, Call{ID: "a1", Model: "m", Prompt: "p", MaxRetries: 2, Stream: true})
	if err == nil && r.OK() {
		return c.Call(ctx, Call{ID: "a2", Model: "m", Prompt: "p"}) // whoever said too much is found at the next
	}
	return r, err
}

func TestDriverOfOneCall(t *testing.T) {
	r, err := call(t, driver("once", false), long)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := *r.Message, "m p 21 http://x"; got != want || *r.Requests != 3 || *r.Status != 429 || r.OK() {
		t.Errorf("the driver got %q, want %q; it said %+v", got, want, r)
	}
}

func TestDriverOfLines(t *testing.T) {
	r, err := call(t, driver("lines", true), long)
	if err != nil || !r.OK() || r.ID != "a2" || *r.Requests != 1 {
		t.Fatal(r, err)
	}
}

// TestDriversThatFail: none of them may pass for a count.
func TestDriversThatFail(t *testing.T) {
	for _, c := range []struct {
		kind  string
		lines bool
		want  string
	}{
		{"nothing", false, `gave no result (exit status 7); its last words on stderr: "out of order"`},
		{"two lines", false, "several lines"},
		{"much", false, "more than"},
		{"twice", true, "nobody made, or a second one"},
		{"other id", true, "nobody made"},
		{"rubbish", true, "no result: npm WARN"},
		{"strange outcome", true, "neither ok nor error"},
		{"negative", true, "counts -1"},
		{"ends", true, `it ended; its last words on stderr: "no memory"`},
	} {
		t.Run(c.kind, func(t *testing.T) {
			_, err := call(t, driver(c.kind, c.lines), long)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("want %q, have %v", c.want, err)
			}
		})
	}
	t.Run("a program that is not there", func(t *testing.T) {
		if _, err := (Driver{Words: []string{"/nowhere/driver"}, Lines: true}).Start(); err == nil {
			t.Error("it was started")
		}
		_, err := call(t, Driver{Words: []string{"/nowhere/driver"}}, long)
		if err == nil || !strings.Contains(err.Error(), "can't be started") {
			t.Error(err)
		}
	})
}

// TestDriversThatHang are given up, and end with the run.
func TestDriversThatHang(t *testing.T) {
	for _, lines := range []bool{true, false} {
		began := time.Now()
		_, err := call(t, driver("hang", lines), 200*time.Millisecond)
		if !errors.Is(err, errLate) {
			t.Errorf("lines %v: %v", lines, err)
		}
		if took := time.Since(began); took > long {
			t.Errorf("lines %v: it took %s", lines, took)
		}
	}
}

// TestLateResult: a result that comes after its call was given up is no rubbish.
func TestLateResult(t *testing.T) {
	c, err := driver("late", true).Start()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, errLate)
	defer cancel()
	if _, err := c.Call(ctx, Call{ID: "1", Model: "slow"}); !errors.Is(err, errLate) {
		t.Fatal(err)
	}
	if r, err := c.Call(t.Context(), Call{ID: "2"}); err != nil || !r.OK() {
		t.Error("the next call fails for it", r, err)
	}
}

func FuzzParseReply(f *testing.F) {
	f.Add([]byte(`{"id":"7","outcome":"error","status":429,"requests":3,"waits_ms":[1,null],"code":null}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := parseReply(b)
		if err == nil && r.Requests != nil && *r.Requests < 0 {
			t.Error("a negative count was read")
		}
	})
}
