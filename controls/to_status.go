package controls

import (
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/wire"
)

// toStatus is a fault that makes one status of some others.
func toStatus(name, why string, from func(int) bool, to int, reason string) *Fault {
	return &Fault{
		Name: name, Why: why, Mechanism: OfStatus,
		Change: func(a *wire.Answer, _ bool) {
			if from(a.Status) {
				a.Status, a.Reason = to, reason
			}
		},
		Want: func(r Seen) []Sight {
			if !from(r.Evidence.Get("status").Number()) {
				return nil
			}
			return []Sight{{"status", evidence.Changed}}
		},
	}
}

func only(status int) func(int) bool { return func(s int) bool { return s == status } }
