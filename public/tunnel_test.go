//go:build unix

package public

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/gateway"
	"github.com/preservecheck/preservecheck/wire"
)

// asHelper marks a process of this test binary that plays another program.
const asHelper = "PLAY_ANOTHER_PROGRAM=1"

// TestHelper is not a test: it plays the supervisor, the tunnel's program, and a tool that is killed.
func TestHelper(*testing.T) {
	at := slices.Index(os.Args, "--")
	if !slices.Contains(os.Environ(), asHelper) || at < 0 {
		return
	}
	switch args := os.Args[at+1:]; args[0] {
	case "supervise":
		os.Exit(gateway.Supervise(os.Stdin, os.Stdout))
	case "tool":
		t, err := StartTunnel(context.Background(), tunnelOptions(args[1], "fork"))
		fmt.Println("started", err)
		if err == nil {
			time.Sleep(time.Minute)
			_ = t.Close()
		}
		os.Exit(0)
	default:
		fakeTunnel(args[0], args[1], args[2])
		os.Exit(0)
	}
}

func helper(args ...string) []string {
	return append([]string{os.Args[0], "-test.run=^TestHelper$", "--"}, args...)
}

// box is what cloudflared prints, decoys first. Times and wording are ours.
const box = `2026-11-30T10:00:00Z INF Without an account there is no promise of uptime: https://developers.cloudflare.com/cloudflare-one/connections/connect-apps
2026-11-30T10:00:00Z INF the terms (https://www.cloudflare.com/website-terms/) are yours to read
2026-11-30T10:00:00Z ERR Post "https://api.trycloudflare.com/tunnel": once more
2026-11-30T10:00:01Z INF +---------------------------------------------+
2026-11-30T10:00:01Z INF |  https://four-random-little-words.trycloudflare.com  |
2026-11-30T10:00:01Z INF +---------------------------------------------+
`

// fakeTunnel plays a tunnel's program. Each process of it appends its number to a file first.
func fakeTunnel(kind, pids, addr string) {
	if f, err := os.OpenFile(pids, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
		fmt.Fprintln(f, os.Getpid())
		f.Close()
	}
	child := func(kind string) {
		args := helper(kind, pids, addr)
		cmd := exec.Command(args[0], args[1:]...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Start(); err != nil {
			panic(err)
		}
	}
	const mine = "\x1b[32mhttps://mine.tunnel.example/\x1b[0m"
	switch kind {
	case "cloudflared":
		fmt.Fprint(os.Stderr, box)
	case "ngrok":
		fmt.Printf("t=2026-11-30T10:00:00 lvl=info msg=\"client session established\" obj=csess see=https://ngrok.com/docs\n"+
			"t=2026-11-30T10:00:01 lvl=info msg=\"started tunnel\" addr=https://localhost:8787 url=https://ab12.ngrok-free.app upstream=%s\n", addr)
	case "tailscale":
		fmt.Printf("Available on the internet:\n\nhttps://box.tail1234.ts.net/\n|-- proxy http://%s\n\nPress Ctrl+C to exit.\n", addr)
	case "json":
		fmt.Println(`{"level":"info","docs":"https://docs.example/?q=1#x","public_url":"https://mine.tunnel.example"}`)
	case "pieces":
		for _, b := range []byte("at https://mine.tunnel.example\n") {
			os.Stdout.Write([]byte{b})
			time.Sleep(time.Millisecond)
		}
	case "path":
		fmt.Println("https://mine.tunnel.example/some/path?token=x")
	case "flood":
		line := strings.Repeat("noise https://decoy.example/ ", 40)
		for i := range 200_000 { // more than 100 MB
			if fmt.Println(i, line); i == 3000 {
				fmt.Println(mine)
			}
		}
	case "many":
		for i := range 1000 {
			fmt.Printf("https://decoy%d.example/\n", i)
		}
	case "early":
		fmt.Println(mine, "is what it would have been")
		os.Exit(3)
	case "late":
		fmt.Println(mine)
		time.Sleep(500 * time.Millisecond)
		os.Exit(4)
	case "deaf":
		signal.Ignore(syscall.SIGTERM)
		fmt.Println(mine)
	case "fork":
		child("deaf")
		fmt.Println(mine)
	case "silent":
		fmt.Println("connecting to http://not.https.example and https://localhost:4040, https://127.0.0.1:1")
	case "echo":
		fmt.Println("https://" + strings.ReplaceAll(addr, ":", "-") + ".tunnel.example")
	}
	time.Sleep(time.Minute)
}

const mine = "https://mine.tunnel.example"

func tunnelOptions(dir, kind string) TunnelOptions {
	return TunnelOptions{
		Gateway: gateway.Options{
			Supervisor: helper("supervise"), Command: helper(kind, filepath.Join(dir, "pids"), "{addr}"), Env: []string{asHelper}, Dir: dir,
			Log: filepath.Join(dir, "log"), LogLimit: 64 << 10, Grace: 300 * time.Millisecond,
		},
		Addr: "127.0.0.1:8787", Within: 20 * time.Second, settle: 60 * time.Millisecond,
		Prove: func(_ context.Context, b wire.Base) error {
			if b.String() != mine {
				return errors.New("somebody else's page")
			}
			return nil
		},
	}
}

// proof proves one URL and keeps which were tried.
type proof struct {
	mu    sync.Mutex
	right string
	after int // tries that fail before
	tried []string
}

func (p *proof) prove(_ context.Context, b wire.Base) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tried = append(p.tried, b.String())
	if b.String() != p.right || len(p.tried) <= p.after {
		return errors.New("somebody else's page")
	}
	return nil
}

