package public

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestFolders holds who may write where a key is read from.
func TestFolders(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Log("mode bits say nothing here")
		return
	}
	root := filepath.Join(t.TempDir(), "deep", "certificates")
	c, err := openCache(root, LetsEncrypt, "stub.example.org")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.account(); err != nil {
		t.Fatal(err)
	}
	staging, err := openCache(root, LetsEncryptStaging, "stub.example.org")
	if err != nil || staging.dir == c.dir {
		t.Errorf("two directories share a folder: %v", err)
	}
	account := filepath.Join(c.dir, "account.pem")
	for _, k := range []struct {
		why, path string
		mode      os.FileMode
		refused   bool
	}{
		{"the folder as we make it", root, 0o700, false},
		{"others may look", root, 0o755, false},
		{"a group may write", root, 0o770, true},
		{"all may write, as in /tmp", root, os.ModeSticky | 0o777, true},
		{"a folder below that a group may write", c.dir, 0o720, true},
		{"an account key that a group may write", account, 0o620, true},
		{"as it was", account, 0o600, false},
	} {
		before, _ := os.Stat(k.path)
		if err := os.Chmod(k.path, k.mode); err != nil {
			t.Fatal(err)
		}
		c, err := openCache(root, LetsEncrypt, "stub.example.org")
		if err == nil {
			_, err = c.account()
		}
		if (err != nil) != k.refused || err != nil && (!strings.Contains(err.Error(), "written by others") || !strings.Contains(err.Error(), k.path)) {
			t.Errorf("%s: %v", k.why, err)
		}
		_ = os.Chmod(k.path, before.Mode())
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(c.dir, 12345, -1); err != nil {
			t.Fatal(err)
		}
		if _, err := openCache(root, LetsEncrypt, "stub.example.org"); err == nil || !strings.Contains(err.Error(), "another user, who owns it,") {
			t.Errorf("a folder of somebody else: %v", err)
		}
		_ = os.Chown(c.dir, 0, -1)
	}
	put(t, account, []byte("nonsense"), 0o600)
	if _, err := c.account(); err == nil || !strings.Contains(err.Error(), account) {
		t.Errorf("an account key that is none: %v", err)
	}
}

// TestKept takes out of the cache only what would do, and leaves nothing behind where it can't write.
func TestKept(t *testing.T) {
	c, err := openCache(t.TempDir(), LetsEncrypt, "a.example.org")
	if err != nil {
		t.Fatal(err)
	}
	cert, key := pair(t, "a.example.org", -day, day)
	other, _ := pair(t, "a.example.org", -day, day)
	for _, k := range []struct {
		why  string
		file []byte // nil: there is none
		mode os.FileMode
		ok   bool
		want string // of an error
	}{
		{"none yet", nil, 0, false, ""},
		{"a key and its certificate", append(append([]byte{}, key...), cert...), 0o600, true, ""},
		{"half a file", key, 0o600, false, ""},
		{"of two orders", append(append([]byte{}, key...), other...), 0o600, false, ""},
		{"others could have put it there", append(append([]byte{}, key...), cert...), 0o666, false, "written by others"},
	} {
		if k.file != nil {
			put(t, c.path(".pem"), k.file, k.mode)
		}
		got, err := c.certificate("a.example.org")
		if runtime.GOOS == "windows" && k.want != "" {
			continue
		}
		if (got != nil) != k.ok || (err != nil) != (k.want != "") || err != nil && !strings.Contains(err.Error(), k.want) {
			t.Errorf("%s: %v %v", k.why, got, err)
		}
	}
	put(t, c.path(".pem"), append(append([]byte{}, key...), cert...), 0o600)
	if got, err := c.certificate("b.example.org"); got != nil || err != nil {
		t.Errorf("of another name: %v %v", got, err)
	}
	if err := os.MkdirAll(filepath.Join(c.dir, "folder", "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := c.write(filepath.Join(c.dir, "folder"), []byte("x")); err == nil {
		t.Error("a folder was replaced")
	}
	if left, _ := filepath.Glob(filepath.Join(c.dir, ".new-*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// TestMark keeps a failure as long as it says, and takes no mark that it can't read.
func TestMark(t *testing.T) {
	c, err := openCache(t.TempDir(), LetsEncrypt, "stub.example.org")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	if c.failed(now) != nil {
		t.Error("a failure before any order")
	}
	if err := c.markFailed(mark{Until: now.Add(time.Minute), Problem: "why"}); err != nil {
		t.Fatal(err)
	}
	if m := c.failed(now.Add(59 * time.Second)); m == nil || m.Problem != "why" {
		t.Errorf("forgotten too early: %v", m)
	}
	if c.failed(now.Add(time.Minute)) != nil {
		t.Error("kept for longer than it says")
	}
	put(t, c.path(".failed.json"), []byte("{"), 0o600)
	if c.failed(now) != nil {
		t.Error("half a mark is one")
	}
}
