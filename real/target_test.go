//go:build real && linux

package real_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/preservecheck/preservecheck/record"
)

// targetFile writes a target with a route for each "name url".
func targetFile(t *testing.T, head string, routes ...string) string {
	t.Helper()
	text := "format: preservecheck.target/1\nname: real\n" + head + "routes:\n"
	for _, r := range routes {
		name, url, _ := strings.Cut(r, " ")
		text += fmt.Sprintf("  - {name: %s, url: %q}\n", name, url)
	}
	return write(t, t.TempDir(), "target.yaml", text)
}

// onRoute is a record with the rows of one route alone.
func onRoute(doc record.Document, route string) record.Document {
	rows := doc.Rows
	doc.Rows = nil
	for _, r := range rows {
		if r.Route == route {
			doc.Rows = append(doc.Rows, r)
		}
	}
	return doc
}

// TestTwoLocations: one nginx, two ways through it, checked side by side. Each gets the verdicts that it gets alone.
func TestTwoLocations(t *testing.T) {
	t.Parallel()
	stub := freeAddress(t)
	layer := nginx.start(t, nginx.config(t, "routes"), stub)
	file := targetFile(t, "", "whole "+layer+"/whole", "hidden "+layer+"/hidden")
	doc, exit := check(t, stub, "--target", file, "--stream", "off")
	if exit != 1 || len(doc.Findings) > 0 || len(doc.Hops) > 0 {
		t.Errorf("exit %d: %s, findings %v", exit, doc.Result.Why, doc.Findings)
	}
	sameRows(t, nil, onRoute(doc, "whole"))
	sameRows(t, noRetryAfter, onRoute(doc, "hidden"))
	for _, r := range doc.Rows {
		for _, h := range r.Hits {
			if !strings.HasPrefix(h.Path, "/v1/messages") {
				t.Errorf("%s on %s reached the stub at %s", r.Row, r.Route, h.Path)
			}
		}
	}
}

// TestChain puts an nginx that hides retry-after in front of a HAProxy that changes a status, and the other way round: what is
// named is where it happens, not where it is seen.
func TestChain(t *testing.T) {
	type faulty struct {
		program program
		config  string
		key     string
	}
	hide, set := faulty{nginx, "hideonly", "header/retry-after"}, faulty{haproxy, "setstatus", "status"}
	for _, c := range []struct {
		why               string
		edge, gateway     faulty
		edgeDoes, nearest []string // keys by hop
	}{
		{"nginx in front of HAProxy", hide, set, []string{hide.key}, []string{set.key}},
		{"HAProxy in front of nginx", set, hide, []string{set.key}, []string{hide.key}},
		{"an honest edge does nothing", faulty{nginx, "keepalive", ""}, set, nil, []string{set.key}},
		{"an honest gateway does nothing", hide, faulty{haproxy, "default", ""}, []string{hide.key}, nil},
	} {
		t.Run(c.why, func(t *testing.T) {
			t.Parallel()
			stub := freeAddress(t)
			gateway := c.gateway.program.start(t, c.gateway.program.config(t, c.gateway.config), stub)
			edge := c.edge.program.start(t, c.edge.program.config(t, c.edge.config), strings.TrimPrefix(gateway, "http://"))
			doc, exit := check(t, stub, "--target", targetFile(t, "hops: true\n", "edge "+edge, "gateway "+gateway), "--stream", "off", "--fixture", "article/*")
			if exit != 1 {
				t.Errorf("exit %d: %s", exit, doc.Result.Why)
			}
			did := map[string][]string{}
			for _, h := range doc.Hops {
				did[h.At+" > "+h.Next] = append(did[h.At+" > "+h.Next], h.Key)
			}
			want := map[string][]string{}
			if c.edgeDoes != nil {
				want["edge > gateway"] = c.edgeDoes
			}
			if c.nearest != nil {
				want["gateway > "] = c.nearest
			}
			if diff := cmp.Diff(want, did); diff != "" {
				t.Errorf("hops (- want, + have):\n%s", diff)
			}
		})
	}
}