// gone reports whether all processes of a fake tunnel have ended.
func gone(t *testing.T, dir string, atLeast int) bool {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "pids"))
	if err != nil {
		return atLeast == 0
	}
	pids := strings.Fields(string(b))
	return len(pids) >= atLeast && !slices.ContainsFunc(pids, func(s string) bool {
		pid, _ := strconv.Atoi(s)
		stat, err := os.ReadFile("/proc/" + s + "/stat")
		if err == nil {
			return !strings.HasPrefix(string(stat[strings.LastIndexByte(string(stat), ')')+1:]), " Z")
		}
		_, here := os.Stat("/proc/self")
		return here != nil && syscall.Kill(pid, 0) == nil
	})
}

// TestTunnelURL: whatever else a program prints, the URL that leads to the stub is found, and where it is of a known kind nobody
// else is asked.
func TestTunnelURL(t *testing.T) {
	for _, c := range []struct {
		kind, why, right string
		url              string
		after            int
		only             bool // nobody else was asked
	}{
		{"cloudflared", "decoys before the box", "https://four-random-little-words.trycloudflare.com", "", 0, true},
		{"ngrok", "among the fields of a log, beside the local address", "https://ab12.ngrok-free.app", "", 0, true},
		{"tailscale", "with a slash, beside the proxy's own address", "https://box.tail1234.ts.net", "", 0, true},
		{"json", "inside JSON, of no known kind", mine, "", 0, false},
		{"pieces", "byte for byte", mine, "", 0, true},
		{"path", "with a path, which belongs to it, and a query, which does not", mine + "/some/path", "", 0, true},
		{"flood", "in the midst of megabytes that never end", mine, "", 0, false},
		{"deaf", "in colours", mine, "", 3, true},
		{"cloudflared", "another by the user's pattern", "https://www.cloudflare.com/website-terms", "https://www.cloudflare.com/*", 0, true},
		{"silent", "not printed at all, but given", mine, mine, 1, true},
		{"echo", "which address it was given", "https://127.0.0.1-8787.tunnel.example", "", 0, true},
	} {
		t.Run(c.kind+": "+c.why, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			p := &proof{right: c.right, after: c.after}
			o := tunnelOptions(dir, c.kind)
			o.Prove, o.URL = p.prove, c.url
			tunnel, err := StartTunnel(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if tunnel.Base().String() != c.right || tunnel.Gone() != "" || tunnel.PID() == 0 {
				t.Errorf("%s, gone %q", tunnel.Base(), tunnel.Gone())
			}
			if others := slices.ContainsFunc(p.tried, func(u string) bool { return u != c.right }); others == c.only {
				t.Errorf("tried %q", p.tried)
			}
			if err := tunnel.Close(); err != nil {
				t.Error(err)
			}
			if !gone(t, dir, 1) {
				t.Error("processes are left")
			}
		})
	}
}

