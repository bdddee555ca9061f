package controls

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"strings"

	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// gzipAsText imitates gateways that read a compressed error as text and pass it on without its label (public reports of 2026).
var gzipAsText = &Fault{
	Name:      "gzip-as-text",
	Why:       "the bytes of gzip are read as text, and the label is gone: no client can get the error back",
	Mechanism: OfBody,
	Change:    compressed(func(zipped []byte) []byte { return []byte(strings.ToValidUTF8(string(zipped), "\uFFFD")) }),
	Want:      noLongerRead,
}

// compressed puts the bytes of gzip in the place of an error's body.
func compressed(as func(zipped []byte) []byte) func(*wire.Answer, bool) {
	return func(a *wire.Answer, _ bool) {
		if n := len(a.Body); isError(a) && n > 0 && n <= math.MaxUint16 && !isEventStream(a) && len(a.Values("content-encoding")) == 0 {
			a.Body = as(stored(a.Body))
		}
	}
}

// stored is gzip with one block that is not compressed (RFC 1951 section 3.2.4, RFC 1952): a compressor costs a proof too much.
func stored(b []byte) []byte {
	n := uint16(len(b))
	out := append(make([]byte, 0, len(b)+23), 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1)
	out = binary.LittleEndian.AppendUint16(out, n)
	out = append(binary.LittleEndian.AppendUint16(out, ^n), b...)
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(b)), uint32(n))
}

// noLongerRead declares that nothing can be read in the body of an error any more.
func noLongerRead(r Seen) []Sight {
	if !r.isError() || r.isEvents() || !r.hasBytes() {
		return nil
	}
	return withError(r, Sight{"body", evidence.Changed})
}
