package record

import (
	"reflect"
	"testing"

	"github.com/preservecheck/preservecheck/schematest"
)

// TestAttemptsSchemaIsTheTypes holds the published schema to the types. -update writes it.
func TestAttemptsSchemaIsTheTypes(t *testing.T) {
	schematest.Fresh(t, "../docs/schema/attempts.schema.json", schemaOf(t, reflect.TypeFor[Attempts](), "preservecheck attempts", AttemptsFormat), *update)
}
