package main

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"testing"
)

// redactorOf gives the redactor of some secrets alone, with no texts of ours.
func redactorOf(s *secrets) func(string) string {
	redact, _ := s.redactor(nil)
	return redact
}

func TestRedactsEveryForm(t *testing.T) {
	const value = `p@ss/w"ord<&>+~ 1`
	std, raw := base64.StdEncoding, base64.RawURLEncoding
	asJSON, _ := json.Marshal(value)
	cases := []struct{ why, text string }{
		{"plain, inside other text", "x" + value + "y"},
		{"as encoding/json writes it", string(asJSON)},
		{"the same, inside a longer string", `{"a":"x` + strings.Trim(string(asJSON), `"`) + `y"}`},
		{"JSON without HTML escapes", `p@ss/w\"ord<&>+~ 1`},
		{"JSON with an escaped slash, as PHP writes it", `p@ss\/w\"ord<&>+~ 1`},
		{"in a query", url.QueryEscape(value)},
		{"in a path", url.PathEscape(value)},
		{"percent-encoded in lower case", strings.ToLower(url.QueryEscape(value))},
		{"every byte is percent-encoded", eachByte("%%%02X", value)},
		{"the same in lower case", eachByte("%%%02x", value)},
		{"every letter is escaped as in JSON", eachByte(`\u%04x`, value)},
		{"the same, in a string inside a string", eachByte(`\\u%04X`, value)},
		{"every letter is escaped as in HTML", eachByte("&#%d;", value)},
		{"hexadecimal digits", eachByte("%02x", value)},
		{"quoted as Go does it", strconv.Quote(value)},
		{"upper case", strings.ToUpper(value)},
		{"a header's name in evidence", "header/x-" + strings.ReplaceAll(value, "/", "~1")},
		{"a header's name on its way through CGI", "HTTP_X_" + strings.ToUpper(value)},
		{"base64", std.EncodeToString([]byte(value))},
		{"base64 for URLs without padding", raw.EncodeToString([]byte(value))},
		{"credentials of the Basic scheme", std.EncodeToString([]byte("user:" + value))},
		{"the same, another length of name", std.EncodeToString([]byte("us:" + value))},
		{"the same, and more behind", raw.EncodeToString([]byte("u:" + value + "tail"))},
	}
	var s secrets
	s.add("NAME", value)
	redact := redactorOf(&s)
	for _, c := range cases {
		if got := redact(c.text); !strings.Contains(got, "[secret NAME]") || shared(undone(got), value) != "" {
			t.Errorf("%s: %s became %s", c.why, c.text, got)
		}
	}
}

func TestRedactsTheLongestFirst(t *testing.T) {
	var s secrets
	s.add("SHORT", "abcdefgh")
	s.add("LONG", "abcdefghijkl")
	if got := redactorOf(&s)("abcdefghijkl abcdefgh"); got != "[secret LONG] [secret SHORT]" {
		t.Errorf("a secret that starts like another leaves its end behind: %s", got)
	}
}

func TestShortSecretsAreNamed(t *testing.T) {
	var s secrets
	s.add("PIN", "1234567")
	s.add("PIN", "7654321")
	s.add("EMPTY", "")
	if redactorOf(&s) != nil || len(s.short) != 1 || s.short[0] != "PIN" {
		t.Errorf("short: %q, want PIN once and nothing redacted", s.short)
	}
}

