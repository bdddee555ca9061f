package reactions

import (
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Reaction is what a client does about an answer that it gets again and again.
type Reaction struct {
	Requests int             // that it sends, the first included
	Waits    []time.Duration // before each but the first, without jitter
	Pause    time.Duration   // before the next job's request
	Done     bool            // it takes the answer for a success
	Words    string          // what becomes of the job, where the client has a policy; "" for one that raises to its caller
	Tells    string          // none, ticket, owner, page; "" for one that raises to its caller
}

// Wait is the time that all its waits take.
func (r Reaction) Wait() (sum time.Duration) {
	for _, w := range r.Waits {
		if sum += w; sum < 0 {
			return math.MaxInt64
		}
	}
	return sum
}

func (r Reaction) equal(o Reaction) bool {
	return r.Requests == o.Requests && slices.Equal(r.Waits, o.Waits) && r.Pause == o.Pause && r.Done == o.Done && r.Words == o.Words && r.Tells == o.Tells
}

// Of is what a client does about an answer, with the retries that it has by default. known is false where no rule covers it.
func Of(c *Client, v View) (r Reaction, known bool) { return c.react(v, c.retries) }

// With is what a client does with another number of retries than it has by default.
func With(c *Client, v View, maxRetries int) (r Reaction, known bool) { return c.react(v, maxRetries) }

// Predict is how many requests a client sends when it gets one answer again and again and its setting for retries is
// maxRetries; known is false where no rule covers the answer.
func Predict(c *Client, v View, maxRetries int) (requests int, known bool) {
	r, known := c.react(v, maxRetries)
	return r.Requests, known
}

func (c *Client) react(v View, setting int) (r Reaction, known bool) {
	for i := range c.Rules {
		rule := &c.Rules[i]
		if !rule.when.fits(c, v) {
			continue
		}
		t := rule.then
		if t.unknown {
			return Reaction{}, false
		}
		if t.retries < 0 {
			t.retries = setting
		}
		r = Reaction{Pause: t.pause, Done: t.done, Words: t.words, Tells: t.tells, Requests: (1 + t.retries) * t.routes}
		for range t.routes {
			for n := range t.retries {
				r.Waits = append(r.Waits, c.wait(v, n))
			}
		}
		return r, true
	}
	return Reaction{}, false
}

// wait is the time before retry n, counted from 0.
func (c *Client) wait(v View, n int) time.Duration {
	own := c.backoff.after(n)
	d, given := c.stated(v)
	switch {
	case !given || c.take == takeOwn || c.longest > 0 && d > c.longest:
		return own
	case c.take == takeLarger:
		return max(d, own)
	}
	return d
}

// stated is the wait that the answer asks for, as this client reads it.
func (c *Client) stated(v View) (d time.Duration, given bool) {
	for i := range c.reads {
		d, odd, found := c.reads[i].read(v)
		switch {
		case !found || odd == onNext:
			continue
		case odd == onDefault:
			return 0, false
		case odd == onOnce:
			return 0, true
		}
		return d, true
	}
	return 0, false
}

// read reads one place. odd says what the client makes of a wait that is none; found is false where there is nothing that it
// understands.
func (r *reading) read(v View) (d time.Duration, odd string, found bool) {
	text, ok := r.text(v)
	if !ok {
		return 0, "", false
	}
	for _, form := range r.forms {
		if form == "date" {
			t, err := http.ParseTime(text)
			if err != nil || v.at.IsZero() {
				continue
			}
			if d = t.Sub(v.at); d <= 0 {
				return 0, r.past, true
			}
			return d, "", true
		}
		n, ok := number(text, form)
		switch {
		case !ok:
			continue
		case n == 0:
			return 0, r.zero, true
		case n < 0:
			return 0, r.negative, true
		}
		return n, "", true
	}
	return 0, "", false
}

func (r *reading) text(v View) (string, bool) {
	if r.message != nil {
		m := r.message.FindStringSubmatch(v.facts.Message.Text)
		if len(m) < 2 {
			return "", false
		}
		return m[1], true
	}
	values := v.header[r.header]
	if len(values) == 0 || len(values) > 1 && r.twice == onDefault {
		return "", false
	}
	return strings.TrimSpace(values[0]), true
}

// number reads a time in one of the forms. What has no digits alone (1e9, 0x10, inf) is no number to most clients.
func number(text, form string) (time.Duration, bool) {
	unsigned := strings.TrimPrefix(text, "-")
	whole, fraction, dotted := strings.Cut(unsigned, ".")
	if !digits(whole) || dotted && (form == "whole" || !digits(fraction)) {
		return 0, false
	}
	f, err := strconv.ParseFloat(text, 64)
	unit := float64(time.Second)
	if form == "milliseconds" {
		unit = float64(time.Millisecond)
	}
	f *= unit
	if err != nil || math.Abs(f) >= math.MaxInt64 {
		return math.MaxInt64, err == nil && f > 0
	}
	return time.Duration(f), true
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
