package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/preservecheck/preservecheck/record"
)

// rulesFormat is the name of the file's form. docs/rules.md says what a worker does with it.
const rulesFormat = "preservecheck.rules/1"

// The classes of a worker that does not know what an answer is, as the source article and the built-in rules have them.
const (
	unknown429   = "unknown_429"
	unknownOther = "other"
)

// What a worker may be told to do: nothing that is not in these lists comes out of a record.
var (
	retries = []string{"never", "after-wait", "bounded"}
	alerts  = []string{"none", "ticket", "owner", "page"}
)

// Of a rules file: how long a text of an answer is that a rule asks for, and how many rows are named for one reason.
const (
	ruleText = 200 // bytes
	ruleRows = 12
)

type rulesFile struct {
	Format  string    `json:"format"`
	Layer   string    `json:"layer"`
	Matrix  string    `json:"matrix"`
	Profile string    `json:"profile"`
	Date    string    `json:"date,omitempty"`     // of the run, YYYY-MM-DD
	WhyNone string    `json:"why_none,omitempty"` // no rule is written from such a run
	Partial string    `json:"partial,omitempty"`  // why no rule claims a class
	Rules   []rule    `json:"rules"`              // the first that fits counts
	Unruled []unruled `json:"unruled"`            // what no rule can mend
}

// rule says what an answer of the layer looks like, and as what a worker has to take it.
type rule struct {
	Route   string    `json:"route,omitempty"`
	Dialect string    `json:"dialect"`
	When    ruleWhen  `json:"when"`
	Class   string    `json:"class"`
	Retry   string    `json:"retry,omitempty"`
	Outcome string    `json:"outcome,omitempty"`
	Alert   string    `json:"alert,omitempty"`
	ReadsAs []string  `json:"reads_as"`
	MayBe   []mayBe   `json:"may_be"`
	Own     *rowNames `json:"layer_made,omitempty"` // rows in which the layer wrote such an answer without asking
	Why     string    `json:"why"`
}

// ruleWhen is what a worker compares, whole. Null is "not there"; a member that is missing is not compared.
type ruleWhen struct {
	Status     int  `json:"status"`
	Type       any  `json:"type,omitempty"`
	Code       any  `json:"code,omitempty"`
	RetryAfter bool `json:"retry_after"`
	Message    any  `json:"message,omitempty"` // only words that are the layer's own
}

type mayBe struct {
	Class string `json:"class"`
	rowNames
}

type rowNames struct {
	Rows []string `json:"rows"`
	More int      `json:"more,omitempty"`
}

func (n *rowNames) add(r *record.Row) {
	n.name(rowName(r))
}

func (n *rowNames) name(row string) {
	if len(n.Rows) == ruleRows {
		n.More++
		return
	}
	n.Rows = append(n.Rows, row)
}

type unruled struct {
	Why string `json:"why"`
	rowNames
}

// Rules writes what a worker behind this layer has to believe where its answers read as another class than the provider
// meant: a rule for each look of such an answer, as JSON. A rule claims a class only where every row that looks like that has
// it and the whole matrix was asked; otherwise it says unknown, and names what the answer may be. From a run that did not
// come to a result no rule is written.
func Rules(w io.Writer, doc record.Document) error {
	routeless(&doc)
	out := rulesFile{Format: rulesFormat, Layer: layerName(doc.Target), Matrix: doc.Matrix.Version, Profile: doc.Profile.Name, Rules: []rule{}, Unruled: []unruled{}}
	if !doc.Started.IsZero() {
		out.Date = doc.Started.UTC().Format("2006-01-02")
	}
	if out.WhyNone = unfounded(&doc); out.WhyNone == "" {
		newRuling(&doc).write(&out)
	}
	raw, err := encodeAny(out)
	if err != nil {
		return fmt.Errorf("the rules can't be written as JSON: %w", err)
	}
	_, err = bytes.NewReader(quiet(raw)).WriteTo(w)
	return err
}

// unfounded says why a run is no ground for a rule, "" when it is one.
func unfounded(doc *record.Document) string {
	switch {
	case doc.Incomplete:
		return "the run did not come to its end"
	case doc.Refused != "" || doc.NotReady != "" || len(doc.Rows) == 0:
		return "nothing was asked for through the layer"
	case len(doc.Proof.Missed) > 0:
		return "the check missed a fault that was put in on purpose, so its rows can't be trusted"
	case doc.Result.Exit != 0 && doc.Result.Exit != 1:
		return "the run could not tell"
	}
	for i := range doc.Parts {
		if p := &doc.Parts[i]; p.Problem != "" || p.Result.Exit > 1 {
			return "one of the runs that were joined could not tell"
		}
	}
	return ""
}

// ruling makes the rules of one run.
type ruling struct {
	doc     *record.Document
	actions map[string]record.Action
	own     map[string]bool // messages that are the layer's own words
	partial string
	outages bool // answers that no provider gave were not asked for
}

func newRuling(doc *record.Document) *ruling {
	x := &ruling{doc: doc, actions: map[string]record.Action{}, own: ownWords(doc.Rows)}
	for _, a := range doc.Actions {
		if slices.Contains(retries, a.Retry) && slices.Contains(alerts, a.Alert) {
			x.actions[a.Class] = a
		}
	}
	if doc.Matrix.Narrowed != "" {
		x.partial = "only a part of the matrix was asked for"
	}
	for _, e := range doc.Excluded {
		if e.Why == "hazard outage" {
			x.outages = true
		} else {
			x.partial = "rows were excluded"
		}
	}
	for i := range doc.Rows {
		if v := doc.Rows[i].Verdict; v == "inconclusive" || v == "untestable" || rank(v) < 0 {
			x.partial = "some rows could not be told"
		}
	}
	if len(moody(doc)) > 0 {
		x.partial = "the layer did not treat every request alike"
	}
	return x
}

