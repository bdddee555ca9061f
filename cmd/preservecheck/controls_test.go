package main

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/record"
)

func TestProofIsPrinted(t *testing.T) {
	p := record.Proof{Pairs: 10, Exact: 9, Keys: 3, Deciding: 3, Missed: []string{"x missed\x1b[31m"},
		Controls: []record.Control{{Name: "x", Why: "a fault", Pairs: 5, Exact: 4, Missed: 1, Untouched: 2}}}
	var text, asJSON bytes.Buffer
	if err := proofText(&text, p, exitUnknown, 0); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"NOT PROVEN", "9 of 10 pairs", "missed: x missed", "a fault"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	if strings.Contains(text.String(), "\x1b") {
		t.Error("an escape is printed as it is")
	}
	var back record.Proof
	if err := proofJSON(&asJSON, p); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(asJSON.Bytes(), &back); err != nil || !reflect.DeepEqual(back, p) {
		t.Errorf("JSON does not come back the same: %v %+v", err, back)
	}
}
