package recipes

import (
	"strings"
	"testing"
)

// TestFoldersWithSpaces: TMPDIR may lead to one, and a configuration would read it as two words.
func TestFoldersWithSpaces(t *testing.T) {
	const dir = "/some where"
	for _, name := range Names() {
		r, err := Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Variants {
			at := Place{Stub: "127.0.0.1:1", Dir: dir, Install: "/install", Port: "2", Ports: map[string]string{}}
			for _, p := range r.Ports {
				at.Ports[p] = "3"
			}
			in, err := r.In(&r.Variants[i], at)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range in.Files {
				for _, line := range strings.Split(f.Text, "\n") {
					if strings.Contains(strings.ReplaceAll(line, `"`+dir, ""), dir) {
						t.Errorf("%s/%s: %s has a folder that is not in quotes: %s", name, r.Variants[i].Name, f.Path, line)
					}
				}
			}
		}
	}
}
