// Package gateway starts a layer and ends it, together with all that it started.
//
// It is no service manager: it starts one program for one run, and never a second time. It knows no layer by name.
package gateway
