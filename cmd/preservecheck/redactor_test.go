package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/preservecheck/preservecheck/fixture"
)

// eachByte writes every byte of a value by a format.
func eachByte(format, value string) string {
	var b strings.Builder
	for i := range len(value) {
		fmt.Fprintf(&b, format, value[i])
	}
	return b.String()
}

// eachRune writes every character of a value by a format.
func eachRune(format, value string) string {
	var b strings.Builder
	for _, r := range value {
		fmt.Fprintf(&b, format, r)
	}
	return b.String()
}

// undone is what somebody reads who undoes the usual escapes, with the escaped text beside it.
func undone(text string) string {
	all := []string{text, html.UnescapeString(text), strings.ReplaceAll(text, `'\''`, "'"),
		strings.NewReplacer("~2", "#", "~1", "/", "~0", "~").Replace(text)}
	if s, err := url.PathUnescape(text); err == nil {
		all = append(all, s)
	}
	for s := text; ; {
		var next string
		if json.Unmarshal([]byte(`"`+s+`"`), &next) != nil || next == s {
			break
		}
		all, s = append(all, next), next
	}
	return strings.Join(all, "\x00")
}

// shared is a piece of minSecret characters of a secret that a text holds, in any case; "" is what we want.
func shared(text, secret string) string {
	text, secret = strings.ToLower(text), strings.ToLower(secret)
	chars := []rune(secret)
	for i := 0; i+minSecret <= len(chars); i++ {
		if piece := string(chars[i : i+minSecret]); strings.Contains(text, piece) {
			return piece
		}
	}
	return ""
}

// disguises are the ways in which a layer or we ourselves may write a secret. cut is the length of one character of
// the disguise, so that a cut of n characters leaves n of the secret; 0 where that can't be said.
var disguises = []struct {
	why   string
	write func(string) string
	size  int
}{
	{"as it is", func(s string) string { return s }, 1},
	{"JSON", func(s string) string { b, _ := json.Marshal(s); return string(b[1 : len(b)-1]) }, 0},
	{"JSON, all escaped", func(s string) string { return eachRune(`\u%04x`, s) }, 6},
	{"JSON in JSON, all escaped", func(s string) string { return eachRune(`\\u%04x`, s) }, 7},
	{"Go", func(s string) string { q := fmt.Sprintf("%q", s); return q[1 : len(q)-1] }, 0},
	{"Go, all escaped", func(s string) string { return eachByte(`\x%02x`, s) }, 4},
	{"query", url.QueryEscape, 0},
	{"path", url.PathEscape, 0},
	{"percent, all", func(s string) string { return eachByte("%%%02x", s) }, 3},
	{"percent, twice", func(s string) string { return eachByte("%%25%02x", s) }, 5},
	{"HTML", html.EscapeString, 0},
	{"HTML, all", func(s string) string { return eachRune("&#x%x;", s) }, 0},
	{"shell", quote, 0},
	{"evidence key", strings.NewReplacer("~", "~0", "/", "~1", "#", "~2").Replace, 0},
}

// randomSecret has letters, digits and every sign that some escape touches.
func randomSecret(r *rand.Rand) string {
	const signs = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789\\\"'/<>&%+-_=.~#$ ;,"
	b := make([]byte, minSecret+r.IntN(40))
	for i := range b {
		b[i] = signs[r.IntN(len(signs))]
	}
	return "s" + strings.TrimSpace(string(b)) + "e"
}

func randomCase(r *rand.Rand, s string) string {
	switch r.IntN(3) {
	case 0:
		return strings.ToLower(s)
	case 1:
		return strings.ToUpper(s)
	}
	return s
}

// TestNoPieceOfASecretIsLeft cuts a secret anywhere, disguises it, changes its case, and puts it into other text.
func TestNoPieceOfASecretIsLeft(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	// No half of an escape: what it takes of a secret that is disguised as well can't be told from what it should take.
	around := []string{"", " ", "x", "100% ", "a & b ", `C:\dir `, "=", "Bearer ", `{"a":"`, "é"}
	for range 4000 {
		secret := randomSecret(r)
		if len(secret) < minSecret {
			continue
		}
		var s secrets
		s.add("NAME", secret)
		redact := redactorOf(&s)
		n := minSecret + r.IntN(len(secret)-minSecret+1)
		at := r.IntN(len(secret) - n + 1)
		for _, d := range disguises {
			shown := randomCase(r, d.write(secret[at:at+n]))
			text := around[r.IntN(len(around))] + shown + around[r.IntN(len(around))]
			if piece := shared(undone(redact(text)), secret); piece != "" {
				t.Fatalf("%s: %q leaves %q of %q in %q", d.why, text, piece, secret, redact(text))
			}
		}
	}
}

