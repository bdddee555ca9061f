package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/preservecheck/preservecheck/fixture"
)

// matrixHelp is said by every command that takes rows of the user's own.
const matrixHelp = "`FILE` with rows of your own, beside the built-in ones or, with only: true in it, instead of them (repeatable)"

// maxMatrixFile bounds what is read of one file; the loader refuses less than that.
const maxMatrixFile = 2 << 20

func matrixFlag(cmd *cobra.Command, files *[]string) {
	cmd.Flags().StringArrayVar(files, "matrix", nil, matrixHelp)
}

// loadMatrix returns the built-in matrix with the rows of the files named by --matrix. For a stub that is open to others no row may look as if it held
// somebody's key or address.
func loadMatrix(files []string, from string, open bool) (*fixture.Matrix, error) {
	m, err := fixture.Builtin()
	if err != nil || len(files) == 0 {
		return m, err
	}
	var own []*fixture.File
	for _, name := range files {
		f, err := loadOwn(name, nil)
		if err != nil {
			return nil, badMatrix(err, from)
		}
		if err := f.Public(); open && err != nil {
			return nil, usage("take it out: a public stub serves synthetic answers only", "%s: %s", from, strings.ReplaceAll(err.Error(), "\n", "; "))
		}
		own = append(own, f)
	}
	joined, err := m.With(own...)
	if err != nil {
		return nil, badMatrix(err, from)
	}
	return joined, nil
}

func badMatrix(err error, from string) error {
	return usage("preservecheck fixtures validate FILE says the same without a run; docs/own-rows.md has examples", "%s: %s", from, err)
}

// loadOwn reads a file, or stdin for "-" where that is given.
func loadOwn(name string, stdin io.Reader) (*fixture.File, error) {
	in := stdin
	if name != "-" || stdin == nil {
		f, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("%s can't be read: %w", name, cause(err))
		}
		defer f.Close()
		in = f
	}
	b, err := io.ReadAll(io.LimitReader(in, maxMatrixFile))
	if err != nil {
		return nil, fmt.Errorf("%s can't be read: %w", shown(name), cause(err))
	}
	return fixture.LoadFile(shown(name), b)
}
