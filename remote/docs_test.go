package remote

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/ledger"
)

// TestDocsShowEachCall holds the examples of docs/remote-api.md to the types: each is read strictly, and each key that a type
// has is in one of its examples.
func TestDocsShowEachCall(t *testing.T) {
	page, err := os.ReadFile("../docs/remote-api.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := map[string]string{}
	for _, m := range regexp.MustCompile("(?s)<!-- (\\w+) -->\n```json\n(.*?)```").FindAllSubmatch(page, -1) {
		examples[string(m[1])] = string(m[2])
	}
	types := []any{Settings{}, openReply{}, syncCall{}, syncReply{}, announceCall{}, announceReply{}, arrivalsReply{}, errorReply{}}
	for _, v := range types {
		typ := reflect.TypeOf(v)
		text, ok := examples[typ.Name()]
		if !ok {
			t.Errorf("no example of %s", typ.Name())
			continue
		}
		d := json.NewDecoder(bytes.NewBufferString(text))
		d.DisallowUnknownFields()
		if err := d.Decode(reflect.New(typ).Interface()); err != nil {
			t.Errorf("%s: %v", typ.Name(), err)
		}
		for _, key := range keysOf(typ) {
			if key != "" && !strings.Contains(text, `"`+key+`"`) && (typ != reflect.TypeFor[arrivalsReply]() || !strings.Contains(string(page), `"`+key+`"`)) {
				t.Errorf("%s: the example lacks %s", typ.Name(), key)
			}
		}
	}
	if len(examples) != len(types) {
		t.Errorf("%d examples of %d types", len(examples), len(types))
	}
	for _, code := range []string{CodeBad, CodeMatrix, CodeChannels, CodeWatch, CodeRuns, CodeNoRun, CodeLeased} {
		if !strings.Contains(string(page), "`"+code+"`") {
			t.Errorf("the page does not tell of the error %s", code)
		}
	}
}

// keysOf are the names of all members of a type and of what is in it.
func keysOf(t reflect.Type) (keys []string) {
	switch t.Kind() {
	case reflect.Slice:
		return keysOf(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			keys = append(append(keys, name), keysOf(t.Field(i).Type)...)
		}
	}
	return keys
}

// TestAForgottenHitStaysForgotten: an answer that was under way when a hit was forgotten does not bring it back.
func TestAForgottenHitStaysForgotten(t *testing.T) {
	c := blank("0a1b2c3d")
	tag := ledger.Tag{Run: c.run, Fixture: "ok", Nonce: "0123456789abcdef"}
	c.Issue(tag)
	told := syncReply{Seq: 1, Hits: []hit{{Seq: 1, ID: "00112233445566aa", Run: c.run, Fixture: "ok", Nonce: tag.Nonce, At: 1}}}
	for range 2 {
		if err := c.take(&told); err != nil {
			t.Fatal(err)
		}
		c.Forget(tag.Nonce)
		told.Hits[0].Seq = 2
	}
	if len(c.hits) != 0 || len(c.Unexplained()) != 0 || len(c.forget) != 1 {
		t.Errorf("%d hits, %d unexplained, %d to forget", len(c.hits), len(c.Unexplained()), len(c.forget))
	}
	late := syncReply{Seq: 3, Hits: []hit{{Seq: 3, ID: "00112233445566bb", Run: c.run, Fixture: "ok", Nonce: tag.Nonce, At: 1}}}
	if err := c.take(&late); err != nil || len(c.Unexplained()) != 1 {
		t.Errorf("a later one must not vanish: %v, %d", err, len(c.Unexplained()))
	}
}

// FuzzAnswer: whatever comes back, the client takes it or refuses it.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`{"hits":[{"seq":1,"id":"0123456789abcdef","run":"0a1b2c3d","nonce":"0123456789abcdef","at":5}],"seq":1,"stray":0}`))
	f.Add([]byte(`{"strays":[{"seq":1,"id":"0123456789abcdef","channels":["model"],"at":5,"served":{"answer_at":7}}],"seq":0,"stray":1,"born":1}`))
	f.Add([]byte(`{"hits":[{"id":"x"}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var got syncReply
		if json.Unmarshal(b, &got) != nil {
			return
		}
		c := blank("0a1b2c3d")
		if c.take(&got) != nil {
			return
		}
		for _, h := range c.Unexplained() {
			if !isHex(h.ID, 16) || h.At.IsZero() {
				t.Errorf("%+v", h)
			}
		}
	})
}
