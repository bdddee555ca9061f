//go:build real && linux

package real_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/preservecheck/preservecheck/clients"
)

// clientDir is the variable that names the folder with installed clients; without it, it is where they are installed by default.
const clientDir = "PRESERVECHECK_CLIENT_DIR"

// driverWithin bounds one driver: it starts, is asked ten times and waits once.
const driverWithin = time.Minute

// told is a driver's line, in Go's words: a pointer is nil for null.
type told struct {
	ID         string    `json:"id"`
	Outcome    string    `json:"outcome"`
	Exception  *string   `json:"exception"`
	Status     *int      `json:"status"`
	Type       *string   `json:"type"`
	Code       *string   `json:"code"`
	Message    *string   `json:"message"`
	RetryAfter *string   `json:"retry_after"`
	Requests   *int      `json:"requests"`
	WaitsMS    []float64 `json:"waits_ms"`
	Text       *string   `json:"text"`
}

// short is what a line says, and a mark where its message is not the provider's: a worker may have to read that.
func (d told) short() string {
	if d.Outcome == "ok" {
		return "ok " + or(d.Text)
	}
	line := strings.Join([]string{d.Outcome, or(d.Exception), or(d.Status), or(d.Type), or(d.Code), or(d.RetryAfter)}, " ")
	if m := or(d.Message); d.Exception != nil && d.Requests != nil && *d.Requests > 0 && !strings.HasPrefix(m, "fixture: ") && !strings.HasPrefix(m, "You have ") {
		line += " with another message: " + m
	}
	return line
}

func or[T any](v *T) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprint(*v)
}

// driverCall is a call and the row of which it gets an answer. A row has one call only, so that the stub's lines tell calls apart.
type driverCall struct {
	Row     string `json:"id"`
	Model   string `json:"model"`
	Prompt  string `json:"prompt"`
	Retries int    `json:"max_retries"`
	Stream  bool   `json:"stream"`
}

// driverCalls are a success, the same as a stream, an error, an error that is retried once and one inside a stream.
var driverCalls = map[string][]driverCall{
	"anthropic":   {{Row: "ok"}, {Row: "ok_stream", Stream: true}, {Row: "tier_cap"}, {Row: "rate_limit", Retries: 1}, {Row: "stream_cap_mid", Retries: 1, Stream: true}},
	"openai-chat": {{Row: "ok_chat"}, {Row: "ok_chat_stream", Stream: true}, {Row: "oai_credit_429"}, {Row: "oai_500", Retries: 1}, {Row: "oai_chunk_credit", Retries: 1, Stream: true}},
}

// notCalls are lines that are none, and the id of the line that says so.
var notCalls = []struct{ id, line string }{
	{"", "no JSON"}, {"", "[]"}, {"", "\xff"}, {"6", `{"id":6,"model":"m","prompt":"p","max_retries":0}`},
	{"less than none", `{"id":"less than none","model":"m","prompt":"p","max_retries":-1}`},
}

// driverShows is what the three errors come to in each SDK, as measured on 2026-11-30 with the versions that client.yaml pins.
var driverShows = map[string][3]string{
	"anthropic-ts": {
		"error EnforcedSpendLimitReachedError 429 rate_limit_error enforced_spend_limit_reached -", "error RateLimitError 429 rate_limit_error - 1",
		"error APIError - rate_limit_error enforced_spend_limit_reached -",
	},
	"anthropic-py": {
		"error EnforcedSpendLimitReachedError 429 rate_limit_error enforced_spend_limit_reached -", "error RateLimitError 429 rate_limit_error - 1",
		"error APIStatusError 200 rate_limit_error enforced_spend_limit_reached -",
	},
	"ai-sdk": {
		"error AI_APICallError 429 rate_limit_error enforced_spend_limit_reached -", "error AI_RetryError 429 rate_limit_error - 1",
		"error AI_StreamProviderError 429 - - -",
	},
	"langchain-js": {
		"error RateLimitCapacityError 429 rate_limit_error enforced_spend_limit_reached -", "error RateLimitError 429 rate_limit_error - 1",
		"error APIError - rate_limit_error enforced_spend_limit_reached -",
	},
	"openai-node": {
		"error RateLimitError 429 insufficient_quota credit_balance_exhausted -", "error InternalServerError 500 server_error - -",
		"error APIError - insufficient_quota credit_balance_exhausted -",
	},
	"openai-py": {
		"error RateLimitError 429 insufficient_quota credit_balance_exhausted -", "error InternalServerError 500 server_error - -",
		"error APIError - insufficient_quota credit_balance_exhausted -",
	},
}

