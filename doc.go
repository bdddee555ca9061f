// Package preservecheck is the root of the module and holds no code.
//
// The product is the command in cmd/preservecheck. The other packages are its parts, not a library for others:
// version numbers cover the command's flags, exit codes and file formats, and promise nothing about Go APIs.
package preservecheck
