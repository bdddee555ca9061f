package controls

import "github.com/preservecheck/preservecheck/evidence"

// retype is a fault that writes one word into every error.type.
func retype(name, word, why string) *Fault {
	return &Fault{
		Name: name, Why: why, Mechanism: OfBody,
		Change: editError(func(e map[string]any) { e["type"] = word }),
		Want: func(r Seen) []Sight {
			at := r.Evidence.Get("error/type")
			switch {
			case !r.hasErrorObject() || at == evidence.Value{Kind: evidence.String, Text: word}:
				return nil
			case at.Kind != evidence.Absent:
				return []Sight{{"error/type", evidence.Changed}}
			}
			return []Sight{{"error/type", evidence.Invented}} // OpenRouter's errors have none
		},
	}
}
