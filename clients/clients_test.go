package clients

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the packs of Go drivers and docs/schema/client.schema.json anew")

// folder reads a client's folder as it is in the source.
func folder(t *testing.T, name string) (files []Named) {
	t.Helper()
	entries, err := os.ReadDir(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() {
			t.Fatalf("%s/%s is a folder: install in a copy, or it ends up in the program", name, e.Name())
		}
		b, err := os.ReadFile(filepath.Join(name, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, Named{e.Name(), b})
	}
	return files
}

// TestBuiltin reads every built-in client, and holds what is in the program to the folders.
func TestBuiltin(t *testing.T) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			files := installed(folder(t, name))
			file := name + ".pack"
			if _, err := os.Stat(filepath.Join(name, "go.mod")); err == nil && *update {
				if err := os.WriteFile(file, pack(files), 0o644); err != nil {
					t.Fatal(err)
				}
				t.Skip("written; the program that runs now still has the old one")
			}
			c, err := Builtin(name)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(files, c.Files); d != "" {
				t.Errorf("the program has other files than the folder: go test ./clients -update (-folder +program)\n%s", d)
			}
			if c.Sources == nil {
				t.Error("no source says how it retries")
			}
		})
	}
}

// TestEveryFolderIsListed finds a driver that nobody can use.
func TestEveryFolderIsListed(t *testing.T) {
	found, err := filepath.Glob("*/" + File)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		if name := filepath.Dir(f); !slices.Contains(names, name) {
			t.Errorf("%s is not in the list of clients.go", name)
		}
	}
	if len(found) != len(names) {
		t.Errorf("%d folders and %d names", len(found), len(names))
	}
}

const good = `format: preservecheck.client/1
name: mine
title: A client
homepage: https://example.org/
dialect: openai-chat
language: python
manager: pip
packages:
  thing: 1.2.3
run: [python, "{dir}/driver.py"]
lines: true
default_retries: 2
sources:
  - what: it retries
    url: https://example.org/retry
    date: 2026-11-30
`

func files(yaml string) []Named {
	return []Named{{File, []byte(yaml)}, {"driver.py", nil}, {"README.md", nil}, {"requirements.txt", []byte("thing==1.2.3 --hash=sha256:00\nother==2 --hash=sha256:00\n")}}
}

func TestLoad(t *testing.T) {
	c, err := Load("a/mine", files(good))
	if err != nil {
		t.Fatal(err)
	}
	want := &Client{
		Name: "mine", Title: "A client", Homepage: "https://example.org/", Dialect: "openai-chat", Language: "python", Manager: Pip,
		Packages: []Package{{"thing", "1.2.3"}}, Run: []string{"python", "{dir}/driver.py"}, Lines: true, Retries: 2,
		Sources: []Source{{"it retries", "https://example.org/retry", "2026-11-30"}}, Files: installed(files(good)),
	}
	if d := cmp.Diff(want, c); d != "" {
		t.Error(d)
	}
	if got := c.Command("/x y"); !slices.Equal(got, []string{"python", "/x y/driver.py"}) {
		t.Errorf("command %q", got)
	}
	if got := c.Fetches(); !strings.Contains(got, "thing 1.2.3; 2 packages as requirements.txt pins them") {
		t.Errorf("fetches %q", got)
	}
	if steps := c.Steps("/x"); len(steps) != 2 || steps[1][0] != "/x/venv/bin/python" || !slices.Contains(steps[1], "--require-hashes") {
		t.Errorf("steps %q", steps)
	}
}

func TestLoadRefuses(t *testing.T) {
	for _, c := range []struct{ why, old, new, want string }{
		{"a format of the future", "client/1", "client/2", "is not"},
		{"a name that is not the folder's", "name: mine", "name: yours", "is not that of the folder"},
		{"a key that nobody reads", "lines: true", "line: true", "line"},
		{"a dialect that no driver speaks", "openai-chat", "gemini", "has no choice"},
		{"an installer that is none of the three", "manager: pip", "manager: curl", "has no choice"},
		{"a lock file that is not there", "manager: pip", "manager: npm", "package-lock.json, which is not in the folder"},
		{"a version that was never run", "thing: 1.2.3", "thing: 1.2.4", "does not pin thing 1.2.4"},
		{"no packages", "  thing: 1.2.3\n", "  {}\n", "names none"},
		{"nothing to run", `[python, "{dir}/driver.py"]`, "[]", "run is empty"},
		{"a word for a truth", "lines: true", "lines: perhaps", "neither true nor false"},
		{"a number for retries", "default_retries: 2", "default_retries: many", "no number"},
		{"a source without a date", "    date: 2026-11-30\n", "", "date is missing"},
		{"a date that is none", "2026-11-30", "yesterday", "is no date"},
		{"a link that is none", "url: https://example.org/retry", "url: somewhere", "url is no URL"},
		{"two lines for one", "title: A client", `title: "A\nclient"`, "more than one line"},
	} {
		t.Run(c.why, func(t *testing.T) {
			yaml := strings.Replace(good, c.old, c.new, 1)
			if yaml == good {
				t.Fatal("the case changes nothing")
			}
			_, err := Load("mine", files(yaml))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("want an error with %q, have %v", c.want, err)
			}
		})
	}
}

func TestPack(t *testing.T) {
	in := []Named{{"a b", []byte("1\n2")}, {"empty", nil}, {"c", []byte("\n")}}
	out, err := unpack(pack(in))
	if d := cmp.Diff(in, out, cmp.Transformer("text", func(b []byte) string { return string(b) })); d != "" || err != nil {
		t.Error(d, err)
	}
	for _, bad := range []string{"x", "1 a", "-1 a\n", "9 a\nb", "1a\nb"} {
		if _, err := unpack([]byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

// TestDigest: whatever of the files changes, an installed client is no longer this one.
func TestDigest(t *testing.T) {
	a := &Client{Files: []Named{{"a", []byte("1")}}}
	for _, b := range []*Client{{Files: []Named{{"a", []byte("2")}}}, {Files: []Named{{"b", []byte("1")}}}, {}} {
		if a.Digest() == b.Digest() {
			t.Errorf("%v has the same digest", b.Files)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(good))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := Load("mine", files(string(b)))
		if (c == nil) == (err == nil) {
			t.Fatal(c, err)
		}
	})
}

func FuzzUnpack(f *testing.F) {
	f.Add([]byte("1 a\nb0 c\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _ = unpack(b)
	})
}
