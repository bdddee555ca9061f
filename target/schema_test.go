package target

import (
	"flag"
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/schematest"
)

var update = flag.Bool("update", false, "write docs/schema/target.schema.json anew")

const schemaFile = "../docs/schema/target.schema.json"

type obj = schematest.Object

// schema is the format as a JSON Schema (draft 2020-12), for editors. It says what can be said without comparing routes.
func schema() obj {
	return obj{
		"$schema":     "https://json-schema.org/draft/2020-12/schema",
		"title":       "preservecheck target",
		"description": "A layer and the routes into it, for preservecheck check --target. See docs/targets.md.",
		"type":        "object", "required": []any{"format", "name", "routes"}, "additionalProperties": false,
		"properties": obj{
			"format":  schematest.Say("The format of this file.", obj{"const": Format}),
			"name":    schematest.Say("How reports call the layer.", schematest.Ref("line")),
			"version": schematest.Say("The layer's version, for reports; quote it when it looks like a number.", schematest.Ref("line")),
			"hops":    schematest.Say("The routes are points of one chain, client first; all have one dialect.", obj{"type": "boolean"}),
			"routes":  schematest.Say("The ways into the layer.", obj{"type": "array", "minItems": 1, "maxItems": maxRoutes, "items": schematest.Ref("route")}),
		},
		"if":   obj{"properties": obj{"hops": obj{"const": true}}, "required": []any{"hops"}},
		"then": obj{"properties": obj{"routes": obj{"minItems": 2}}},
		"$defs": obj{"route": routeSchema(), "header": headerSchema(),
			"line": obj{"type": []any{"string", "number", "boolean"}, "minLength": 1, "maxLength": maxName, "pattern": `^[^\x00-\x08\x0a-\x1f\x7f]*\S[^\x00-\x08\x0a-\x1f\x7f]*$`}},
	}
}

func routeSchema() obj {
	var names []any
	for _, d := range dialects.All() {
		names = append(names, d.Name)
	}
	channels := []any{}
	for _, c := range channelNames {
		channels = append(channels, c)
	}
	return obj{
		"type": "object", "additionalProperties": false, "required": []any{"name", "url"},
		"properties": obj{
			"name":    schematest.Say("How reports call the route.", obj{"type": []any{"string", "number"}, "pattern": goodName().String()}),
			"url":     schematest.Say("The base URL that a client would be given.", obj{"type": "string", "pattern": "^([hH][tT][tT][pP][sS]?)://."}),
			"dialect": schematest.Say("The provider protocol to ask in; "+DefaultDialect+" without it.", obj{"enum": names}),
			"headers": schematest.Say("To send on this route, in order, one name with one value each. $NAME comes from the environment when --allow-env allows NAME.",
				obj{"type": "array", "maxItems": maxHeaders, "items": schematest.Ref("header")}),
			"model": schematest.Say("The model name to ask for; {fixture} stands for the fixture's name.", schematest.Ref("line")),
			"channel": schematest.Say("How the stub learns which fixture is wanted.",
				obj{"anyOf": []any{obj{"enum": channels}, obj{"type": "string", "pattern": "^header:[!#$%&'*+.^_`|~0-9A-Za-z-]+$"}}}),
		},
	}
}

func headerSchema() obj {
	return obj{"type": "object", "minProperties": 1, "maxProperties": 1,
		"propertyNames": obj{
			"pattern": "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$",
			"not":     obj{"pattern": "^([cC]ontent-[lL]ength|[tT]ransfer-[eE]ncoding|[cC]onnection)$"},
		},
		"additionalProperties": obj{"type": []any{"string", "number", "boolean"}},
	}
}

func TestSchemaIsFresh(t *testing.T) { schematest.Fresh(t, schemaFile, schema(), *update) }

// TestSchemaHasTheReadersKeys: a key that the reader learns has to be learned by the schema as well. The reader knows
// start only to refuse it.
func TestSchemaHasTheReadersKeys(t *testing.T) {
	schematest.SameKeys(t, rawFile{}, schema(), "start")
	schematest.SameKeys(t, rawRoute{}, routeSchema(), "start")
}

// TestSchemaAgreesWithTheReader: it takes what the reader takes, and refuses what the reader refuses without looking
// further than one value.
func TestSchemaAgreesWithTheReader(t *testing.T) {
	s := schematest.Compile(t, schema())
	validate := func(text string) error {
		var root fixture.Node
		if err := fixture.Strict("t.yaml", []byte(text), &root); err != nil {
			return err // an editor says so without a schema
		}
		return s.Validate(schematest.Plain(&root))
	}
	for why, text := range map[string]string{
		"all keys":        goodFile,
		"the least":       "format: " + Format + "\nname: a\nroutes: [{name: b, url: 'http://h'}]\n",
		"a named header":  strings.Replace(goodFile, "channel: model", "channel: header:x-my", 1),
		"a numeric name":  strings.Replace(goodFile, "version: 1.2.3", "version: 1.2", 1),
		"hops are denied": strings.Replace(goodFile, "hops: true", "hops: false", 1),
	} {
		if _, err := Load("t.yaml", []byte(text)); err != nil {
			t.Errorf("%s: the reader: %v", why, err)
		}
		if err := validate(text); err != nil {
			t.Errorf("%s: the schema: %v", why, err)
		}
	}
	for _, c := range refused {
		if err := validate(strings.Replace(goodFile, c.old, c.new, 1)); err == nil && !c.reader {
			t.Errorf("%s: the schema takes it", c.why)
		}
	}
}
