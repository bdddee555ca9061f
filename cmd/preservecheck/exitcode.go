package main

import "github.com/preservecheck/preservecheck/compare"

// The exit codes of every command that judges.
const (
	exitPass    = compare.ExitPass         // all that was planned passes, and every control was caught
	exitFail    = compare.ExitFail         // a row or a finding fails
	exitUsage   = compare.ExitUsage        // usage or configuration is wrong: nothing was run
	exitUnknown = compare.ExitCouldNotTell // neither pass nor fail can be said; also an error of this tool itself
)

// exitTable is what help prints. README holds the same table; a test holds the two equal.
var exitTable = []struct {
	code    int
	meaning string
}{
	{exitPass, "everything planned was judged or excluded, all of it passes, every control was caught"},
	{exitFail, "a row or finding fails: the layer does not keep the evidence; or a known difference is stale, expired or too wide"},
	{exitUsage, "usage or configuration is wrong, nothing was run"},
	{exitUnknown, "could not tell: nothing or not everything could be judged, a control was missed, or the run was interrupted"},
}
