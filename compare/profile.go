package compare

import (
	"slices"
	"strings"

	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/evidence"
)

// Profile is a named set of keys whose differences decide a row. Keys outside it are shown as notes.
type Profile struct {
	Name string
	Why  string
	Keys []Key
	// Noise are keys that never decide although a pattern of Keys fits them.
	Noise []string
	// OneHit allows one hit for every class, not only for those that must not be retried.
	OneHit bool
	// Owes is what a 429 or 503 of the layer's own must carry, as its source words it; "" when the profile asks nothing of them.
	Owes string
	// Watch sends and watches the request side, too, though no key of it decides.
	Watch bool
	// File is where a user's own profile came from, "" for a built-in one.
	File string
}

// Key is a pattern over evidence keys: a key, a prefix that ends in "/**" for everything below it, or one that ends in "*" for
// every key that begins so.
type Key struct {
	Pattern string
	// WithoutError restricts the pattern to rows whose fixture holds no error object: there the body is all the
	// evidence that exists.
	WithoutError bool
	// Same says of two present values that differ that they mean the same under this profile; nil: they never do.
	Same func(want, got evidence.Value) bool
	// From is the page that the rule rests on, and when it was read.
	From string
}

// Profiles lists the built-in profiles, from the smallest to the largest.
func Profiles() []*Profile { return []*Profile{core, sdk, claudeCode, full} }

