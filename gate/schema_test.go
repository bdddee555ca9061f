package gate

import (
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/schematest"
)

var update = flag.Bool("update", false, "write docs/schema/known.schema.json anew")

const schemaFile = "../docs/schema/known.schema.json"

type obj = schematest.Object

// schema is the format as a JSON Schema (draft 2020-12), for editors. It says what can be said without the matrix.
func schema() obj {
	return obj{
		"$schema":     "https://json-schema.org/draft/2020-12/schema",
		"title":       "preservecheck known differences",
		"description": "Differences of layers that are known and may stay for a time, for preservecheck check --known. See docs/known.md.",
		"type":        "object", "required": []any{"format", "entries"}, "additionalProperties": false,
		"properties": obj{
			"format":  schematest.Say("The format of this file.", obj{"const": KnownFormat}),
			"entries": schematest.Say("The known differences and findings.", obj{"type": "array", "items": schematest.Ref("entry")}),
		},
		"$defs": obj{"entry": entrySchema(), "filled": obj{"type": []any{"string", "number", "boolean"}, "pattern": `\S`}},
	}
}

func entrySchema() obj {
	has := func(keys ...any) obj { return obj{"required": keys} }
	hasNone := func(keys ...string) obj {
		var all []any
		for _, k := range keys {
			all = append(all, has(k))
		}
		return obj{"not": obj{"anyOf": all}}
	}
	when := func(properties obj, keys ...any) obj { return obj{"properties": properties, "required": keys} }
	return obj{
		"type": "object", "additionalProperties": false, "required": []any{"reason", "expires"}, "properties": entryProperties(),
		"anyOf": []any{has("layer"), has("route")},
		"if":    has("finding"),
		"then":  hasNone("key", "direction", "value", "class"),
		"else":  has("rows", "key", "direction"),
		"allOf": []any{
			obj{"if": when(obj{"finding": obj{"const": "intermittent"}}, "finding"), "then": has("rows")},
			obj{"if": when(obj{"direction": obj{"const": string(evidence.Lost)}}, "direction"), "then": hasNone("value"),
				"else": obj{"if": when(obj{"key": obj{"pattern": valued()}}, "key"), "then": has("value")}},
		},
	}
}

func entryProperties() obj {
	var classes []string
	for _, c := range classify.All() {
		classes = append(classes, regexp.QuoteMeta(string(c)))
	}
	class := "(" + strings.Join(classes, "|") + ")"
	filled, yes := schematest.Ref("filled"), obj{"type": "boolean"}
	return obj{
		"layer":        schematest.Say("The layer's name, as --name or a target's file gives it.", filled),
		"route":        schematest.Say("One route of it.", filled),
		"rows":         schematest.Say("Names of rows, or patterns: * any letters, ? one, [ab] one of these.", obj{"type": "array", "minItems": 1, "items": filled}),
		"mode":         schematest.Say("Leave it out for both.", schematest.Enum(fixture.Plain, fixture.Stream)),
		"key":          schematest.Say("Written out, like header/retry-after: no wildcard.", obj{"type": "string", "pattern": keyPattern()}),
		"direction":    schematest.Say("How it differs.", schematest.Enum(evidence.Lost, evidence.Changed, evidence.Invented)),
		"value":        schematest.Say("What a client gets; {original} stands for what the fixture has, {any} for any text.", obj{"type": []any{"string", "number", "boolean"}}),
		"class":        schematest.Say("Where the class changes with it, as rate_limit -> unknown_429.", obj{"type": "string", "pattern": `^\s*` + class + `\s*->\s*` + class + `\s*$`}),
		"finding":      schematest.Say("A finding instead of key and direction.", schematest.Enum(findings...)),
		"reason":       schematest.Say("Why this may stay as it is.", filled),
		"ticket":       schematest.Say("Where it is followed up.", filled),
		"expires":      schematest.Say("The last day on which it holds.", obj{"type": "string", "pattern": `^[0-9]{4}-[0-9]{2}-[0-9]{2}$`}),
		"intermittent": schematest.Say("It comes and goes, so that the entry is never stale.", yes),
		"wide":         schematest.Say("It covers more than 20 fixtures on purpose.", yes),
	}
}

// keyPattern says what wellFormed does.
func keyPattern() string {
	var alone, deep []string
	for _, r := range slices.Sorted(func(yield func(string) bool) {
		for r := range roots {
			if !yield(r) {
				return
			}
		}
	}) {
		switch {
		case r == "header" || r == "trailer" || r == "stream":
		case roots[r]:
			deep = append(deep, r)
		default:
			alone = append(alone, r)
		}
	}
	free := `[^*?\[]`
	return "^((" + strings.Join(alone, "|") + ")(#[0-9]+)?|(" + strings.Join(deep, "|") + ")(#[0-9]+)?(/" + free + "+)?|stream/" + free + `+|(header|trailer)/[^*?\[\sA-Z]+)$`
}

