// Package pebbletest holds package public against Pebble, the ACME server that the makers of Let's Encrypt test clients with, run in
// this process. It is a module of its own, so that Pebble and what it needs stay out of the program's module. Everything is
// on loopback.
package pebbletest
