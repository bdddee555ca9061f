//go:build unix && !linux

package gateway

const reaps = false
