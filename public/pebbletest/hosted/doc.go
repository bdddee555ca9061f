// Package hosted holds the whole story of a hosted gateway, as a user lives it: the built program, nginx as the gateway and as the proxy
// before a stub, Pebble as the authority, each a process of its own, in a network that exists for the test alone. Nothing of it can reach, or be
// reached from, the outside.
//
// It holds no code but tests, which need Linux, nginx, iproute2 and the right to make namespaces.
package hosted
