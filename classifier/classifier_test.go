package classifier

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/wire"
)

// helper as the first argument makes the test binary a classifier.
const helper = "act-as-a-classifier"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == helper {
		act(os.Args[2])
		return
	}
	goleak.VerifyTestMain(m)
}

func act(kind string) {
	in := bufio.NewReaderSize(os.Stdin, 4<<20)
	if kind == "deaf" {
		time.Sleep(time.Minute)
	}
	if kind == "closed" {
		os.Stdout.Close()
		time.Sleep(time.Minute)
	}
	for n := 1; ; n++ {
		text, err := in.ReadString('\n')
		if err != nil {
			if kind == "stays" {
				time.Sleep(time.Minute)
			}
			return
		}
		switch kind {
		case "size":
			fmt.Println(len(text))
		case "crlf":
			fmt.Print("a class\r\n")
		case "crash":
			fmt.Fprint(os.Stderr, strings.Repeat("x", 3*maxTail)+"last words")
			os.Exit(7)
		case "quits":
			return
		case "half":
			fmt.Print("half")
			return
		case "empty":
			fmt.Println(" ")
		case "long":
			fmt.Println(strings.Repeat("a", 1<<20))
		case "latin1":
			fmt.Println("caf\xe9")
		case "escape":
			fmt.Println("\x1b[31m")
		case "twice", "stays":
			fmt.Println("a")
			if kind == "twice" {
				fmt.Println("b")
			}
		case "child": // a grandchild that holds the outputs open
			child := exec.Command(os.Args[0], helper, "deaf")
			child.Stdout, child.Stderr = os.Stdout, os.Stderr
			if child.Start() == nil {
				fmt.Println(child.Process.Pid)
			}
		}
	}
}

func start(t *testing.T, kind string, timeout time.Duration) *Process {
	t.Helper()
	p, err := Start(Options{Words: []string{os.Args[0], helper, kind}, Timeout: timeout})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// long is far more time than any answer takes, and short still enough to fail in.
const long = 20 * time.Second

func TestClassify(t *testing.T) {
	p := start(t, "crlf", long)
	for range 100 {
		if class, err := p.Classify(t.Context(), Evidence{}); err != nil || class != "a class" {
			t.Fatalf("%q, %v", class, err)
		}
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if err := p.Close(); err != nil {
		t.Error("a second close:", err)
	}
	body := strings.Repeat("a", 900<<10)
	p = start(t, "size", long)
	if class, err := p.Classify(t.Context(), Evidence{Body: &body}); err != nil || len(class) != 6 {
		t.Errorf("a line beyond the buffer of a pipe: %q, %v", class, err)
	}
}

func TestFaults(t *testing.T) {
	body := strings.Repeat("a", 900<<10) // more than a pipe holds
	for _, c := range []struct{ why, kind, want string }{
		{"its end, with the last of what it said", "crash", "it ended (exit status 7); its last words on stderr: \"xxx"},
		{"an end that calls itself good", "quits", "it ended (exit status 0)"},
		{"outputs closed while it goes on", "closed", "it ended (signal: killed)"},
		{"half a line", "half", "it ended in the middle of a line"},
		{"nothing", "empty", "it wrote an empty line instead of a class"},
		{"too much", "long", "it wrote a line of more than 200 bytes"},
		{"another encoding", "latin1", "it wrote a line that is not UTF-8"},
		{"what steers a terminal", "escape", "it wrote a line with control characters"},
	} {
		p := start(t, c.kind, long)
		_, err := p.Classify(t.Context(), Evidence{Body: &body})
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v", c.why, err)
		}
		if c.kind == "crash" && (!strings.HasSuffix(err.Error(), `last words"`) || len(err.Error()) > maxTail+200) {
			t.Errorf("%s: %d bytes: %v", c.why, len(err.Error()), err)
		}
		if _, err := p.Classify(t.Context(), Evidence{}); err == nil {
			t.Errorf("%s: it goes on after a fault", c.why)
		}
	}
}

func TestHangIsBounded(t *testing.T) {
	body := strings.Repeat("a", 900<<10)
	p := start(t, "deaf", 50*time.Millisecond)
	began := time.Now()
	_, err := p.Classify(t.Context(), Evidence{Body: &body})
	if err == nil || !strings.Contains(err.Error(), "no class within 50ms") || time.Since(began) > long {
		t.Errorf("after %s: %v", time.Since(began), err)
	}
	p = start(t, "deaf", long)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("interrupted"))
	if _, err := p.Classify(ctx, Evidence{}); err == nil || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("canceled: %v", err)
	}
}

