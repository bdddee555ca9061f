package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/preservecheck/preservecheck/controls"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/recipes"
	"github.com/preservecheck/preservecheck/report"
)

// Defaults that more than one command has.
const (
	defaultListen  = "127.0.0.1:8787"
	defaultDialect = "anthropic"
	defaultProfile = "core"
	defaultModel   = "claude-" + ledger.Placeholder
)

// checkFlags are the flags of check as they were given.
type checkFlags struct {
	layer, name, layerVersion, model, channel, layerCA string
	target                                             string
	allowEnv                                           []string
	allowUntestable                                    bool

	dialect, header, fixture, exclude, hazard, output []string
	matrix                                            []string
	matrixVersion                                     string
	classifier                                        string
	stubListen, stream, profile, failOn               string
	format, color                                     string
	maxLayerRetries, concurrency, repeat              int
	rate                                              float64
	timeout, deadline, readyTimeout, settle           time.Duration
	maxLayerWait                                      time.Duration
	verbose                                           bool
	known                                             []string
	baseline                                          string
	recipe, recipeDir, start, ready                   string
	open                                              publicFlags
	wait                                              bool
	remoteStub, remoteAdmin                           string
	client                                            []string
	proxy                                             string
}

func (f *checkFlags) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&f.layer, "layer", "", "base `URL` of the layer as a client would be given it, or control:NAME for an embedded layer")
	fl.StringVar(&f.target, "target", "", "`FILE` with name, version and routes of the layer, instead of --layer; see docs/targets.md")
	fl.StringVar(&f.recipe, "recipe", "", "`NAME` or NAME/VARIANT of a recipe that starts the layer, or ./FOLDER of your own; see docs/recipes.md")
	fl.StringVar(&f.recipeDir, recipeDirFlag, "", recipeDirUse)
	fl.StringVar(&f.start, "start", "", "`COMMAND` that starts the layer, run without a shell and ended with all that it started; {stub} is its upstream")
	fl.StringVar(&f.ready, "ready", "", "`URL` that gives any HTTP answer once what --start has started is up (default: the layer's port is open)")
	fl.StringVar(&f.name, "name", "", "name of the layer, for the report")
	fl.StringVar(&f.layerVersion, "layer-version", "", "version of the layer, for the report")
	fl.StringArrayVar(&f.dialect, "dialect", []string{defaultDialect}, "provider `PROTOCOL`s to ask in, with commas or repeated")
	fl.StringVar(&f.model, "model", defaultModel, "model name to ask for; {fixture} stands for the fixture's name")
	fl.StringArrayVar(&f.header, "header", nil, "`'Name: value'` to send through the layer, $NAME anywhere in the value comes from the environment (repeatable)")
	fl.StringArrayVar(&f.allowEnv, "allow-env", nil, "`NAME` of an environment variable that the file of --target may use in headers (repeatable)")
	fl.StringVar(&f.channel, "channel", "auto", "how the stub learns which fixture is wanted: auto, marker, model, header[:NAME], path, armed")
	fl.StringVar(&f.layerCA, "layer-ca", "", "PEM `FILE` with authorities to trust besides the system's")
	fl.StringVar(&f.proxy, "proxy", proxyNone, "none, or env to ask the layer through the proxy that HTTPS_PROXY or HTTP_PROXY names, by CONNECT")
	heading(fl, "The layer")

	fl.StringVar(&f.stubListen, "stub-listen", defaultListen, "`ADDRESS` the stub listens on; with an embedded layer a free port")
	heading(fl, "The stub")
	f.open.register(cmd)
	fl.StringVar(&f.remoteStub, "remote-stub", "", "`URL` of a stub that serve runs on another machine, instead of one of this run's own; needs the secret and the token")
	fl.StringVar(&f.remoteAdmin, "remote-admin", "", "`URL` of its ledger (default: the same host, port 8788; http:// for this machine only, as an SSH tunnel has it)")
	fl.BoolVar(&f.wait, "wait-for-gateway", false, "wait until a request comes through the layer, as long as --max-duration allows, and show what reaches the stub")
	heading(fl, othersReach)

	fl.StringArrayVar(&f.fixture, "fixture", nil, "`PATTERN`s of the fixtures to run, with commas or repeated; article/* is a whole family (default: all)")
	fl.StringArrayVar(&f.exclude, "exclude", nil, "`PATTERN`s of fixtures to leave out")
	matrixFlag(cmd, &f.matrix)
	cmd.Flags().StringVar(&f.matrixVersion, "matrix-version", "", "`VERSION` of rows, profiles' keys and class rules to judge by, so that a gate keeps its meaning while they grow (default: the newest)")
	fl.StringVar(&f.stream, "stream", "both", "ask for streams: off, on, both")
	fl.StringArrayVar(&f.hazard, "hazard", nil, "`LIST` of what the fixtures may do to the layer's state: none, limit, account, cut, outage (default: all but outage on this machine, none and limit elsewhere)")
	heading(fl, "What is asked for")

	fl.StringVar(&f.profile, "profile", defaultProfile, profileHelp)
	fl.StringVar(&f.failOn, "fail-on", failOnChanged, "changed, or reclassified to let differences pass that leave the class the same")
	fl.BoolVar(&f.allowUntestable, "allow-untestable", false, "let rows pass that the way to the layer, and not the layer, can't carry")
	fl.StringVar(&f.classifier, "classifier", "", "`COMMAND` of your own classifier, run without a shell; see docs/classifier.md")
	fl.IntVar(&f.maxLayerRetries, "max-layer-retries", -1, "retries by the layer to allow for every class (default: the profile's rule)")
	fl.DurationVar(&f.maxLayerWait, "max-layer-wait", 0, "that the layer may add to an answer (default: any; in profile full the time of a canary and 2s)")

	fl.StringArrayVar(&f.known, "known", nil, "`FILE` of differences that are known and may stay for a time (repeatable); -o known=FILE writes one, see docs/known.md")
	fl.StringVar(&f.baseline, "baseline", "", "`OLD.json`, an earlier record of the layer: only what is new against it fails, see docs/gate.md")

	fl.StringArrayVar(&f.client, "client", nil, "`NAME`s of the clients to say consequences for, with commas or repeated, or none (default: all of docs/reactions.md)")
	heading(fl, "What decides")

	f.registerPace(fl)
	f.complete(cmd)
}

