package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/controls"
	"github.com/preservecheck/preservecheck/public"
)

const seesPage = "../../docs/what-it-sees.md"

// sight is one run through a layer with a fault, and what its report must say.
type sight struct {
	layer string   // control:NAME, or a name of layers
	args  []string // of check, besides the layer
	part  string   // begins the part of the report that is shown
	says  string   // must stand in it, whatever the page says
	code  int      // exit code
	clock string   // stands for measured times, which differ from run to run
	file  string   // a target or known file; LAYER, LAYER2 stand for the URLs of the layers
	what  string   // in words, where the layer is none of the controls
}

// asked and streamed make the arguments that nearly every run has.
func asked(row string, more ...string) []string {
	return append([]string{"--fixture", row, "--stream", "off"}, more...)
}

func streamed(row string, more ...string) []string {
	return append([]string{"--fixture", row, "--stream", "on"}, more...)
}

// faultKind is a way in which layers were seen to lose, change or invent evidence, or what a matrix of ten plain answers and six
// fields would miss of it.
type faultKind struct {
	name   string
	sights []sight
	not    string // why nobody outside of the layer can see it
}

// TestWhatItSees runs a layer with each kind of fault and demands that the report names it; -update writes the examples to
// docs/what-it-sees.md.
func TestWhatItSees(t *testing.T) {
	computes(t)
	if len(reported) != 18 || len(missed) != 21 {
		t.Fatalf("%d kinds and %d gaps: the reports that they come from have 18 and 21", len(reported), len(missed))
	}
	parts := make([][]string, len(reported)+len(missed)+len(besides))
	t.Run("kinds", func(t *testing.T) {
		for i, k := range everyKind() {
			parts[i] = make([]string, len(k.sights))
			if (len(k.sights) == 0) == (k.not == "") {
				t.Errorf("%s: show it, or say why it can't be seen", k.name)
			}
			for n, s := range k.sights {
				t.Run(k.name, func(t *testing.T) {
					parts[i][n] = s.show(t)
				})
			}
		}
	})
	if t.Failed() {
		return
	}
	for i, k := range everyKind() {
		for n := range k.sights {
			if parts[i][n] == "" {
				return // -run left it out, so there is no whole page to compare
			}
		}
	}
	page := pageOf(parts)
	was, _ := os.ReadFile(seesPage)
	if *update {
		if err := os.WriteFile(seesPage, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(was) != page {
		t.Error("docs/what-it-sees.md is not what the check says (go test ./cmd/preservecheck -run WhatItSees -update)")
	}
}

func everyKind() (all []faultKind) {
	return append(append(append(all, reported...), missed...), besides...)
}

func pageOf(parts [][]string) string {
	var page, not strings.Builder
	fmt.Fprintf(&page, "# What it sees\n\nIn 118 public reports, read up to 2026-11-30, layers lost, changed or invented evidence in %d ways. A matrix of ten plain\n"+
		"answers and six fields would miss much of that, for %d reasons. Each has a layer that does just that and a run that names it\nin words; a test makes these runs and writes the examples, without the lines of the model of clients. What can't be seen from outside\nstands at the end.\n", len(reported), len(missed))
	n := 0
	for i, k := range everyKind() {
		switch i {
		case 0:
			page.WriteString("\n# The ways that were reported\n")
		case len(reported):
			n = 0
			page.WriteString("\n# What ten plain answers would miss\n")
		case len(reported) + len(missed):
			n = 0
			page.WriteString("\n# And besides\n")
		}
		n++
		name := strings.ToUpper(k.name[:1]) + k.name[1:]
		fmt.Fprintf(&page, "\n## %d. %s\n", n, name)
		for j, s := range k.sights {
			fmt.Fprintf(&page, "\n%s\n\n```\n%s\n```\n", s.title(), parts[i][j])
		}
		if k.not != "" {
			page.WriteString("\n**Not seen**: " + k.not + ".\n")
			fmt.Fprintf(&not, "| %s | %s |\n", k.name, k.not)
		}
	}
	return page.String() + "\n# What can't be seen\n\n| kind | because |\n|---|---|\n" + not.String()
}

// title says how an example was made.
func (s sight) title() string {
	line := "`preservecheck check"
	if s.file == "" || !strings.Contains(s.file, "preservecheck.target") {
		layer := s.layer
		if !strings.HasPrefix(layer, controlPrefix) {
			layer = "http://127.0.0.1:8080"
		}
		line += " --layer " + layer
	}
	line += " " + strings.Join(s.args, " ") + "`"
	if s.what != "" {
		line = s.what + ":\n\n" + line
	}
	return line
}

// show makes the run and returns the part of its report, held to what it must say.
func (s sight) show(t *testing.T) string {
	t.Helper()
	args := append([]string{"check", "--client", noClient}, s.args...)
	var urls []string
	stubAt := 0
	if control, ok := strings.CutPrefix(s.layer, controlPrefix); ok && s.file == "" {
		args = append(args, "--layer", controlPrefix+control)
	} else {
		stub := findPort()
		urls = s.start(t, stub)
		args = append(args, "--settle", "200ms", "--stub-listen", stub)
		stubAt = len(args) - 1
		if !strings.Contains(s.file, "preservecheck.target") {
			args = append(args, "--layer", urls[0], "--name", "gateway")
		}
	}
	for i, a := range args {
		switch {
		case a == "gateway.yaml" || a == "known.yaml":
			args[i] = filepath.Join(t.TempDir(), a)
			text := s.file
			for n := len(urls) - 1; n >= 0; n-- {
				text = strings.ReplaceAll(text, "LAYER"+strings.Repeat("2", n), urls[n])
			}
			if err := os.WriteFile(args[i], []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		case a == "https://tunnel.example":
			args[i], args[i+2] = tunnel(t, args[stubAt])
		case a == "stub.secret":
			args[i] = filepath.Join(t.TempDir(), a)
			secret, _, err := public.ReadSecret(args[i])
			if err != nil {
				t.Fatal(err)
			}
			args[slices.Index(args, urls[0])] += "/" + secret.Path() // the layer passes its path on
		}
	}
	r := program(t, nil, args...)
	part := partOf(r.out, s.part, s.clock)
	if r.code != s.code || part == "" || !strings.Contains(strings.Join(strings.Fields(part), " "), s.says) {
		t.Errorf("exit %d, want %d, and the part that begins with %q must say %q:\n%s%s", r.code, s.code, s.part, s.says, r.out, r.errors)
	}
	return part
}

// start starts the layers of a run: the one that is named, and for a file with two the honest one, or for a chain one behind.
func (s sight) start(t *testing.T, stub string) (urls []string) {
	t.Helper()
	if control, ok := strings.CutPrefix(s.layer, controlPrefix); ok {
		l, err := controls.Start(control, "http://"+stub)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		urls = append(urls, l.URL())
	} else {
		url, end := startLayer(t, layers[s.layer], stub)
		t.Cleanup(end)
		urls = append(urls, url)
	}
	switch {
	case strings.Contains(s.file, "hops: true"): // LAYER2 stands behind LAYER
		l, err := controls.Start("drop-retry-after", urls[0])
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		urls = []string{l.URL(), urls[0]}
	case strings.Contains(s.file, "LAYER2"):
		url, end := startLayer(t, layers["honest"], stub)
		t.Cleanup(end)
		urls = append(urls, url)
	}
	return urls
}

var (
	apart    = regexp.MustCompile(`[0-9.]+ s( to [0-9.]+ s)? apart`)
	measured = regexp.MustCompile(`\bafter (up to )?[0-9]+\.[0-9] s\b`)
	endless  = regexp.MustCompile(`timed out after [0-9]+ bytes`)
	address  = regexp.MustCompile(`127\.0\.0\.1:[0-9]+`)
)

// partOf is the paragraph of a report that begins so. Times and ports that were measured are replaced.
func partOf(out, begins, clock string) string {
	for _, p := range strings.Split(out, "\n\n") {
		if !strings.HasPrefix(p, begins) {
			continue
		}
		p = apart.ReplaceAllString(strings.TrimRight(p, "\n"), "0.0 s apart") // a loaded machine takes longer
		if clock != "" {
			p = measured.ReplaceAllString(p, "after ${1}"+clock)
		}
		p = endless.ReplaceAllString(p, "timed out after 700 bytes")
		p = address.ReplaceAllString(p, "127.0.0.1:8080")
		if begins == "findings" && clock == "" { // which canaries it was depends on time
			text, _, _ := strings.Cut(p, ":")
			return text + ": …"
		}
		return p
	}
	return ""
}
