package check

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/fixture"
)

func TestRemark(t *testing.T) {
	m, err := fixture.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	row := Row{Fixture: m.Get("tier_cap"), Mode: fixture.Plain, Dialect: dialects.Anthropic}
	body := string(upstreamBody(row))
	str := func(s string) evidence.Value { return evidence.Value{Kind: evidence.String, Text: s} }
	text := func(s string) evidence.Value { return evidence.Value{Kind: evidence.Text, Text: s} }
	escaped := strings.Trim(strconv.Quote(body), `"`)
	var anew bytes.Buffer
	if err := json.Indent(&anew, []byte(body), "", "\t"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		why       string
		key       string
		want, got evidence.Value
		says      string
	}{
		{"a layer's own words before", "error/message", str("limit"), str("anthropic error: limit"), `prefix "anthropic error: "`},
		{"and behind", "error/message", str("limit"), str("limit (request id: 1)"), `suffix " (request id: 1)"`},
		{"both", "error/message", str("limit"), str("a limit b"), `prefix "a ", suffix " b"`},
		{"long ones are cut", "error/message", str("limit"), str(strings.Repeat("x", 200) + "limit"), " … "},
		{"as long as is told whole", "error/message", str("limit"), str(strings.Repeat("x", 80) + "limit"), `prefix "` + strings.Repeat("x", 80) + `"`},
		{"one more is cut", "error/message", str("limit"), str(strings.Repeat("x", 81) + "limit"), `xx" … "xx`},
		{"all of it in one member", "error/message", str("m"), str("AnthropicException - " + body), "the whole upstream body is inside message"},
		{"in a member that nobody sent", "error/upstream", evidence.Value{}, str(body), "the whole upstream body is inside upstream"},
		{"as bytes of Python", "error/message", str("m"), str("AnthropicException - b'" + body + "'. Received Model Group=x"), "the whole upstream body is inside message"},
		{"escaped", "error/message", str("m"), str(`upstream said "` + escaped + `"`), "the whole upstream body is inside message"},
		{"escaped twice", "error/message", str("m"), str(strings.Trim(strconv.Quote(escaped), `"`)), "the whole upstream body is inside message"},
		{"written anew", "error/message", str("m"), str("x " + anew.String()), "the whole upstream body is inside message"},
		{"behind a brace that opens nothing", "error/message", str("m"), str("{x} " + body), "the whole upstream body is inside message"},
		{"written anew, with nothing before it", "error/message", str("m"), str(anew.String()), "the whole upstream body is inside message"},
		{"written anew behind a brace that opens nothing", "error/message", str("m"), str("{x} " + anew.String()), "the whole upstream body is inside message"},
		{"and right behind one", "error/message", str("m"), str("{" + anew.String()), "the whole upstream body is inside message"},
		{"behind as many braces as are tried, with its own", "error/message", str("m"), str(strings.Repeat("{ ", maxBraces-1) + anew.String()), "the whole upstream body is inside message"},
		{"behind one more: a layer's text must not cost more than that", "error/message", str("m"), str(strings.Repeat("{ ", maxBraces) + anew.String()), ""},
		{"a part of it is not the whole", "error/message", str("m"), str(`x {"type": "rate_limit_error"}`), ""},
		{"another text", "error/message", str("m"), str("nothing of it"), ""},
		{"not JSON: where it begins to differ", "body", text("<html>429</html>"), text("<html>503</html>"), "differs from byte 6 on (of 16, got 16)"},
		{"a cut one", "body", text("<html>"), text("<ht"), "differs from byte 3 on (of 6, got 3)"},
		{"a longer one", "body", text("<ht"), text("<hx>"), "differs from byte 2 on (of 3, got 4)"},
		{"one that goes on behind its end", "body", evidence.Value{Kind: evidence.Bytes, Text: "/wA="}, evidence.Value{Kind: evidence.Bytes, Text: "/wAB"}, "differs from byte 2 on (of 2, got 3)"},
		{"the very first byte, which begins no character", "body", evidence.Value{Kind: evidence.Bytes, Text: "gA=="}, evidence.Value{Kind: evidence.Bytes, Text: "gQ=="}, "differs from byte 0 on (of 1, got 1)"},
		{"a character is one thing", "body", text("aä"), text("aö"), "differs from byte 1 on (of 3, got 3)"},
		{"bytes count as they were", "body", evidence.Value{Kind: evidence.Bytes, Text: "/wD/"}, evidence.Value{Kind: evidence.Bytes, Text: "/wH/"}, "differs from byte 1 on (of 3, got 3)"},
		{"other kinds speak for themselves", "body", text("x"), evidence.Value{Kind: evidence.Object}, ""},
	} {
		d := compare.Difference{Difference: evidence.Difference{Key: c.key, Dir: evidence.Changed, Want: c.want, Got: c.got}}
		for _, x := range evidence.Diff(evidence.Evidence{{Key: c.key, Value: c.want}}, evidence.Evidence{{Key: c.key, Value: c.got}}) {
			d.Difference = x
		}
		got := (&runner{}).remark(row, &d)
		if c.says == "" && got != "" || !strings.Contains(got, c.says) || len(got) > 400 {
			t.Errorf("%s: %q, want %q", c.why, got, c.says)
		}
	}
}

func FuzzWholeInside(f *testing.F) {
	f.Add(`{"a":1}`, `x {"a": 1}`)
	f.Add(`{"a":"b"}`, `\\\"{\\"a\\":\\"b\\"}`)
	f.Add(`{`, strings.Repeat("{", 100))
	f.Fuzz(func(t *testing.T, body, text string) {
		if wholeInside([]byte(body), text) && text == "" {
			t.Fatal("nothing holds something")
		}
	})
}
