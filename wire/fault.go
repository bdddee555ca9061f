package wire

import "slices"

// What can be wrong with the framing of an answer whose status could still be read. The words are stable: they go
// into Answer.Faults, sorted, each at most once, and from there into evidence. Source: RFC 9112 (June 2022),
// sections 4, 5, 6.1, 6.3 and 7.1.
const (
	FaultStatus           = "status not of three digits"
	FaultNoColon          = "header line without a colon"
	FaultSpaceBeforeColon = "space before the colon of a header"
	FaultName             = "header name that is no token"
	FaultFolded           = "folded header line"
	FaultHeadLine         = "line of the head ended by a bare line feed"
	FaultControl          = "control character in the head"
	FaultLengthAndCoding  = "content-length beside transfer-encoding"
	FaultLengthsDiffer    = "two different content-lengths"
	FaultLengthTwice      = "content-length given twice"
	FaultBadLength        = "content-length that is no number"
	FaultUnknownCoding    = "unknown transfer-coding"
	FaultChunkedTwice     = "chunked given twice"
	FaultCodingInHTTP10   = "transfer-encoding in HTTP/1.0"
	FaultChunkLine        = "chunk line ended by a bare line feed"
	FaultExcess           = "bytes after the end of the answer"
)

// fault notes one fault. Faults are kept sorted, so that the list doesn't depend on the order of header lines.
func (a *Answer) fault(words string) {
	if i, found := slices.BinarySearch(a.Faults, words); !found {
		a.Faults = slices.Insert(a.Faults, i, words)
	}
}
