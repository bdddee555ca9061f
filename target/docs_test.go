package target

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// TestDocs loads the examples of docs/targets.md and looks for every key that the reader knows.
func TestDocs(t *testing.T) {
	b, err := os.ReadFile("../docs/targets.md")
	if err != nil {
		t.Fatal(err)
	}
	page, n := string(b), 0
	for rest := page; ; n++ {
		_, after, found := strings.Cut(rest, "\n```yaml\n")
		if !found {
			break
		}
		example, after, _ := strings.Cut(after, "\n```\n")
		if _, err := Load("docs/targets.md", []byte(example)); err != nil {
			t.Error(err)
		}
		rest = after
	}
	if n < 2 {
		t.Errorf("%d examples", n)
	}
	for _, raw := range []any{rawFile{}, rawRoute{}} {
		for f := range reflect.TypeOf(raw).Fields() {
			if key := "`" + strings.ToLower(f.Name) + "`"; !strings.Contains(page, key) {
				t.Errorf("the page does not say %s", key)
			}
		}
	}
}
