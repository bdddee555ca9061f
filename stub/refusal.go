package stub

import "net/http"

// refusal is why a request is answered by the stub itself, with a status that is no success, and then closed.
type refusal struct {
	status int
	kind   string // value of the header x-preservecheck
	text   string // what happened and what to do
}

func (r *refusal) Error() string { return r.text }

// The kinds of answers that are the stub's own, as they stand in its header MarkHeader.
const (
	MarkHeader       = "x-preservecheck"
	KindNoFixture    = "no-fixture"
	KindUnknown      = "unknown-fixture"
	KindPath         = "unexpected-path"
	KindMethod       = "unexpected-method"
	KindCountTokens  = "count-tokens"
	KindBad          = "bad-request"
	KindTooLarge     = "too-large"
	KindTimeout      = "timeout"
	KindOverloaded   = "overloaded"
	KindHello        = "hello"
	KindModels       = "models"
	ownErrorType     = "preservecheck_stub"
	fixTheLayer      = "; a layer that sends this would be misread by other servers, too"
	plainHTTPWanted  = "; the stub speaks HTTP/1.0 and HTTP/1.1 without TLS here"
	splitsReadersFix = ", which two readers could read in two ways" + fixTheLayer
)

func bad(text string) *refusal { return &refusal{http.StatusBadRequest, KindBad, text} }

// Everything that is refused before it is known what was asked for.
var (
	badEnded         = bad("the request ended in the middle")
	badNotHTTP       = bad("these bytes are no HTTP request" + plainHTTPWanted)
	badTLS           = bad("these bytes are the start of TLS" + plainHTTPWanted + ": use http:// in the layer's upstream URL")
	badHTTP2         = bad("this is HTTP/2" + plainHTTPWanted + ": turn HTTP/2 to the upstream off in the layer")
	badVersion       = bad("the request line names no HTTP version that the stub speaks" + plainHTTPWanted)
	badRequestLine   = bad("the request line is not: method, space, target, space, version")
	badTarget        = bad("the request's target is neither a path nor an http URL" + fixTheLayer)
	badBareCR        = bad("a carriage return stands alone" + splitsReadersFix)
	badBareLF        = bad("a line ends in a bare line feed" + splitsReadersFix)
	badControl       = bad("a control character stands in the head or in the framing" + fixTheLayer)
	badHeadTooLarge  = bad("the head is larger than 16 KiB")
	badTooManyFields = bad("there are more than 100 header fields")
	badFolding       = bad("a header line starts with a space (line folding)" + splitsReadersFix)
	badSpaceColon    = bad("a space stands before the colon of a header" + splitsReadersFix)
	badFieldName     = bad("a header's name is no token" + fixTheLayer)
	badHost          = bad("the host header is no host" + fixTheLayer)
	badHosts         = bad("a request needs exactly one host header" + fixTheLayer)
	badLength        = bad("content-length is no number" + fixTheLayer)
	badLengths       = bad("there are two different content-lengths" + splitsReadersFix)
	badBoth          = bad("content-length stands beside transfer-encoding" + splitsReadersFix)
	badCoding        = bad("the only transfer-encoding that the stub reads is chunked, once" + fixTheLayer)
	badChunked10     = bad("transfer-encoding in an HTTP/1.0 request" + splitsReadersFix)
	badChunk         = bad("the chunked framing of the body is broken" + splitsReadersFix)
	badExpect        = &refusal{http.StatusExpectationFailed, KindBad, "the only expectation that the stub meets is 100-continue"}
	badTooLarge      = &refusal{http.StatusRequestEntityTooLarge, KindTooLarge, "the body is larger than 256 KiB; the tester never sends that much: what does the layer add?"}
	badTooSlow       = &refusal{http.StatusRequestTimeout, KindTimeout, "the request did not arrive whole in time"}
	badOverloaded    = &refusal{http.StatusServiceUnavailable, KindOverloaded, "the stub serves as many connections as it may; this says nothing about the layer: lower the concurrency, or look who else uses the stub"}
	badTooFast       = &refusal{http.StatusServiceUnavailable, KindOverloaded, "more requests came in a second than the stub answers; this says nothing about the layer: lower the concurrency, or look who else knows the stub's secret"}
)
