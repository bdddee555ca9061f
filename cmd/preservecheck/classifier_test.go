package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/wire"
)

// myClassifier is the user's own classifier of the scripts. Its argument says what kind of program it is.
func myClassifier() {
	kind := ""
	if len(os.Args) > 1 {
		kind = os.Args[1]
	}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for n := 1; ; n++ {
		text, err := in.ReadString('\n')
		if err != nil {
			os.Exit(0)
		}
		var e struct {
			Status  int
			Headers map[string][]string
		}
		if err := json.Unmarshal([]byte(text), &e); err != nil {
			os.Exit(9)
		}
		switch {
		case kind == "crash" && n == 3:
			fmt.Fprintln(os.Stderr, "boom \x1b[31m")
			os.Exit(7)
		case kind == "hang" && n == 2:
			time.Sleep(time.Minute)
		case kind == "slow":
			time.Sleep(5 * time.Second)
			fmt.Println("a")
		case kind == "empty":
			fmt.Println()
		case kind == "long":
			fmt.Println(strings.Repeat("a", 4096))
		case kind == "latin1":
			fmt.Println("caf\xe9")
		case kind == "chatty":
			fmt.Println("loading")
			fmt.Println("a")
			time.Sleep(100 * time.Millisecond)
		case kind == "always":
			fmt.Println("rate_limit")
		case kind == "environment":
			var names []string
			for _, kv := range os.Environ() {
				name, _, _ := strings.Cut(kv, "=")
				names = append(names, name)
			}
			slices.Sort(names)
			fmt.Println(strings.Join(names, " "))
		case len(e.Headers["retry-after"]) > 0:
			fmt.Println("wait")
		case len(e.Headers["x-note"]) > 0:
			fmt.Println("noted")
		default:
			fmt.Println("stop")
		}
	}
}

// A row that expects a failure may come back as any failure: only one that reads as a success changes what the worker does.
func TestOwnClassOfARowThatExpectsAFailure(t *testing.T) {
	answer := func(header string) *wire.Answer {
		return &wire.Answer{Status: 502, Header: []wire.Field{{Name: header, Value: "1"}}}
	}
	success := check.Decided{ // last, since the order of rows must not matter
		Row:     check.Row{Fixture: &fixture.Fixture{Name: "fine", Dialect: defaultDialect, Class: classify.OK}, Mode: fixture.Plain},
		Fixture: answer("x-note"),
	}
	for _, c := range []struct {
		why     string
		expect  bool
		through string
		others  []check.Decided
		changes bool
	}{
		{"a gateway's own error instead of a reset is honest", true, "retry-after", []check.Decided{success}, false},
		{"a success instead of a failure is not", true, "x-note", []check.Decided{success}, true},
		{"a class that no success has is no success", true, "x-note", nil, false},
		{"any other row keeps its class or fails", false, "retry-after", []check.Decided{success}, true},
		{"the same class is no change", false, "x-other", []check.Decided{success}, false},
	} {
		own, err := parseClassifier("my-classifier", "--classifier", newEnviron(os.Environ()), time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		f := &fixture.Fixture{Name: "down", Dialect: defaultDialect, Class: classify.Unknown429, ExpectFailure: c.expect}
		own.note(check.Decided{Row: check.Row{Fixture: f, Mode: fixture.Plain}, Fixture: &wire.Answer{}, Layer: answer(c.through)})
		for _, d := range c.others {
			own.note(d)
		}
		var out record.Classifier
		if err := own.ask(t.Context(), &out, func(s string) string { return s }); err != nil {
			t.Fatal(err)
		}
		if out.Rows[0].Changes != c.changes {
			t.Errorf("%s: %+v", c.why, out.Rows[0])
		}
	}
}