// registerPace registers how fast a check asks, and what it prints.
func (f *checkFlags) registerPace(fl *pflag.FlagSet) {
	fl.IntVar(&f.concurrency, "concurrency", 8, "requests side by side")
	fl.IntVar(&f.repeat, "repeat", 1, "how often to ask for each row, to find faults that come and go")
	fl.Float64Var(&f.rate, "rate", 0, "requests per second through the layer, 0 for as many as it takes")
	fl.DurationVar(&f.timeout, "timeout", 10*time.Second, "for one request")
	fl.DurationVar(&f.deadline, "deadline", 10*time.Minute, "for the run")
	fl.DurationVar(&f.readyTimeout, "ready-timeout", 30*time.Second, "to wait for the layer before any row")
	fl.DurationVar(&f.settle, "settle", 5*time.Second, "to wait for late hits and for the layer to recover")
	heading(fl, "Pace and time")

	fl.StringVar(&f.format, "format", "text", formatHelp())
	fl.StringArrayVarP(&f.output, "output", "o", nil, "`FORMAT=FILE` to write besides (repeatable)")
	fl.BoolVarP(&f.verbose, "verbose", "v", false, "show preserved rows, too")
	fl.StringVar(&f.color, "color", "auto", "auto, always, never")
	heading(fl, "What is printed")
}

// complete offers the names that a shell may complete.
func (f *checkFlags) complete(cmd *cobra.Command) {
	offer := func(flag string, names func() []string) {
		_ = cmd.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return names(), cobra.ShellCompDirectiveNoFileComp
		})
	}
	offer("layer", controlTargets)
	offer("recipe", recipes.Names)
	offer("dialect", dialectNames)
	offer("profile", profileNames)
	offer("format", formatNames)
	offer("channel", channelNames)
	offer("hazard", func() []string { return texts(fixture.Hazards()) })
	offer("fixture", rowNames)
	offer("exclude", rowNames)
	offer("stream", func() []string { return []string{"off", "on", "both"} })
	offer("fail-on", func() []string { return []string{failOnChanged, failOnReclassified} })
	offer("client", clientNames)
	offer("color", func() []string { return colors })
}

