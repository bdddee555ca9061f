package stub

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/preservecheck/preservecheck/ledger"
)

// own is an answer of the stub's own that is a success.
type own struct {
	kind string
	body []byte
}

var hello = &own{KindHello, []byte(`{"type":"preservecheck_stub","message":"This is the stub of preservecheck, a fake provider. Use this address as the upstream of the layer under test."}`)}

// model is one entry of a list of models that clients of both families can read.
type model struct {
	ID          string `json:"id"`
	Type        string `json:"type"`         // Anthropic, with display_name and created_at
	DisplayName string `json:"display_name"` //
	CreatedAt   string `json:"created_at"`   //
	Object      string `json:"object"`       // OpenAI, with created and owned_by
	Created     int64  `json:"created"`      //
	OwnedBy     string `json:"owned_by"`     //
}

// modelList is the answer to GET /v1/models: the path is the same for the dialects, so the list has the members of
// each. The models are the fixtures' names, so that a layer which learns its models from the upstream lets the model
// channel through.
func modelList(names []string) []byte {
	born := time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC)
	list := struct {
		Object  string  `json:"object"`
		Data    []model `json:"data"`
		HasMore bool    `json:"has_more"`
		FirstID string  `json:"first_id"`
		LastID  string  `json:"last_id"`
	}{Object: "list", Data: []model{}}
	for _, n := range names {
		list.Data = append(list.Data, model{n, "model", n, born.Format(time.RFC3339), "model", born.Unix(), "preservecheck"})
	}
	if len(names) > 0 {
		list.FirstID, list.LastID = names[0], names[len(names)-1]
	}
	b, _ := json.Marshal(list) // strings and numbers can't fail
	return b
}

// tell sends a success of the stub's own.
func (c *conn) tell(o *own) after {
	keepOpen := c.head.http11() && !c.head.close
	return c.sendOwn(http.StatusOK, o.kind, "", o.body, keepOpen)
}

// sayNo sends an error of the stub's own, which can't be taken for a provider's, and closes: what the client
// thinks comes next on the connection may not be what we would read.
func (c *conn) sayNo(r *refusal) after {
	c.s.opt.Ledger.Note(c.hit.ID, r.text)
	var e struct {
		Type  string `json:"type"`
		Error struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"error"`
		RequestID string `json:"request_id"`
	}
	e.Type, e.Error.Type, e.Error.Message = "error", ownErrorType, r.text
	e.RequestID = "req_" + c.hit.ID
	body, _ := json.Marshal(e) // strings can't fail
	allow := ""
	if r.status == http.StatusMethodNotAllowed {
		allow = "allow: POST\r\n"
	}
	return c.sendOwn(r.status, r.kind, allow, body, false)
}

func (c *conn) sendOwn(status int, kind, header string, body []byte, keepOpen bool) after {
	c.out = append(c.out[:0], "HTTP/1.1 "+strconv.Itoa(status)+" "+http.StatusText(status)+"\r\n"+
		"content-type: application/json\r\ncontent-length: "+strconv.Itoa(len(body))+"\r\n"+header+
		"cache-control: no-store\r\nrequest-id: req_"+c.hit.ID+"\r\n"+MarkHeader+": "+kind+"\r\n"...)
	if !keepOpen {
		c.out = append(c.out, "connection: close\r\n"...)
	}
	c.out = append(c.out, "\r\n"...)
	if c.hit.Method != http.MethodHead {
		c.out = append(c.out, body...)
	}
	served := ledger.Served{Proto: c.head.proto, Status: status, Framing: "length", AnswerAt: time.Now()}
	c.s.opt.Ledger.Served(c.hit.ID, served)
	if c.write(c.out) != nil {
		return drop
	}
	served.Finished = true
	c.s.opt.Ledger.Served(c.hit.ID, served)
	if keepOpen {
		return keep
	}
	c.endWriting()
	return fin
}
