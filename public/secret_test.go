package public

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestSecretFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	first, made, err := ReadSecret(file)
	if err != nil || !made {
		t.Fatalf("made %v, %v", made, err)
	}
	if len(first.Path()) < 64 || len(first.Token()) < 64 || first.Path() == first.Token() {
		t.Error("a secret and a token of 256 bits each, not alike")
	}
	again, made, err := ReadSecret(file)
	if err != nil || made || again != first {
		t.Errorf("the next run has another secret: made %v, %v", made, err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if err := os.Chmod(file, 0o640); err != nil {
		t.Fatal(err)
	}
	if s, _, err := ReadSecret(file); err != nil || !s.Open {
		t.Errorf("a file that a group may read is not said to be open: %v", err)
	}
}

func TestSecretFilesThatAreRefused(t *testing.T) {
	good, other := random(), random()
	for _, c := range []struct{ why, text, want string }{
		{"nothing in it", "\n", "holds 0 words"},
		{"three", good + "\n" + other + "\n" + good, "holds 3 words"},
		{"short", good[:31], "has 31 characters"},
		{"long", good + good + "0", "may have 128"},
		{"typed by hand", strings.Repeat("abc", 20), "too few different"},
		{"would be two segments", good[:40] + "/" + good[:20], "holds a character"},
		{"would be escaped", good[:40] + "%2e" + good[:20], "holds a character"},
		{"not ASCII", good[:40] + "ü", "holds a character"},
		{"a weak token", good + "\n1234", "the token has 4"},
		{"the token is the secret", good + "\n" + good, "the token is the secret"},
	} {
		file := filepath.Join(t.TempDir(), "secret")
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, made, err := ReadSecret(file)
		if err == nil || made || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.why, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), good[:16]) {
			t.Errorf("%s: the message shows the value", c.why)
		}
	}
	if _, _, err := ReadSecret(filepath.Join(t.TempDir(), "no", "secret")); err == nil {
		t.Error("a folder that is not there")
	}
}

func TestSecretIsNotPrinted(t *testing.T) {
	s := NewSecret()
	for _, text := range []string{fmt.Sprint(s), fmt.Sprintf("%v %+v %#v", s, s, s)} {
		if strings.Contains(text, s.Path()) || strings.Contains(text, s.Token()) {
			t.Errorf("printed: %s", text)
		}
	}
	if s, err := SecretOf(s.Path(), ""); err != nil || s.Token() != "" {
		t.Errorf("a secret without a token: %v", err)
	}
}

// TestSecretOfSomebodyElse: whoever can write the file knows the secret, or will.
func TestSecretOfSomebodyElse(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes say nothing there")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "s")
	if _, _, err := ReadSecret(file); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ReadSecret(link); err != nil {
		t.Errorf("a link to one's own file: %v", err)
	}
	for _, mode := range []os.FileMode{0o620, 0o602, 0o666} {
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{file, link} {
			if _, _, err := ReadSecret(name); err == nil || !strings.Contains(err.Error(), "can write it") {
				t.Errorf("%o: %v", mode, err)
			}
		}
	}
	for _, name := range []string{dir, os.DevNull} {
		if _, _, err := ReadSecret(name); err == nil {
			t.Errorf("%s is no file", name)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "big"), make([]byte, maxSecretFile+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ReadSecret(filepath.Join(dir, "big")); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("a big one: %v", err)
	}
	dangling := filepath.Join(dir, "dangling")
	if err := os.Symlink(filepath.Join(dir, "elsewhere"), dangling); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ReadSecret(dangling); err == nil {
		t.Error("a secret was written where somebody's link leads")
	}
}
