package clients

import (
	"fmt"
	"regexp"
)

// Tool is a program that installing a client needs, and running it, where that is no program of its own.
type Tool struct {
	Program string
	Version []string // the command that says its version
	least   [2]int   // the oldest that is known to do, major and minor
}

// tools are those of each manager. Sources, of 2026-11-30: the oldest Node and Python that each driver ran with or its packages
// declare; the go line of the drivers' go.mod.
var tools = map[Manager][]Tool{
	Npm: {{"node", []string{"node", "--version"}, [2]int{20, 0}}, {"npm", nil, [2]int{}}},
	Pip: {{"python3", []string{"python3", "--version"}, [2]int{3, 10}}},
	Go:  {{"go", []string{"go", "env", "GOVERSION"}, [2]int{1, 26}}},
}

// Tools are the programs that installing the client needs.
func (c *Client) Tools() []Tool { return tools[c.Manager] }

// String names the tool for a person, "node 20.0 or newer".
func (t Tool) String() string {
	if t.Version == nil {
		return t.Program
	}
	return fmt.Sprintf("%s %d.%d or newer", t.Program, t.least[0], t.least[1])
}

var firstVersion = regexp.MustCompile(`[0-9]{1,4}\.[0-9]{1,4}`)

// TooOld reads what the command of Version wrote. What holds no version is not known to be too old.
func (t Tool) TooOld(said string) (version string, old bool) {
	version = firstVersion.FindString(said)
	if version == "" {
		return "", false
	}
	var have [2]int
	_, _ = fmt.Sscanf(version, "%d.%d", &have[0], &have[1]) // digits, by the expression
	return version, have[0] < t.least[0] || have[0] == t.least[0] && have[1] < t.least[1]
}