// TestNoTunnel: what does not become a tunnel is ended and says why.
func TestNoTunnel(t *testing.T) {
	for _, c := range []struct {
		kind, why, says string
		change          func(*TunnelOptions)
	}{
		{"early", "it ends before", "the tunnel's program ended before there was a tunnel: exit status 3", nil},
		{"silent", "no URL that others could use", "the tunnel's program printed no https URL within 400ms", nil},
		{"cloudflared", "none like the user's", "the tunnel's program printed no URL like https://*.mine.example within 400ms", func(o *TunnelOptions) { o.URL = "https://*.mine.example" }},
		{"ngrok", "the right one never leads to the stub", "no URL that the tunnel's program printed led to the stub within 4s: https://ab12.ngrok-free.app: somebody else's page", nil},
		{"many", "a thousand, none of them right", "; https://decoy4.example: somebody else's page", func(o *TunnelOptions) { o.Within = 2 * time.Second }},
		{"deaf", "a program that ignores being asked to end", "somebody else's page", func(o *TunnelOptions) { o.Prove = (&proof{}).prove }},
		{"fork", "one that leaves a child in a session of its own", "somebody else's page", func(o *TunnelOptions) { o.Prove = (&proof{}).prove }},
		{"deaf", "no such program", "can't be started", func(o *TunnelOptions) { o.Gateway.Command = []string{"/no/such/tunnel"} }},
		{"deaf", "no command", "there is no command", func(o *TunnelOptions) { o.Gateway.Command = nil }},
		{"deaf", "a placeholder that is none", "has a placeholder that is none", func(o *TunnelOptions) { o.Gateway.Command = []string{"x", "{stub}"} }},
		{"deaf", "no address", "is no address of a stub", func(o *TunnelOptions) { o.Addr = "8787" }},
		{"deaf", "a URL without TLS", "begins with https://", func(o *TunnelOptions) { o.URL = "http://tunnel.example" }},
		{"deaf", "a pattern without a scheme", "begins with https://", func(o *TunnelOptions) { o.URL = "*.tunnel.example" }},
	} {
		t.Run(c.kind+": "+c.why, func(t *testing.T) {
			if c.kind == "fork" && runtime.GOOS != "linux" {
				t.Skip("only Linux can end what left its group")
			}
			t.Parallel()
			dir := t.TempDir()
			o := tunnelOptions(dir, c.kind)
			switch o.Within = 400 * time.Millisecond; {
			case c.kind == "early":
				o.Within = 20 * time.Second
			case strings.Contains(c.says, "somebody else's page"): // it has to be started and tried, on a busy machine as well
				o.Within = 4 * time.Second
			}
			if c.change != nil {
				c.change(&o)
			}
			_, err := StartTunnel(t.Context(), o)
			if err == nil || len(err.Error()) > 1000 || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want %q", err, c.says)
			}
			if !gone(t, dir, 0) {
				t.Error("processes are left")
			}
		})
	}
}

// TestTunnelEndsInTheRun: a tunnel that dies says so, and closing it is no error.
func TestTunnelEndsInTheRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tunnel, err := StartTunnel(t.Context(), tunnelOptions(dir, "late"))
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(20 * time.Second); tunnel.Gone() == "" && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
	if got := tunnel.Gone(); got != "the tunnel ended by itself: exit status 4" {
		t.Errorf("%q", got)
	}
	if err := tunnel.Close(); err != nil || !gone(t, dir, 1) {
		t.Errorf("%v", err)
	}
}

// TestInterruptedTunnel: whoever gives up while a tunnel is waited for leaves nothing behind.
func TestInterruptedTunnel(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	if _, err := StartTunnel(ctx, tunnelOptions(dir, "silent")); !errors.Is(err, context.Canceled) || !gone(t, dir, 0) {
		t.Errorf("%v", err)
	}
}

// TestKilledTool: when the tool is killed, which it can do nothing about, the tunnel ends with it, grandchildren too.
func TestKilledTool(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux can end what left its group")
	}
	t.Parallel()
	dir := t.TempDir()
	args := helper("tool", dir)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = []string{asHelper}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := make([]byte, 100)
	if n, err := out.Read(said); err != nil || !strings.HasPrefix(string(said[:n]), "started <nil>") {
		t.Errorf("%q, %v", said[:n], err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	for end := time.Now().Add(20 * time.Second); !gone(t, dir, 2); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("processes are left")
		}
	}
}

// TestKnownProducts: each pattern says where it is from, and fits no URL that is printed beside.
func TestKnownProducts(t *testing.T) {
	for _, p := range products {
		if p.name == "" || !strings.Contains(p.from, "https://") || !strings.Contains(p.from, "2026-") {
			t.Errorf("%+v", p)
		}
	}
	for _, c := range []struct {
		url  string
		want bool
	}{
		{"https://four-random-little-words.trycloudflare.com", true},
		{"https://api.trycloudflare.com/tunnel", false},
		{"https://api.trycloudflare.com", false},
		{"https://developers.cloudflare.com/cloudflare-one", false},
		{"https://a1.ngrok-free.app", true},
		{"https://ngrok.com/docs", false},
		{"https://box.tail1234.ts.net:8443", true},
		{"https://box.tail1234.ts.net.example.com", false},
		{"https://login.tailscale.com/f/funnel", false},
	} {
		b, err := wire.ParseBase(c.url)
		if err != nil || knownTunnel(b) != c.want {
			t.Errorf("%s: %v, %v", c.url, !c.want, err)
		}
	}
}
