// Package clients holds real SDKs as data: for each the packages that it needs, pinned with a lock file, and a small driver
// that makes calls with it and says what it showed, in the protocol of docs/clients.md.
//
// A folder is a client. The package reads the folders and says how each is installed and started; it starts nothing, fetches
// nothing and writes no file.
package clients

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
)

// Format is the format that Load reads, as written in the first key of a client.yaml.
const Format = "preservecheck.client/1"

// File is the name of the file that makes a folder a client.
const File = "client.yaml"

// Client is an SDK and its driver.
type Client struct {
	Name     string
	Title    string // for people: the SDK and its language
	Homepage string
	Dialect  string // that it speaks
	Language string
	Manager  Manager // what installs its packages
	Packages []Package
	Run      []string // the driver and its arguments, {dir} stands for the folder where it is installed
	Lines    bool     // one process takes many calls, a line each; otherwise each call is a process
	Skips    bool     // it can record a wait instead of waiting, with the wire unchanged
	Retries  int      // the SDK's own number of retries, when nobody says otherwise
	Sources  []Source
	Files    []Named // what is installed: the driver, the lock file and what belongs to it, sorted by path
}

// Package is one that a client is about, with its pinned version.
type Package struct{ Name, Version string }

// Source is where something that a driver relies on was read.
type Source struct{ What, URL, Date string }

// Named is a file of a client; its name has no folder.
type Named struct {
	Name string
	Data []byte
}

//go:embed anthropic-go.pack openai-go.pack
//go:embed ai-sdk anthropic-py anthropic-ts claude-code langchain-js openai-node openai-py
var builtin embed.FS

// names lists the built-in clients, the folder of each beside this file.
var names = []string{"anthropic-go", "anthropic-ts", "anthropic-py", "openai-go", "openai-node", "openai-py", "ai-sdk", "langchain-js", "claude-code"}

// Names lists the built-in clients.
func Names() []string { return slices.Clone(names) }

// Builtin reads a built-in client. A name that none has is an error that matches fs.ErrNotExist.
func Builtin(name string) (*Client, error) {
	if !slices.Contains(names, name) {
		return nil, fmt.Errorf("client %q: %w", name, fs.ErrNotExist)
	}
	files, err := embedded(name)
	if err != nil {
		return nil, err
	}
	return Load(name, files)
}

// embedded reads a client's files out of the program. The folder of a Go driver is a module of its own, which can't be
// embedded; it is packed into one file, which a test holds to the folder.
func embedded(name string) ([]Named, error) {
	if packed, err := builtin.ReadFile(name + ".pack"); err == nil {
		return unpack(packed)
	}
	entries, err := builtin.ReadDir(name)
	if err != nil {
		return nil, err
	}
	var files []Named
	for _, e := range entries {
		data, err := builtin.ReadFile(path.Join(name, e.Name()))
		if err != nil {
			return nil, err
		}
		files = append(files, Named{e.Name(), data})
	}
	return files, nil
}
