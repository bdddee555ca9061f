package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/wire"
)

// tell says what the layer's upstream is. The secret in it is shown to a person and written to a file of its owner alone, never to a log.
func (a *app) tell(o *opening, upstream wire.Base, paths string) error {
	if !o.guarded {
		a.note("stub: use this as the layer's upstream base URL: %s (it answers POST %s, below any path)", upstream.String(), paths)
		return nil
	}
	if file := o.flags.urlFile; file != "" {
		if err := writeOwn(file, o.below(upstream).String()+"\n"); err != nil {
			return usage("name a file that can be written", "--url-file: %s", cause(err))
		}
		a.note("stub: the layer's upstream base URL is in %s (it answers POST %s)", file, paths)
	}
	switch {
	case isTerminal(a.err):
		writeNote(a.err, fmt.Sprintf("stub: register this as the upstream's base URL: %s", o.below(upstream)), columns(a.err))
		writeNote(a.err, fmt.Sprintf("note: it is secret, since who knows it can disturb the run; its last part is taken as the upstream's API key as well, "+
			"where a gateway registers a host alone; the stub answers POST %s", paths), columns(a.err))
	case o.flags.urlFile == "":
		a.note("stub: the layer's upstream base URL is %s/SECRET, with %s in place of SECRET; a gateway that registers a host alone gets that as the upstream's API key (it answers POST %s)",
			upstream.String(), o.where(), paths)
	}
	return nil
}

// nameless says of a stub that others reach that nobody said under which name.
func (a *app) nameless(o *opening, listen string) {
	if o.way == wayAny && o.url == nil {
		a.note("note: the stub listens on %s; a layer elsewhere has to reach it under another name, which --stub-url tells", listen)
	}
}

// where says where the user finds the secret, which is kept out of logs.
func (o *opening) where() string {
	if o.flags.secretFile != "" {
		return "the first line of " + o.flags.secretFile
	}
	return "the value of " + secretVariable
}

// told refuses a run whose layer nobody could tell the secret.
func (o *opening) told(a *app) error {
	if !o.guarded || o.kept || o.flags.urlFile != "" || isTerminal(a.err) {
		return nil
	}
	return usage("give --secret-file FILE or "+secretVariable+", or --url-file FILE",
		"%s: the stub asks for a secret, and nobody could tell it to the layer: stderr is no terminal", o.from)
}

// writeOwn writes a file that its owner alone can read, in place of what was there.
func writeOwn(file, text string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if _, err = f.WriteString(text); err == nil {
		return f.Close()
	}
	_ = f.Close()
	return err
}

// noteSecret says in the record what became of the stub's secret: a layer that does not know it, or one that tells it to its clients.
func (p *plan) noteSecret(d *record.Document, s *source) {
	noteLearned(d)
	if !p.open.guarded {
		return
	}
	if n := s.strangers(); n > 0 && d.NotReady != "" && !strings.Contains(d.NotReady, "is not open: no connection") { // else they are our own, whose TLS failed

		d.Notes = append(d.Notes, fmt.Sprintf("%d requests reached the stub without its secret and got a bare 404: is the layer's upstream URL complete, or the secret its API key?", n))
	}
	if leaks := rowsWith(d, "[secret "+stubSecret+"]"); len(leaks) > 0 {
		d.Notes = append(d.Notes, fmt.Sprintf("the layer tells its clients the secret URL of its upstream, in %s: a real upstream's URL or key would leak like this", strings.Join(leaks, ", ")))
	}
}

// warnOfStrangers says what others can do to a stub that they reach.
func (a *app) warnOfStrangers(s *station) {
	if s != nil && s.worst > 0 {
		a.note("note: others can reach the stub; without the secret they get a bare 404, and slow ones can keep a request waiting for %s at most", s.worst)
	}
}