func (x *ruling) write(out *rulesFile) {
	out.Partial = x.partial
	for _, same := range collect(x.misread(), func(r *record.Row) string { return x.look(r).id() }) {
		out.Rules = append(out.Rules, x.rule(x.look(same[0])))
	}
	// The special before the general: a look with the layer's own words fits the one without as well.
	slices.SortStableFunc(out.Rules, func(a, b rule) int { return a.When.loose() - b.When.loose() })
	out.Unruled = append(out.Unruled, x.unruled()...)
}

// misread are the rows whose answer is an error that reads as another class than the provider meant, or that he never sent.
func (x *ruling) misread() (out []*record.Row) {
	for i := range x.doc.Rows {
		r := &x.doc.Rows[i]
		wrong := r.Class.Layer != "" && r.Class.Layer != r.Class.Fixture
		if isError(r) && !passes(r) && (wrong || r.Verdict == "layer-made") {
			out = append(out, r)
		}
	}
	return out
}

// isError reports whether what came through the layer was an answer that a worker reads as an error.
func isError(r *record.Row) bool {
	return r.Layer != nil && (r.Layer.Status >= 300 || r.Layer.Status > 0 && r.Layer.Type != nil)
}

// look is an answer as far as a rule can see it.
type look struct {
	route, dialect string
	when           ruleWhen
}

// id is made of JSON, so that absent, empty and anything are told apart.
func (l look) id() string {
	raw, err := json.Marshal(l.when)
	if err != nil {
		return l.route + l.dialect // can't be: it holds numbers and texts
	}
	return quoteAll([]string{l.route, l.dialect, string(raw)})
}

// loose is how little a rule asks for.
func (w ruleWhen) loose() int {
	n := 0
	for _, v := range []any{w.Type, w.Code, w.Message} {
		if v == nil {
			n++
		}
	}
	return n
}

// notThere is a member that is null: what must not be there.
var notThere = json.RawMessage("null")

func (x *ruling) look(r *record.Row) look {
	l := look{r.Route, r.Asked, ruleWhen{Status: r.Layer.Status, Type: textIn(r, "type", r.Layer.Type), Code: textIn(r, "code", r.Layer.Code), RetryAfter: waits(r)}}
	if m := messageOf(r); m != "" && x.own[m] {
		l.when.Message = m
	}
	return l
}

// textIn is what a rule asks of a role: its text, that it is not there, or nothing where it was no text.
func textIn(r *record.Row, role string, have *string) any {
	for i := range r.Fields {
		f := &r.Fields[i]
		if f.Role != role || f.Layer == nil {
			continue
		}
		switch f.Layer.Kind {
		case "string", "text":
		case "null":
			return notThere
		default:
			return nil
		}
	}
	return asCondition(have)
}

// asCondition is a text to compare with. What is too long to be kept whole, had a secret taken out, or can't stand in JSON, is
// not compared: a rule that never fits would be worse than a wide one.
func asCondition(s *string) any {
	switch {
	case s == nil:
		return notThere
	case len(*s) > ruleText || strings.Contains(*s, "[secret") || !utf8.ValidString(*s):
		return nil
	}
	return *s
}

// waits reports whether the answer says when to come back, as the class rules read it: a blank header says nothing.
func waits(r *record.Row) bool {
	return slices.ContainsFunc(r.Layer.RetryAfter, func(s string) bool { return strings.TrimSpace(s) != "" })
}

// messageOf is the message that came through the layer, "" for none that could be compared.
func messageOf(r *record.Row) string {
	for i := range r.Fields {
		f := &r.Fields[i]
		if f.Role != "message" || f.Layer == nil || f.Layer.Kind != "string" || f.Layer.Cut > 0 {
			continue
		}
		if s, ok := asCondition(&f.Layer.Text).(string); ok {
			return s
		}
	}
	return ""
}

// ownWords are the messages that the layer wrote in place of different ones of the provider. A message of the provider is
// never among them: his words may change, and the texts of the fixtures are not his at all.
func ownWords(rows []record.Row) map[string]bool {
	replaced, sent := map[string]map[string]bool{}, map[string]bool{}
	for i := range rows {
		for j := range rows[i].Fields {
			f := &rows[i].Fields[j]
			if f.Role != "message" {
				continue
			}
			if f.Fixture != nil {
				sent[f.Fixture.Text] = true
			}
			if m := messageOf(&rows[i]); m != "" && f.Dir != "" && f.Fixture != nil {
				if replaced[m] == nil {
					replaced[m] = map[string]bool{}
				}
				replaced[m][f.Fixture.Text] = true
			}
		}
	}
	own := map[string]bool{}
	for m, instead := range replaced {
		own[m] = len(instead) > 1 && !sent[m]
	}
	return own
}

// fits reports whether a worker would take the answer of a row for one of this look.
func (l look) fits(x *ruling, r *record.Row) bool {
	if !isError(r) {
		return false
	}
	have := x.look(r)
	return have.route == l.route && have.dialect == l.dialect && have.when.Status == l.when.Status && have.when.RetryAfter == l.when.RetryAfter &&
		asked(l.when.Type, have.when.Type) && asked(l.when.Code, have.when.Code) && asked(l.when.Message, have.when.Message)
}

// asked reports whether a condition holds.
func asked(want, have any) bool {
	if w, text := want.(string); text {
		return have == w
	}
	_, none := have.(json.RawMessage)
	return want == nil || none
}
