// Package nearest finds the known names that a misspelt one may have meant.
//
// It knows no names of its own, words no hint and reads nothing.
package nearest

import (
	"slices"
	"strings"
)

// most is how many names a reader is asked to choose from.
const most = 2

// Names returns up to two known names that are near enough to a name to be what was meant, the nearest first; a second
// one only if it is about as near.
func Names(name string, known []string) []string {
	type near struct {
		name     string
		distance int
	}
	lower := strings.ToLower(name)
	var found []near
	for _, k := range known {
		d := distance(lower, strings.ToLower(k))
		if d <= max(1, len(name)/3) || len(name) > 2 && strings.Contains(strings.ToLower(k), lower) {
			found = append(found, near{k, d})
		}
	}
	slices.SortStableFunc(found, func(a, b near) int { return a.distance - b.distance })
	var names []string
	for _, f := range found[:min(most, len(found))] {
		if f.distance <= found[0].distance+1 {
			names = append(names, f.name)
		}
	}
	return names
}

// distance is the number of letters to insert, remove, replace or swap (optimal string alignment).
func distance(a, b string) int {
	const limit = 64 // longer is no typo of a name of ours
	if len(a) > limit || len(b) > limit {
		return limit
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