func TestUnaskedLines(t *testing.T) {
	p := start(t, "twice", long)
	_, err := p.Classify(t.Context(), Evidence{})
	for n := 0; err == nil && n < 50; n++ { // the second line may come a moment later
		time.Sleep(10 * time.Millisecond)
		_, err = p.Classify(t.Context(), Evidence{})
	}
	if err == nil || !strings.Contains(err.Error(), "nothing had asked for") {
		t.Error(err)
	}
	p = start(t, "twice", long)
	if _, err := p.Classify(t.Context(), Evidence{}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(50 * time.Millisecond)
	if err := p.Close(); err == nil || !strings.Contains(err.Error(), "nothing had asked for") {
		t.Errorf("at the end: %v", err)
	}
}

func TestCloseEndsWhatStays(t *testing.T) {
	p := start(t, "stays", long)
	if _, err := p.Classify(t.Context(), Evidence{}); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := p.Close(); err != nil || time.Since(began) > long {
		t.Errorf("after %s: %v", time.Since(began), err)
	}
}

func TestStartErrors(t *testing.T) {
	for _, words := range [][]string{nil, {"/no/such/program"}} {
		if p, err := Start(Options{Words: words}); err == nil {
			_ = p.Close()
			t.Errorf("%q starts", words)
		}
	}
}

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		why, in string
		want    []string // nil: an error
	}{
		{"blanks", " python  my.py\t-v\n", []string{"python", "my.py", "-v"}},
		{"single quotes keep everything", `a 'b "$c" \ d'`, []string{"a", `b "$c" \ d`}},
		{"double quotes keep blanks", `a "b c" "\"\$\\\x"`, []string{"a", "b c", `"$\\x`}},
		{"a backslash outside", `a b\ c \$d`, []string{"a", "b c", "$d"}},
		{"parts join", `a b'c'"d"e`, []string{"a", "bcde"}},
		{"an empty word is one", `a '' ""`, []string{"a", "", ""}},
		{"a hash or tilde inside a word", `a b#c d~`, []string{"a", "b#c", "d~"}},
		{"nothing", "  ", nil}, {"an empty program", "'' a", nil}, {"an open quote", "a 'b", nil}, {"an open double quote", `a "b\"`, nil},
		{"a backslash at the end", `a \`, nil}, {"a pipe", "a | b", nil}, {"a variable", "a $HOME", nil}, {"in double quotes, too", `a "$HOME"`, nil},
		{"a command in it", "a `b`", nil}, {"a home", "~/a", nil}, {"a comment", "a # b", nil}, {"a pattern", "a *.py", nil},
		{"a redirection", "a >b", nil}, {"two commands", "a; b", nil}, {"NUL", "a \x00", nil},
	} {
		got, err := Split(c.in)
		if (err == nil) != (c.want != nil) || err == nil && !cmp.Equal(got, c.want) {
			t.Errorf("%s: %q gives %q, %v", c.why, c.in, got, err)
		}
	}
}

// FuzzSplit: what is quoted comes back.
func FuzzSplit(f *testing.F) {
	for _, s := range []string{"a 'b' \"c\" \\d", "'", `"\`, "~", "é\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		words, err := Split(s)
		if err == nil && (len(words) == 0 || words[0] == "") {
			t.Fatalf("%q gives %q", s, words)
		}
		if strings.ContainsRune(s, 0) {
			return
		}
		again, err := Split("x '" + strings.ReplaceAll(s, "'", `'\''`) + "'")
		if err != nil || !cmp.Equal(again, []string{"x", s}) {
			t.Fatalf("%q quoted gives %q, %v", s, again, err)
		}
	})
}

