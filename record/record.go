// Package record holds the nouns of a finished run, as data: what a report shows and what a later command reads.
//
// The JSON form is preservecheck.report/v1 and only ever grows. The package imports nothing of ours, decides
// nothing and formats nothing.
package record

import "time"

// Format is the name of the JSON form.
const Format = "preservecheck.report/v1"

// Document is one run.
type Document struct {
	Format     string     `json:"format"`
	Tool       Tool       `json:"tool"`
	Command    string     `json:"command"` // check, demo, controls
	Started    time.Time  `json:"started"`
	DurationMS float64    `json:"duration_ms"`
	Incomplete bool       `json:"incomplete,omitempty"` // interrupted, or still running when this was written
	Refused    string     `json:"refused,omitempty"`    // why nothing was run: a fault of usage, not of the layer
	NotReady   string     `json:"not_ready,omitempty"`  // why no row was run: what came back instead of a canary, and the likely cause
	Target     Target     `json:"target"`
	Matrix     Matrix     `json:"matrix"`
	Profile    Profile    `json:"profile"`
	Settings   Settings   `json:"settings"`
	Channel    string     `json:"channel"`  // the one whose tags decide
	Channels   []string   `json:"channels"` // all that arrived with the canary
	Rows       []Row      `json:"rows"`
	Excluded   []Excluded `json:"excluded,omitempty"`
	Findings   []Finding  `json:"findings,omitempty"`
	Proof      Proof      `json:"proof"`
	Notes      []string   `json:"notes,omitempty"`
	Result     Result     `json:"result"`

	Classifier *Classifier `json:"classifier,omitempty"` // the user's own, when one was given
	Hops       []Hop       `json:"hops,omitempty"`       // where in a chain of routes something changed first
	Known      *Known      `json:"known,omitempty"`      // what was declared beforehand, when known files were given
	News       *News       `json:"news,omitempty"`       // against an older record, when one was given: it alone is judged then
	Sources    []Source    `json:"sources,omitempty"`    // files of the user's own that the run read
	Parts      []Part      `json:"parts,omitempty"`      // of a record that merge made: the runs that were joined

	Recipe string   `json:"recipe,omitempty"` // name/variant, when the run started the layer from a recipe
	Advice []Advice `json:"advice,omitempty"` // likely causes of what failing rows and findings show, worst row first, findings last

	Actions []Action `json:"actions,omitempty"` // what a worker does about the classes that the rows have
}

// Action is what a worker does about a class.
type Action struct {
	Class   string `json:"class"`
	Retry   string `json:"retry"`   // never, after-wait, bounded
	Outcome string `json:"outcome"` // what becomes of the job when the worker stops
	Alert   string `json:"alert"`   // none, ticket, owner, page
}

// Advice is a likely cause of what rows or findings show, and what to do about it, from the data of a recipe. It decides nothing.
type Advice struct {
	Key     string    `json:"key,omitempty"`     // that differs; "" where it is the row as a whole
	Finding string    `json:"finding,omitempty"` // kind of the findings that it is about; it is about rows otherwise
	Cause   string    `json:"cause"`
	Remedy  string    `json:"remedy"`
	Source  string    `json:"source"`
	Date    string    `json:"date"` // YYYY-MM-DD
	Rows    []RowName `json:"rows"`
}

// RowName says which row is meant.
type RowName struct {
	Row   string `json:"row"`
	Mode  string `json:"mode"`
	Route string `json:"route,omitempty"`
}

// Source is a file of the user's own that a run read.
type Source struct {
	Kind string `json:"kind"` // target, recipe, known, matrix
	Path string `json:"path"` // as he gave it, with slashes; only the name of a file that is not below the current folder
}

// Part is one of the runs that were joined.
type Part struct {
	File    string    `json:"file"` // without its folders
	Layer   string    `json:"layer"`
	Version string    `json:"version,omitempty"`
	Started time.Time `json:"started"`
	Rows    int       `json:"rows"`
	Result  Result    `json:"result"`            // recomputed from its rows
	Claimed int       `json:"claimed"`           // the exit code that it was saved with
	Problem string    `json:"problem,omitempty"` // why it says nothing: could not tell
}

// Classifier is what a classifier of the user's own made of the rows. It never changes a verdict of a row.
type Classifier struct {
	Command string     `json:"command"` // name of the program, without its arguments
	Failed  string     `json:"failed,omitempty"`
	Rows    []OwnClass `json:"rows"`
}

// OwnClass is one row as the user's own classifier reads it.
type OwnClass struct {
	Row     string `json:"row"`
	Mode    string `json:"mode"`
	Fixture string `json:"fixture"`         // his class of the fixture as it is served
	Layer   string `json:"layer,omitempty"` // his class of what came through the layer, when an answer came
	Builtin string `json:"builtin"`         // the built-in class of the fixture
	Route   string `json:"route,omitempty"`
	Differs bool   `json:"differs,omitempty"` // he calls the fixture otherwise than the built-in rules: a note
	Changes bool   `json:"changes,omitempty"` // his class is another one through the layer, and that fails
}

