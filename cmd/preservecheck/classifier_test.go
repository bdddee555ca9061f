package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
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
