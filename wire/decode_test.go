package wire

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"strings"
	"testing"
)

func pack(coding string, b []byte) []byte {
	var out bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case "gzip":
		w = gzip.NewWriter(&out)
	case "zlib":
		w = zlib.NewWriter(&out)
	case "raw":
		w, _ = flate.NewWriter(&out, flate.DefaultCompression)
	}
	_, _ = w.Write(b)
	_ = w.Close()
	return out.Bytes()
}

func TestDecode(t *testing.T) {
	text := []byte(`{"type":"error","error":{"type":"rate_limit_error"}}`)
	zip := pack("gzip", text)
	damaged := bytes.Clone(zip)
	damaged[len(damaged)-8] ^= 1
	bomb := pack("gzip", make([]byte, 1<<17))
	for _, c := range []struct {
		why, label string
		in         []byte
		want       []byte
		coding     string
		err        string
	}{
		{"no label", "", text, text, "", ""},
		{"identity is no coding", "Identity", text, text, "", ""},
		{"gzip", "gzip", zip, text, "gzip", ""},
		{"names ignore case", "GZIP", zip, text, "gzip", ""},
		{"the old name", "x-gzip", zip, text, "x-gzip", ""},
		{"deflate means zlib", "deflate", pack("zlib", text), text, "deflate", ""},
		{"deflate as some servers send it", "deflate", pack("raw", text), text, "deflate", ""},
		{"two layers compress, the last is undone first", "deflate, gzip", pack("gzip", pack("zlib", text)), text, "deflate, gzip", ""},
		{"two members make one body", "gzip", append(bytes.Clone(zip), zip...), append(bytes.Clone(text), text...), "gzip", ""},
		{"nothing compressed is nothing", "gzip", nil, nil, "gzip", ""},
		{"an unknown coding hides nothing that is empty", "br", nil, nil, "br", ""},
		{"decoded already, label kept", "gzip", text, text, "gzip", "labelled gzip, but it is not"},
		{"the wrong label", "deflate", zip, zip, "deflate", "labelled deflate, but it is not"},
		{"cut", "gzip", zip[:len(zip)-9], text, "gzip", "cut short"},
		{"cut in the header", "gzip", zip[:5], zip[:5], "gzip", "cut short"},
		{"damaged", "gzip", damaged, text, "gzip", "checksum"},
		{"bytes behind", "deflate", append(pack("zlib", text), "more"...), text, "deflate", "4 bytes after the end of the deflate data"},
		{"brotli", "br", text, text, "br", "can't be decoded: br"},
		{"zstd under gzip", "zstd, gzip", zip, text, "zstd, gzip", "can't be decoded: zstd"},
		{"five codings", "gzip,gzip,gzip,gzip,gzip", zip, zip, "gzip, gzip, gzip, gzip, gzip", "more than 4"},
		{"a label for the terminal", "\x1b[31m", text, text, "\x1b[31m", `can't be decoded: \x1b[31m`},
		{"a bomb", "gzip", bomb, make([]byte, 1000), "gzip", "more than 1000 bytes"},
		{"a bomb in a bomb", "gzip, gzip", pack("gzip", bomb), make([]byte, 1000), "gzip, gzip", "more than 1000 bytes"},
	} {
		a := &Answer{Header: []Field{{"Content-Encoding", c.label}}, Body: c.in}
		body, coding, err := Decode(a, 1000)
		switch {
		case string(body) != string(c.want) || coding != c.coding:
			t.Errorf("%s: %q, %q %v", c.why, body, coding, err)
		case (err == nil) != (c.err == ""), err != nil && !strings.Contains(err.Error(), c.err):
			t.Errorf("%s: error %v, want %q", c.why, err, c.err)
		}
	}
}

// TestDecodeLines: a coding may stand on a line of its own; the order of the lines is that of the coding.
func TestDecodeLines(t *testing.T) {
	a := &Answer{Header: []Field{{"content-encoding", "deflate"}, {"X", "y"}, {"Content-Encoding", "gzip"}}, Body: pack("gzip", pack("zlib", []byte("ok")))}
	body, coding, err := Decode(a, 0)
	if string(body) != "ok" || coding != "deflate, gzip" || err != nil {
		t.Errorf("%q %q %v", body, coding, err)
	}
}