// TestCutDisguises cuts the disguise itself, also inside an escape, as a limit in bytes does.
func TestCutDisguises(t *testing.T) {
	const secret = "Tok_0123456789-abcdefghijklmnop"
	var s secrets
	s.add("NAME", secret)
	redact := redactorOf(&s)
	for _, d := range disguises {
		full := d.write(secret)
		for from := range len(full) {
			for to := from + 1; to <= len(full); to++ {
				if piece := shared(undone(redact(full[from:to])), secret); piece != "" {
					t.Fatalf("%s: %q leaves %q", d.why, full[from:to], piece)
				}
				if d.size > 0 && to-from >= (minSecret+1)*d.size && !strings.Contains(redact(full[from:to]), "[secret NAME]") {
					t.Fatalf("%s: %q is shown as %q", d.why, full[from:to], redact(full[from:to]))
				}
			}
		}
	}
}

// TestCutBase64 looks for pieces of the digits, since cut digits can still be decoded.
func TestCutBase64(t *testing.T) {
	const secret = "tok/Ü~>?0123456789+abc"
	var s secrets
	s.add("NAME", secret)
	redact := redactorOf(&s)
	for _, before := range []string{"", "u", "u:", "u:x"} {
		for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawURLEncoding} {
			digits := enc.EncodeToString([]byte(before + secret + "."))
			from, to := (len(before)*8+5)/6, (len(before)+len(secret))*8/6
			for i := from; i+minSecret <= to; i++ {
				for j := i + minSecret; j <= to; j++ {
					for _, shown := range []string{digits[i:j], strings.ToLower(digits[i:j])} {
						if got := redact("<" + shown + ">"); got != "<[secret NAME]>" {
							t.Fatalf("%s becomes %s", shown, got)
						}
					}
				}
			}
		}
	}
}

// TestOurOwnTextsStay: a secret that has a word of ours in it does not take that word out of reports, and is itself
// replaced as far as it goes.
func TestOurOwnTextsStay(t *testing.T) {
	m, err := fixture.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	texts := publicTexts(m)
	cases := []struct{ why, value string }{
		{"the program's name", "preservecheck-7hG2kq"},
		{"the model's name", "claude-tier_cap-9911"},
		{"an error type at the end", "zz91-rate_limit_error"},
		{"a whole fixture", servedText(m.Rows[0]) + "zz91"},
	}
	for _, c := range cases {
		var s secrets
		s.add("NAME", c.value)
		redact, known := s.redactor(texts)
		if len(known) != 0 {
			t.Errorf("%s: %q is known", c.why, known)
		}
		for _, text := range texts {
			if got := redact(text); got != text {
				t.Fatalf("%s: %q becomes %q", c.why, text, got)
			}
		}
		if got := redact("<" + c.value + ">"); got != "<[secret NAME]>" {
			t.Errorf("%s: a piece of it is left: %q", c.why, got)
		}
	}
	var s secrets
	s.add("DUMMY", "anthropic")
	s.add("KEY", "zz91-7hG2kq")
	if _, known := s.redactor(texts); !slices.Equal(known, []string{"DUMMY"}) {
		t.Errorf("known %q, want the one that is a word of ours", known)
	}
}

func TestSchemesAndNamesOfCookiesStay(t *testing.T) {
	for _, c := range []struct{ why, name, value, text string }{
		{"a scheme", "authorization", "Bearer tok-012345689", "use Bearer token or Bearer authentication"},
		{"a scheme in another header", "x-auth", "bearer tok-012345689", "Bearer t"},
		{"any scheme", "proxy-authorization", "Whatever tok-012345689", "whatever t"},
		{"a cookie's name", "cookie", "longsession=tok-012345689; b=c", "the longsession= cookie"},
	} {
		var s secrets
		s.addHeader(c.name, c.value)
		redact := redactorOf(&s)
		if got := redact(c.text); got != c.text {
			t.Errorf("%s: %q becomes %q", c.why, c.text, got)
		}
		if got := redact("tok-012345689"); !strings.HasPrefix(got, "[secret ") {
			t.Errorf("%s: shown as %q", c.why, got)
		}
	}
}

