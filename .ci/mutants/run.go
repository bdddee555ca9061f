package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// runner runs the tests of one package, each by itself, so that a change is only shown to tests that come by it.
type runner struct {
	binary, dir string
	patience    int           // how many times as long as untouched a test may take
	longest     time.Duration // tests that take longer are left out; 0: none
	left        []string      // those
	tests       []test
}

type test struct {
	name    string
	took    time.Duration
	reaches map[int]bool
}

// found is what came of a change.
type found int

const (
	lived      found = iota
	noticed          // a test failed
	timedOut         // a test did not end
	notReached       // no test comes by it
)

// learn runs each test once, untouched, and keeps how long it takes and which places it comes by.
func (r *runner) learn(work string, only *regexp.Regexp) error {
	out, err := r.command(context.Background(), "", "-test.list=.").Output()
	if err != nil {
		return fmt.Errorf("the list of tests: %w", err)
	}
	for _, name := range strings.Fields(string(out)) {
		if !only.MatchString(name) || strings.HasPrefix(name, "Benchmark") {
			continue
		}
		trace := filepath.Join(work, name+".trace")
		begin := time.Now()
		cmd := r.command(context.Background(), "MUTATED_TRACE="+trace, "-test.run=^"+name+"$")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s fails untouched: %w\n%s", name, err, out)
		}
		t := test{name: name, took: time.Since(begin), reaches: map[int]bool{}}
		if r.longest > 0 && t.took > r.longest {
			r.left = append(r.left, name)
			continue
		}
		lines, err := os.ReadFile(trace)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		for _, line := range strings.Fields(string(lines)) {
			n, err := strconv.Atoi(line)
			if err != nil {
				return err
			}
			t.reaches[n] = true
		}
		r.tests = append(r.tests, t)
	}
	if len(r.tests) == 0 {
		return fmt.Errorf("no tests in %s", r.dir)
	}
	slices.SortFunc(r.tests, func(a, b test) int { return cmp.Compare(a.took, b.took) })
	return nil
}

func (r *runner) command(ctx context.Context, env string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, r.binary, args...)
	cmd.Dir = r.dir
	cmd.WaitDelay = 10 * time.Second // what a test has started may hold its output open
	if env != "" {
		cmd.Env = append(os.Environ(), env)
	}
	return cmd
}

// try shows one change to the tests that come by it, the quickest first, until one notices.
func (r *runner) try(n int) (found, string) {
	came := notReached
	for _, t := range r.tests {
		if !t.reaches[n] {
			continue
		}
		came = lived
		ctx, cancel := context.WithTimeout(context.Background(), t.took*time.Duration(r.patience)+10*time.Second)
		err := r.command(ctx, "MUTATED_PLACE="+strconv.Itoa(n), "-test.run=^"+t.name+"$", "-test.failfast").Run()
		late := ctx.Err() != nil
		cancel()
		switch {
		case late:
			return timedOut, t.name
		case err != nil:
			return noticed, t.name
		}
	}
	return came, ""
}
