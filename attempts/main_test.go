package attempts

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/stub"
)

// TestMain is also a driver, when it is started as one: the word after "driver" says how it behaves.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "driver" {
		drive(os.Args[2])
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

const long = 20 * time.Second

// drive behaves as a driver of that kind.
func drive(kind string) {
	say := func(text string) { fmt.Println(text) }
	switch kind {
	case "once":
		say(fmt.Sprintf(`{"outcome":"error","status":429,"message":%q,"requests":3}`, os.Getenv(varModel)+" "+os.Getenv(varPrompt)+" "+os.Getenv(varMaxRetries)+os.Getenv(varStream)+" "+os.Getenv(VarBaseURL)))
		return
	case "nothing":
		fmt.Fprintln(os.Stderr, "first\nout of order")
		os.Exit(7)
	case "two lines":
		say("{\"outcome\":\"ok\"}\n{\"outcome\":\"ok\"}")
		return
	case "much":
		say(strings.Repeat("x", maxReply+1))
		return
	case "hang":
		time.Sleep(2 * long)
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, maxReply)
	for in.Scan() {
		var c Call
		_ = json.Unmarshal(in.Bytes(), &c)
		answer := func(id string) { say(fmt.Sprintf(`{"id":%q,"outcome":"ok","requests":1}`, id)) }
		switch kind {
		case "lines":
			answer(c.ID)
		case "twice":
			answer(c.ID)
			answer(c.ID)
		case "other id":
			answer(c.ID + "x")
		case "rubbish":
			say("npm WARN deprecated")
		case "strange outcome":
			say(fmt.Sprintf(`{"id":%q,"outcome":"perhaps"}`, c.ID))
		case "negative":
			say(fmt.Sprintf(`{"id":%q,"outcome":"ok","requests":-1}`, c.ID))
		case "ends":
			fmt.Fprintln(os.Stderr, "no memory")
			os.Exit(9)
		case "late":
			if c.Model == "slow" {
				time.Sleep(300 * time.Millisecond)
			}
			answer(c.ID)
		case "child":
			cmd := exec.Command(os.Args[0], "driver", "hang")
			cmd.Stdout = os.Stdout
			_ = cmd.Start()
			say(fmt.Sprintf(`{"id":%q,"outcome":"ok","text":"%d"}`, c.ID, cmd.Process.Pid))
		}
	}
}

func driver(kind string, lines bool) Driver {
	return Driver{Words: []string{os.Args[0], "driver", kind}, Lines: lines, Env: []string{VarBaseURL + "=http://x"}}
}

// station is a stub for a test.
func station(t *testing.T) (*ledger.Ledger, string, *fixture.Matrix) {
	t.Helper()
	m, err := fixture.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	led := ledger.New(ledger.NewRun())
	server, err := stub.New(stub.Options{Matrix: m, Ledger: led})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(l)
	}()
	t.Cleanup(func() {
		_ = server.Close()
		<-done
	})
	return led, "http://" + l.Addr().String(), m
}
