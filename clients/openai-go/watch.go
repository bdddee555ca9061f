package main

import (
	"bytes"
	"io"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/openai/openai-go/v3/option"
)

// watch counts the requests of one call and the waits between them, from inside the SDK. One call's requests come one after
// another, so it needs no lock.
type watch struct {
	skip       bool
	requests   int
	waits      []*float64 // milliseconds
	answered   time.Time
	told       *float64 // how long the last answer told to wait, nil when it did not
	retryAfter *string  // of the last answer, as it came
}

// attempt stands around every single request of the SDK.
func (w *watch) attempt(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	if w.requests++; w.requests > 1 {
		w.waited()
	}
	resp, err := next(req)
	w.answered, w.told, w.retryAfter = time.Now(), nil, nil
	if err != nil || resp == nil {
		return resp, err
	}
	w.told = told(resp.Header)
	if values := resp.Header.Values("retry-after"); len(values) > 0 {
		w.retryAfter = &values[0]
	}
	if w.skip && resp.StatusCode >= 400 && (w.told == nil || *w.told <= longest) {
		return resp, w.hurry(resp)
	}
	return resp, nil
}

// longest is what this SDK waits for at most, in milliseconds: after an answer that tells more it sends nothing, so there is no wait
// to skip (read in its source, internal/requestconfig/requestconfig.go, v3.99.0, 2026-11-30).
const longest = 120_000

// waited notes the wait before this request.
func (w *watch) waited() {
	ms := float64(time.Since(w.answered).Microseconds()) / 1000
	if w.skip {
		w.waits = append(w.waits, w.told)
		return
	}
	w.waits = append(w.waits, &ms)
}

// told is how long an answer asks to wait, in milliseconds: retry-after-ms before retry-after, which may be a date, as the SDK
// reads them. It is nil where the SDK would take its own wait.
func told(h http.Header) *float64 {
	for _, of := range []struct {
		name string
		unit float64
	}{{"retry-after-ms", 1}, {"retry-after", 1000}} {
		text := h.Get(of.name)
		if v, err := strconv.ParseFloat(text, 64); err == nil || math.IsInf(v, 1) {
			if v >= 0 {
				v = min(v*of.unit, math.MaxInt64)
				return &v
			}
			continue
		}
		if t, err := time.Parse(time.RFC1123, text); err == nil && of.unit == 1000 {
			v := max(0, float64(time.Until(t).Milliseconds()))
			return &v
		}
	}
	return nil
}

// hurry lets the SDK retry at once. The answer was read to its end, so that the connection can be used again, and only the
// copy in memory is changed: what went over the wire stays as it was, and so does whether the SDK retries.
func (w *watch) hurry(resp *http.Response) error {
	body, err := io.ReadAll(resp.Body)
	if closed := resp.Body.Close(); err == nil {
		err = closed
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	resp.Header.Set("retry-after-ms", "0")
	return err
}
