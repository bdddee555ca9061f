package main

import (
	"fmt"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

// TestNoSecretOfATargetIsWritten plants secrets in a target's file in front of a layer that says back all it got.
func TestNoSecretOfATargetIsWritten(t *testing.T) {
	planted := map[string]string{"TOKEN": `tok/"en+<value>&1`, "literal": "sk-literal-0123456789", "password": "pass word/12%", "user": "someuser99"}
	stub := findPort()
	layer := httptest.NewServer(echo("http://"+stub, planted))
	defer layer.Close()
	dir := t.TempDir()
	file := dir + "/target.yaml"
	text := fmt.Sprintf(`format: preservecheck.target/1
name: echo
routes:
  - name: a
    url: http://%s/
    headers: [{x-auth: 'Bearer ${TOKEN}'}]
  - name: b
    url: %s
    headers: [{x-api-key: %s}]
`, "someuser99:pass%20word%2f12%25@"+strings.TrimPrefix(layer.URL, "http://"), layer.URL, planted["literal"])
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r := program(t, []string{"TOKEN=" + planted["TOKEN"]}, "check", "--target", file, "--allow-env", "TOKEN", "--stub-listen", stub, "-v", "--stream", "off",
		"--settle", "200ms", "--fixture", "article/*", "-o", "json="+dir+"/r.json")
	if r.code != exitFail {
		t.Errorf("exit %d, want %d; stderr %s", r.code, exitFail, r.errors)
	}
	record, err := os.ReadFile(dir + "/r.json")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(record), "[secret ") || !strings.Contains(string(record), `"route": "b"`) {
		t.Fatal("the echo did not reach the record")
	}
	for where, text := range map[string]string{"stdout": r.out, "stderr": r.errors, "record": string(record)} {
		for name, value := range planted {
			for _, form := range echoed(value) {
				if i := strings.Index(text, form); i >= 0 {
					t.Errorf("%s holds the secret %s: …%.60s", where, name, text[max(0, i-20):])
				}
			}
		}
	}
}
