package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set by the linker for a release; otherwise the build info of Go says it.
var version string

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  preservecheck version",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(a.out, versionLine())
			return unwritten(err)
		},
	}
}

func versionLine() string { return "preservecheck " + toolVersion() + "\n" }

func toolVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(unknown)"
}

// unwritten turns a failed write of a result into "could not tell": nobody has read it.
func unwritten(err error) error {
	if err == nil {
		return nil
	}
	return &failure{code: exitUnknown, msg: "the result could not be written: " + err.Error()}
}