// ProfileByName returns a profile, or nil.
func ProfileByName(name string) *Profile {
	for _, p := range Profiles() {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// core is the source article's list (status, type, code, details, message, retry-after) and what else changes what
// clients do: both official SDK families obey x-should-retry and retry-after-ms over the status (measured with seven
// builds, 2026-11-30); an error that becomes a success is seen by nobody; one that moved from the body into an event, or
// back, is looked for in the wrong place; and framing that contradicts itself is refused or read in two ways.
var core = &Profile{
	Name: "core",
	Why:  "what a classifier or an official SDK reads: status, type, code, details, message, retry-after, the retry headers and the headroom",
	Keys: []Key{
		{Pattern: "status"}, {Pattern: "error"}, {Pattern: "error/type"}, {Pattern: "error/message"},
		{Pattern: "error/details"}, {Pattern: "error/details/**"},
		{Pattern: "header/retry-after"}, {Pattern: "header/retry-after-ms"}, {Pattern: "header/x-should-retry"},
		// A throttle reads its pace from these on every answer, and the classes of successes rest on them: lost, it sends
		// blindly into the limit; invented, it waits for nothing.
		{Pattern: "header/anthropic-ratelimit-requests-limit"}, {Pattern: "header/anthropic-ratelimit-requests-remaining"},
		{Pattern: "header/anthropic-ratelimit-tokens-limit"}, {Pattern: "header/anthropic-ratelimit-tokens-remaining"},
		{Pattern: "header/anthropic-ratelimit-input-tokens-limit"}, {Pattern: "header/anthropic-ratelimit-input-tokens-remaining"},
		{Pattern: "header/anthropic-ratelimit-output-tokens-limit"}, {Pattern: "header/anthropic-ratelimit-output-tokens-remaining"},
		{Pattern: "body", WithoutError: true}, {Pattern: "stream/terminal"}, {Pattern: "stream/error"},
		// SDKs dispatch by the event's name: an error whose event line was lost is raised by none of three (run on loopback,
		// 2026-11-30). The text counts beside an error, too: it is what a user has been shown.
		{Pattern: "stream/events"}, {Pattern: "stream/text"}, {Pattern: "stream/data", WithoutError: true},
		{Pattern: "end"}, {Pattern: "decode"}, {Pattern: "framing"},
	},
}

// full is everything but what every hop writes anew.
var full = &Profile{
	Name:   "full",
	Why:    "every header, every member of the body and the framing, but for what each hop writes anew",
	OneHit: true,
	Watch:  true,
	Keys: []Key{
		{Pattern: "status"}, {Pattern: "error"}, {Pattern: "error/**"}, {Pattern: "body"}, {Pattern: "body/**"}, {Pattern: "header/**"},
		{Pattern: "stream/pace"}, {Pattern: "stream/**"}, {Pattern: "end"}, {Pattern: "decode"}, {Pattern: "framing"},
		{Pattern: "interim"}, {Pattern: "trailer/**"},
	},
	Noise: []string{
		// Written anew by each hop (RFC 9110: Date 6.6.1, Server 10.2.4, Via 7.6.3; Vary is added by whoever compresses).
		"header/date", "header/server", "header/via", "header/vary", "header/age", "header/alt-svc", "header/x-powered-by",
		// "Event streams may also include any number of ping events", says the documentation of streaming (read 2026-11-30).
		"stream/keepalive*",
		// A layer's own namespace: it may say what it likes there (names from runs and documentation read 2026-11-30).
		"header/cf-*", "header/x-litellm-*", "header/x-portkey-*", "header/x-envoy-*", "header/x-kong-*", "header/x-cache*", "header/x-served-by",
		"header/ngrok-*", "header/x-varnish*", "header/x-squid-*",
	},
}

// Watches reports whether a run under this profile looks at the request side.
func (p *Profile) Watches() bool {
	return p.Watch || slices.ContainsFunc(p.Keys, func(k Key) bool { return strings.HasPrefix(k.Pattern, "request/") })
}

// Names are the profile's patterns, for a record.
func (p *Profile) Names() []string {
	out := make([]string, 0, len(p.Keys))
	for _, k := range p.Keys {
		out = append(out, k.Pattern)
	}
	return out
}

// always decides under every profile, whatever it lists: an error that is lost or reads as another one, a success that
// nobody sent, and events by whose names no client finds the one or the other.
var always = []Key{{Pattern: "error"}, {Pattern: "error/type"}, {Pattern: "stream/terminal"}, {Pattern: "stream/events"}}

// Decides returns the first pattern that lets a difference decide the row, nil when none does. A key that class rules of the
// row's dialect may read decides under every profile, too, and so does what stands below its details.
func (p *Profile) Decides(d evidence.Difference, expected evidence.Evidence, by *dialects.Dialect) *Key {
	if k := p.lists(d, expected); k != nil {
		return k
	}
	for i := range always {
		if always[i].fits(d.Key) {
			return &always[i]
		}
	}
	key := unnumbered(d.Key)
	if role := by.Role(key); role != "" && role != classify.Body || below(by.Keys[classify.Details], key) {
		return &Key{Pattern: key}
	}
	return nil
}

// lists returns the profile's own pattern for a difference.
func (p *Profile) lists(d evidence.Difference, expected evidence.Evidence) *Key {
	if p.noise(d.Key) {
		return nil
	}
	hasError := expected.Get("error").Kind == evidence.Object
	for i := range p.Keys {
		k := &p.Keys[i]
		if k.WithoutError && hasError {
			continue
		}
		if k.fits(d.Key) || k.WithoutError && below(k.Pattern, d.Key) {
			if k.Same != nil && d.Dir == evidence.Changed && k.Same(d.Want, d.Got) {
				return nil
			}
			return k
		}
	}
	return nil
}

func (k *Key) fits(key string) bool {
	key = unnumbered(key)
	if root, ok := strings.CutSuffix(k.Pattern, "/**"); ok {
		return below(root, key)
	}
	if start, ok := strings.CutSuffix(k.Pattern, "*"); ok {
		return strings.HasPrefix(key, start)
	}
	return key == k.Pattern
}

func below(root, key string) bool {
	return len(key) > len(root) && key[len(root)] == '/' && strings.HasPrefix(key, root)
}

// unnumbered takes "#2" off the last part: a second member of a name changes what that name means to a client.
func unnumbered(key string) string {
	if i := strings.LastIndexByte(key, '#'); i > strings.LastIndexByte(key, '/') {
		return key[:i]
	}
	return key
}

func (p *Profile) noise(key string) bool {
	for _, n := range p.Noise {
		if root, ok := strings.CutSuffix(n, "*"); ok && strings.HasPrefix(key, root) || n == key {
			return true
		}
	}
	return false
}
