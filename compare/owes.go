package compare

import (
	"net/http"
	"strconv"

	"github.com/preservecheck/preservecheck/wire"
)

// owed says what a layer's own answer lacks under a profile, "" when it owes nothing.
func (p *Profile) owed(a *wire.Answer) string {
	if p.Owes == "" || a.Status != http.StatusTooManyRequests && a.Status != http.StatusServiceUnavailable {
		return ""
	}
	if vs := a.Values("retry-after"); len(vs) == 1 && wholeSeconds(vs[0]) {
		return ""
	}
	return "it owes " + p.Owes
}

// wholeSeconds: digits alone. strconv takes a sign as well, which RFC 9110 section 10.2.3 does not.
func wholeSeconds(s string) bool {
	_, err := strconv.ParseUint(s, 10, 31)
	return err == nil
}
