//go:build real && linux

package real_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Drivers of SDKs that misbehave: the model says how.
const (
	oddNode = `import { serve } from './lines.mjs';
const self = {}; self.self = self;
serve(async ({ model }) => {
  console.log('noise on standard output');
  if (model === 'nothing') throw null;
  if (model === 'unreadable') throw new Error('unreadable');
  if (model === 'endless') throw Object.assign(new Error('endless'), { type: self, code: 7n });
  if (model === 'later') { setTimeout(() => { throw new Error('outside'); }, 1); Promise.reject(new Error('nobody catches it')); await new Promise((r) => setTimeout(r, 50)); }
  if (model === 'never') await new Promise(() => {});
  return model === 'odd reply' ? undefined : 'two\nlines\u2028and \ud83d\ude00';
}, (e) => { if (e.message === 'unreadable') throw new Error('as I said'); return { exception: e.name, type: e.type, code: e.code, status: '429' }; });
`
	oddPython = `import asyncio
import lines
self = {}
self["self"] = self
async def call(model, prompt, max_retries, stream):
    print("noise on standard output")
    if model == "nothing":
        raise SystemExit
    if model == "unreadable":
        raise ValueError("unreadable")
    if model == "endless":
        raise KeyError("endless")
    if model == "later":
        asyncio.get_running_loop().call_later(0.001, lambda: 1 / 0)
        await asyncio.sleep(0.05)
    return None if model == "odd reply" else "two\nlines\u2028and \U0001f600"
def show(error):
    if "unreadable" in str(error):
        raise ValueError("as I said")
    return {"type": self if isinstance(error, KeyError) else None, "code": 7 if isinstance(error, KeyError) else None, "status": "429"}
lines.serve(call, show)
`
)

// TestOneLineACall holds what drivers share to its promise, with SDKs that do what none should.
func TestOneLineACall(t *testing.T) {
	const text = "ok two\nlines\u2028and \U0001f600"
	same := func(of map[string]string) map[string][]string {
		want := map[string][]string{"": {"error InvalidCall - - - -", "error InvalidCall - - - -", "error InvalidCall - - - -"}, "6": {"error InvalidCall - - - -"},
			"less than none": {"error InvalidCall - - - -"}, "good": {text}, "later": {text}}
		for id, line := range of {
			want[id] = []string{line}
		}
		return want
	}
	for _, c := range []struct {
		name, from, file, driver string
		command                  []string
		want                     map[string][]string
	}{
		{"node", "anthropic-ts", "lines.mjs", oddNode, []string{"node", "driver.mjs"}, same(map[string]string{
			"nothing": "error object - - - -", "unreadable": "error Error - - - -", "endless": "error Error - a object without words a bigint without words -",
			"never": "error NoAnswer - - - -", "odd reply": "ok ",
		})},
		{"python", "anthropic-py", "lines.py", oddPython, []string{"python3", "-B", "driver.py"}, same(map[string]string{
			"nothing": "error SystemExit - - - -", "unreadable": "error ValueError - - - -", "endless": "error KeyError - a dict without words 7 -", "odd reply": "ok ",
		})},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			shared, err := os.ReadFile(filepath.Join("../clients", c.from, c.file))
			if err != nil {
				t.Fatal(err)
			}
			write(t, dir, c.file, string(shared))
			c.command[len(c.command)-1] = write(t, dir, c.command[len(c.command)-1], c.driver)
			var calls []driverCall
			for id := range c.want {
				if id != "" && id != "6" && id != "less than none" {
					calls = append(calls, driverCall{Row: id, Model: id})
				}
			}
			lines, stderr := drive(t, c.command, "http://127.0.0.1:9", calls)
			if d := cmp.Diff(c.want, shortLines(lines)); d != "" {
				t.Errorf("lines (-want +have)\n%s\n%s", d, stderr)
			}
		})
	}
}
