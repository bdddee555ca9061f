package stub

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/preservecheck/preservecheck/ledger"
)

func TestParallelHitsDoNotMix(t *testing.T) {
	s := start(t, nil)
	names := []string{"tier_cap", "invalid", "steps", "ok", "gzip_429"}
	var wg sync.WaitGroup
	for w := range 32 {
		nc := s.dial()
		wg.Go(func() {
			br := bufio.NewReader(nc)
			for i := range 25 {
				name, nonce := names[(w+i)%len(names)], ledger.NewNonce()
				s.ledger.Issue(ledger.Tag{Run: testRun, Fixture: name, Nonce: nonce})
				_, _ = io.WriteString(nc, post(fmt.Sprintf("/w%d/v1/messages", w), name, nonce, fmt.Sprintf("X-%d: y\r\n", i%3)))
				res, err := http.ReadResponse(br, nil)
				if err != nil {
					t.Error(err)
					return
				}
				body, err := io.ReadAll(res.Body)
				hits := s.ledger.Of(nonce)
				if err != nil || len(hits) != 1 {
					t.Errorf("%v, %d hits", err, len(hits))
					return
				}
				h := hits[0]
				if !strings.Contains(string(body)+res.Header.Get("Request-Id"), h.ID) || h.Tag.Fixture != name || h.Path != fmt.Sprintf("/w%d/v1/messages", w) || h.Header[2] != fmt.Sprintf("X-%d", i%3) {
					t.Errorf("an answer that is not its own: %s %+v", body, h)
				}
			}
		})
	}
	wg.Wait()
	if s.ledger.Len() != 32*25 || len(s.ledger.Unexplained()) != 0 {
		t.Errorf("%d hits, %d unexplained", s.ledger.Len(), len(s.ledger.Unexplained()))
	}
	eventually(t, "idle", s.Idle)
}
