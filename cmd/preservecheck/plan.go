package main

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/controls"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/gate"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/report"
	"github.com/preservecheck/preservecheck/target"
	"github.com/preservecheck/preservecheck/wire"
)

// plan is everything about a check that is decided before anything runs.
type plan struct {
	flags                          *checkFlags
	command                        string // as the record names it
	control                        string // name of the embedded layer; "" for the user's own
	layer                          wire.Base
	layerAddr                      []netip.Addr
	tls                            *tls.Config
	open                           *opening
	remote                         *elsewhere // nil: the stub is this run's own
	listen, listenFrom, outputFrom string
	header                         []wire.Field
	dialects                       []*dialects.Dialect
	matrix                         *fixture.Matrix
	rules                          compare.Rules
	modes                          []fixture.Mode
	hazards                        []fixture.Hazard
	channel                        string
	channels                       ledger.Channels
	chosen                         chosen
	outputs                        []output
	print                          writer
	secrets                        secrets
	redact                         func(string) string    // nil: nothing is secret
	classifier                     *ownClassifier         // nil: none was given
	again                          []string               // the command, to say it again
	watch                          watch                  // what the layer answered last
	target                         *target.Target         // nil: the layer was given by its URL
	routes                         []route                // of the target
	routeEnv                       environ                // that headers of routes may name
	known                          *gate.Declared         // nil: no known file was given
	baseline                       *record.Document       // nil: every fault counts
	launch                         *launch                // nil: the user starts the layer
	clients                        *clientModel           // nil: nothing is said of clients
	proxied                        map[string]*wire.Proxy // by host and port of the layer
}

