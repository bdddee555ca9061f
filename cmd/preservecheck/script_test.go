package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/preservecheck/preservecheck/controls"
)

var update = flag.Bool("update", false, "write the expected outputs of scripts anew")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"preservecheck": main,
		// Classifiers of a user's own.
		"my-classifier": myClassifier,
		// A gateway of a user's own, for recipes and --start.
		"my-gateway": myGateway,
		// An editor: my-edit FROM TO OLD NEW.
		"my-edit": func() {
			b, err := os.ReadFile(os.Args[1])
			if err == nil {
				err = os.WriteFile(os.Args[2], bytes.ReplaceAll(b, []byte(os.Args[3]), []byte(os.Args[4])), 0o600)
			}
			if err != nil {
				panic(err)
			}
		},
		// The same program with a bug in it.
		"preservecheck-panics": func() {
			onStart = func() { panic("boom\nwith a second line \x1b[31m") }
			main()
		},
		// A program that does not end when it is asked to.
		"preservecheck-hangs": func() {
			ctx, _ := untilSignal(context.Background())
			fmt.Println("ready")
			<-ctx.Done()
			fmt.Println("asked")
			time.Sleep(time.Minute)
		},
	})
}

// TestScripts runs testdata/*.txtar, which read as a manual of the program. Commands of our own:
//
//	exits N PROGRAM ARGS...          run it and demand this exit code
//	freeport NAME                    put a free loopback port into $NAME
//	layer KIND [STUB]                start a layer and put its URL into $LAYER: control:NAME in front of STUB, or one
//	                                 of hostile.go, which lets canaries through when STUB is given
//	unvisited                        demand that nobody came to the address that the redirecting layer names
//	interrupted N PROGRAM ARGS...    run it, send SIGINT when a row has reached the layer, demand this exit code
//	waitport PORT                    wait until somebody listens there
//	ask URL [FIXTURE]                post there, naming a fixture, and print status and body
//	models URL                       get the list of models there
//	expand FILE                      replace $NAME in a file; $$ stands for a dollar sign
//	pause                            let a program print what it has seen
//	taken                            occupy a port and put its address into $TAKEN
func TestScripts(t *testing.T) {
	if found, err := filepath.Glob("testdata/*.txtar"); err != nil || len(found) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Setup: func(e *testscript.Env) error {
			e.Values["layer"] = new(*hostile)
			e.Defer(func() { validRecords(t, e.WorkDir) })
			for _, kv := range os.Environ() { // settings of whoever runs the tests must not decide them
				if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, envPrefix) {
					return errors.New("unset " + name + " to run the tests")
				}
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": cmdExits, "freeport": cmdFreePort, "layer": cmdLayer, "unvisited": cmdUnvisited,
			"interrupted": cmdInterrupted, "taken": cmdTaken, "waitport": cmdWaitPort, "ask": cmdAsk, "pause": cmdPause, "models": cmdModels,
			"expand": cmdExpand,
		},
	})
}

func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits N PROGRAM ARGS...")
	}
	err := ts.Exec(args[1], args[2:]...)
	demandCode(ts, args[0], err)
}

func demandCode(ts *testscript.TestScript, want string, err error) {
	got := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(got) != want {
		ts.Fatalf("exit code %d, want %s", got, want)
	}
}

func cmdFreePort(ts *testscript.TestScript, _ bool, args []string) {
	_, port, _ := net.SplitHostPort(findPort())
	ts.Setenv(args[0], port)
}

// findPort finds an address to listen on whose port is below those that outgoing connections take: one of these may
// still hold a port that was free a moment ago.
func findPort() string {
	for {
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(20000+rand.IntN(12000)))
		if l, err := net.Listen("tcp", address); err == nil {
			_ = l.Close()
			return address
		}
	}
}

func cmdTaken(ts *testscript.TestScript, _ bool, _ []string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { _ = l.Close() })
	ts.Setenv("TAKEN", l.Addr().String())
}

func cmdLayer(ts *testscript.TestScript, _ bool, args []string) {
	stub := ""
	if len(args) == 2 {
		stub = args[1]
	}
	if name, ok := strings.CutPrefix(args[0], controlPrefix); ok {
		l, err := controls.Start(name, stub)
		ts.Check(err)
		ts.Defer(func() { _ = l.Close() })
		ts.Setenv("LAYER", l.URL())
		return
	}
	l := startHostile(args[0], stub)
	if l == nil {
		ts.Fatalf("there is no layer %q", args[0])
	}
	ts.Defer(l.close)
	ts.Setenv("LAYER", l.url())
	*current(ts) = l
}

// current is the hostile layer of a script.
func current(ts *testscript.TestScript) **hostile { return ts.Value("layer").(**hostile) }

func cmdUnvisited(ts *testscript.TestScript, _ bool, _ []string) {
	if n := (*current(ts)).visits.Load(); n != 0 {
		ts.Fatalf("%d connections went to the other host", n)
	}
}

func cmdInterrupted(ts *testscript.TestScript, _ bool, args []string) {
	path, err := exec.LookPath(args[1])
	ts.Check(err)
	cmd := exec.Command(path, args[2:]...)
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = ts.MkAbs("."), &stdout, &stderr
	cmd.Env = append(os.Environ(), "HOME=/no-home")
	ts.Check(cmd.Start())
	select {
	case <-(*current(ts)).rows:
	case <-time.After(30 * time.Second):
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		ts.Fatalf("no row reached the layer; stderr: %s", stderr.String())
	}
	time.Sleep(100 * time.Millisecond) // rows that pass come back meanwhile
	ts.Check(cmd.Process.Signal(syscall.SIGINT))
	err = cmd.Wait()
	ts.Check(os.WriteFile(ts.MkAbs("stdout.txt"), stdout.Bytes(), 0o600))
	ts.Check(os.WriteFile(ts.MkAbs("stderr.txt"), stderr.Bytes(), 0o600))
	demandCode(ts, args[0], err)
}

func cmdWaitPort(ts *testscript.TestScript, _ bool, args []string) {
	for range 200 {
		c, err := net.Dial("tcp", "127.0.0.1:"+args[0])
		if err == nil {
			_ = c.Close()
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	ts.Fatalf("nobody listens on port %s", args[0])
}

func cmdAsk(ts *testscript.TestScript, _ bool, args []string) {
	r, err := http.NewRequest(http.MethodPost, args[0], strings.NewReader("{}"))
	ts.Check(err)
	if len(args) > 1 {
		r.Header.Set("x-fixture", args[1])
	}
	answer, err := http.DefaultClient.Do(r)
	ts.Check(err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	ts.Check(err)
	_, err = fmt.Fprintf(ts.Stdout(), "%s\n%s\n", answer.Status, body)
	ts.Check(err)
}

func cmdModels(ts *testscript.TestScript, _ bool, args []string) {
	res, err := http.Get(args[0] + "/v1/models")
	ts.Check(err)
	ts.Check(res.Body.Close())
}

func cmdExpand(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(os.Expand(ts.ReadFile(args[0]), func(name string) string {
		if name == "$" {
			return "$"
		}
		return ts.Getenv(name)
	})), 0o600))
}

func cmdPause(*testscript.TestScript, bool, []string) { time.Sleep(5 * followEvery) }
