package remote

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/preservecheck/preservecheck/ledger"
)

// What a hit may hold: far more than any stub keeps.
const (
	maxText  = 4 << 10 // bytes of one text
	maxNames = 200
)

// errStrange says that what came back can't have come from a stub of this release.
var errStrange = errors.New("what the stub's admin API answered is not what it has to be: is it the right address, and the same release on both sides?")

// hit checks what was told of one request and takes it over.
func (t *timeline) hit(h *hit, run string, o offset) (ledger.Hit, error) {
	out := ledger.Hit{
		ID: h.ID, Tag: ledger.Tag{Run: h.Run, Fixture: h.Fixture, Nonce: h.Nonce}, At: t.ours(o, h.At), From: h.From, Method: h.Method, Path: h.Path,
		Query: h.Query, Header: h.Header, Model: h.Model, Stream: h.Stream, RetryCount: h.Retries, Marks: h.Marks, BodyHash: h.BodyHash,
		Note: h.Note, Doubt: h.Doubt, Aside: h.Aside, Slack: o.slack(),
		Served: ledger.Served{
			Fixture: h.Served.Fixture, Proto: h.Served.Proto, Status: h.Served.Status, Encoding: h.Served.Encoding, Framing: h.Served.Framing,
			AnswerAt: t.ours(o, h.Served.AnswerAt), RestAt: t.ours(o, h.Served.RestAt), Finished: h.Served.Finished,
		},
	}
	for _, name := range h.Channels {
		ch := ledger.Channel(name)
		if !announced(ch) && !ch.Whole() || slices.Contains(out.Channels, ch) {
			return out, fmt.Errorf("%w (channel %s)", errStrange, shown(name))
		}
		out.Channels = append(out.Channels, ch)
	}
	switch {
	case !isHex(h.ID, ledger.NonceLen), h.Nonce != "" && !isHex(h.Nonce, ledger.NonceLen), h.Run != run && run != "":
		return out, fmt.Errorf("%w (an id)", errStrange)
	case h.At <= 0 || h.At > int64(maxUptime) || h.Served.AnswerAt < 0 || h.Served.AnswerAt > int64(maxUptime) || h.Served.RestAt < 0 || h.Served.RestAt > int64(maxUptime):
		return out, fmt.Errorf("%w (a time)", errStrange)
	case len(h.Query) > maxNames || len(h.Header) > maxNames || len(h.Marks) > maxNames:
		return out, fmt.Errorf("%w (a long list)", errStrange)
	}
	for _, list := range [][]string{
		h.Query, h.Header, h.Marks,
		{h.Fixture, h.From, h.Method, h.Path, h.Model, h.Retries, h.BodyHash, h.Note, h.Doubt, h.Run, h.Served.Fixture, h.Served.Proto, h.Served.Encoding, h.Served.Framing},
	} {
		for _, s := range list {
			if len(s) > maxText {
				return out, fmt.Errorf("%w (a long text)", errStrange)
			}
		}
	}
	return out, nil
}

// maxUptime is longer than any stub was up.
const maxUptime = 100 * 365 * 24 * time.Hour

func isHex(s string, n int) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'f') {
			return false
		}
	}
	return len(s) == n
}