func TestHeaders(t *testing.T) {
	env := newEnviron([]string{"TOKEN=tok_0123456789", "PIN=1234", "EVIL=a\r\nx-evil: 1", "EMPTY=", "DOLLAR=ab$TOKEN"})
	cases := []struct {
		why, spec   string
		name, value string // of the header, when it is one
		err         string // part of the message otherwise
		secret      string // must be redacted afterwards
	}{
		{"a plain header", "x-tenant: a", "x-tenant", "a", "", ""},
		{"no space after the colon", "x-tenant:a", "x-tenant", "a", "", ""},
		{"an empty value is a value", "x-tenant:", "x-tenant", "", "", ""},
		{"the whole value from the environment", "x-auth: $TOKEN", "x-auth", "tok_0123456789", "", "tok_0123456789"},
		{"after a scheme", "Authorization: Bearer $TOKEN", "Authorization", "Bearer tok_0123456789", "", "tok_0123456789"},
		{"in braces", "x-auth: ${TOKEN}", "x-auth", "tok_0123456789", "", "tok_0123456789"},
		{"inside a word", "x-auth: a=$TOKEN;b", "x-auth", "a=tok_0123456789;b", "", "tok_0123456789"},
		{"inside a word, in braces", "x-auth: a${TOKEN}b", "x-auth", "atok_0123456789b", "", "tok_0123456789"},
		{"twice in a word", "x-auth: $TOKEN:$TOKEN", "x-auth", "tok_0123456789:tok_0123456789", "", "tok_0123456789"},
		{"no name behind the dollar sign", "x-price: 5$ $5 a$$-", "x-price", "5$ $5 a$$-", "", ""},
		{"what a variable holds is not looked through", "x-a: $DOLLAR", "x-a", "ab$TOKEN", "", "ab$TOKEN"},
		{"not set, inside a word; what looks like a name may be a password's end", "x-auth: a$b0123456789", "", "", "inside a word", ""},
		{"an open brace", "x-auth: a${TOKEN", "", "", "a ${ that is not followed", ""},
		{"an empty brace", "x-auth: ${}", "", "", "a ${ that is not followed", ""},
		{"a quoted cookie", "cookie: a=b; sid=\"0123456789\"", "cookie", "a=b; sid=\"0123456789\"", "", "0123456789"},
		{"parts of a value", "x-key: id=\"0123456789\",sig=abcdefghij", "x-key", "id=\"0123456789\",sig=abcdefghij", "", "YWJjZGVmZ2hpag=="},
		{"a literal key", "x-api-key: sk-0123456789", "x-api-key", "sk-0123456789", "", "sk-0123456789"},
		{"a literal bearer token", "authorization: Bearer sk-0123456789", "authorization", "Bearer sk-0123456789", "", "sk-0123456789"},
		{"a cookie", "cookie: a=b; sid=0123456789", "cookie", "a=b; sid=0123456789", "", "0123456789"},
		{"Basic credentials, decoded", "authorization: Basic dXNlcjpodW50ZXIyMjI=", "authorization", "Basic dXNlcjpodW50ZXIyMjI=", "", "hunter222"},
		{"not set", "x-auth: $NOT_SET", "", "", "NOT_SET, which is not set", ""},
		{"set to nothing", "x-auth: $EMPTY", "", "", "EMPTY, which is not set or empty", ""},
		{"a line break from the environment", "x-auth: $EVIL", "", "", "holds a line break", ""},
		{"a NUL", "x-auth: a\x00b", "", "", "holds a line break or NUL", ""},
		{"no colon", "sk-0123456789", "", "", "number 1 has no colon", ""},
		{"a name that is none", "x y: a", "", "", "no HTTP token", ""},
		{"framing is ours", "Content-Length: 1", "", "", "set by preservecheck itself", ""},
	}
	for _, c := range cases {
		var s secrets
		fields, err := parseHeaders([]string{c.spec}, "--header", env, &s)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: error %v, want %q", c.why, err, c.err)
			} else if strings.Contains(err.Error(), "0123456789") {
				t.Errorf("%s: the message shows the value: %v", c.why, err)
			}
			continue
		}
		if err != nil || len(fields) != 1 || fields[0].Name != c.name || fields[0].Value != c.value {
			t.Errorf("%s: %v %v", c.why, fields, err)
		}
		redact := redactorOf(&s)
		if (redact == nil) != (c.secret == "") || redact != nil && strings.Contains(redact("<"+c.secret+">"), c.secret) {
			t.Errorf("%s: %q is not redacted", c.why, c.secret)
		}
	}
}