// TestPartsOfValues: what others take out of a header's value is found to its last digit of base64.
func TestPartsOfValues(t *testing.T) {
	for _, c := range []struct{ why, name, value string }{
		{"a quoted cookie", "cookie", `a=b; sid="tok-0123456"; c=d`},
		{"a cookie", "cookie", "sid=tok-0123456"},
		{"parameters", "authorization", `Whatever id="x", sig="tok-0123456",v=1`},
		{"a list", "x-keys", "tok-0123456, tok-abcdefgh"},
	} {
		var s secrets
		s.addHeader(c.name, c.value)
		for _, shown := range []string{"tok-0123456", "dG9rLTAxMjM0NTY=", "746f6b2d30313233343536"} {
			if got := redactorOf(&s)("<" + shown + ">"); got != "<[secret "+c.name+"]>" {
				t.Errorf("%s: %s becomes %s", c.why, shown, got)
			}
		}
	}
}

// TestRedactorNamesEachNeighbour: two secrets side by side are two.
func TestRedactorNamesEachNeighbour(t *testing.T) {
	var s secrets
	s.add("A", "aaaa1111bbbb")
	s.add("B", "cccc2222dddd")
	if got := redactorOf(&s)(`aaaa1111bbbbcccc2222dddd A\u0061aa1111BBBBx`); got != "[secret A][secret B] [secret A]x" {
		t.Errorf("%s", got)
	}
}

// TestLongTexts: the blocks in which escapes are undone leave no gap between them.
func TestLongTexts(t *testing.T) {
	const secret = "tok_0123456789"
	var s secrets
	s.add("NAME", secret)
	redact := redactorOf(&s)
	shown := eachByte(`\\u%04x`, secret)
	for shift := range 2 * len(shown) {
		pad := strings.Repeat("-", viewBlock-shift)
		if got := redact(pad + shown + pad); got != pad+"[secret NAME]"+pad {
			t.Fatalf("%d bytes before a block's end: %q", shift, strings.Trim(got, "-"))
		}
	}
}

func TestNoAllocationWithoutASecret(t *testing.T) {
	var s secrets
	s.add("NAME", "tok_0123456789-abcdefghijklmnop")
	redact := redactorOf(&s)
	for _, text := range []string{"error/message", strings.Repeat("Your account has hit its spend limit. ", 20)} {
		if n := testing.AllocsPerRun(100, func() { redact(text) }); n != 0 {
			t.Errorf("%.0f allocations for %.20q", n, text)
		}
	}
}

func FuzzRedact(f *testing.F) {
	f.Add("tok_0123456789", `{"a":"\u0074ok_0123456789"}`, 3)
	f.Add(`p@ss/w"ord<&>+~ 1`, "%70%40ss%2Fw%22ord", 0)
	f.Add("\xff\xfe01234567", "&#x30;\\ud83d\\ude00\\", 1)
	f.Add("\xa9abcdefgh\xc3", "éabcdefghé", 0)
	f.Add("ab'cd'ef'gh", `'ab'\''cd'\''ef'\''gh'`, 2)
	f.Fuzz(func(t *testing.T, secret, text string, at int) {
		if len(secret) < minSecret || len(secret) > 1000 || strings.Contains("[secret NAME]", secret) {
			return
		}
		var s secrets
		s.add("NAME", secret)
		redact := redactorOf(&s)
		got := redact(text)
		if utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Errorf("%q becomes %q, which is no UTF-8", text, got)
		}
		at = min(max(at, 0), len(text))
		for _, shown := range []string{secret, eachByte("%%%02x", secret), base64.StdEncoding.EncodeToString([]byte(secret))} {
			if got := redact(text[:at] + shown + text[at:]); strings.Contains(got, shown) {
				t.Errorf("%q is left in %q", shown, got)
			}
		}
	})
}

func BenchmarkRedact(b *testing.B) {
	var s secrets
	s.add("NAME", "sk-ant-"+strings.Repeat("0123456789abcdef", 6))
	redact := redactorOf(&s)
	plain := "Your account has hit its spend limit for the month. "
	for _, c := range []struct{ name, text string }{
		{"key", "error/details/error_code"},
		{"message", plain},
		{"escapes", `{"type":"error","message":"a \"quoted\" word & 100% of it"}`},
		{"16KiB", strings.Repeat(plain, 16<<10/len(plain))},
		{"16KiB with escapes", strings.Repeat(`a \"b\" c `, 16<<10/10)},
		{"hit", plain + "sk-ant-0123456789abcdef"},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				redact(c.text)
			}
		})
	}
}

func BenchmarkNewRedactor(b *testing.B) {
	m, err := fixture.Builtin()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		var s secrets
		s.add("NAME", strings.Repeat("0123456789abcdef", 64))
		s.redactor(publicTexts(m))
	}
}
