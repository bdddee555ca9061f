package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestEnvironment(t *testing.T) {
	cases := []struct {
		why       string
		env, args []string
		check     func(*checkFlags) bool
		err       string
	}{
		{"a variable stands for its flag", []string{"PRESERVECHECK_LAYER_VERSION=1.2"}, nil,
			func(f *checkFlags) bool { return f.layerVersion == "1.2" }, ""},
		{"the flag wins", []string{"PRESERVECHECK_STREAM=on"}, []string{"--stream", "off"},
			func(f *checkFlags) bool { return f.stream == "off" }, ""},
		{"even if it says the default", []string{"PRESERVECHECK_STREAM=on"}, []string{"--stream", "both"},
			func(f *checkFlags) bool { return f.stream == "both" }, ""},
		{"a value a line, with commas kept", []string{"PRESERVECHECK_HEADER=a: b, c\n\n d: e \n"}, nil,
			func(f *checkFlags) bool { return slices.Equal(f.header, []string{"a: b, c", "d: e"}) }, ""},
		{"a flag replaces all lines", []string{"PRESERVECHECK_HEADER=a: b\nc: d"}, []string{"--header", "x: y"},
			func(f *checkFlags) bool { return slices.Equal(f.header, []string{"x: y"}) }, ""},
		{"switches", []string{"PRESERVECHECK_VERBOSE=true"}, nil, func(f *checkFlags) bool { return f.verbose }, ""},
		{"a bad value", []string{"PRESERVECHECK_VERBOSE=yep"}, nil, nil, "PRESERVECHECK_VERBOSE has a bad value"},
		{"empty", []string{"PRESERVECHECK_NAME="}, nil, nil, "PRESERVECHECK_NAME is set but empty"},
		{"empty is wrong even where a flag is given", []string{"PRESERVECHECK_NAME= "}, []string{"--name", "x"}, nil, "set but empty"},
		{"a typo", []string{"PRESERVECHECK_FIXTURES=x"}, nil, nil, "PRESERVECHECK_FIXTURES is not known"},
		{"the first of two typos by name", []string{"PRESERVECHECK_ZZ=x", "PRESERVECHECK_AA=x"}, nil, nil, "PRESERVECHECK_AA"},
		{"not a setting", []string{"PRESERVECHECK_HELP=x"}, nil, nil, "PRESERVECHECK_HELP is not known"},
		{"other variables are none of our business", []string{"PRESERVECHECKER=x", "odd"}, nil, func(*checkFlags) bool { return true }, ""},
	}
	for _, c := range cases {
		cmd, f := &cobra.Command{Use: "check"}, &checkFlags{}
		f.register(cmd)
		if err := cmd.ParseFlags(c.args); err != nil {
			t.Fatal(err)
		}
		err := newEnviron(c.env).fill(cmd)
		switch {
		case c.err == "" && (err != nil || !c.check(f)):
			t.Errorf("%s: %v, %+v", c.why, err, f)
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%s: error %v, want %q", c.why, err, c.err)
		}
	}
}

// TestSuggestions: a reader is not asked to choose among many, and what is no setting is not suggested.
func TestSuggestions(t *testing.T) {
	known := variables(newRoot(&app{}))
	if slices.Contains(known, "PRESERVECHECK_VERSION") || slices.Contains(known, "PRESERVECHECK_HELP") {
		t.Errorf("--version or --help can be set by the environment: %q", known)
	}
	if got := didYouMean("PRESERVECHECK_LAYRE", known, ""); got != "did you mean PRESERVECHECK_LAYER?" {
		t.Errorf("the hint is %q", got)
	}
}