// newPlan reads the flags. Every error is one of usage.
func newPlan(a *app, cmd *cobra.Command, f *checkFlags) (*plan, error) {
	p := &plan{flags: f, command: cmd.Name(), again: sayAgain(cmd)}
	steps := []func(*app, *cobra.Command) error{
		func(_ *app, cmd *cobra.Command) error { return f.validate(cmd) },
		p.readLayer, p.readRemote, p.readOpening, p.readProxy, p.readHeader, p.readStub, p.readStart, p.readJudging, p.readRows, p.readOutput, p.readClassifier, p.readKnown, p.readBaseline, p.readClients,
	}
	for _, step := range steps {
		if err := step(a, cmd); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *plan) readLayer(a *app, cmd *cobra.Command) (err error) {
	f, from := p.flags, origin(cmd, "layer")
	if strings.TrimSpace(f.layer) == "" && !cmd.Flags().Changed("target") && !cmd.Flags().Changed("recipe") {
		return usage("give --layer http://127.0.0.1:8080, --recipe nginx or --target FILE; preservecheck demo needs no layer", "there is no layer to check")
	}
	if p.tls, err = tlsConfig(f.layerCA, origin(cmd, "layer-ca")); err != nil {
		return err
	}
	if cmd.Flags().Changed("recipe") {
		return p.readRecipe(a, cmd)
	}
	if cmd.Flags().Changed("target") {
		return p.readTarget(cmd)
	}
	if name, ok := strings.CutPrefix(f.layer, controlPrefix); ok {
		if _, known := controls.Describe(name); !known {
			return usage(didYouMean(name, controls.Names(), "preservecheck controls lists them"),
				"%s: there is no control %q", from, name)
		}
		p.control = name
		return nil
	}
	if near := misspeltControl(f.layer); near != "" {
		return usage("did you mean "+near+"?", "%s: %q is neither a URL nor an embedded layer", from, f.layer)
	}
	if p.layer, err = parseBase(f.layer, from, &p.secrets); err != nil {
		return err
	}
	p.layerAddr = addresses(cmd.Context(), p.layer)
	return nil
}

func (p *plan) readHeader(a *app, cmd *cobra.Command) error {
	var err error
	p.header, err = parseHeaders(p.flags.header, origin(cmd, "header"), a.env, &p.secrets)
	if err != nil {
		return err
	}
	if err = p.readRouteHeaders(a, cmd); err != nil {
		return err
	}
	if p.matrix, err = fixture.Builtin(); err != nil {
		return err
	}
	var known []string
	if len(p.secrets.names) > 0 {
		p.redact, known = p.secrets.redactor(publicTexts(p.matrix))
	}
	a.redact = p.redact
	for _, name := range p.secrets.short {
		a.note("warning: the value of %s is shorter than %d characters and can't be removed from reports", name, minSecret)
	}
	for _, name := range known {
		a.note("warning: the value of %s is text that this program itself sends or prints and can't be removed from reports", name)
	}
	return nil
}

// readOpening reads how others reach the stub. Its secret has to be known before anything is printed.
func (p *plan) readOpening(a *app, cmd *cobra.Command) (err error) {
	if p.open, err = readOpening(a, cmd, &p.flags.open, &p.secrets, p.control != "" || p.launch != nil, p.remote); err != nil {
		return err
	}
	if p.open.trust = p.tls; p.flags.wait && p.open.way == wayLocal {
		return usage("raise --ready-timeout for a layer on this machine; docs/hosted.md has the ways for one that is elsewhere",
			"%s: the stub is on this machine alone, where no gateway elsewhere can reach it", origin(cmd, "wait-for-gateway"))
	}
	return nil
}

func (p *plan) readStub(_ *app, cmd *cobra.Command) (err error) {
	f := p.flags
	p.listen, p.listenFrom = f.stubListen, origin(cmd, "stub-listen")
	switch {
	case cmd.Flags().Changed("stub-listen"):
	case p.control != "" || p.launch != nil:
		p.listen = "127.0.0.1:0"
	default:
		p.listen = p.open.listen(f.stubListen)
	}
	return localAddress(p.listen, p.listenFrom, f.open.any)
}

func (p *plan) readJudging(_ *app, cmd *cobra.Command) (err error) {
	f := p.flags
	p.rules = compare.Rules{FailOn: f.failOn, MaxLayerRetries: f.maxLayerRetries, AllowUntestable: f.allowUntestable}
	if p.rules.Profile, err = profileByName(f.profile, origin(cmd, "profile")); err != nil {
		return err
	}
	if p.target != nil {
		p.dialects = dialectsOfRoutes(p.routes)
		return nil
	}
	if p.dialects, err = dialectsByName(list(f.dialect), origin(cmd, "dialect")); err != nil {
		return err
	}
	if p.channel, p.channels, err = parseChannel(f.channel, origin(cmd, "channel")); err != nil {
		return err
	}
	if p.channel == string(ledger.Model) && !strings.Contains(f.model, ledger.Placeholder) {
		return usage("write it like "+defaultModel, "%s: the channel model needs %s in the model's name", origin(cmd, "model"), ledger.Placeholder)
	}
	return nil
}

func (p *plan) readRows(_ *app, cmd *cobra.Command) (err error) {
	f := p.flags
	if err := noneEmpty(cmd, "fixture", "exclude", "hazard"); err != nil {
		return err
	}
	if p.modes, err = parseModes(f.stream, origin(cmd, "stream")); err != nil {
		return err
	}
	s := selection{
		fixture: list(f.fixture), fixtureFrom: origin(cmd, "fixture"),
		exclude: list(f.exclude), excludeFrom: origin(cmd, "exclude"), modes: p.modes, routes: p.routes,
	}
	s.hazards, s.stranger, err = parseHazards(list(f.hazard), origin(cmd, "hazard"), p.local())
	if err != nil {
		return err
	}
	p.hazards = s.hazards
	if v := f.matrixVersion; cmd.Flags().Changed("matrix-version") && v != p.matrix.Version {
		return usage("leave it out, or use the release that has it", "%s: this release has the matrix %s, and no %q", origin(cmd, "matrix-version"), p.matrix.Version, v)
	}
	builtin := p.matrix.Rows
	if p.matrix, err = loadMatrix(f.matrix, origin(cmd, "matrix"), p.open.way != wayLocal); err != nil {
		return err
	}
	s.own = ownRows(p.matrix, builtin)
	if err := s.unasked(p.dialects, origin(cmd, "matrix"), origin(cmd, "dialect")); err != nil {
		return err
	}
	p.chosen, err = s.choose(p.matrix, p.dialects)
	if err == nil && len(p.chosen.rows) == 0 {
		err = p.noRow(cmd)
	}
	return err
}

func (p *plan) readClassifier(a *app, cmd *cobra.Command) (err error) {
	f, from := p.flags, origin(cmd, "classifier")
	if cmd.Flags().Changed("classifier") && strings.TrimSpace(f.classifier) == "" {
		return usage("leave it out, or give it a value", "%s is set but empty", from)
	}
	p.classifier, err = parseClassifier(f.classifier, from, a.env, f.timeout)
	if p.classifier != nil {
		p.classifier.late = fmt.Errorf("the deadline of the run passed (%s %s)", origin(cmd, "deadline"), f.deadline)
	}
	return err
}

// noRow refuses a selection that leaves nothing to judge, and says which flag to look at.
func (p *plan) noRow(cmd *cobra.Command) error {
	switch {
	case cmd.Flags().Changed("hazard"):
		return usage("--hazard replaces the default list: write none,limit and then what to add, as in --hazard none,limit,outage",
			"%s: no fixture that is selected has hazard %s", origin(cmd, "hazard"), strings.Join(texts(p.hazards), " or "))
	case cmd.Flags().Changed("exclude"):
		return usage("leave fewer out", "%s: no row is left to judge", origin(cmd, "exclude"))
	}
	return usage("preservecheck fixtures list shows the modes and the hazard of each", "no row is left to judge: %s",
		"the fixtures that are selected have another mode, or a hazard that a layer on another machine gets only by --hazard")
}

func (p *plan) readOutput(a *app, cmd *cobra.Command) (err error) {
	f := p.flags
	p.outputFrom = origin(cmd, "output")
	if p.outputs, err = parseOutputs(f.output, p.outputFrom); err != nil {
		return err
	}
	if p.print, err = formatWriter(f.format, origin(cmd, "format")); err != nil {
		return err
	}
	a.annotations(f.format)
	o, err := a.textOptions(f.color, origin(cmd, "color"), f.verbose)
	if err == nil && f.format == "text" {
		p.print = func(w io.Writer, d record.Document) error { return report.Text(w, d, o) }
	}
	return err
}

// local reports whether the layer is on this machine.
func (p *plan) local() bool {
	if p.target != nil {
		return !slices.ContainsFunc(p.routes, func(r route) bool { return !loopback(r.addr) })
	}
	return p.control != "" || loopback(p.layerAddr)
}

// document is the record as far as it is known before the run.
func (p *plan) document() record.Document {
	f := p.flags
	d := record.Document{
		Format: record.Format, Command: p.command,
		Tool:    record.Tool{Name: "preservecheck", Version: toolVersion()},
		Target:  record.Target{Name: p.hide(p.targetName()), URL: p.hide(p.layerURL()), Version: f.layerVersion, Control: p.control},
		Matrix:  p.chosen.matrix,
		Profile: record.Profile{Name: p.rules.Profile.Name, Keys: p.rules.Profile.Names()},
		Settings: record.Settings{
			Modes: texts(p.modes), Dialects: dialectNamesOf(p.dialects), Hazards: texts(p.hazards), FailOn: f.failOn,
			MaxLayerRetries: f.maxLayerRetries, Repeat: repeats(f.repeat), MaxLayerWaitMS: float64(f.maxLayerWait.Milliseconds()), AllowUntestable: f.allowUntestable,
			HeadersSent: p.headersSent(), Concurrency: f.concurrency, Rate: f.rate, ClientProtocol: "HTTP/1.1",
		},
		Excluded: p.chosen.excluded, Recipe: p.launch.full(),
	}
	if p.target != nil {
		d.Target = p.targetOf()
	}
	d.Sources = p.sources()
	return d
}

// layerURL is the layer's base URL without credentials, "" for an embedded layer.
func (p *plan) layerURL() string {
	if p.control != "" {
		return ""
	}
	return p.layer.String()
}

func (p *plan) targetName() string {
	switch {
	case p.flags.name != "":
		return p.flags.name
	case p.target != nil:
		return p.target.Name
	case p.control != "":
		return controlPrefix + p.control
	}
	return p.layerURL()
}

// repeats is what a record says of --repeat: nothing for once.
func repeats(n int) int {
	if n == 1 {
		return 0
	}
	return n
}
