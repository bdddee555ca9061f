package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/preservecheck/preservecheck/attempts"
	"github.com/preservecheck/preservecheck/classifier"
	"github.com/preservecheck/preservecheck/clients"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/report"
	"github.com/preservecheck/preservecheck/wire"
)

// driven is a client of a plan.
type driven struct {
	record  record.AttemptsClient
	dialect *dialects.Dialect
	driver  *attempts.Driver // nil: without an SDK
	named   bool             // the user asked for it
}

// ownClientName is how the client of --client-cmd is called.
const ownClientName = "client-cmd"

const ownClientHint = "write it like --client-cmd 'python3 my_call.py'; see docs/clients.md"

// readClients finds the clients. What was named has to be installed; without names those that are not are told of.
func (p *attemptsPlan) readClients(a *app, cmd *cobra.Command) error {
	f := p.flags
	if err := noneEmpty(cmd, "client", "max-retries"); err != nil {
		return err
	}
	named, err := clientsFor(cmd, list(f.client), clientsToRun(), clientNames(), func(name string) string {
		return fmt.Sprintf("attempts can't run %q: check tells of it by a model alone", name)
	}, "preservecheck clients list shows those that can be run")
	if err != nil {
		return err
	}
	own := cmd.Flags().Changed("client-cmd")
	names := named
	if len(names) == 0 && !own {
		names = append([]string{attempts.SdklessName}, clients.Names()...)
	}
	for _, name := range names {
		if slices.ContainsFunc(p.drivers, func(d driven) bool { return d.record.Name == name }) {
			continue
		}
		if name == attempts.SdklessName {
			continue // its dialects are those of the others; see sdkless
		}
		if err := p.readClient(a, cmd, name, len(named) > 0); err != nil {
			return err
		}
	}
	if own {
		if err := p.readOwnClient(a, cmd); err != nil {
			return err
		}
	}
	p.spoken(cmd, len(named) > 0)
	if slices.Contains(names, attempts.SdklessName) {
		p.drivers = slices.Insert(p.drivers, 0, sdkless()...)
	}
	return nil
}

// spoken takes the dialects that clients speak where nobody says which: those that were named, or, without a layer, all.
func (p *attemptsPlan) spoken(cmd *cobra.Command, named bool) {
	for _, flag := range []string{"dialect", "target", "recipe"} {
		if cmd.Flags().Changed(flag) {
			return
		}
	}
	spoken, c := p.dialectsOfClients(), p.flags.check
	switch {
	case len(spoken) == 0:
	case named:
		c.dialect = spoken
	case p.noLayer && !cmd.Flags().Changed("fixture"):
		c.dialect = append(c.dialect, slices.DeleteFunc(spoken, func(d string) bool { return slices.Contains(c.dialect, d) })...)
	}
}

// sdkless is the client without an SDK, once for each dialect. distinct names those that are used.
func sdkless() (out []driven) {
	for _, d := range dialects.All() {
		none := 0
		r := record.AttemptsClient{Name: attempts.SdklessName, Title: "no SDK: one request a call", Dialect: d.Name, Retries: &none}
		out = append(out, driven{record: r, dialect: d})
	}
	return out
}

// distinct gives clients without an SDK names of their own where there are several.
func distinct(drivers []driven) {
	first := true
	for i := range drivers {
		if d := &drivers[i]; d.driver == nil {
			if !first {
				d.record.Name += "-" + d.dialect.Name
				d.record.Title += ", in " + d.dialect.Name
			}
			first = false
		}
	}
}

func (p *attemptsPlan) readClient(a *app, cmd *cobra.Command, name string, named bool) error {
	from := origin(cmd, "client")
	c, err := clientByName(name, from)
	if err != nil {
		return err
	}
	folder, err := clientFolder(c, p.flags.clientDir, origin(cmd, clientDirFlag), a.env)
	if err != nil && !named {
		return nil // there is no home to find it in, and nobody asked for it
	}
	if err != nil {
		return err
	}
	why := notInstalledClient(c, folder)
	if why != "" && named {
		return usage("preservecheck clients install "+name, "%s: %s can't be used: %s", from, name, why)
	}
	if why != "" {
		return nil
	}
	words := c.Command(folder)
	program := words[0]
	if words[0], err = exec.LookPath(program); err != nil {
		why := "there is no " + report.Plain(filepath.Base(program)) + " in PATH"
		if filepath.IsAbs(program) {
			why = "its program is gone; preservecheck clients install " + name + " puts it back"
		}
		if !named {
			p.left = append(p.left, name+" is left out: "+why)
			return nil
		}
		return usage("install what it runs with", "%s: %s can't be used: %s", from, name, why)
	}
	skip := c.Skips && !p.flags.realDelays
	r := record.AttemptsClient{Name: c.Name, Title: c.Title, Dialect: c.Dialect, Retries: &c.Retries, Skipped: skip, Packages: map[string]string{}}
	for _, pkg := range c.Packages {
		r.Packages[pkg.Name] = pkg.Version
	}
	p.drivers = append(p.drivers, driven{record: r, dialect: dialectOf(c.Dialect), named: named, driver: &attempts.Driver{
		Words: words, Lines: c.Lines, Env: clientEnv(a.env, skip),
	}})
	return nil
}

// readOwnClient reads --client-cmd, which makes one call in the dialect that is asked in.
func (p *attemptsPlan) readOwnClient(a *app, cmd *cobra.Command) error {
	f, from := p.flags, origin(cmd, "client-cmd")
	words, err := classifier.Split(f.clientCmd)
	if err != nil {
		return usage(ownClientHint, "%s: %s", from, err)
	}
	if len(words) == 0 {
		return usage(ownClientHint, "%s is set but empty", from)
	}
	if words[0], err = exec.LookPath(words[0]); err != nil {
		return usage(ownClientHint, "%s: the program %q is not there, or can't be run", from, strings.Fields(f.clientCmd)[0])
	}
	ds, err := dialectsByName(list(f.check.dialect), origin(cmd, "dialect"))
	if err != nil {
		return err
	}
	p.drivers = append(p.drivers, driven{
		record:  record.AttemptsClient{Name: ownClientName, Title: "your client", Dialect: ds[0].Name},
		dialect: ds[0], named: true, driver: &attempts.Driver{Words: words, Env: clientEnv(a.env, false)},
	})
	return nil
}

// clientEnv is the environment of a client, without what leads to the stub: enough to find itself and a temporary folder, and
// nothing that may hold a key or a proxy.
func clientEnv(env environ, skip bool) (out []string) {
	for _, name := range classifierEnv {
		if value, ok := env[name]; ok {
			out = append(out, name+"="+value)
		}
	}
	return append(out, attempts.VarKey+"="+attempts.Key, attempts.VarSkip+"="+map[bool]string{true: "1", false: "0"}[skip])
}

// leading adds to an environment what leads a client to a base URL.
func leading(env []string, base wire.Base, header []wire.Field) []string {
	env = append(slices.Clone(env), attempts.VarBaseURL+"="+base.String())
	all := map[string]string{}
	if base.User != "" {
		all["authorization"] = "Basic " + base64.StdEncoding.EncodeToString([]byte(base.User))
	}
	for _, h := range header {
		all[h.Name] = h.Value
	}
	if len(all) == 0 {
		return env
	}
	text, _ := json.Marshal(all) // texts alone: it can't fail
	return append(env, attempts.VarHeaders+"="+string(text))
}
