package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/preservecheck/preservecheck/classifier"
	"github.com/preservecheck/preservecheck/ledger"
)

// page reads one of docs.
func page(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// commandsOf gives the commands of this program in the shell blocks of a page.
func commandsOf(t *testing.T, text string) (all [][]string) {
	t.Helper()
	for _, part := range strings.Split(text, "\n```")[1:] {
		block, ok := strings.CutPrefix(part, "sh\n")
		if !ok {
			continue
		}
		for _, line := range strings.Split(strings.ReplaceAll(block, "\\\n", " "), "\n") {
			if !strings.HasPrefix(line, "preservecheck ") {
				continue
			}
			words, err := classifier.Split(line)
			if err != nil {
				t.Errorf("%s: %s", line, err)
			}
			all = append(all, words[1:])
		}
	}
	return all
}

// TestHostedDocs: what docs/hosted.md says to type is accepted, as far as that is decided before anything runs; the flags that its text
// names are there, and lines of the program look as it shows them.
func TestHostedDocs(t *testing.T) {
	text := page(t, "hosted.md")
	commands := commandsOf(t, text)
	t.Chdir(t.TempDir())
	for _, program := range []string{"cloudflared", "ngrok", "tailscale"} {
		if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	ways := map[string]bool{}
	for _, words := range commands {
		// a URL file stands in for the terminal where a person is told the secret
		a := &app{out: io.Discard, err: io.Discard, env: environ{"PATH": dir, "GATEWAY_KEY": "k"}}
		if !strings.Contains(strings.Join(words, " "), "--secret-file") {
			words = append(words, "--url-file", "url")
		}
		way, err := opens(a, words)
		if err != nil {
			t.Errorf("preservecheck %s: %s", strings.Join(words, " "), err)
		}
		ways[way] = true
	}
	for _, way := range []string{wayURL, wayFiles, wayACME, wayTunnel, wayRemote} {
		if !ways[way] {
			t.Errorf("no command takes the way %q", way)
		}
	}
	known := flagsOf(newRoot(&app{out: io.Discard, err: io.Discard}), "check", "serve")
	for _, m := range regexp.MustCompile("`(?:check |serve )?--([a-z][a-z-]+)").FindAllStringSubmatch(text, -1) {
		if !known[m[1]] {
			t.Errorf("neither check nor serve has --%s", m[1])
		}
	}
	at := time.Date(2026, 11, 30, 17, 32, 3, 0, time.Local)
	hit := ledger.Hit{At: at, Method: "POST", Path: "/v1/messages", Agent: "Go", Channels: []ledger.Channel{ledger.Marker, ledger.Header}}
	hit.Served = ledger.Served{Fixture: "ok", Status: 200, AnswerAt: at}
	for _, line := range []string{"arrived: " + hitLine(hit), fmt.Sprintf("arrived: 17:31:58 "+withoutSecret, 1)} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("the page has no line %q", line)
		}
	}
}

// opens reads the flags of a command that say how others reach the stub.
func opens(a *app, words []string) (way string, err error) {
	if words[0] == "serve" {
		f := &publicFlags{}
		cmd := &cobra.Command{Use: "serve"}
		f.register(cmd)
		cmd.Flags().AddFlagSet(newServe(a).Flags()) // those that are there stay
		if err := cmd.ParseFlags(words[1:]); err != nil {
			return "", err
		}
		o, err := readOpening(a, cmd, f, &secrets{}, false, nil)
		if err != nil {
			return "", err
		}
		return o.way, nil
	}
	p := &plan{flags: &checkFlags{}}
	cmd := &cobra.Command{Use: "check"}
	p.flags.register(cmd)
	if err := cmd.ParseFlags(words[1:]); err != nil {
		return "", err
	}
	if _, err := parseHeaders(p.flags.header, "--header", a.env, &p.secrets); err != nil {
		return "", err
	}
	if err := p.readRemote(a, cmd); err != nil {
		return "", err
	}
	if err := p.readOpening(a, cmd); err != nil {
		return "", err
	}
	return p.open.way, nil
}

// flagsOf names the flags that some commands have.
func flagsOf(root *cobra.Command, commands ...string) map[string]bool {
	all := map[string]bool{}
	for _, name := range commands {
		if cmd, _, err := root.Find([]string{name}); err == nil {
			cmd.Flags().VisitAll(func(f *pflag.Flag) { all[f.Name] = true })
		}
	}
	return all
}