// Noted reports whether his class is another one through the layer where that is only told: on a row that expects a
// failure, any will do.
func (o OwnClass) Noted() bool { return !o.Changes && o.Layer != "" && o.Layer != o.Fixture }

// Tool names what wrote the record.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Target is what was checked; credentials are removed.
type Target struct {
	Name    string `json:"name"`
	URL     string `json:"url"`
	Version string `json:"version,omitempty"`
	Control string `json:"control,omitempty"` // name of the embedded layer
	StubURL string `json:"stub_url"`

	Routes []Route `json:"routes,omitempty"` // of a target's file; none for a layer that was given by its URL
	Hops   bool    `json:"hops,omitempty"`   // the routes are points of one chain, client first
}

// Route is one way into the target; credentials are removed.
type Route struct {
	Name    string   `json:"name"`
	URL     string   `json:"url"`
	Dialect string   `json:"dialect"`
	Model   string   `json:"model"`
	Channel string   `json:"channel"`
	Headers []string `json:"headers,omitempty"` // names only
}

// Hop says where in a chain something changed first, seen from the provider: answers asked for at route Next came as
// they were served, those asked for at route At did not.
type Hop struct {
	Key  string   `json:"key,omitempty"` // "" where it is the answer as a whole
	Dir  string   `json:"dir"`           // lost, changed, invented; of an answer as a whole: layer-made, broken, retried
	At   string   `json:"at"`
	Next string   `json:"next,omitempty"` // "" for the stub
	Rows []string `json:"rows"`           // "tier_cap (plain)"
}

// Matrix names the set of fixtures.
type Matrix struct {
	Version  string `json:"version"`
	Selected int    `json:"selected"`           // rows that were to be judged
	Total    int    `json:"total"`              // rows that the set has in the modes of this run
	Narrowed string `json:"narrowed,omitempty"` // what narrowed it: "--fixture"
}

// Profile names the keys that decide.
type Profile struct {
	Name string   `json:"name"`
	Keys []string `json:"keys"`
}

// Settings are the choices that change a verdict.
type Settings struct {
	Modes           []string `json:"modes"`
	Dialects        []string `json:"dialects"`
	Hazards         []string `json:"hazards"`
	FailOn          string   `json:"fail_on"`
	MaxLayerRetries int      `json:"max_layer_retries"` // -1: the profile's rule
	Repeat          int      `json:"repeat,omitempty"`
	MaxLayerWaitMS  float64  `json:"max_layer_wait_ms,omitempty"` // 0: the profile's rule
	AllowUntestable bool     `json:"allow_untestable,omitempty"`
	Concurrency     int      `json:"concurrency"`
	Rate            float64  `json:"rate,omitempty"`
	ClientProtocol  string   `json:"client_protocol"`
	HeadersSent     []string `json:"headers_sent,omitempty"` // names only
}

// Value is one value of a key; an absent value is a missing member.
type Value struct {
	Kind string `json:"kind"`
	Text string `json:"text,omitempty"`
	Cut  int    `json:"cut,omitempty"` // bytes left out of Text
}

// Field is one key of a row, with its three values. Dir is empty when expected and layer are the same.
type Field struct {
	Key     string   `json:"key"`
	Role    string   `json:"role,omitempty"`
	Dir     string   `json:"dir,omitempty"`     // lost, changed, invented
	Nuance  string   `json:"nuance,omitempty"`  // moved, embedded, retyped
	Other   string   `json:"other,omitempty"`   // moved: the key it moved to
	Decides bool     `json:"decides,omitempty"` // in the profile
	Remark  string   `json:"remark,omitempty"`  // how the values differ, where they alone don't show it well
	Covers  []string `json:"covers,omitempty"`  // roles lost with a lost subtree
	Fixture *Value   `json:"fixture,omitempty"`
	Direct  *Value   `json:"direct,omitempty"`
	Layer   *Value   `json:"layer,omitempty"`

	Declared []string `json:"declared,omitempty"` // entries of known files that declare it
}

// Classes are the classes that the answers of a row got.
type Classes struct {
	Fixture string `json:"fixture"`
	Direct  string `json:"direct,omitempty"`
	Layer   string `json:"layer,omitempty"`
}

// Observation is one pass over a row.
type Observation struct {
	Pass       string  `json:"pass"` // A side by side, B again in reverse order, alone
	Verdict    string  `json:"verdict"`
	Provenance string  `json:"provenance"`
	Hits       int     `json:"hits"`
	Reason     string  `json:"reason,omitempty"`
	ElapsedMS  float64 `json:"elapsed_ms"`
	Decided    bool    `json:"decided,omitempty"` // this observation gave the row its verdict and fields
}

// Evidence is what the source article asks to be recorded of an answer. Never keys or prompt text.
type Evidence struct {
	Status     int                 `json:"status"`
	Type       *string             `json:"type"`
	Code       *string             `json:"error_code"`
	RetryAfter []string            `json:"retry_after"`
	RequestID  []string            `json:"request_id"`
	Workspace  []string            `json:"workspace_id"`
	RateLimit  map[string][]string `json:"rate_limit_headers,omitempty"`
	End        string              `json:"end"`
	Attempt    int                 `json:"attempt"`
}

