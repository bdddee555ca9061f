// Package compare turns what was expected, what came through the layer and what the stub saw into the verdict of one
// row, and the verdicts of all rows into the result of a run.
//
// It is pure: it sends nothing, waits for nothing, prints nothing and reads no environment.
package compare

// Rules are the choices that decide a verdict.
type Rules struct {
	Profile         *Profile
	FailOn          string // "changed" (default) or "reclassified"
	MaxLayerRetries int    // -1: the profile's rule
	AllowUntestable bool
	Known           Known // nil: nothing was declared
}
