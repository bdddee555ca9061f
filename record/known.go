package record

// Known says what was declared beforehand and what became of it.
type Known struct {
	Files    []KnownFile `json:"files"`
	Problems []string    `json:"problems,omitempty"` // entries that are stale, expired or too wide; each fails the run
}

// KnownFile is one known file.
type KnownFile struct {
	Name    string `json:"name"`    // without its folders
	Digest  string `json:"digest"`  // SHA-256 of its bytes, in hex
	Entries int    `json:"entries"` // all that it has
	Used    int    `json:"used"`    // that are for this layer
}

// NewsFormat is the name of the JSON form of Diff.
const NewsFormat = "preservecheck.diff/v1"

// Diff is what the command diff writes: what one record says that an older one did not.
type Diff struct {
	Format string `json:"format"`
	News   News   `json:"news"`
	Result Result `json:"result"`
}

// News is what a run says that an older one did not. A run that has it is judged by it alone.
type News struct {
	Old     Side     `json:"old"`
	New     Side     `json:"new"`
	Changes []Change `json:"changes"`           // worst first
	Same    int      `json:"same"`              // faults that both have
	Untold  []string `json:"untold,omitempty"`  // rows of the older run that say nothing now: could not tell
	Unequal []string `json:"unequal,omitempty"` // why the two can't be compared at all: could not tell, whatever differs
}

// Side names one of the two runs.
type Side struct {
	Layer   string `json:"layer"`
	Version string `json:"version,omitempty"`
	Started string `json:"started"`
	Tool    string `json:"tool"`
	Result  string `json:"result"`
}

// Change is one piece of news. Fails says that it is a new fault.
type Change struct {
	What   string `json:"what"` // new, gone, declared, class, finding, hits, time, version
	Row    string `json:"row,omitempty"`
	Route  string `json:"route,omitempty"`
	Mode   string `json:"mode,omitempty"`
	Key    string `json:"key,omitempty"`
	Dir    string `json:"dir,omitempty"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	Text   string `json:"text"`
	Fails  bool   `json:"fails,omitempty"`
}
