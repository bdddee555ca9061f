//go:build unix

package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"io/fs"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode"

	"github.com/creack/pty"
)

// given are the secrets that the user gives a run, by where. Each is distinct, and no piece of it stands in another.
var given = map[string]string{
	"header":   `hK7/"q+<Zr>&4vT9wX2m`,
	"literal":  "sk-Lt5Qe8Rw3Yu6Io1Pa7Sd",
	"cookie":   "cO2nBv9Mc4Xz7LkJ5hGf",
	"user":     "uS3rNq6Wd9Fb2Hj",
	"password": "pW/8d %Vy5Gt1Rk6Mn",
	"basic":    "bA5icUx7Qm3Zt9Ls4Ew",
	"proxy":    "pX4yTf8Jn2Kd6Hs9Vb",
	"secret":   "f3Kd9sLq2Wm8Zx5Rb7Nc4Vt6Yh1Jp0Ga",
	"token":    "T7uQi4Oe9Pd2Sk6Fl8Gj3Hz5Xb1Cv0Mn",
}

// unused are in the environment of a run that has no business with them.
var unused = map[string]string{
	"ANTHROPIC_API_KEY": "sk-ant-Ev1Rn7Mq3Wx9Zt5Kb2Jd", "AWS_SECRET_ACCESS_KEY": "eNv8Gh2Tr6Ls4Pq9Xw3Ym5Cz", "GITHUB_TOKEN": "ghp_eN6vJk2Bs8Dw4Fq9Rt3Zx7", "PGPASSWORD": "eNvPg5Ht9Kd2Wq7",
}

// sent is what a gateway sends its upstream of its own. told is the part of it that it also tells its clients.
var (
	told = map[string]string{"Authorization": "aU4tWs9Zq2Xc7Vb5Nm", "X-Goog-Api-Key": "gO6oYh3Uj8Ik1Ol5Pm", "Cookie": "gC8kRf4Tv2Gb7Yn3Hu", "?key": "qK5yEd9Cr2Fv6Tg1"}
	sent = map[string]string{
		"User-Agent": "aGnt7Wq3Ex5Rz", "X-Stainless-Retry-Count": "rT9cBn4Mv", "X-Wei~rd.Header": "wH5rZx8Cq2Vn", "Forwarded": "fW7dKj3Hs9", "?trace": "qT4rLp8Mw6",
		"prompt": "pR0mptJs6Dg2Hw9", "member": "mB3rXk7Qz5Tn", "path": "pTh5Rk9Wm2Xq7Zb4Nc8Vd3Fg6Hj1Kl0S",
	}
)

// planted is one hosted story with secrets everywhere.
type planted struct {
	t        *testing.T
	dir      string // all that a run may write into
	upstream string // of the layer, with the secret if there is one
	tells    []map[string]string
	stop     func() // of watched
	program  string // what start starts

	mu      sync.Mutex
	written map[string]string // by place
	shown   bool              // an error was passed on with all of it
}

