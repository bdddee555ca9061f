// Command mutants changes the conditions and sums of a package one by one and wants the package's own tests to notice each,
// and holds what gremlins found against the list of survivors that are known to change nothing.
//
//	go run ./.ci/mutants -in case compare                 # what gremlins does not see
//	go run ./.ci/mutants -in all check                    # everything, instead of gremlins where that takes too long
//	go run ./.ci/mutants -gremlins result.json -in case evidence
//
// It writes all changes into one copy of the package, switched off, builds that once through `go test -overlay`, and
// runs the tests with one of them switched on at a time. It is no general tool: values of a switch with a tag, bits and
// statements are left as they are.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

type options struct {
	in, list, gremlins, dir string
	only, place             *regexp.Regexp
	patience, workers       int
	longest                 time.Duration
	verbose                 bool
}

func main() {
	var o options
	flag.StringVar(&o.in, "in", "case", "what is changed: condition, case (conditions of cases alone), sum, all or none")
	flag.StringVar(&o.list, "survivors", ".ci/survivors.tsv", "the changes that are known to change nothing")
	flag.StringVar(&o.gremlins, "gremlins", "", "what gremlins wrote with --output")
	flag.IntVar(&o.patience, "patience", 30, "how many times as long as untouched a test may take")
	flag.IntVar(&o.workers, "workers", 1, "how many changes are tried side by side; more where the tests wait more than they work")
	flag.DurationVar(&o.longest, "longest", 0, "leave out tests that take longer untouched, and name them; what lives then may still be noticed by them")
	flag.BoolVar(&o.verbose, "v", false, "name the test that notices each change as well")
	only := flag.String("run", ".", "the tests that are run, as in go test")
	place := flag.String("place", ".", "the places that are changed, as the report writes them: file:line function, kind of where: expression")
	flag.Parse()
	o.only, o.place = regexp.MustCompile(*only), regexp.MustCompile(*place)
	o.dir = filepath.ToSlash(filepath.Clean(flag.Arg(0)))
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "mutants: want one package")
		os.Exit(2)
	}
	green, err := run(os.Stdout, o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	}
	if !green {
		os.Exit(1)
	}
}

// run says whether every change was noticed or is listed.
func run(w io.Writer, o options) (green bool, err error) {
	sources, err := readPackage(o.dir)
	if err != nil {
		return false, err
	}
	green = true
	var all []place
	for _, s := range sources {
		all = append(all, s.places...)
	}
	if o.gremlins != "" {
		places, results, err := readGremlins(o.gremlins, o.dir, sources)
		if err != nil {
			return false, err
		}
		all = append(all, places...)
		if ok, err := tally(w, o, "gremlins", places, func(i int) (found, string) { return results[i], "" }); err != nil || !ok {
			green = false
			if err != nil {
				return false, err
			}
		}
	}
	if o.in != "none" {
		ok, err := ours(w, o, sources)
		if err != nil {
			return false, err
		}
		green = green && ok
	}
	known, err := readSurvivors(o.list)
	if err != nil {
		return false, err
	}
	if o.gremlins != "" || o.in == "all" { // otherwise not all kinds of changes are known
		for _, key := range known.stale(o.dir, all) {
			fmt.Fprintln(w, "listed, but no such code is there:", key)
			green = false
		}
	}
	return green, nil
}

// ours makes the changes that were asked for.
func ours(w io.Writer, o options, sources []*source) (bool, error) {
	work, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return false, err
	}
	defer func() { _ = os.RemoveAll(work) }() // in the folder for such things anyway
	binary, places, err := build(work, o.dir, sources)
	if err != nil {
		return false, err
	}
	r := &runner{binary: binary, dir: o.dir, patience: o.patience, longest: o.longest}
	if err := r.learn(work, o.only); err != nil {
		return false, err
	}
	if len(r.left) > 0 {
		fmt.Fprintln(w, "left out, since they take long:", strings.Join(r.left, " "))
	}
	var chosen []place
	var numbers []int
	for i, p := range places {
		if (o.in == "all" || o.in == p.In || o.in == "condition" && p.In != inSum) && o.place.MatchString(p.String()) {
			chosen, numbers = append(chosen, p), append(numbers, i+1)
		}
	}
	if len(chosen) == 0 {
		return false, fmt.Errorf("nothing to change in %s", o.dir)
	}
	return tally(w, o, "ours, "+o.in, chosen, side(o.workers, len(chosen), func(i int) (found, string) { return r.try(numbers[i]) }))
}

// side does the work for each number below n, some at once, and gives the results as they are asked for, in order.
func side(workers, n int, work func(int) (found, string)) func(int) (found, string) {
	type result struct {
		found found
		by    string
	}
	results, next := make([]chan result, n), make(chan int)
	for i := range results {
		results[i] = make(chan result, 1)
	}
	for range max(1, workers) {
		go func() {
			for i := range next {
				f, by := work(i)
				results[i] <- result{f, by}
			}
		}()
	}
	go func() {
		for i := range n {
			next <- i
		}
		close(next)
	}()
	return func(i int) (found, string) {
		r := <-results[i]
		return r.found, r.by
	}
}

// tally counts what came of each change and names the survivors that no list explains.
func tally(w io.Writer, o options, what string, places []place, result func(int) (found, string)) (bool, error) {
	known, err := readSurvivors(o.list)
	if err != nil {
		return false, err
	}
	count := map[found]int{}
	listed, green := 0, true
	for i, p := range places {
		f, by := result(i)
		count[f]++
		switch {
		case f == timedOut:
			fmt.Fprintf(w, "timed out: %v (%s)\n", p, by)
		case f == noticed && o.verbose:
			fmt.Fprintf(w, "noticed: %v (%s)\n", p, by)
		case f == noticed:
		case known.take(p):
			listed++
		case f == lived:
			fmt.Fprintln(w, "lived:", p)
			green = false
		default:
			fmt.Fprintln(w, "no test comes by:", p)
			green = false
		}
	}
	fmt.Fprintf(w, "%s: %s: %d changes, %d noticed, %d timed out, %d lived, %d not reached, %d of the survivors listed as equivalent\n",
		o.dir, what, len(places), count[noticed], count[timedOut], count[lived], count[notReached], listed)
	return green, nil
}
