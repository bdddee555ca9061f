//go:build unix

// Command bench compares two commands as whole processes: it runs them in turn and prints medians and the median of
// the ratios pair by pair, since the speed of a machine drifts and a ratio within one pair does not. See
// docs/performance.md.
//
//	go run ./bench -n 21 -a 'preservecheck check --layer control:identity --stream off' -b 'python3 preserve_control.py'
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// figures are what one run cost.
type figures struct{ wall, cpu, rss float64 } // ms, ms, MiB

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(2)
	}
}

func run(args []string, out io.Writer) error {
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	n := fs.Int("n", 21, "pairs that are counted, after one that is not")
	a := fs.String("a", "", "command A, split at spaces")
	b := fs.String("b", "", "command B, the yardstick; empty: A alone")
	dir := fs.String("dir-b", "", "working directory of command B")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if *a == "" || *n < 1 {
		return errors.New("give -a and a positive -n")
	}
	var as, bs []figures
	for i := range *n + 1 {
		x, err := once(*a, "")
		if err != nil {
			return err
		}
		y := figures{1, 1, 1}
		if *b != "" {
			if y, err = once(*b, *dir); err != nil {
				return err
			}
		}
		if i > 0 {
			as, bs = append(as, x), append(bs, y)
		}
	}
	return show(out, as, bs)
}

// once runs a command and asks the system what it cost.
func once(command, dir string) (figures, error) {
	words := strings.Fields(command)
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir = dir
	began := time.Now()
	err := cmd.Run()
	wall := time.Since(began)
	if err != nil {
		return figures{}, fmt.Errorf("%s: %w", command, err)
	}
	use, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return figures{}, errors.New("this system does not tell what a process used")
	}
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return figures{ms(wall), ms(cpu), float64(use.Maxrss) / 1024}, nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func show(out io.Writer, as, bs []figures) error {
	rows := []struct {
		name string
		of   func(figures) float64
	}{
		{"wall ms", func(f figures) float64 { return f.wall }},
		{"cpu ms", func(f figures) float64 { return f.cpu }},
		{"rss MiB", func(f figures) float64 { return f.rss }},
	}
	if _, err := fmt.Fprintf(out, "%-8s %10s %10s %10s   (medians of %d pairs)\n", "", "A", "B", "A/B", len(as)); err != nil {
		return err
	}
	for _, r := range rows {
		var x, y, q []float64
		for i := range as {
			x, y, q = append(x, r.of(as[i])), append(y, r.of(bs[i])), append(q, r.of(as[i])/r.of(bs[i]))
		}
		if _, err := fmt.Fprintf(out, "%-8s %10.2f %10.2f %10.3f\n", r.name, median(x), median(y), median(q)); err != nil {
			return err
		}
	}
	return nil
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}
