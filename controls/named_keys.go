package controls

import (
	"slices"
	"strings"

	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// forFile makes a fault for each key that only a user's own profile names, so that this profile is proven like ours: what
// the key stands for is invented. A key that stands nowhere in a fixture and can't be invented stays without one, and the
// run then says that nothing turns it red.
func forFile(p *compare.Profile) (out []*Fault) {
	if p.File == "" {
		return nil
	}
	for _, k := range p.Keys {
		if builtinKey(k.Pattern) {
			continue
		}
		switch root, rest, _ := strings.Cut(invention(k.Pattern), "/"); root {
		case "header":
			out = append(out, &Fault{
				Name: "invent " + k.Pattern, Why: "a header that the profile names is invented", Mechanism: OfHeader,
				Change: invent(rest, "preservecheck"), Want: absent("header/" + rest),
			})
		case "trailer":
			out = append(out, inventTrailer(k.Pattern, rest))
		case "error", "body":
			out = append(out, inventMember(k.Pattern, root, rest))
		}
	}
	return out
}

func builtinKey(pattern string) bool {
	return slices.ContainsFunc(compare.Profiles(), func(p *compare.Profile) bool {
		return slices.ContainsFunc(p.Keys, func(k compare.Key) bool { return k.Pattern == pattern })
	})
}

// invention is a key that a pattern fits.
func invention(pattern string) string {
	if root, ok := strings.CutSuffix(pattern, "/**"); ok {
		return root + "/preservecheck"
	}
	if start, ok := strings.CutSuffix(pattern, "*"); ok {
		return start + "preservecheck"
	}
	return pattern
}

func inventTrailer(pattern, name string) *Fault {
	return &Fault{
		Name: "invent " + pattern, Why: "a trailer that the profile names is invented", Mechanism: OfHeader,
		Change: func(a *wire.Answer, _ bool) {
			if isError(a) {
				a.Trailer = append(a.Trailer, wire.Field{Name: name, Value: "preservecheck"})
			}
		},
		Want: absent("trailer/" + name),
	}
}

// inventMember adds a member where its parent is an object and has none of that name.
func inventMember(pattern, root, rest string) *Fault {
	path := strings.Split(rest, "/")
	if root == "error" {
		path = append([]string{"error"}, path...)
	}
	key := root + "/" + rest
	return &Fault{
		Name: "invent " + pattern, Why: "a member that the profile names is invented", Mechanism: OfBody,
		Change: func(a *wire.Answer, _ bool) {
			editBody(a, func(m map[string]any) {
				for _, name := range path[:len(path)-1] {
					var ok bool
					if m, ok = m[name].(map[string]any); !ok {
						return
					}
				}
				if leaf := path[len(path)-1]; m[leaf] == nil {
					m[leaf] = "preservecheck"
				}
			})
		},
		Want: func(r Seen) []Sight {
			at := r.Evidence.Get(key)
			switch {
			case !r.isError() || r.isEvents() || r.Evidence.Get(evidence.Parent(key)).Kind != evidence.Object:
				return nil
			case at.Kind == evidence.Absent:
				return []Sight{{key, evidence.Invented}}
			case at.Kind == evidence.Null:
				return []Sight{{key, evidence.Changed}}
			}
			return nil
		},
	}
}
