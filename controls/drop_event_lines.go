package controls

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// dropEventLines imitates layers that write a stream anew from the data alone. It keeps to streams whose every event says its
// name in its data as well, so that what is left can be told.
var dropEventLines = &Fault{
	Name:      "drop-event-lines",
	Why:       "event lines of a stream are lost: SDKs go by them, and none raises the error that comes without one",
	Mechanism: OfEvent,
	Change: func(a *wire.Answer, _ bool) {
		if a.Status != 200 || !a.End.Orderly() || !isEventStream(a) || len(a.Values("content-encoding")) > 0 || !namesTwice(a.Body) {
			return
		}
		var keep []byte
		for line := range bytes.Lines(a.Body) {
			if !bytes.HasPrefix(line, []byte("event:")) {
				keep = append(keep, line...)
			}
		}
		a.Body = keep
	},
	Want: func(r Seen) []Sight {
		names := r.Evidence.Get("stream/events").Items()
		if r.Evidence.Get("status").Number() != 200 || r.Evidence.Get("end").Text != evidence.EndOK || len(names) == 0 {
			return nil
		}
		for _, n := range names {
			if strings.ContainsAny(n, `-" `) {
				return nil
			}
		}
		out := []Sight{{"stream/events", evidence.Changed}}
		for _, root := range []string{"stream/data", "stream/keepalive"} {
			for _, e := range r.Evidence {
				if evidence.Parent(e.Key) != root {
					continue
				}
				base, _, _ := strings.Cut(strings.TrimPrefix(e.Key, root+"/"), "#")
				if r.Evidence.Get(e.Key+"/type").Text != base {
					return nil
				}
				out = append(out, Sight{e.Key, evidence.Lost}, Sight{strings.Replace(e.Key, root+"/", root+"/-", 1), evidence.Invented})
			}
		}
		return out
	},
}

// namesTwice reports whether each event has a name and data of that type.
func namesTwice(body []byte) bool {
	name, data, any := "", "", false
	for line := range strings.Lines(string(body)) {
		line = strings.TrimRight(line, "\r\n")
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case field == "event":
			name = value
		case field == "data":
			data += value
		case line == "" && name+data != "":
			var d struct{ Type string }
			if json.Unmarshal([]byte(data), &d) != nil || d.Type != name {
				return false
			}
			name, data, any = "", "", true
		}
	}
	return any && name+data == ""
}
