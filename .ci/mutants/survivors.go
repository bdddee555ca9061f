package main

import (
	"fmt"
	"os"
	"strings"
)

// survivors are the changes that are known to change nothing: how many of each, by what they are and where.
type survivors map[string]int

// readSurvivors reads lines of file, function, kind, expression and reason with tabs between them. Neither line numbers
// nor layout are part of it, so it stays true until the expression itself is edited.
func readSurvivors(name string) (survivors, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	out := survivors{}
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.Split(line, "\t")
		if len(parts) != 5 || parts[4] == "" {
			return nil, fmt.Errorf("%s:%d: want file, function, kind, expression and reason, with tabs between", name, i+1)
		}
		out[strings.Join(parts[:4], "\t")]++
	}
	return out, nil
}

// take says whether a survivor is listed. An entry stands for one survivor.
func (s survivors) take(p place) bool {
	if s[p.key()] == 0 {
		return false
	}
	s[p.key()]--
	return true
}

// stale gives the entries for a package whose code is not there any more.
func (s survivors) stale(dir string, all []place) []string {
	there := map[string]bool{}
	for _, p := range all {
		there[p.key()] = true
		if p.Kind == arithmetic && strings.Contains(p.Text, "-") { // gremlins calls a minus between two numbers a sign as well
			p.Kind = sign
			there[p.key()] = true
		}
	}
	var out []string
	for key := range s {
		if strings.HasPrefix(key, dir+"/") && !there[key] {
			out = append(out, key)
		}
	}
	return out
}
