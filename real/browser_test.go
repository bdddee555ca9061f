//go:build real && linux

package real_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// browseWithin bounds all that one browser does.
const browseWithin = 2 * time.Minute

// browser is a headless Chromium with one page, driven through the two pipes of its DevTools protocol.
// Source: chromedevtools.github.io/devtools-protocol, read 2026-11-30: messages are JSON that end in a NUL; the browser
// reads them from descriptor 3 and writes to 4.
type browser struct {
	t       *testing.T
	in      io.Writer
	out     *bufio.Reader
	session string
	last    int
	width   int     // of the screen
	events  []event // since the page was opened
}

type event struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// browse starts a browser, which ends with the test. Chromium has to be installed.
func browse(t *testing.T) *browser {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatalf("install chromium: %v", err)
	}
	hears, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, says, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), browseWithin)
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--remote-debugging-pipe", "--user-data-dir="+t.TempDir())
	cmd.ExtraFiles, cmd.Stderr = []*os.File{hears, says}, &stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = hears.Close(), says.Close()
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait()
		_, _ = in.Close(), out.Close()
		if t.Failed() {
			t.Logf("chromium wrote: %.2000s", stderr.String())
		}
	})
	b := &browser{t: t, in: in, out: bufio.NewReader(out)}
	var target struct{ TargetID string }
	b.do("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var session struct{ SessionID string }
	b.do("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &session)
	b.session = session.SessionID
	for _, domain := range []string{"Page", "Network", "Log", "Runtime"} {
		b.do(domain+".enable", nil, nil)
	}
	return b
}

// do sends one command and waits for its result. Events that come before it are kept.
func (b *browser) do(method string, params, result any) {
	b.t.Helper()
	b.last++
	m := map[string]any{"id": b.last, "method": method}
	if params != nil {
		m["params"] = params
	}
	if b.session != "" {
		m["sessionId"] = b.session
	}
	raw, err := json.Marshal(m)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.in.Write(append(raw, 0)); err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
	for {
		var reply struct {
			event
			ID     int
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		b.read(&reply)
		switch {
		case reply.ID != b.last:
			b.events = append(b.events, reply.event)
		case reply.Error != nil:
			b.t.Fatalf("%s: %s", method, reply.Error.Message)
		default:
			if result != nil {
				if err := json.Unmarshal(reply.Result, result); err != nil {
					b.t.Fatal(err)
				}
			}
			return
		}
	}
}

func (b *browser) read(into any) {
	b.t.Helper()
	raw, err := b.out.ReadBytes(0)
	if err != nil {
		b.t.Fatalf("the browser said nothing more: %v", err)
	}
	if err := json.Unmarshal(raw[:len(raw)-1], into); err != nil {
		b.t.Fatal(err)
	}
}

// open loads a page and waits until it is there.
func (b *browser) open(url string) {
	b.t.Helper()
	b.events = nil
	b.do("Page.navigate", map[string]any{"url": url}, nil)
	for {
		for _, e := range b.events {
			if e.Method == "Page.loadEventFired" {
				return
			}
		}
		var e event
		b.read(&e)
		b.events = append(b.events, e)
	}
}

// screen is a size and a scheme of colours: "light", "dark".
func (b *browser) screen(width, height int, scheme string) {
	b.t.Helper()
	b.width = width
	b.do("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}, nil)
	b.do("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{
		{"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": "reduce"},
	}}, nil)
}

// eval runs an expression in the page. Our page forbids scripts; this one is the test's, from outside.
func (b *browser) eval(expression string, into any) {
	b.t.Helper()
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	b.do("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}, &r)
	if e := r.ExceptionDetails; e != nil {
		b.t.Fatalf("%s: %s %s", expression, e.Text, e.Exception.Description)
	}
	if into != nil {
		if err := json.Unmarshal(r.Result.Value, into); err != nil {
			b.t.Fatalf("%s: %v in %s", expression, err, r.Result.Value)
		}
	}
}

// press sends one key.
func (b *browser) press(key string, code int) {
	b.t.Helper()
	for _, kind := range []string{"keyDown", "keyUp"} {
		b.do("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code}, nil)
	}
}

// complaints are errors of the console and violations of the page's policy, and every request but the page's own.
func (b *browser) complaints() (all []string) {
	b.t.Helper()
	b.eval("1", nil) // what came until now
	requests := 0
	for _, e := range b.events {
		switch e.Method {
		case "Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled":
			all = append(all, fmt.Sprintf("%s: %s", e.Method, e.Params))
		case "Network.requestWillBeSent":
			if requests++; requests > 1 {
				all = append(all, fmt.Sprintf("a request: %.400s", e.Params))
			}
		}
	}
	if requests == 0 {
		all = append(all, "the page itself was not seen being asked for: nothing was watched")
	}
	return all
}

// picture writes the page as PNG, down to 6000 pixels, on a screen that is as high: what is not on the screen is not drawn.
func (b *browser) picture(file string, width int, scheme string) {
	b.t.Helper()
	for range 3 { // what is drawn for the first time gets its own height
		var height int
		b.eval("Math.min(6000, document.documentElement.scrollHeight)", &height)
		b.screen(width, height, scheme)
	}
	var r struct{ Data string }
	b.do("Page.captureScreenshot", map[string]any{"format": "png"}, &r)
	raw, err := base64.StdEncoding.DecodeString(r.Data)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		b.t.Fatal(err)
	}
}

// print gives the page as PDF.
func (b *browser) print() []byte {
	b.t.Helper()
	var r struct{ Data string }
	b.do("Page.printToPDF", nil, &r)
	raw, err := base64.StdEncoding.DecodeString(r.Data)
	if err != nil {
		b.t.Fatal(err)
	}
	return raw
}
