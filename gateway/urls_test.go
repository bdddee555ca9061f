package gateway

import (
	"slices"
	"strings"
	"testing"
)

// found gives the URLs in a text that comes in pieces of a size.
func found(text string, size int) (all []string) {
	f := &finder{tell: func(url string) { all = append(all, url) }, seen: map[string]bool{}}
	for len(text) > 0 {
		n := min(size, len(text))
		piece := []byte(text[:n])
		_, _ = f.Write(piece)
		clear(piece) // the caller uses it again
		text = text[n:]
	}
	f.finish()
	return all
}

func TestFinder(t *testing.T) {
	for _, c := range []struct {
		why, text string
		want      []string
	}{
		{"alone on a line", "https://a.example\n", []string{"https://a.example"}},
		{"at the very end", "at https://a.example", []string{"https://a.example"}},
		{"in a box", "|  https://a.example  |\n", []string{"https://a.example"}},
		{"in colours", "\x1b[1mhttps://a.example/\x1b[0m\n", []string{"https://a.example/"}},
		{"in JSON", `{"url":"https://a.example:8443/x"}`, []string{"https://a.example:8443/x"}},
		{"a field of a log", "addr=http://localhost:80 url=https://a.example\n", []string{"https://a.example"}},
		{"at the end of a sentence, in brackets", "(see https://a.example/b).\n", []string{"https://a.example/b"}},
		{"each once", "https://a.example https://b.example https://a.example\n", []string{"https://a.example", "https://b.example"}},
		{"IPv6", "https://[2001:db8::1]:443/\n", []string{"https://[2001:db8::1]:443/"}},
		{"other schemes", "http://a.example ftp://b.example\n", nil},
		{"no host", "https:// and https://\n", nil},
		{"too long to be one", "https://" + strings.Repeat("x", maxURL) + " https://a.example\n", []string{"https://a.example"}},
		{"beside letters that are no ASCII", "„https://a.example“\n", []string{"https://a.example"}},
	} {
		for _, size := range []int{1, 3, 7, 1 << 20} {
			if got := found(c.text, size); !slices.Equal(got, c.want) {
				t.Errorf("%s, in pieces of %d: %q, want %q", c.why, size, got, c.want)
			}
		}
	}
}

func FuzzFinder(f *testing.F) {
	f.Add("at https://a.example, https://b.example/x?y#z\n", 5)
	f.Add("https://https://a\x1b[0m", 1)
	f.Add("https://"+strings.Repeat("x", maxURL+1), 1000)
	f.Fuzz(func(t *testing.T, text string, size int) {
		size = max(1, size%5000)
		got, whole := found(text, size), found(text, len(text)+1)
		if !slices.Equal(got, whole) {
			t.Errorf("in pieces of %d: %q, at once %q", size, got, whole)
		}
		if len(got) > maxURLs {
			t.Errorf("%d URLs", len(got))
		}
		for _, url := range got {
			if !strings.HasPrefix(url, "https://") || !strings.Contains(text, url) || len(url) > maxURL {
				t.Errorf("%q", url)
			}
		}
	})
}
