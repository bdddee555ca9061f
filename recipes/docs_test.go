package recipes

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

// TestDocs loads the recipe that docs/recipes.md teaches by.
func TestDocs(t *testing.T) {
	b, err := os.ReadFile("../docs/recipes.md")
	if err != nil {
		t.Fatal(err)
	}
	part := func(open string) string {
		_, after, found := strings.Cut(string(b), "\n"+open+"\n")
		text, _, ended := strings.Cut(after, "\n```\n")
		if !found || !ended {
			t.Fatalf("no %s", open)
		}
		return text + "\n"
	}
	r, err := Load("mine", fstest.MapFS{File: {Data: []byte(part("```yaml"))}, "gateway.conf": {Data: []byte(part("```text"))}})
	if err != nil {
		t.Fatal(err)
	}
	v, _ := r.ByName("normalised")
	got, err := r.In(v, Place{Stub: "127.0.0.1:1", Dir: "/d", Port: "2"})
	if err != nil || !strings.Contains(got.Files[0].Text, "errors normalise") {
		t.Errorf("%v, %v", got, err)
	}
}