// rowNames lists the fixtures that are rows.
func rowNames() (names []string) {
	if m, err := fixture.Builtin(); err == nil {
		for _, f := range m.Rows {
			names = append(names, f.Name)
		}
	}
	return names
}

// Bounds of numbers. The pause between two requests is a time.Duration, which a tiny rate overflows; at a rate over a
// million it is too short to be kept. Hits that come late are told from none only by waiting.
const (
	minRate   = 0.001
	maxRate   = 1e6
	minSettle = 100 * time.Millisecond
)

// validate refuses numbers that make no sense.
func (f *checkFlags) validate(cmd *cobra.Command) error {
	for _, p := range []struct {
		flag string
		ok   bool
		want string
	}{
		{"concurrency", f.concurrency >= 1 && f.concurrency <= 256, "1 to 256"},
		{"repeat", f.repeat >= 1 && f.repeat <= 1000, "1 to 1000"},
		{"rate", f.rate == 0 || f.rate >= minRate && f.rate <= maxRate, fmt.Sprintf("%g to %g, or 0 for no limit", minRate, maxRate)},
		{"max-layer-retries", f.maxLayerRetries >= 0 || !cmd.Flags().Changed("max-layer-retries"), "0 or more"},
		{"max-layer-wait", f.maxLayerWait > 0 || !cmd.Flags().Changed("max-layer-wait"), "more than 0, like 2s"},
		{"timeout", f.timeout > 0, "more than 0, like 10s"},
		{"deadline", f.deadline > 0, "more than 0, like 10m"},
		{"ready-timeout", f.readyTimeout > 0, "more than 0, like 30s"},
		{"settle", f.settle >= minSettle, minSettle.String() + " or more, like 5s"},
	} {
		if !p.ok {
			return usage("give "+p.want, "%s: %s is out of range", origin(cmd, p.flag), cmd.Flags().Lookup(p.flag).Value)
		}
	}
	if f.failOn != failOnChanged && f.failOn != failOnReclassified {
		return usage("write changed or reclassified", "%s: %q is not a choice", origin(cmd, "fail-on"), f.failOn)
	}
	return nil
}

// The choices of --fail-on.
const (
	failOnChanged      = "changed"
	failOnReclassified = "reclassified"
)

// dialectsByName reads a list of dialects, each named once.
func dialectsByName(names []string, from string) (ds []*dialects.Dialect, err error) {
	for _, n := range names {
		d, err := dialectByName(n, from)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(ds, d) {
			ds = append(ds, d)
		}
	}
	if len(ds) == 0 {
		return nil, usage("leave it out for "+defaultDialect, "%s: names no dialect", from)
	}
	return ds, nil
}

func dialectNamesOf(ds []*dialects.Dialect) (names []string) {
	for _, d := range ds {
		names = append(names, d.Name)
	}
	return names
}

// paths says where clients of these dialects post.
func paths(ds []*dialects.Dialect) string {
	var all []string
	for _, d := range ds {
		all = append(all, d.Path)
	}
	return strings.Join(all, ", ")
}

func dialectByName(name, from string) (*dialects.Dialect, error) {
	if d := dialects.ByName(name); d != nil {
		return d, nil
	}
	return nil, usage(didYouMean(name, dialectNames(), ""), "%s: there is no dialect %q", from, name)
}

func dialectNames() []string {
	var names []string
	for _, d := range dialects.All() {
		names = append(names, d.Name)
	}
	return names
}

func formatNames() []string {
	var names []string
	for _, f := range report.Formats() {
		names = append(names, f.Name)
	}
	return names
}

// formatWriter finds a format.
func formatWriter(name, from string) (writer, error) {
	f, err := report.ByName(name)
	if err != nil {
		return nil, usage(didYouMean(name, formatNames(), ""), "%s: there is no format %q", from, name)
	}
	return f.Write, nil
}

func controlTargets() []string {
	var names []string
	for _, n := range controls.Names() {
		names = append(names, controlPrefix+n)
	}
	return names
}
