package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/preservecheck/preservecheck/record"
)

// mostResults is how many results a file has at most: GitHub shows no more of one upload.
// Source: GitHub docs, "SARIF support for code scanning", limits, read 2026-11-30.
const mostResults = 5000

// The part of SARIF 2.1.0 that is written. Source: OASIS, sarif-schema-2.1.0.json, read 2026-11-30.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		Automation  sarifAutomation   `json:"automationDetails"`
		ColumnKind  string            `json:"columnKind"`
		Results     []sarifResult     `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string      `json:"id"`
		Name    string      `json:"name"`
		Short   sarifText   `json:"shortDescription"`
		Full    sarifText   `json:"fullDescription"`
		Help    sarifText   `json:"help"`
		Default sarifConfig `json:"defaultConfiguration"`
	}
	sarifConfig struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		ExitCode      int                 `json:"exitCode"`
		Description   string              `json:"exitCodeDescription"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level   string    `json:"level"`
		Message sarifText `json:"message"`
	}
	sarifAutomation struct {
		ID string `json:"id"`
	}
	sarifResult struct {
		Rule         string            `json:"ruleId"`
		Index        int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Kind         string            `json:"kind"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations,omitempty"`
		Fingerprints map[string]string `json:"partialFingerprints"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
	sarifLogical struct {
		Name string `json:"name"`
	}
)

// SARIF writes what does not pass as results of SARIF 2.1.0: a rule for each kind, and fingerprints that stay the same from
// run to run. Places are files of the user's own that the run read; without one a result has no file, and code scanning
// has no use for it.
func SARIF(w io.Writer, doc record.Document) error {
	routeless(&doc)
	all := faults(&doc)
	word, why := resultOf(&doc)
	run := sarifRun{
		Tool:       sarifTool{sarifDriver{Name: "preservecheck", Version: Plain(doc.Tool.Version), Rules: sarifRules(&doc, all)}},
		Automation: sarifAutomation{"preservecheck/" + url.PathEscape(Plain(subject(doc.Target))) + "/"},
		ColumnKind: "utf16CodeUnits",
		Results:    []sarifResult{},
	}
	call := sarifInvocation{Successful: doc.Result.Exit < 2, ExitCode: doc.Result.Exit, Description: string(word.text) + ": " + Plain(why)}
	seen := map[string]int{}
	for _, f := range all[:min(len(all), mostResults)] {
		run.Results = append(run.Results, sarifResultOf(&doc, f, seen))
	}
	if left := len(all) - mostResults; left > 0 {
		call.Notifications = []sarifNotification{{"warning", sarifText{string(count(left, "result")) + " more were left out; the record has them"}}}
	}
	run.Invocations = []sarifInvocation{call}
	raw, err := encodeAny(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
	if err != nil {
		return fmt.Errorf("the run can't be written as SARIF: %w", err)
	}
	_, err = bytes.NewReader(quiet(raw)).WriteTo(w)
	return err
}

// sarifRules has a rule for each kind. Its help ends with what the recipe of the layer says of the faults of this run.
func sarifRules(doc *record.Document, all []fault) (out []sarifRule) {
	for _, k := range kinds() {
		help, told := k.help, map[int]bool{}
		for _, f := range all {
			if f.kind != k.name || f.row == nil {
				continue
			}
			for _, a := range adviceOn(doc.Advice, told, f.key, f.row) {
				help += "\n\n" + string(adviceSentence(a))
			}
		}
		out = append(out, sarifRule{ID: "preservecheck/" + k.name, Name: camel(k.name), Short: sarifText{k.short}, Full: sarifText{k.help},
			Help: sarifText{help}, Default: sarifConfig{"error"}})
	}
	return out
}

// camel writes "layer-made" as "LayerMade", as names of rules are written.
func camel(s string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(s, "-") {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}

func sarifResultOf(doc *record.Document, f fault, seen map[string]int) sarifResult {
	all := kinds()
	r := sarifResult{Rule: "preservecheck/" + f.kind, Index: slices.IndexFunc(all, func(k kind) bool { return k.name == f.kind }), Level: "error", Kind: "fail"}
	if f.standing == unclear {
		r.Level, r.Kind = "none", "open" // a level beside a kind other than fail has to be none
	}
	r.Message.Text = sarifMessage(f)
	var place sarifLocation
	if file := sourceOf(doc, f.kind); file != "" {
		place.Physical = &sarifPhysical{sarifArtifact{(&url.URL{Path: Plain(file)}).EscapedPath()}, sarifRegion{1}}
	}
	if f.name != "" {
		place.Logical = []sarifLogical{{Plain(f.name)}}
	}
	if place.Physical != nil || place.Logical != nil {
		r.Locations = []sarifLocation{place}
	}
	r.Fingerprints = map[string]string{"preservecheck/v1": fingerprint(doc, f, seen)}
	return r
}

// sarifMessage is plain text, in which SARIF reads brackets and braces as links and placeholders.
func sarifMessage(f fault) string {
	text := list(nonEmpty(brief(f.name, 120), brief(f.text, 900), brief(f.advice, 400)), ": ")
	if text == "" {
		text = safe(kindOf(f.kind).short)
	}
	return strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, "{", "{{", "}", "}}").Replace(string(text))
}

// fingerprint is what makes a fault the same one in the next run: layer, row and place, not values, which may hold ids.
func fingerprint(doc *record.Document, f fault, seen map[string]int) string {
	parts := []string{doc.Target.Name, f.kind, f.name, f.key, f.dir}
	if f.row == nil && f.name == "" && f.kind != "known-entry" && f.kind != "other" {
		parts = append(parts, "the run")
	} else if f.row == nil {
		parts = append(parts, f.text)
	}
	id := quoteAll(parts)
	seen[id]++
	sum := sha256.Sum256([]byte(id + strconv.Itoa(seen[id])))
	return hex.EncodeToString(sum[:16])
}

// sourceOf is the file that a kind of fault belongs to: an entry to its known file, all else to the target, or to whatever
// the user gave instead.
func sourceOf(doc *record.Document, kind string) string {
	order := []string{"target", "recipe", "known", "matrix"}
	if kind == "known-entry" {
		order = []string{"known"}
	}
	for _, want := range order {
		for _, s := range doc.Sources {
			if s.Kind == want && s.Path != "" {
				return s.Path
			}
		}
	}
	return ""
}
