module github.com/preservecheck/preservecheck/public/pebbletest

go 1.26.0

require (
	github.com/letsencrypt/challtestsrv v1.4.2
	github.com/letsencrypt/pebble/v2 v2.10.3
	github.com/preservecheck/preservecheck v0.0.0
	go.uber.org/goleak v1.3.0
)

require (
	github.com/go-jose/go-jose/v4 v4.1.8 // indirect
	github.com/miekg/dns v1.1.62 // indirect
	go.yaml.in/yaml/v4 v4.0.0 // indirect
	golang.org/x/crypto v0.59.0 // indirect
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
)

replace github.com/preservecheck/preservecheck => ../..