func TestEvidence(t *testing.T) {
	answer := func(status int, body string, header ...wire.Field) *wire.Answer {
		return &wire.Answer{Proto: "HTTP/1.1", Status: status, Header: header, Body: []byte(body), Framing: wire.FramingLength, End: wire.EndComplete}
	}
	sse := wire.Field{Name: "content-type", Value: "text/event-stream"}
	for _, c := range []struct {
		why  string
		a    *wire.Answer
		want string
	}{
		{"a plain error; its own id is masked, names are lower-case, values a list",
			answer(429, `{"type":"error","error":{"b":1.50,"a":"<x> ID"}}`, wire.Field{Name: "X-A", Value: "1"}, wire.Field{Name: "x-a", Value: "ID"}),
			`{"format":"preservecheck.classifier/1","dialect":"anthropic","mode":"plain","status":429,"headers":{"x-a":["1","00"]},` +
				`"body":"{\"type\":\"error\",\"error\":{\"b\":1.50,\"a\":\"<x> 00\"}}","error":{"a":"<x> 00","b":1.50},"events":[],"end":"ok"}`},
		{"a stream; an event that no blank line ends is none",
			answer(200, "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"t\"}}\n\ndata: x", sse),
			`{"format":"preservecheck.classifier/1","dialect":"anthropic","mode":"plain","status":200,"headers":{"content-type":["text/event-stream"]},` +
				`"body":"event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"t\"}}\n\ndata: x","error":{"type":"t"},` +
				`"events":[{"event":"error","data":"{\"type\":\"error\",\"error\":{\"type\":\"t\"}}"}],"end":"ok"}`},
		{"no text", answer(502, "\xff"), `{"format":"preservecheck.classifier/1","dialect":"anthropic","mode":"plain","status":502,"headers":{},"body":null,"error":null,"events":[],"end":"ok"}`},
		{"an error that is no object", answer(500, `{"error":"down"}`), `{"format":"preservecheck.classifier/1","dialect":"anthropic","mode":"plain","status":500,"headers":{},"body":"{\"error\":\"down\"}","error":"down","events":[],"end":"ok"}`},
		{"an empty body is no null", answer(500, ""), `{"format":"preservecheck.classifier/1","dialect":"anthropic","mode":"plain","status":500,"headers":{},"body":"","error":null,"events":[],"end":"ok"}`},
	} {
		if got := string(Of(c.a, dialects.Anthropic, "plain", "00", "ID").line()); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.why, got, c.want)
		}
	}
	if e := Of(answer(500, strings.Repeat("a", maxBody+1)), dialects.Anthropic, "plain", ""); e.Body != nil {
		t.Error("a body beyond the bound")
	}
}

// FuzzEvidence: whatever came, the program gets one line.
func FuzzEvidence(f *testing.F) {
	f.Add(429, "retry-after: 1", []byte(`{"error":{"a":1}}`))
	f.Add(200, "content-type: text/event-stream", []byte("data: {\"type\":\"error\"}\n\n"))
	f.Add(500, "\xff: \n", []byte("\xff\x00\u2028"))
	f.Fuzz(func(t *testing.T, status int, header string, body []byte) {
		name, value, _ := strings.Cut(header, ": ")
		a := &wire.Answer{Status: status, Header: []wire.Field{{Name: name, Value: value}}, Body: body, End: wire.EndComplete}
		if l := string(Of(a, dialects.Anthropic, "stream", "").line()); !strings.HasPrefix(l, `{"format":`) || strings.ContainsAny(l, "\r\n") {
			t.Fatalf("%q", l)
		}
	})
}
