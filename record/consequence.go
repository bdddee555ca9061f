package record

// Consequence is what changes for clients that get an answer as it comes through the layer instead of as it was served. It rests on
// a model of them, and decides nothing.
type Consequence struct {
	Who     string   `json:"who"`     // as a line names them
	Clients []string `json:"clients"` // their names in the model
	Text    string   `json:"text"`    // direct → through, in a few words, without any text of the layer
	Direct  Reaction `json:"direct"`
	Through Reaction `json:"through"`
	Minor   bool     `json:"minor,omitempty"` // only waits differ
}

// Reaction is what a client does about an answer that it gets again and again. Of one job, it is what worker, SDK and layer do
// together.
type Reaction struct {
	Requests    int      `json:"requests"` // the first included
	WaitMS      float64  `json:"wait_ms"`  // in all, without jitter
	PauseMS     float64  `json:"pause_ms,omitempty"`
	Done        bool     `json:"done,omitempty"` // takes the answer for a success
	Outcome     string   `json:"outcome,omitempty"`
	Tells       string   `json:"tells,omitempty"`         // none, ticket, owner, page; missing for a client that raises to its caller
	ToldAfterMS *float64 `json:"told_after_ms,omitempty"` // until a person or a ticket is told, where that is known
}
