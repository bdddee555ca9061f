package honest_test

import (
	"bytes"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// layers are the makes. A layer that says less than it got, or something else, has no place here.
func layers() []layer {
	return []layer{
		{"proxy", "the reverse proxy that most Go gateways are built on: it streams events and buffers the rest", pool, reverse(0, nil)},
		{"flushing", "the same with every write passed on at once", pool, reverse(-1, nil)},
		{"http10-upstream", "nginx called upstreams in HTTP/1.0 until it was told otherwise: no chunks, and the close is the end", oldProtocol, reverse(-1, nil)},
		{"fresh", "a layer without keep-alive towards its upstream", fresh, reverse(0, nil)},
		{"stale-pool", "a pool that hands out connections which the upstream may have closed, and asks again on a new one where nothing was read", stale, reverse(0, nil)},
		{"own-headers", "what CDNs and proxies add, and a date of their own", pool, reverse(0, ownHeaders)},
		{"lower-content-type", "a media type is the same in any case (RFC 9110 section 8.3.1)", pool, reverse(0, lowerContentType)},
		{"charset", "JSON is UTF-8 and knows no charset (RFC 8259 section 11): naming it adds nothing, so core lets it pass and full shows it", pool, reverse(0, addCharset)},
		{"early-hints", "an interim answer before each final one", pool, earlyHints},
		{"length", "reads answers to their end and gives their length", pool, whole(nil, asLength)},
		{"chunks", "chunks of odd sizes, in upper case, with extensions and a trailer", pool, whole(nil, asOddChunks)},
		{"http10-client", "answers in HTTP/1.0 and ends by the close", pool, whole(nil, asHTTP10)},
		{"recased", "header names in upper case and the other way round", pool, whole(nil, asRecased)},
		{"slow", "a few bytes at a time, cut inside characters and lines", pool, whole(nil, asPieces)},
		{"gzip", "compresses what its client accepts, what came compressed anew", pool, whole(recompress("gzip"), asLength)},
		{"deflate", "the other coding that clients ask for", pool, whole(recompress("deflate"), asChunks)},
		{"identity-coding", "undoes compression", pool, whole(recompress(""), asLength)},
		{"sorted", "reads JSON and writes it anew, members sorted, < as an escape", pool, whole(eachJSON(sorted), asLength)},
		{"ascii", "writes JSON in ASCII, as Python does", pool, whole(eachJSON(ascii), asLength)},
		{"pretty", "writes JSON over several lines, in events too", pool, whole(eachJSON(pretty), asLength)},
		{"newline", "ends bodies by a line feed", pool, whole(newline, asLength)},
		{"crlf-events", "ends lines of events by CR LF", pool, whole(eachEvent(crlf), asChunks)},
		{"cr-events", "ends lines of events by CR alone, which the standard allows", pool, whole(eachEvent(cr), asChunks)},
		{"tight-events", "no space after the colon", pool, whole(eachEvent(tight), asChunks)},
		{"talking-events", "comments, retry fields and keepalives between events", pool, whole(eachEvent(talking), asChunks)},
		{"split-deltas", "one delta in two: how many carry a text is nobody's promise", pool, whole(eachEvent(split), asChunks)},
		{"swapped-events", "the event's name behind its data", pool, whole(eachEvent(swapped), asChunks)},
	}
}

// reverse is the standard library's reverse proxy.
func reverse(flush time.Duration, change func(http.Header)) func(http.RoundTripper, *url.URL) http.Handler {
	return func(up http.RoundTripper, to *url.URL) http.Handler {
		return &httputil.ReverseProxy{
			Transport: up, FlushInterval: flush, ErrorLog: log.New(io.Discard, "", 0),
			Rewrite: func(r *httputil.ProxyRequest) {
				r.SetURL(to)
				r.SetXForwarded()
			},
			ModifyResponse: func(a *http.Response) error {
				a.Body = &noting{a.Body, a.Header.Get("x-request-id") + a.Header.Get("request-id")}
				if change != nil {
					change(a.Header)
				}
				return nil
			},
			ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
		}
	}
}

// broken keeps what went wrong while proxies read answers, by the id of the hit: a row that is cut without a reason in its
// fixture has one here.
var broken sync.Map

type noting struct {
	io.ReadCloser
	id string
}

func (n *noting) Read(b []byte) (int, error) {
	i, err := n.ReadCloser.Read(b)
	if err != nil && err != io.EOF {
		broken.Store(n.id, err.Error())
	}
	return i, err
}

func ownHeaders(h http.Header) {
	for name, value := range map[string]string{
		"Via": "1.1 layer", "Server": "layer/2", "X-Cache": "MISS", "Cf-Ray": "8f0c1a2b3c4d5e6f-FRA", "Cf-Cache-Status": "DYNAMIC",
		"Date": "Mon, 30 Nov 2026 10:00:00 GMT", "Alt-Svc": `h3=":443"; ma=86400`, "Strict-Transport-Security": "max-age=1",
		"X-Envoy-Upstream-Service-Time": "3", "X-Kong-Proxy-Latency": "1", "X-Litellm-Call-Id": "c1", "Set-Cookie": "__cf_bm=x; path=/",
		"X-Request-Id": "layer-1", "Vary": "accept-encoding", "Age": "0",
	} {
		if h.Get(name) == "" {
			h.Set(name, value)
		}
	}
}

// earlyHints sends 103 before it asks.
func earlyHints(up http.RoundTripper, to *url.URL) http.Handler {
	next := reverse(0, nil)(up, to)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", "</style.css>; rel=preload")
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Del("Link")
		next.ServeHTTP(w, r)
	})
}

// answer is what came from upstream, read to its end.
type answer struct {
	status int
	header http.Header
	body   []byte
	cut    bool // it broke off, or was no answer to be read
}

// whole reads an answer to its end, changes its form and writes it with send. One that broke off is passed on as it came
// and broken off again; one that did not even begin is a 502.
func whole(change func(r *http.Request, a *answer), send func(w http.ResponseWriter, a *answer)) func(http.RoundTripper, *url.URL) http.Handler {
	return func(up http.RoundTripper, to *url.URL) http.Handler {
		return &rewriter{up: up, to: to, change: change, send: send}
	}
}

type rewriter struct {
	up      http.RoundTripper
	to      *url.URL
	change  func(r *http.Request, a *answer)
	send    func(w http.ResponseWriter, a *answer)
	changed atomic.Int64 // bodies
}

func (l *rewriter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a, err := fetch(l.up, l.to, r)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	if l.change != nil && !a.cut {
		before := bytes.Clone(a.body)
		if l.change(r, a); !bytes.Equal(before, a.body) {
			l.changed.Add(1)
		}
	}
	l.send(w, a)
}

// idle reports a make that was to change bodies and met none that it changes: its silence says nothing.
func (l *rewriter) idle() bool { return l.change != nil && l.changed.Load() == 0 }

// hopByHop are the headers of one connection (RFC 9110 section 7.6.1).
var hopByHop = []string{"Connection", "Keep-Alive", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Content-Length"}

// fetch asks the upstream what the client asked.
func fetch(up http.RoundTripper, to *url.URL, in *http.Request) (*answer, error) {
	r := in.Clone(in.Context())
	r.URL.Scheme, r.URL.Host, r.Host, r.RequestURI = to.Scheme, to.Host, to.Host, ""
	for _, name := range hopByHop {
		r.Header.Del(name)
	}
	res, err := up.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, 4<<20))
	a := &answer{status: res.StatusCode, header: res.Header, body: body, cut: err != nil}
	for _, name := range hopByHop {
		a.header.Del(name)
	}
	return a, nil
}
