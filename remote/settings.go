package remote

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
)

// digestLen is how much of a fixture's digest is told, in hex digits: two fixtures of one name are no attack.
const digestLen = 16

// SettingsOf gives the settings of a stub, or of a check, that has this matrix.
func SettingsOf(m *fixture.Matrix, ch ledger.Channels, watch bool) Settings {
	s := Settings{Matrix: m.Version, Fixtures: map[string]string{}, Header: ch.Header, Watch: watch}
	for _, list := range [][]*fixture.Fixture{m.Rows, m.Canaries} {
		for _, f := range list {
			s.Fixtures[f.Name] = f.Digest()[:digestLen]
		}
	}
	return s
}

// another is the first fixture that the two do not have alike, "" for none.
func (s Settings) another(o Settings) string {
	for _, name := range slices.Sorted(maps.Keys(s.Fixtures)) {
		if o.Fixtures[name] != s.Fixtures[name] {
			return name
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.Fixtures)) {
		if _, ok := s.Fixtures[name]; !ok {
			return name
		}
	}
	return ""
}

func headerOf(s Settings) string {
	name, _ := ledger.Channels{Header: s.Header}.Names()
	return strings.ToLower(name)
}

// shown is text of the other end in a message.
func shown(s string) string {
	const most = 64
	if len(s) > most {
		s = s[:most]
	}
	return strings.Trim(strconv.QuoteToASCII(s), `"`)
}
