package record

// Varies says what a row showed whose observations do not all show the same.
type Varies struct {
	Observations int        `json:"observations"` // that tell something
	Sightings    []Sighting `json:"sightings"`    // what decides, in the order in which it was first seen
	Omitted      int        `json:"omitted,omitempty"`
}

// Sighting is one deciding difference, with its values, and in how many observations it was seen like that.
type Sighting struct {
	Field           Field  `json:"field"`
	Class           string `json:"class,omitempty"` // of the answers that showed it, where it is not the fixture's
	Times           int    `json:"times"`
	InventedSuccess bool   `json:"invented_success,omitempty"`
}
