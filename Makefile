# Short names for the commands of .ci/run and CONTRIBUTING.md; nothing here is needed to build or test.
GOLANGCI_LINT := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

.PHONY: build test race real lint golden mutation ci

build:
	CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o preservecheck ./cmd/preservecheck

test:
	go test ./...

race:
	go test -race -shuffle=on -count=1 ./...

# needs nginx and haproxy
real:
	go test -tags real -count=1 ./real/...

lint:
	go run $(GOLANGCI_LINT) run ./...

# writes the expected outputs anew; read the difference before you commit it
golden:
	go test ./report/... ./cmd/... -update

# changes the code place by place and wants the tests to notice; an hour
mutation:
	bash .ci/mutation

ci:
	bash .ci/run
