package clients

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"
)

// Manager is what installs the packages of a client.
type Manager string

// The managers.
const (
	Npm Manager = "npm"
	Pip Manager = "pip"
	Go  Manager = "go"
)

var managers = []Manager{Npm, Pip, Go}

// manager is what is known of one.
type manager struct {
	lock  string   // the file with the versions
	files []string // that have to be in the folder
	pin   func(Package) string
	count func(lock []byte) int
	from  string // where packages come from, as a user can find out
	steps [][]string
}

// about says how packages are installed. No package's own code runs while that is done: npm leaves scripts out, pip takes
// built packages alone, and go only compiles.
var about = map[Manager]manager{
	Npm: {
		lock: "package-lock.json", files: []string{"package.json", "package-lock.json"},
		pin: func(p Package) string {
			return fmt.Sprintf("\"node_modules/%s\": {\n      \"version\": \"%s\"", p.Name, p.Version)
		},
		count: func(lock []byte) int { return bytes.Count(lock, []byte("\"integrity\":")) },
		from:  "the registry that npm is set up for (npm config get registry)",
		steps: [][]string{{"npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"}},
	},
	Pip: {
		lock: "requirements.txt", files: []string{"requirements.txt"},
		pin:   func(p Package) string { return p.Name + "==" + p.Version },
		count: func(lock []byte) int { return bytes.Count(lock, []byte("==")) },
		from:  "the index that pip is set up for (pip config list)",
		steps: [][]string{
			{"python3", "-m", "venv", "venv"},
			{"{dir}/venv/bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--require-hashes", "--only-binary", ":all:", "-r", "requirements.txt"},
		},
	},
	Go: {
		lock: "go.mod", files: []string{"go.mod", "go.sum"},
		pin:   func(p Package) string { return p.Name + " " + p.Version },
		count: func(lock []byte) int { return bytes.Count(lock, []byte(" v")) },
		from:  "the module proxy that go is set up for (go env GOPROXY)",
		steps: [][]string{{"go", "build", "-trimpath", "-ldflags=-s -w", "-o", "driver", "."}},
	},
}

// Steps are the commands that install a client in dir, one after another, each to be run in that folder.
func (c *Client) Steps(dir string) (steps [][]string) {
	for _, step := range about[c.Manager].steps {
		steps = append(steps, in(step, dir))
	}
	return steps
}

// InstallEnv are variables that the commands need, as NAME=value: go must take the lock file as it is, whatever workspace or
// vendor folder is around, and fetch no other Go.
func (c *Client) InstallEnv() []string {
	if c.Manager == Go {
		return []string{"GOTOOLCHAIN=local", "GOFLAGS=-mod=readonly", "GOWORK=off", "CGO_ENABLED=0"}
	}
	return nil
}

// Fetches says in words what installing takes from where.
func (c *Client) Fetches() string {
	m := about[c.Manager]
	var all []string
	for _, p := range c.Packages {
		all = append(all, p.Name+" "+p.Version)
	}
	return fmt.Sprintf("%s; %d packages as %s pins them, from %s", strings.Join(all, ", "), m.count(c.file(m.lock)), m.lock, m.from)
}

// Command is the driver as it is started when it was installed in dir.
func (c *Client) Command(dir string) []string { return in(c.Run, dir) }

func in(words []string, dir string) (out []string) {
	for _, w := range words {
		out = append(out, strings.ReplaceAll(w, "{dir}", filepath.ToSlash(dir)))
	}
	return out
}

// Stamp is the name of the file that is written last when a client was installed. It holds Digest.
const Stamp = "installed"

// Digest names exactly these files: a driver or a lock file of another release has another.
func (c *Client) Digest() string {
	sum := sha256.Sum256(pack(c.Files))
	return hex.EncodeToString(sum[:])
}

// Versions names the packages with their versions, for a report.
func (c *Client) Versions() string {
	var all []string
	for _, p := range c.Packages {
		all = append(all, p.Name+" "+p.Version)
	}
	return strings.Join(all, ", ")
}