// TestDrivers runs each installed client in a network of its own, where there is nothing but the stub, and with an environment
// full of what would send an SDK elsewhere. Whoever looks for another address is counted by the kernel.
func TestDrivers(t *testing.T) {
	dir := os.Getenv(clientDir)
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			t.Fatal(err)
		}
		dir = filepath.Join(cache, "preservecheck", "clients")
	}
	for name, shows := range driverShows {
		t.Run(name, func(t *testing.T) {
			client, err := clients.Builtin(name)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(filepath.Join(dir, name, clients.Stamp)); err != nil {
				t.Fatalf("not installed (preservecheck clients install %s): %v", name, err)
			}
			isolate(t)
			before := strays(t)
			url, hits := startStub(t)
			calls := driverCalls[client.Dialect]
			lines, stderr := drive(t, client.Command(filepath.Join(dir, name)), url, calls)
			if d := cmp.Diff(wantLines(calls, shows), shortLines(lines)); d != "" {
				t.Errorf("lines of the driver (-want +have)\n%s\n%s", d, stderr)
			}
			for _, c := range calls {
				sent := hits(c.Row)
				if l := lines[c.Row]; len(l) == 1 && (or(l[0].Requests) != fmt.Sprint(sent) || len(l[0].WaitsMS) != sent-1) {
					t.Errorf("%s: %d hits at the stub, the driver counted %s requests and %d waits", c.Row, sent, or(l[0].Requests), len(l[0].WaitsMS))
				}
				if sent != 1+c.Retries && !c.Stream || sent < 1 {
					t.Errorf("%s: %d hits with %d retries", c.Row, sent, c.Retries)
				}
			}
			if d := cmp.Diff(before, strays(t)); d != "" {
				t.Errorf("it looked for other addresses than the stub's (-before +after)\n%s", d)
			}
		})
	}
}

func wantLines(calls []driverCall, shows [3]string) map[string][]string {
	want := map[string][]string{calls[0].Row: {"ok ok"}, calls[1].Row: {"ok ok"}}
	for i, show := range shows {
		want[calls[2+i].Row] = []string{show}
	}
	for _, n := range notCalls {
		want[n.id] = append(want[n.id], "error InvalidCall - - - -")
	}
	return want
}

func shortLines(lines map[string][]told) map[string][]string {
	out := map[string][]string{}
	for id, all := range lines {
		for _, l := range all {
			out[id] = append(out[id], l.short())
		}
	}
	return out
}

// isolate moves the rest of the test, and what it starts, into a network with a loopback and nothing else.
func isolate(t *testing.T) {
	t.Helper()
	runtime.LockOSThread() // for good: the thread ends with the test
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		t.Fatalf("a network of its own needs root: %v", err)
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		t.Fatal(err)
	}
	lo.SetUint16(unix.IFF_UP)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo); err != nil {
		t.Fatal(err)
	}
}

// strays are the kernel's counts of packets that had nowhere to go, of datagrams (a lookup of a name) and of refused connections.
func strays(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, file := range []string{"snmp", "snmp6"} {
		b, err := os.ReadFile("/proc/thread-self/net/" + file)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for line := range strings.Lines(string(b)) {
			words := strings.Fields(line)
			switch {
			case file == "snmp6" && words[0] == "Ip6OutNoRoutes":
				out[words[0]] = words[1]
			case file == "snmp6":
			case names == nil || names[0] != words[0]:
				names = words
			default:
				for _, want := range []string{"OutNoRoutes", "OutDatagrams", "AttemptFails"} {
					if i := slices.Index(names, want); i > 0 {
						out[words[0]+want] = words[i]
					}
				}
			}
		}
	}
	if len(out) < 4 {
		t.Fatalf("the kernel counts only %v", out)
	}
	return out
}

