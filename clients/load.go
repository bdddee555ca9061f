package clients

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/preservecheck/preservecheck/fixture"
)

// The shapes of a file. Leaves are nodes, which keep what was written and where.
type (
	rawClient struct {
		Format, Name, Title, Homepage, Dialect, Language, Manager, Packages, Run, Lines, Sources fixture.Node
		Skips                                                                                    fixture.Node `yaml:"skips_waits"`
		Retries                                                                                  fixture.Node `yaml:"default_retries"`
	}
	rawSource struct{ What, URL, Date fixture.Node }
)

// loader reads one client.yaml.
type loader struct{ fixture.Reader }

// Load reads a client out of the files of its folder. dir is what the folder is called, for messages. Every problem is in the
// error, with file, line and column.
func Load(dir string, files []Named) (*Client, error) {
	l := &loader{fixture.Reader{File: path.Join(dir, File)}}
	i := slices.IndexFunc(files, func(f Named) bool { return f.Name == File })
	if i < 0 {
		return nil, &fixture.Problem{File: l.File, What: File + " is missing", Remedy: "give the folder of a client; docs/clients.md says what is in it"}
	}
	var raw rawClient
	if err := fixture.Strict(l.File, files[i].Data, &raw); err != nil {
		return nil, err
	}
	c := &Client{Files: installed(files)}
	l.head(c, &raw, dir)
	l.packages(c, &raw)
	l.driver(c, &raw)
	l.sources(c, &raw.Sources)
	if err := l.Err(); err != nil {
		return nil, err
	}
	return c, nil
}

// installed are the files that a driver needs: not what is for people and tests.
func installed(files []Named) (out []Named) {
	for _, f := range files {
		if f.Name != "README.md" && !strings.HasSuffix(f.Name, "_test.go") {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b Named) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

func (l *loader) head(c *Client, raw *rawClient, dir string) {
	if got := l.line(nil, &raw.Format, "format"); got != "" && got != Format {
		l.Bad(&raw.Format, fmt.Sprintf("format %q is not %q", got, Format), "write format: "+Format)
	}
	if c.Name = l.line(nil, &raw.Name, "name"); c.Name != "" && c.Name != path.Base(dir) {
		l.Bad(&raw.Name, fmt.Sprintf("name %q is not that of the folder", c.Name), "write name: "+path.Base(dir))
	}
	c.Title = l.line(nil, &raw.Title, "title")
	if c.Homepage = l.line(nil, &raw.Homepage, "homepage"); c.Homepage != "" && !isURL(c.Homepage) {
		l.Bad(&raw.Homepage, "homepage is no URL", "write it like https://example.org/")
	}
	c.Dialect = l.choice(&raw.Dialect, "dialect", "anthropic", "openai-chat")
	c.Language = l.line(nil, &raw.Language, "language")
}

// packages reads what is installed, and holds every version to the lock file: a page that names a version which was never
// run would be worse than none.
func (l *loader) packages(c *Client, raw *rawClient) {
	c.Manager = Manager(l.choice(&raw.Manager, "manager", texts(managers)...))
	m, ok := about[c.Manager]
	if !ok {
		return
	}
	for _, name := range m.files {
		if c.file(name) == nil {
			l.Bad(&raw.Manager, fmt.Sprintf("%s needs %s, which is not in the folder", c.Manager, name), "put it there; versions are pinned")
		}
	}
	if !l.Mapping(nil, &raw.Packages, "packages") {
		return
	}
	lock := c.file(m.lock)
	for i := 0; i+1 < len(raw.Packages.Content); i += 2 {
		name, value := raw.Packages.Content[i], raw.Packages.Content[i+1]
		p := Package{name.Value, l.line(name, value, "version")}
		if p.Version != "" && !bytes.Contains(lock, []byte(m.pin(p))) {
			l.Bad(value, fmt.Sprintf("%s does not pin %s %s", m.lock, p.Name, p.Version), "write the version that is installed")
		}
		c.Packages = append(c.Packages, p)
	}
	if len(c.Packages) == 0 {
		l.Bad(&raw.Packages, "packages names none", "write the SDK and its version")
	}
}

func (l *loader) driver(c *Client, raw *rawClient) {
	for _, n := range l.List(nil, &raw.Run, "run") {
		c.Run = append(c.Run, l.line(n, n, "an argument"))
	}
	if fixture.Present(&raw.Run) && len(c.Run) == 0 {
		l.Bad(&raw.Run, "run is empty", "write the driver and its arguments")
	}
	c.Lines, c.Skips = l.Truth(&raw.Lines, "lines"), l.Truth(&raw.Skips, "skips_waits")
	text := l.line(nil, &raw.Retries, "default_retries")
	n, err := strconv.Atoi(text)
	if text != "" && (err != nil || n < 0 || n > 100) {
		l.Bad(&raw.Retries, fmt.Sprintf("default_retries %q is no number from 0 to 100", text), "write how often the SDK retries by itself")
	}
	c.Retries = n
}

func (l *loader) sources(c *Client, n *fixture.Node) {
	for _, item := range l.List(nil, n, "sources") {
		var raw rawSource
		if !l.Decode(item, &raw) {
			continue
		}
		s := Source{l.line(item, &raw.What, "what"), l.line(item, &raw.URL, "url"), l.line(item, &raw.Date, "date")}
		if s.URL != "" && !isURL(s.URL) {
			l.Bad(&raw.URL, "url is no URL", "write it like https://example.org/")
		}
		if _, err := time.Parse(time.DateOnly, s.Date); s.Date != "" && err != nil {
			l.Bad(&raw.Date, fmt.Sprintf("date %q is no date", s.Date), "write it like 2026-11-30")
		}
		c.Sources = append(c.Sources, s)
	}
}

// line is one line of text.
func (l *loader) line(parent, n *fixture.Node, key string) string {
	s, ok := l.Text(parent, n, key)
	if ok && strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		l.Bad(n, key+" is more than one line", "write it on one line")
		return ""
	}
	return s
}

func (l *loader) choice(n *fixture.Node, key string, of ...string) string {
	s := l.line(nil, n, key)
	if s != "" && !slices.Contains(of, s) {
		l.Bad(n, fmt.Sprintf("%s has no choice %q", key, s), "write "+strings.Join(of, " or "))
		return ""
	}
	return s
}

func isURL(s string) bool {
	return strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "http://")
}

// file returns the content of a file, nil when there is none.
func (c *Client) file(name string) []byte {
	for _, f := range c.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

func texts[T ~string](of []T) (out []string) {
	for _, v := range of {
		out = append(out, string(v))
	}
	return out
}