// plant makes the places of a run. Whatever is written into its folders in the run or is left there is kept.
func plant(t *testing.T) *planted {
	local := map[string]string{}
	for name, value := range given {
		if name != "secret" && name != "token" && name != "proxy" { // which such a run is not given, and its layer neither
			local[name] = value
		}
	}
	p := &planted{t: t, dir: t.TempDir(), tells: []map[string]string{local, told}, written: map[string]string{}, program: self(t)}
	for _, d := range []string{"tmp", "home", "cache", "out"} {
		if err := os.Mkdir(filepath.Join(p.dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func (p *planted) keep(where, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.written[where] += text
}

func (p *planted) of(where string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.written[where]
}

// look keeps all that stands in the folders now.
func (p *planted) look(when string) {
	_ = filepath.WalkDir(p.dir, func(path string, e fs.DirEntry, _ error) error {
		if e == nil || e.IsDir() { // also one that is gone meanwhile
			return nil
		}
		p.keep("names", path+"\n")
		if b, err := os.ReadFile(path); err == nil {
			p.mu.Lock()
			p.written[path+" "+when] = string(b)
			p.mu.Unlock()
		}
		return nil
	})
}

// env is the environment of every process of the story.
func (p *planted) env(more ...string) []string {
	env := []string{
		"PATH=" + os.Getenv("PATH"), "TMPDIR=" + p.dir + "/tmp", "HOME=" + p.dir + "/home", "XDG_CACHE_HOME=" + p.dir + "/cache", "HEADER=" + given["header"],
		"HTTP_PROXY=http://someone:" + given["proxy"] + "@127.0.0.1:9", "HTTPS_PROXY=http://someone:" + given["proxy"] + "@127.0.0.1:9",
	}
	for name, value := range unused {
		env = append(env, name+"="+value)
	}
	return append(env, more...)
}

// start starts the program; what it writes is kept under a name. stop ends it as Ctrl-C does.
func (p *planted) start(name string, env []string, args ...string) (wait func() int, stop func()) {
	p.t.Helper()
	cmd := exec.Command(p.program, args...)
	var out, errs bytes.Buffer
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = env, p.dir+"/out", &out, &errs
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	wait = sync.OnceValue(func() int {
		_ = cmd.Wait()
		p.keep(name+" stdout", out.String())
		p.keep(name+" stderr", errs.String())
		return cmd.ProcessState.ExitCode()
	})
	stop = func() {
		_ = cmd.Process.Signal(syscall.SIGINT)
		wait()
	}
	p.t.Cleanup(stop)
	return wait, stop
}

// asked are the arguments of a check, with a secret in each place that takes one, and a file of each format.
func (p *planted) asked(layer string, more ...string) []string {
	base := "http://" + url.UserPassword(given["user"], given["password"]).String() + "@" + strings.TrimPrefix(layer, "http://")
	basic := base64.StdEncoding.EncodeToString([]byte("me:" + given["basic"]))
	args := append([]string{"--layer", base, "--stream", "off", "--fixture", "tier_cap,headerless_429", "--settle", "100ms", "--ready-timeout", "20s",
		"--header", "x-auth: Bearer $HEADER", "--header", "x-api-key: " + given["literal"], "--header", "cookie: sid=" + given["cookie"], "--header", "proxy-authorization: Basic " + basic}, more...)
	for _, format := range formatNames() {
		args = append(args, "-o", format+"="+p.dir+"/out/r."+format)
	}
	return append([]string{"check", "-v"}, args...)
}

// spoken are the forms in which a layer says a secret.
func spoken(value string) []string {
	swapped := strings.Map(func(r rune) rune {
		if unicode.IsUpper(r) {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, value)
	basic := base64.StdEncoding.EncodeToString([]byte("user:" + value))
	return append(echoed(value), swapped, hex.EncodeToString([]byte(value)), strings.ToUpper(hex.EncodeToString([]byte(value))), basic, eachByte(`\u%04x`, value), eachByte("%%%02x", value))
}

// layer is a gateway that sends its upstream secrets of its own, and puts all it knows of, in every form, into whatever it passes on of an error:
// members of the body, names and values of headers, and the status line.
func (p *planted) layer() *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		answer, err := http.DefaultTransport.RoundTrip(p.request(r, body))
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer answer.Body.Close()
		text, _ := io.ReadAll(answer.Body)
		c, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer c.Close()
		reason, header := "Fine", ""
		if answer.StatusCode >= 400 {
			reason, header, text = p.says(text)
		}
		fmt.Fprintf(c, "HTTP/1.1 %d %s\r\ncontent-type: %s\r\n%sconnection: close\r\ncontent-length: %d\r\n\r\n%s", answer.StatusCode, reason, answer.Header.Get("Content-Type"), header, len(text), text)
	}))
	p.t.Cleanup(s.Close)
	return s
}

// request is what the gateway sends upstream.
func (p *planted) request(r *http.Request, body []byte) *http.Request {
	u := p.upstream + "/" + sent["path"] + r.URL.Path + "?key=" + url.QueryEscape(told["?key"]) + "&trace=" + sent["?trace"]
	body = append([]byte(`{"system":"`+sent["prompt"]+`","metadata":{"user_id":"`+sent["member"]+`"},`), bytes.TrimPrefix(body, []byte("{"))...)
	up, err := http.NewRequest(r.Method, u, bytes.NewReader(body))
	if err != nil {
		p.t.Error(err)
		return r
	}
	up.Close = true
	for _, list := range []map[string]string{told, sent} {
		for name, value := range list {
			if c := name[0]; c >= 'A' && c <= 'Z' {
				up.Header[name] = []string{value}
			}
		}
	}
	up.Header["Authorization"], up.Header["Cookie"] = []string{"Bearer " + told["Authorization"]}, []string{"a=b; session=" + told["Cookie"]}
	return up
}

// says is an error with secrets in it.
func (p *planted) says(text []byte) (reason, header string, body []byte) {
	var all []string
	for _, list := range p.tells {
		for _, value := range list {
			all = append(all, spoken(value)...)
		}
	}
	var h strings.Builder
	for i, form := range all {
		fmt.Fprintf(&h, "x-said-%d: %s\r\n", i, form)
		if isToken(form) {
			fmt.Fprintf(&h, "x-%s: 1\r\n", form)
		}
	}
	fmt.Fprintf(&h, "retry-after: %s\r\nrequest-id: req_%s\r\n", given["literal"], given["header"])
	message, _ := json.Marshal(strings.Join(all, " "))
	said := []byte(`"echo": ` + string(message) + `, "message": "`)
	p.mu.Lock()
	p.shown = p.shown || bytes.Contains(text, []byte(`"message": "`))
	p.mu.Unlock()
	return "No " + strings.Join(all[:6], " "), h.String(), bytes.Replace(text, []byte(`"message": "`), said, 1)
}

// clean demands that none of them was written anywhere, but for files that are there for it.
func (p *planted) clean(but ...string) {
	p.t.Helper()
	if p.stop != nil {
		p.stop()
	}
	p.look("at the end")
	if !p.shown {
		p.t.Error("nothing was said in any error: nothing was tried")
	}
	all := 0
	for where, text := range p.written {
		if exempt(where, but) {
			continue
		}
		all += len(text)
		for _, list := range []map[string]string{given, unused, told, sent} {
			for name, value := range list {
				if piece := held(text, value); piece != "" {
					i := strings.Index(strings.ToLower(text), strings.ToLower(piece))
					p.t.Errorf("%s holds the secret %s as %s: …%.90q", strings.TrimPrefix(where, p.dir), name, piece, text[max(0, i-40):])
				}
			}
		}
	}
	if all < 10_000 {
		p.t.Errorf("only %d bytes were looked through", all)
	}
}

// held is a form of a secret, or a piece of one, that a text holds.
func held(text, value string) string {
	for _, form := range spoken(value) {
		if strings.Contains(text, form) {
			return form
		}
	}
	return shared(undone(text), value)
}

func exempt(where string, but []string) bool {
	for _, file := range but {
		if strings.HasPrefix(where, file+" ") {
			return true
		}
	}
	return false
}

// red demands that a check reached its rows, and that what was said came into its record.
func (p *planted) red(code int) {
	p.t.Helper()
	b, _ := os.ReadFile(p.dir + "/out/r.json")
	if code != exitFail || !bytes.Contains(b, []byte("[secret HEADER]")) || !bytes.Contains(b, []byte("[secret x-api-key]")) {
		p.t.Errorf("exit %d, and what was said is not in the record\n%.1500s", code, p.of("check stderr"))
	}
}

func (p *planted) write(name, text string) string {
	file := filepath.Join(p.dir, name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return file
}

// watched looks into the folders all the time until clean.
func (p *planted) watched() {
	done, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		for {
			select {
			case <-done:
				return
			case <-time.After(100 * time.Millisecond):
				p.look("meanwhile")
			}
		}
	}()
	p.stop = sync.OnceFunc(func() { close(done); <-over })
	p.t.Cleanup(p.stop)
}

// TestCanaryLocal: layer and stub are on this machine.
func TestCanaryLocal(t *testing.T) {
	p := plant(t)
	stub := findPort()
	p.upstream = "http://" + stub
	p.watched()
	wait, _ := p.start("check", p.env(), p.asked(p.layer().URL, "--stub-listen", stub, "--profile", "full")...)
	p.red(wait())
	b, _ := os.ReadFile(p.dir + "/out/r.json")
	if !bytes.Contains(b, []byte("[secret authorization"+atStub+"]")) || !bytes.Contains(b, []byte("credential that it sends its upstream")) {
		t.Error("the record does not say that the layer tells its provider's key")
	}
	p.clean()
}

// TestCanaryOnATerminal: stderr is one, which is shown more than a log; and the layer is asked through a proxy that wants credentials.
func TestCanaryOnATerminal(t *testing.T) {
	p := plant(t)
	stub := findPort()
	p.upstream = "http://" + stub
	p.tells = append(p.tells, map[string]string{"proxy": given["proxy"]})
	proxy, asked := connectProxy(t, strings.TrimPrefix(p.layer().URL, "http://"), "Basic "+base64.StdEncoding.EncodeToString([]byte("someone:"+given["proxy"])))
	env := append(p.env(), "HTTP_PROXY=http://someone:"+given["proxy"]+"@"+proxy)
	p.keep("screen", p.screen(env, p.asked("http://layer.invalid:8080", "--stub-listen", stub, "--proxy", "env")...))
	if len(asked()) == 0 {
		t.Error("nothing went through the proxy")
	}
	p.red(exitFail)
	p.clean()
}

// screen runs the program with all it writes on a terminal.
func (p *planted) screen(env []string, args ...string) string {
	p.t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		p.t.Fatal(err)
	}
	defer master.Close()
	cmd := exec.Command(self(p.t), args...)
	cmd.Env, cmd.Dir = append(env, "TERM=xterm"), p.dir+"/out"
	cmd.Stderr, cmd.Stdout = slave, slave
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	slave.Close()
	var all bytes.Buffer
	_, _ = io.Copy(&all, master) // ends with EIO when the last one has closed the terminal
	_ = cmd.Wait()
	return all.String()
}

// TestCanaryPublic: others reach the stub through TLS that somebody else ends, and a person waits for the gateway.
func TestCanaryPublic(t *testing.T) {
	p := plant(t)
	stub := findPort()
	target, _ := url.Parse("http://" + stub)
	front := httptest.NewTLSServer(httputil.NewSingleHostReverseProxy(target))
	defer front.Close()
	front.Config.ErrorLog = quietLog()
	ca := p.write("ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: front.Certificate().Raw})))
	secret := p.write("stub.secret", given["secret"]+"\n"+given["token"]+"\n")
	p.upstream = "http://" + stub + "/" + given["secret"]
	p.tells = append(p.tells, map[string]string{"secret": given["secret"], "token": given["token"]})
	p.watched()
	wait, _ := p.start("check", p.env(), p.asked(p.layer().URL, "--stub-listen", stub, "--stub-url", front.URL, "--layer-ca", ca, "--secret-file", secret,
		"--url-file", p.dir+"/url", "--wait-for-gateway", "--max-duration", "1m")...)
	p.red(wait())
	b, _ := os.ReadFile(p.dir + "/out/r.json")
	if !bytes.Contains(b, []byte("secret URL of its upstream")) {
		t.Error("the record does not say that the layer tells the stub's address")
	}
	if !strings.Contains(p.of("check stderr"), "arrived: ") {
		t.Errorf("nothing is shown of what arrived: %s", p.of("check stderr"))
	}
	for _, file := range []string{secret, p.dir + "/url"} {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", file, info, err)
		}
	}
	p.clean(secret, p.dir+"/url")
}

// TestCanaryRemote: the stub is another process, whose lines and whose ledger, as it is told over the network, are looked through as well. What
// the gateway sends it is unknown to the check there, so it is not said in errors.
func TestCanaryRemote(t *testing.T) {
	p := plant(t)
	p.tells = append(p.tells[:1], map[string]string{"secret": given["secret"], "token": given["token"]})
	stub, admin := findPort(), findPort()
	secret := p.write("stub.secret", given["secret"]+"\n"+given["token"]+"\n")
	p.upstream = "http://" + stub + "/" + given["secret"]
	_, stop := p.start("serve", p.env(), "serve", "-v", "--listen-any", "--stub-listen", stub, "--admin-listen", admin, "--secret-file", secret)
	listens(t, stub)
	listens(t, admin)
	target, _ := url.Parse("http://" + admin)
	ledger := httputil.NewSingleHostReverseProxy(target)
	ledger.ModifyResponse = func(r *http.Response) error {
		b, err := io.ReadAll(r.Body)
		p.keep("ledger "+r.Request.URL.Path, fmt.Sprint(r.Header)+string(b)+"\n")
		r.Body = io.NopCloser(bytes.NewReader(b))
		return err
	}
	api := httptest.NewServer(ledger)
	defer api.Close()
	layer := p.layer()
	if r, err := http.DefaultTransport.RoundTrip(p.request(httptest.NewRequest("POST", "/v1/messages", nil), []byte("{}"))); err != nil { // a stray
		t.Fatal(err)
	} else {
		_ = r.Body.Close()
	}
	wait, _ := p.start("check", p.env("PRESERVECHECK_TOKEN="+given["token"], "PRESERVECHECK_SECRET="+given["secret"]),
		p.asked(layer.URL, "--remote-stub", "http://"+stub, "--remote-admin", api.URL)...)
	p.red(wait())
	r, err := http.NewRequest("GET", api.URL+"/v1/arrivals?after=0", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+given["token"])
	if answer, err := http.DefaultTransport.RoundTrip(r); err != nil || answer.StatusCode != 200 {
		t.Fatalf("%v %v", answer, err)
	} else {
		_ = answer.Body.Close()
	}
	stop()
	if !strings.Contains(p.of("serve stdout"), "[hidden]/v1/messages") {
		t.Errorf("what arrived is not shown: %.500s", p.of("serve stdout"))
	}
	p.clean(secret)
}

// TestCanaryAttempts: jobs of a worker, in both formats.
func TestCanaryAttempts(t *testing.T) {
	for _, format := range []string{"json", "markdown", "text"} {
		p := plant(t)
		stub := findPort()
		p.upstream = "http://" + stub
		layer := p.layer()
		args := p.asked(layer.URL, "--stub-listen", stub)
		args = args[2 : len(args)-2*len(formatNames())]
		wait, _ := p.start("attempts", p.env(), append([]string{"attempts", "--client", "sdkless", "--max-retries", "0", "--format", format}, args...)...)
		if code := wait(); code != exitPass || !strings.Contains(p.of("attempts stdout"), "tier_cap") {
			t.Errorf("exit %d: %.500s", code, p.of("attempts stderr"))
		}
		p.keep("nothing", strings.Repeat(" ", 10_000)) // the report is short
		p.clean()
	}
}

// TestCanaryChildren: what a run starts gets none of the environment's secrets, but for a tunnel, which finds its own there and is not given ours.
func TestCanaryChildren(t *testing.T) {
	p := plant(t)
	p.program = itself(t)
	seen := p.dir + "/seen"
	dump := "sh -c 'env >> " + seen + "; sleep 1'"
	env := p.env(secretVariable+"="+given["secret"], tokenVariable+"="+given["token"])
	for _, c := range []struct {
		why, want string
		args      []string
		own       bool // the user's environment is passed on
	}{
		{"a layer", "TMPDIR=", []string{"check", "--layer", "http://127.0.0.1:1", "--start", dump, "--ready-timeout", "300ms"}, false},
		{"a classifier", "PATH=", []string{"check", "--layer", "control:identity", "--fixture", "tier_cap", "--classifier", dump}, false},
		{"a client", "PRESERVECHECK_CLIENT_BASE_URL=", []string{"attempts", "--fixture", "tier_cap", "--max-retries", "0", "--max-wait", "1s", "--client-cmd", dump}, false},
		{"a tunnel", "PATH=", []string{"check", "--layer", "http://127.0.0.1:1", "--tunnel", "sh -c 'env >> " + seen + "; exit 1' {addr}"}, true},
	} {
		wait, _ := p.start(c.why, env, append(c.args, "--stub-listen", findPort())...)
		wait()
		b, err := os.ReadFile(seen)
		if err != nil || !strings.Contains(string(b), c.want) {
			t.Errorf("%s did not run: %v %.300q\n%s", c.why, err, b, p.of(c.why+" stderr"))
			continue
		}
		for name, value := range merged(given, unused) {
			if held(string(b), value) != "" && (!c.own || name == "secret" || name == "token") {
				t.Errorf("%s was given the secret %s", c.why, name)
			}
		}
		if err := os.Remove(seen); err != nil {
			t.Error(err)
		}
	}
}

// itself is this test binary as a file of the program's name: a supervisor is started by the name of the file, and under the name of a test it
// would run the tests.
func itself(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	file := t.TempDir() + "/preservecheck"
	if err := os.WriteFile(file, b, 0o700); err != nil {
		t.Fatal(err)
	}
	return file
}

func merged(all ...map[string]string) map[string]string {
	out := map[string]string{}
	for _, m := range all {
		maps.Copy(out, m)
	}
	return out
}

// listens waits until somebody listens there.
func listens(t *testing.T, address string) {
	t.Helper()
	for range 200 {
		if c, err := net.DialTimeout("tcp", address, time.Second); err == nil {
			_ = c.Close()
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("nobody listens on %s", address)
}

func quietLog() *log.Logger { return log.New(io.Discard, "", 0) }

// TestCanaryPublicOnATerminal: a person is shown the upstream's URL, once, and nothing else of it.
func TestCanaryPublicOnATerminal(t *testing.T) {
	p := plant(t)
	stub := findPort()
	target, _ := url.Parse("http://" + stub)
	front := httptest.NewTLSServer(httputil.NewSingleHostReverseProxy(target))
	defer front.Close()
	ca := p.write("ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: front.Certificate().Raw})))
	p.upstream = "http://" + stub + "/" + given["secret"]
	p.tells = append(p.tells, map[string]string{"secret": given["secret"], "token": given["token"]})
	env := p.env(secretVariable+"="+given["secret"], tokenVariable+"="+given["token"])
	screen := p.screen(env, p.asked(p.layer().URL, "--stub-listen", stub, "--stub-url", front.URL, "--layer-ca", ca, "--wait-for-gateway", "--max-duration", "1m")...)
	shown := front.URL + "/" + given["secret"]
	if strings.Count(screen, shown) != 1 {
		t.Errorf("the URL is to be shown once: %q", screen)
	}
	p.keep("screen", strings.ReplaceAll(screen, shown, ""))
	p.red(exitFail)
	p.clean()
}