// valued is a pattern of the keys that need a value, in any dialect.
func valued() string {
	keys := []string{"end"}
	for _, d := range dialects.All() {
		for _, k := range d.Keys {
			for ; k != "" && k != "."; k = k[:max(0, strings.LastIndexByte(k, '/'))] {
				if needsValue(k) && !slices.Contains(keys, regexp.QuoteMeta(k)) {
					keys = append(keys, regexp.QuoteMeta(k))
				}
			}
		}
	}
	slices.Sort(keys)
	return "^(" + strings.Join(keys, "|") + ")(#[0-9]+)?$"
}

func TestSchemaIsFresh(t *testing.T) { schematest.Fresh(t, schemaFile, schema(), *update) }

// TestSchemaHasTheReadersKeys: a key that the reader learns has to be learned by the schema as well.
func TestSchemaHasTheReadersKeys(t *testing.T) {
	schematest.SameKeys(t, rawFile{}, schema())
	schematest.SameKeys(t, rawEntry{}, entrySchema())
}

// asEditor validates a text as an editor would.
func asEditor(t *testing.T) func(text string) error {
	s := schematest.Compile(t, schema())
	return func(text string) error {
		var root fixture.Node
		if err := fixture.Strict("known.yaml", []byte(text), &root); err != nil {
			return err // an editor says so without a schema
		}
		return s.Validate(schematest.Plain(&root))
	}
}

// TestSchemaAgreesWithTheReader: it takes what the reader takes, and refuses what the reader refuses by one entry alone.
func TestSchemaAgreesWithTheReader(t *testing.T) {
	validate := asEditor(t)
	for _, c := range loaded {
		err := validate(knownHead + c.in)
		if c.want == "" && err != nil || c.want != "" && !c.reader && err == nil {
			t.Errorf("%s: the schema says %v", c.why, err)
		}
	}
	for why, text := range map[string]string{
		"another format": "format: preservecheck.known/2\nentries: []\n", "no entries": "format: " + KnownFormat + "\n",
		"an entry that is none": knownHead + "  - a\n", "a list that is none": "format: " + KnownFormat + "\nentries: 1\n",
	} {
		if _, err := Load("x", []byte(text)); err == nil {
			t.Errorf("%s: the reader takes it", why)
		}
		if validate(text) == nil {
			t.Errorf("%s: the schema takes it", why)
		}
	}
}

// TestSchemaTakesWhatIsShipped: the example of the manual, and what a run writes once it has its reasons.
func TestSchemaTakesWhatIsShipped(t *testing.T) {
	page, err := os.ReadFile("../docs/known.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, found := strings.Cut(string(page), "```yaml\n")
	example, _, ended := strings.Cut(example, "```")
	written, err := os.ReadFile("../report/testdata/known.golden")
	if !found || !ended || err != nil {
		t.Fatalf("no YAML in docs/known.md, or no golden file: %v", err)
	}
	validate := asEditor(t)
	for why, text := range map[string]string{"docs/known.md": example, "a run's": strings.ReplaceAll(string(written), `reason: ""`, "reason: because")} {
		if _, err := Load("known.yaml", []byte(text)); err != nil {
			t.Errorf("%s: the reader: %v", why, err)
		}
		if err := validate(text); err != nil {
			t.Errorf("%s: the schema: %v", why, err)
		}
	}
}

// TestErrorsNamePlaces: those of a file alone, and those that only the matrix shows.
func TestErrorsNamePlaces(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{entry("direction", "gone"), "known.yaml:6:16: entry 1: the direction"},
		{entry("reason", `""`), "known.yaml:7:13: entry 1: the reason is empty"},
		{entry("key", ""), "known.yaml:3:5: entry 1: there is no key"},
		{entry("rows", "[rate_limit, rate_limitt]"), `known.yaml:4:24: entry 1: there is no row "rate_limitt"`},
		{entry("rows", "[tier_cap]"), "known.yaml:5:10: entry 1: no row \"tier_cap\" has the key"},
		{entry("route", "x"), "known.yaml:4:12: entry 1: gw has no route \"x\""},
	} {
		f, err := Load("dir/known.yaml", []byte(knownHead+c.in))
		if err == nil {
			_, err = For([]*File{f}, "gw", []string{"chat"}, builtin(t))
		}
		if err == nil || !strings.HasPrefix(err.Error(), "dir/"+c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}
