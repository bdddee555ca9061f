package main

import "github.com/spf13/cobra"

// anyListen is where the stub listens when it may be asked from anywhere and nobody said where.
const anyListen = "0.0.0.0:8787"

func listenAnyFlag(cmd *cobra.Command, any *bool) {
	cmd.Flags().BoolVar(any, "listen-any", false, "let the stub listen where others reach it: on "+anyListen+", or as --stub-listen says; it then answers only those who show the secret")
}
