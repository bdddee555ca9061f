package stub

import (
	"net/http"
	"strings"

	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/nearest"
)

// target is what a method and a path mean: a dialect's door, or one of the stub's own answers.
type target struct {
	dialect *dialects.Dialect // never nil: it reads the body of a request that went astray, too
	own     *own
	refusal *refusal
}

// aside reports whether this asks for nothing that a provider answers with evidence.
func (t target) aside() bool {
	return t.own != nil || t.refusal != nil && t.refusal.kind == KindCountTokens
}

// route finds what a request is for. A dialect's path may have anything in front of it, but not itself: a base URL
// that already ends in /v1 is the most frequent mistake of all.
func (s *Server) route(method, path string) target {
	to := target{dialect: s.opt.Dialects[0]}
	read := method == http.MethodGet || method == http.MethodHead
	if read && path == "/" {
		to.own = hello
		return to
	}
	if d := s.lister(path); d != nil && read {
		return target{dialect: d, own: &own{kind: KindModels, body: s.models()}}
	}
	best := 0
	for _, d := range s.opt.Dialects {
		if strings.HasSuffix(path, d.Path) && len(d.Path) > best {
			to, best = target{dialect: d}, len(d.Path)
		} else if strings.HasSuffix(path, d.Path+countTokens) {
			return target{dialect: d, refusal: countedTokens(path)}
		}
	}
	switch {
	case best == 0:
		to.refusal = unexpectedPath(path, s.opt.Dialects)
	case doubled(path, to.dialect.Path):
		to.refusal = doubledPath(path, to.dialect.Path)
	case method != http.MethodPost:
		to.refusal = unexpectedMethod(method, path)
	}
	return to
}

// lister returns the dialect whose list of models a path asks for, nil for none. The longest path counts: /v1/models is not
// /models behind a base path, so that a doubled /v1 is noticed.
func (s *Server) lister(path string) *dialects.Dialect {
	var best *dialects.Dialect
	for _, d := range s.opt.Dialects {
		if strings.HasSuffix(path, d.ModelsPath) && (best == nil || len(d.ModelsPath) > len(best.ModelsPath)) {
			best = d
		}
	}
	if best == nil || doubled(path, best.ModelsPath) {
		return nil
	}
	return best
}

const countTokens = "/count_tokens"

// firstSegment is the part of a path that is doubled: /v1.
func firstSegment(path string) string {
	if i := strings.IndexByte(path[1:], '/'); i >= 0 {
		return path[:i+1]
	}
	return path
}

// doubled reports whether what stands before the end of a path ends like the beginning of that end.
func doubled(path, end string) bool {
	before := strings.TrimRight(strings.TrimSuffix(path, end), "/")
	return strings.HasSuffix(before, firstSegment(end)) || strings.HasSuffix(before, end)
}

func reached(path string) string { return "the stub was reached at " + shown(path) }

func unexpectedPath(path string, known []*dialects.Dialect) *refusal {
	var paths []string
	for _, d := range known {
		paths = append(paths, d.Path)
	}
	return &refusal{http.StatusNotFound, KindPath, reached(path) + ", which no dialect posts to (" + strings.Join(paths, ", ") +
		" with any prefix): correct the path in the layer's upstream URL"}
}

func doubledPath(path, end string) *refusal {
	what := firstSegment(end)
	if strings.HasSuffix(strings.TrimRight(strings.TrimSuffix(path, end), "/"), end) {
		what = end
	}
	return &refusal{http.StatusNotFound, KindPath, reached(path) + ": a doubled " + what + "; remove it from the layer's upstream URL"}
}

func unexpectedMethod(method, path string) *refusal {
	return &refusal{http.StatusMethodNotAllowed, KindMethod, reached(path) + " with " + shown(method) +
		" instead of POST: some caches turn a POST into a GET towards the upstream; turn that off in the layer"}
}

func countedTokens(path string) *refusal {
	return &refusal{http.StatusNotFound, KindCountTokens, reached(path) + " to count tokens, which the stub does not do; " +
		"this endpoint is optional, and nothing is wrong with the layer that asks"}
}

// meant suggests the fixtures that a wrong name may stand for.
func (s *Server) meant(name string) string {
	if near := nearest.Names(name, s.known); len(near) > 0 {
		return " (did you mean " + strings.Join(near, " or ") + "?)"
	}
	return ""
}

// noFixture says why a request on the right path gets no fixture.
func (c *conn) noFixture() *refusal {
	if name := c.hit.Tag.Fixture; name != "" {
		return &refusal{http.StatusNotFound, KindUnknown, reached(c.hit.Path) + " and asked for a fixture " + shown(name) +
			", which is not in the stub's matrix" + c.s.meant(name) + ": tester and stub must use the same one"}
	}
	header, _ := c.s.opt.Channels.Names()
	text := reached(c.hit.Path) + ", but no channel said which fixture is wanted: no marker in the prompt, no fixture's name at the end of the model " +
		shown(c.hit.Model) + ", no header " + header + ", no /fx/NAME/ in the path; let the layer pass one of them on"
	if c.hit.Note != "" {
		text += " (" + c.hit.Note + ")"
	}
	return &refusal{http.StatusNotFound, KindNoFixture, text}
}