// startStub runs `serve` and returns its address and a count of the requests for a row.
func startStub(t *testing.T) (url string, hits func(row string) int) {
	t.Helper()
	cmd := exec.Command(binary, "serve", "--stub-listen", "127.0.0.1:0", "-v")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")} // a variable of ours that it does not know is an error
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		if _, after, ok := strings.Cut(lines.Text(), "stub: "); ok {
			url = after
			break
		}
	}
	if url == "" {
		t.Fatalf("the stub says no address: %v", cmd.Wait())
	}
	seen := make(chan map[string]int, 1)
	go func() {
		got := map[string]int{}
		for lines.Scan() {
			if w := strings.Fields(lines.Text()); len(w) >= 5 && w[1] == "POST" {
				got[w[4]]++
			}
		}
		seen <- got
	}()
	var got map[string]int
	stop := func() {
		if got == nil {
			_ = cmd.Process.Signal(os.Interrupt)
			got = <-seen
			_ = cmd.Wait()
		}
	}
	t.Cleanup(stop)
	return url, func(row string) int { stop(); return got[row] }
}

// lures is an environment of somebody who uses these SDKs: keys, addresses, proxies and tracing of theirs.
var lures = []string{
	"ANTHROPIC_API_KEY=of-the-user", "ANTHROPIC_AUTH_TOKEN=of-the-user", "ANTHROPIC_BASE_URL=http://192.0.2.1", "ANTHROPIC_CUSTOM_HEADERS=x-user: 1", "ANTHROPIC_PROFILE=mine",
	"OPENAI_API_KEY=of-the-user", "OPENAI_BASE_URL=http://192.0.2.1", "OPENAI_ORG_ID=mine", "LANGSMITH_TRACING=true", "LANGSMITH_API_KEY=of-the-user",
	"LANGCHAIN_TRACING_V2=true", "LANGCHAIN_API_KEY=of-the-user", "HTTP_PROXY=http://192.0.2.1:1", "http_proxy=http://192.0.2.1:1", "ALL_PROXY=http://192.0.2.1:1",
}

// drive gives a driver calls and lines that are none, the last without its end, and returns its lines by id.
func drive(t *testing.T, command []string, url string, calls []driverCall) (map[string][]told, string) {
	t.Helper()
	var stdin, stdout, stderr bytes.Buffer
	for _, n := range notCalls {
		stdin.WriteString(n.line + "\n")
	}
	stdin.WriteString("\n")
	for i, c := range calls {
		if c.Prompt = "[[preservecheck fixture=" + c.Row + "]]"; c.Model == "" {
			c.Model = "fixture-model"
		}
		b, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		stdin.Write(b)
		if i < len(calls)-1 {
			stdin.WriteString("\n")
		}
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(slices.Clone(lures), "PATH="+os.Getenv("PATH"), "HOME="+cmd.Dir, "PRESERVECHECK_CLIENT_BASE_URL="+url, "PRESERVECHECK_CLIENT_KEY=none")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &stdin, &stdout, &stderr
	if err := cmd.Start(); err != nil { // not with a context: that would be another thread's network
		t.Fatal(err)
	}
	timer := time.AfterFunc(driverWithin, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	if err := cmd.Wait(); err != nil {
		t.Errorf("%q: %v\n%s", command, err, stderr.String())
	}
	lines := map[string][]told{}
	dec := json.NewDecoder(&stdout)
	dec.DisallowUnknownFields()
	for {
		var l told
		err := dec.Decode(&l)
		if err == io.EOF {
			return lines, stderr.String()
		}
		if err != nil {
			t.Fatalf("what it wrote is not the protocol's: %v", err)
		}
		lines[l.ID] = append(lines[l.ID], l)
	}
}
