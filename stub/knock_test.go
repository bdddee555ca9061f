package stub

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// A word shows that a URL leads here, and whoever sends it gets what every stranger gets.
func TestKnock(t *testing.T) {
	s := start(t, func(o *Options) { o.Secret = strings.Repeat("0123456789abcdef", 2) })
	word, came, over := s.Server.Knock()
	ask := func(path string) string {
		answer, err := http.Get("http://" + s.addr + path)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, _ := io.ReadAll(answer.Body)
		return answer.Status + string(body)
	}
	other := ask("/" + strings.Repeat("0", len(word)))
	if came() {
		t.Error("another word counts")
	}
	if got := ask("/below/" + word + "?x=1"); got != other || !came() {
		t.Errorf("%q (another word: %q), came %v", got, other, came())
	}
	over()
	ask("/" + word)
	if came() || len(s.Server.knocks) != 0 {
		t.Error("it is waited for after it is over")
	}
}