// Hit is one request at the stub.
type Hit struct {
	ID         string   `json:"id"`
	AtMS       float64  `json:"at_ms"` // since the client request was sent
	Channels   []string `json:"channels"`
	Method     string   `json:"method"`
	Path       string   `json:"path"`
	Model      string   `json:"model,omitempty"`
	RetryCount string   `json:"x_stainless_retry_count,omitempty"`
	Nonce      string   `json:"nonce,omitempty"`     // of the client request that it belongs to
	BodyHash   string   `json:"body_hash,omitempty"` // keyed, to tell same from different within a run
	Query      []string `json:"query_names,omitempty"`
	Header     []string `json:"header_names,omitempty"`
	Served     Served   `json:"served"`
}

// Served is what the stub sent.
type Served struct {
	Proto    string `json:"proto"`
	Status   int    `json:"status"`
	Encoding string `json:"encoding,omitempty"`
	Framing  string `json:"framing"`
	Finished bool   `json:"finished"`
}

// Row is one fixture in one mode on one route.
type Row struct {
	Row          string        `json:"row"`
	Set          string        `json:"set"`
	Route        string        `json:"route"`
	Mode         string        `json:"mode"`
	Asked        string        `json:"asked"`
	Served       string        `json:"served"`
	Hazard       string        `json:"hazard"`
	Verdict      string        `json:"verdict"`
	Reason       string        `json:"reason,omitempty"`
	Class        Classes       `json:"class"`
	Consequence  string        `json:"consequence,omitempty"` // what a worker does now, one sentence
	Provenance   string        `json:"provenance,omitempty"`
	HitsMin      int           `json:"hits_min"`
	HitsMax      int           `json:"hits_max"`
	HitsAllowed  int           `json:"hits_allowed"`        // 0: any number
	Author       string        `json:"author,omitempty"`    // who likely wrote an answer that is not the upstream's, by its signature
	Behaviour    []string      `json:"behaviour,omitempty"` // what the layer did besides answering: retries and their gaps, fallbacks, waits, claims
	Observations []Observation `json:"observations"`
	Fields       []Field       `json:"fields,omitempty"`
	Omitted      int           `json:"fields_omitted,omitempty"` // differences beyond the limit
	Direct       *Evidence     `json:"direct,omitempty"`
	Layer        *Evidence     `json:"layer,omitempty"`
	Hits         []Hit         `json:"hits,omitempty"`

	InventedSuccess bool `json:"invented_success,omitempty"` // a client takes for done what nobody called done; never declared

	Varies *Varies `json:"varies,omitempty"` // what its observations showed, where they do not all show the same

	Consequences []Consequence `json:"consequences,omitempty"` // what changes for clients, by a model of them, worst first
}

// Excluded is a row that was not run.
type Excluded struct {
	Row  string `json:"row"`
	Mode string `json:"mode"`
	Why  string `json:"why"` // "--exclude", "hazard account"

	Route string `json:"route,omitempty"`
}

// Finding is something about the run rather than a row.
type Finding struct {
	Kind   string   `json:"kind"` // layer-state, crosstalk, cached, intermittent, unexplained-hits, dirty-way, slept
	Text   string   `json:"text"`
	Rows   []string `json:"rows,omitempty"`
	Advice string   `json:"advice,omitempty"`
	Fails  bool     `json:"fails"`
	Soft   bool     `json:"soft,omitempty"` // refused only side by side: could not tell instead of failing

	Declared []string `json:"declared,omitempty"` // entries of known files that declare it, so that it does not fail
}

// Proof says whether the controls were caught.
type Proof struct {
	Pairs    int       `json:"pairs"`           // pairs of fault and row in which the fault applies
	Exact    int       `json:"exact"`           // caught exactly: no more and no less
	Keys     int       `json:"keys"`            // keys of the profile
	Deciding int       `json:"deciding"`        // of these, keys that a fault turned red under this run's profile
	Shown    int       `json:"shown,omitempty"` // keys that --fail-on lets differ: they are shown and turn nothing red
	Controls []Control `json:"controls,omitempty"`
	Missed   []string  `json:"missed,omitempty"`   // in words, with the control's name
	Silenced int       `json:"silenced,omitempty"` // faults that a known file declares on at least one row
}

// Control is one fault and what it showed over all rows.
type Control struct {
	Name      string   `json:"name"`
	Why       string   `json:"why"`
	Pairs     int      `json:"pairs"`
	Exact     int      `json:"exact"`
	Missed    int      `json:"missed"`
	Extra     int      `json:"extra"`
	Untouched int      `json:"untouched"` // rows that the fault can't touch
	Had       []string `json:"had_to_show,omitempty"`
	Did       []string `json:"did_show,omitempty"`
}

// Result is the verdict of the run. It is settled before a format is chosen.
type Result struct {
	Exit   int            `json:"exit"`
	Word   string         `json:"word"` // pass, fail, could not tell
	Why    string         `json:"why"`
	Covers string         `json:"covers"` // what green covers
	Counts map[string]int `json:"counts"`
	Next   string         `json:"next,omitempty"` // the next command to type
}
