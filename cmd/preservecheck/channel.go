package main

import (
	"strings"

	"github.com/preservecheck/preservecheck/ledger"
)

func channelNames() []string {
	return append([]string{"auto"}, texts([]ledger.Channel{ledger.Marker, ledger.Model, ledger.Header, ledger.Path, ledger.Armed})...)
}

// parseChannel reads --channel; header may name the header that carries the fixture.
func parseChannel(value, from string) (string, ledger.Channels, error) {
	if name, ok := strings.CutPrefix(value, string(ledger.Header)+":"); ok {
		if !isToken(name) {
			return "", ledger.Channels{}, usage("write --channel header:x-my-fixture", "%s: %q is no name of a header", from, name)
		}
		return string(ledger.Header), ledger.Channels{Header: name}, nil
	}
	for _, n := range channelNames() {
		if n == value {
			return value, ledger.Channels{}, nil
		}
	}
	return "", ledger.Channels{}, usage(didYouMean(value, channelNames(), ""), "%s: there is no channel %q", from, value)
}
