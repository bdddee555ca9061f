package reactions

import (
	"regexp"
	"testing"

	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/wire"
)

// ours is all that a line may be made of: no letter of another script, no control character, no markup.
var ours = regexp.MustCompile(`^[A-Za-z0-9 .,:;()'×→-]*$`)

// FuzzCompare sends what a hostile layer might: nothing of it may stand in a line but numbers.
func FuzzCompare(f *testing.F) {
	f.Add(429, "90", "true", "0", limited, false)
	f.Add(200, "<b>1</b>", "TRUE\x1b[31m", "x", failed, true)
	f.Add(429, "99999999999999999999999", "false", "1e999", `{"error":{"type":"`+"\u202e"+`","message":"try again in 99999999999 s","details":{"error_code":"evil"}}}`, false)
	f.Add(0, "", "", "", "", false)
	f.Add(503, "Fri, 31 Dec 9999 23:59:59 GMT", "true", "-5", cap429, true)
	all, err := All()
	if err != nil {
		f.Fatal(err)
	}
	direct := []*wire.Answer{answer(429, cap429), answer(429, limited, "retry-after: 1"), answer(529, limited), streamed(begun+failed, wire.EndComplete)}
	f.Fuzz(func(t *testing.T, status int, after, should, afterMS, body string, stream bool) {
		a := answer(status, body, "retry-after: "+after, "x-should-retry: "+should, "retry-after-ms: "+afterMS)
		if stream {
			a.Header[0].Value = "text/event-stream"
		}
		for _, d := range direct {
			for _, dialect := range dialects.All() {
				for _, c := range Compare(all, See(d, dialect, ""), See(a, dialect, ""), status) {
					if !ours.MatchString(c.Who + c.Text) {
						t.Errorf("%q: %q", c.Who, c.Text)
					}
					if c.Direct.Requests < 1 || c.Through.Requests < 1 || c.Direct.WaitMS < 0 || c.Through.WaitMS < 0 || len(c.Clients) == 0 {
						t.Errorf("%+v", c)
					}
				}
			}
		}
	})
}
