package main

import (
	"strings"

	"github.com/preservecheck/preservecheck/nearest"
)

// didYouMean is the hint for a name that is not known: the nearest known ones, or all when there are few, or the
// fallback.
func didYouMean(name string, known []string, fallback string) string {
	near := nearest.Names(name, known)
	switch {
	case len(near) > 0:
		return "did you mean " + strings.Join(near, " or ") + "?"
	case len(known) > 0 && len(known) <= 12:
		return "known are " + strings.Join(known, ", ")
	}
	return fallback
}
