package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/schematest"
)

const recordSchema = "../../docs/schema/record.schema.json"

// validated counts the records that were held to the schema, so that a walk that finds none is noticed.
var validated atomic.Int32

// validRecords holds every record below a folder to the published schema: those that the program wrote. What the reader
// refuses was broken on purpose, and a test's own minimal ones have no tool.
func validRecords(t *testing.T, folder string) {
	t.Helper()
	schema := schematest.Closed(t, recordSchema)
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || filepath.Ext(path) != ".json" {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		doc, err := record.Read(bytes.NewReader(raw))
		if err != nil || doc.Tool.Name == "" {
			return nil //nolint:nilerr // no record, or a broken one
		}
		validated.Add(1)
		if err := schematest.Valid(schema, raw); err != nil {
			t.Errorf("%s: %v", strings.TrimPrefix(path, folder), err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestExamplesAreRecords holds the committed examples to the schema.
func TestExamplesAreRecords(t *testing.T) {
	before := validated.Load()
	validRecords(t, "../../docs/examples")
	if validated.Load() == before {
		t.Error("there is no record among the examples")
	}
}
