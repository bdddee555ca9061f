package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/preservecheck/preservecheck/compare"
)

const profileHelp = "which keys decide: core, sdk, claude-code, full, or a `FILE` with a profile of your own; see docs/profiles.md"

// maxProfileFile is more than the strict reader takes, so that it is the one to complain.
const maxProfileFile = 2 << 20

// profileByName finds a built-in profile, or reads the user's own where a file is named.
func profileByName(name, from string) (*compare.Profile, error) {
	if p := compare.ProfileByName(name); p != nil {
		return p, nil
	}
	if isFile := strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml"); !isFile {
		return nil, usage(didYouMean(name, profileNames(), "a profile of your own is a file, like ./mine.yaml"), "%s: there is no profile %q", from, name)
	}
	p, err := readProfile(name)
	if err != nil {
		return nil, usage("docs/profiles.md has an example", "%s: %s", from, err)
	}
	return p, nil
}

func readProfile(name string) (p *compare.Profile, err error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s can't be read: %w", shown(name), cause(err))
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	b, err := io.ReadAll(io.LimitReader(f, maxProfileFile))
	if err != nil {
		return nil, fmt.Errorf("%s can't be read: %w", shown(name), cause(err))
	}
	return compare.ReadProfile(shown(name), b)
}

func profileNames() []string {
	var names []string
	for _, p := range compare.Profiles() {
		names = append(names, p.Name)
	}
	return names
}
