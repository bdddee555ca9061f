package stub

import (
	"bytes"
	"io"
	"slices"
	"time"

	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
)

// answer answers a request that was read whole.
func (c *conn) answer(body []byte) after {
	to := c.s.route(c.hit.Method, c.hit.Path)
	c.hit.Aside = to.aside()
	c.arrived(to.dialect, body)
	switch {
	case to.own != nil:
		return c.tell(to.own)
	case to.refusal != nil:
		return c.sayNo(to.refusal)
	}
	f := c.s.rendered[c.served()]
	if f == nil {
		return c.sayNo(c.noFixture())
	}
	return c.play(f.of(c.head.http11(), c.gzipOK))
}

// served returns the name of the fixture to serve. The canary follows the request's mode, because a layer may ask
// for a stream where its client did not; an error is the same in both.
func (c *conn) served() string {
	name := c.hit.Tag.Fixture
	canary, ok := c.s.canaries[name]
	switch {
	case !ok:
		return name
	case c.hit.Stream:
		return canary.stream
	}
	return canary.plain
}

// thinking is the time before an answer that is written in parts. Go's reverse proxies (net/http of Go 1.26, and what is
// built on it) take an answer that comes before they have seen the end of the request's body for a failure and break it off in
// its first silence: 34 of 19,200 at once, none of 9,600 after 2 ms (measured 2026-11-30). No provider is that fast, so a
// layer would be blamed for what it never does.
const thinking = 3 * time.Millisecond

// play writes a fixture's script and tells the ledger what was served: first when it starts, so that a client that
// has seen the first byte finds it, and again at its end.
func (c *conn) play(r *fixture.Rendered) after {
	served := ledger.Served{
		Fixture: r.Fixture.Name, Proto: c.head.proto, Status: r.Fixture.Answer.Status,
		Encoding: r.Encoding, Framing: string(r.Framing),
	}
	r = r.For(c.hit.ID)
	if r.Writes() > 1 && !c.s.sleep(thinking) {
		return drop
	}
	for i := range r.Writes() {
		if p := r.Pause(i); p > 0 && !c.s.sleep(p) {
			return drop
		}
		if c.out = r.Append(c.out[:0], i, c.hit.ID); len(c.out) == 0 {
			continue
		}
		if i == 0 && c.head.close && r.KeepAlive() && !r.Fixture.Answer.Raw {
			c.out = announceClose(c.out)
		}
		switch {
		case served.AnswerAt.IsZero():
			served.AnswerAt = time.Now()
			c.s.opt.Ledger.Served(c.hit.ID, served)
		case served.RestAt.IsZero() && r.Pause(i) > 0: // noted before it is sent, so that what comes earlier was sent earlier
			served.RestAt = time.Now()
			c.s.opt.Ledger.Served(c.hit.ID, served)
		}
		if c.write(c.out) != nil {
			return drop
		}
	}
	served.Finished = true
	c.s.opt.Ledger.Served(c.hit.ID, served)
	return c.end(r)
}

// announceClose puts a connection: close behind the status line of an answer after which we close because the request asked
// for it (RFC 9112, section 9.6). A layer that passes its client's connection: close on without acting on it (Node's http
// does with a keep-alive agent) would else use the connection again, find it closed, and answer by itself.
func announceClose(head []byte) []byte {
	i := bytes.Index(head, []byte("\r\n"))
	return slices.Insert(head, i+2, []byte("connection: close\r\n")...)
}

// end ends an answer as the script says.
func (c *conn) end(r *fixture.Rendered) after {
	if r.Hold > 0 {
		c.silence(r.Hold)
	}
	next := fin
	switch {
	case r.End == fixture.EndReset:
		next = reset
	case r.KeepAlive() && !c.head.close:
		next = keep
	}
	switch next {
	case fin:
		c.endWriting()
	case reset:
		c.reset()
	}
	return next
}

// silence waits, but no longer than the client does.
func (c *conn) silence(d time.Duration) {
	c.readUntil(d)
	_, _ = io.CopyN(io.Discard, c.nc, maxBody) // ended by the deadline or by the client
}

// refuse answers a request that could not be read, if anybody is there to answer.
func (c *conn) refuse(err error, body []byte) after {
	why := explain(err)
	if why == nil {
		return drop
	}
	c.s.stats.refused.Add(1)
	if c.head.raw == nil { // nothing of it was read; what stands there is the previous request's
		c.hit.At = time.Now()
		c.hit.Method, c.hit.Path, c.hit.Query, c.hit.Header = "", "", nil, nil
	}
	c.arrived(c.s.opt.Dialects[0], body)
	return c.sayNo(why)
}
