package clients

import (
	"bytes"
	"testing"
)

func TestTooOld(t *testing.T) {
	for _, c := range []struct {
		why     string
		manager Manager
		said    string
		old     bool
	}{
		{"as new as needed", Npm, "v20.20.2\n", false},
		{"a major version less", Npm, "v18.99.1\n", true},
		{"newer", Npm, "v101.0.0", false},
		{"words around it", Pip, "Python 3.10.1\n", false},
		{"9 is less than 10", Pip, "Python 3.9.18", true},
		{"before 3", Pip, "Python 2.11.1", true},
		{"of Go", Go, "go1.26.1", false},
		{"a minor version less", Go, "go1.25", true},
		{"in development", Go, "devel go1.27-abc", false},
		{"no version: the manager may know", Go, "gollum", false},
		{"nothing", Npm, "", false},
	} {
		if version, old := tools[c.manager][0].TooOld(c.said); old != c.old {
			t.Errorf("%s: %q has the version %q, too old: %t", c.why, c.said, version, old)
		}
	}
}

// TestGoIsThatOfTheModules: what is said to be needed is what the drivers' go.mod asks for.
func TestGoIsThatOfTheModules(t *testing.T) {
	for _, name := range names {
		c, err := Builtin(name)
		if err != nil {
			t.Fatal(err)
		}
		if c.Manager != Go {
			continue
		}
		mod := c.file("go.mod")
		at := bytes.Index(mod, []byte("\ngo "))
		if version, _ := c.Tools()[0].TooOld(string(mod[at:])); version != "1.26" {
			t.Errorf("%s needs Go %s", name, version)
		}
	}
}
