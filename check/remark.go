package check

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/wire"
)

// remark says in words how a changed text differs, where the values alone don't show it well; "" for nothing to add.
func (r *runner) remark(row Row, d *compare.Difference) string {
	if d.Dir != evidence.Changed && d.Dir != evidence.Invented {
		return ""
	}
	if d.Got.Kind == evidence.String && wholeInside(upstreamBody(row), d.Got.Text) {
		return "the whole upstream body is inside " + d.Difference.Key[strings.LastIndexByte(d.Difference.Key, '/')+1:]
	}
	switch {
	case d.Difference.Key == paceKey:
		return "the layer held the stream back: its first event came with the rest, " + seconds(row.Fixture.Pause()) + " after the stub had sent it"
	case d.Dir == evidence.Invented:
		return ""
	case d.Nuance == evidence.Embedded:
		return r.around(d.Want.Text, d.Got.Text)
	case d.Difference.Key == "body" && d.Want.Kind == d.Got.Kind && (d.Want.Kind == evidence.Text || d.Want.Kind == evidence.Bytes):
		want, got := bytesOf(d.Want), bytesOf(d.Got)
		return fmt.Sprintf("differs from byte %d on (of %d, got %d)", firstDifference(want, got), len(want), len(got))
	}
	return ""
}

// upstreamBody is the JSON object that the upstream answers a row with, nil when it answers none.
func upstreamBody(row Row) []byte {
	b, _, err := wire.Decode(row.Fixture.Expected(fixture.NoID, false), wire.MaxBody)
	if err != nil || len(b) == 0 || b[0] != '{' {
		return nil
	}
	return b
}

const (
	maxEscapes = 3  // how many times a text may have been put into quotes
	maxBraces  = 32 // how many places of a text a body may begin at
)

// wholeInside reports whether a JSON body stands in a text, also written anew or escaped, as in b'{...}' or "{\"...\"}".
func wholeInside(body []byte, text string) bool {
	var want any
	if len(body) == 0 || json.Unmarshal(body, &want) != nil {
		return false
	}
	for range maxEscapes {
		if strings.Contains(text, string(body)) {
			return true
		}
		for at, tries := strings.IndexByte(text, '{'), 0; at >= 0 && tries < maxBraces; tries++ {
			var got any
			if json.NewDecoder(strings.NewReader(text[at:])).Decode(&got) == nil {
				if reflect.DeepEqual(got, want) {
					return true
				}
				break // what is inside a larger object is no longer the whole body alone, but one of its values
			}
			next := strings.IndexByte(text[at+1:], '{')
			if next < 0 {
				break
			}
			at += 1 + next
		}
		un, ok := unescaped(text)
		if !ok {
			return false
		}
		text = un
	}
	return false
}

// unescaped takes one level of backslashes off a text; false when it has none.
func unescaped(text string) (string, bool) {
	if !strings.Contains(text, `\"`) {
		return "", false
	}
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n", `\r`, "\r", `\t`, "\t", `\/`, "/").Replace(text), true
}

// around tells what was put before and behind an embedded text. Secrets go before it is cut.
func (r *runner) around(want, got string) string {
	before, behind, ok := strings.Cut(got, want)
	if !ok {
		return ""
	}
	var words []string
	if before != "" {
		words = append(words, "prefix "+brief(r.clean(before)))
	}
	if behind != "" {
		words = append(words, "suffix "+brief(r.clean(behind)))
	}
	return strings.Join(words, ", ")
}

// brief quotes a text, or its beginning and its end.
func brief(s string) string {
	const most = 80
	if r := []rune(s); len(r) > most {
		return strconv.Quote(string(r[:most/2])) + " … " + strconv.Quote(string(r[len(r)-most/2:]))
	}
	return strconv.Quote(s)
}

func bytesOf(v evidence.Value) string {
	if v.Kind != evidence.Bytes {
		return v.Text
	}
	b, err := base64.StdEncoding.DecodeString(v.Text)
	if err != nil {
		return v.Text // cut, and only a digest of the whole
	}
	return string(b)
}

// firstDifference is the offset of the first byte that is not the same; in text, that of the character it belongs to.
func firstDifference(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	for n > 0 && n < len(a) && !utf8.RuneStart(a[n]) {
		n--
	}
	return n
}
