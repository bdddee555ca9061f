package compare

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/preservecheck/preservecheck/fixture"
)

// ProfileFormat is what a profile file says it is.
const ProfileFormat = "preservecheck.profile/1"

// profileFile is a user's own profile, as it is written.
type profileFile struct {
	Format    string   `yaml:"format"`
	Name      string   `yaml:"name"`
	Why       string   `yaml:"why"`
	Base      string   `yaml:"base"`
	Keys      []string `yaml:"keys"`
	WhereNone []string `yaml:"keys-without-error"`
	Noise     []string `yaml:"noise"`
	OneHit    bool     `yaml:"one-hit"`
	Owes      *bool    `yaml:"own-429-needs-retry-after"`
}

// ReadProfile reads a user's own profile. Every error names the file and says what to write instead.
func ReadProfile(file string, b []byte) (*Profile, error) {
	var f profileFile
	if err := fixture.Strict(file, b, &f); err != nil {
		return nil, err
	}
	bad := func(what, remedy string) error { return &fixture.Problem{File: file, What: what, Remedy: remedy} }
	switch {
	case f.Format != ProfileFormat:
		return nil, bad(fmt.Sprintf("format is %q", f.Format), "write format: "+ProfileFormat)
	case !goodName(f.Name):
		return nil, bad(fmt.Sprintf("name is %q", f.Name), "write small letters, digits and hyphens, like name: our-worker")
	case ProfileByName(f.Name) != nil:
		return nil, bad("name "+f.Name+" is a built-in profile's", "choose another, so that nobody mistakes one for the other")
	}
	p := &Profile{Name: f.Name, Why: f.Why, File: file}
	if f.Base != "" {
		base := ProfileByName(f.Base)
		if base == nil {
			return nil, bad(fmt.Sprintf("base is %q, which is no built-in profile", f.Base), "write "+strings.Join(builtinNames(), ", "))
		}
		p.Keys, p.Noise, p.OneHit, p.Owes = slices.Clone(base.Keys), slices.Clone(base.Noise), base.OneHit, base.Owes
	}
	p.OneHit = p.OneHit || f.OneHit
	if f.Owes != nil {
		p.Owes = map[bool]string{true: "retry-after in whole seconds by this profile"}[*f.Owes]
	}
	if why, remedy := p.add(&f); why != "" {
		return nil, bad(why, remedy)
	}
	return p, nil
}

// add takes the file's own keys and noise over, and says what is wrong with one of them.
func (p *Profile) add(f *profileFile) (what, remedy string) {
	for i, list := range [][]string{f.Keys, f.WhereNone, f.Noise} {
		for _, pattern := range list {
			if what, remedy = wrongPattern(pattern); what != "" {
				return what, remedy
			}
			if i == 2 {
				p.Noise = append(p.Noise, pattern)
				continue
			}
			k := Key{Pattern: pattern, WithoutError: i == 1}
			if slices.ContainsFunc(p.Keys, func(o Key) bool { return o.Pattern == k.Pattern && o.WithoutError == k.WithoutError }) {
				return fmt.Sprintf("key %s is there twice", pattern), "keep one; the base's keys are there already"
			}
			p.Keys = append(p.Keys, k)
		}
	}
	if len(p.Keys) == 0 {
		return "the profile has no keys", "list what has to decide under keys, or name a base to start from"
	}
	for _, k := range p.Keys {
		if !strings.HasSuffix(k.Pattern, "*") && p.noise(k.Pattern) {
			return fmt.Sprintf("key %s is noise as well", k.Pattern), "remove it from one of the two"
		}
	}
	return "", ""
}

func builtinNames() (names []string) {
	for _, p := range Profiles() {
		names = append(names, p.Name)
	}
	return names
}

// goodName: a name stands in reports and records, and one day in other files.
func goodName(s string) bool {
	ok, _ := regexp.MatchString(`^[a-z][a-z0-9-]{0,39}$`, s)
	return ok
}

// The keys that evidence can have; those in branches have something below.
var (
	roots    = []string{"status", "end", "framing", "decode", "interim", "error", "body"}
	branches = []string{"header", "trailer", "error", "body", "stream", "request"}
)

// wrongPattern says what is wrong with a pattern, and what to write.
func wrongPattern(pattern string) (what, remedy string) {
	root, rest, deep := strings.Cut(pattern, "/")
	name := strings.TrimSuffix(strings.TrimSuffix(pattern, "*"), "*")
	switch {
	case !deep && slices.Contains(roots, pattern):
		return "", ""
	case !slices.Contains(branches, root) || !deep || rest == "":
		return fmt.Sprintf("there is no key %q", pattern), "write one of " + strings.Join(roots, ", ") + ", or something below " + strings.Join(branches, "/, ") + "/"
	case strings.Contains(name, "*") || strings.HasSuffix(pattern, "**") && !strings.HasSuffix(pattern, "/**"):
		return fmt.Sprintf("the pattern %q has a * where none can be", pattern), "end it in /** for all below a key, or in * for all that begin so"
	case (root == "header" || root == "trailer") && pattern != strings.ToLower(pattern):
		return fmt.Sprintf("the header in %q has capital letters", pattern), "write " + strings.ToLower(pattern) + ": names of headers have no case"
	}
	return "", ""
}
