# Short names for the commands of .ci/run and CONTRIBUTING.md; nothing here is needed to build or test.
GOLANGCI_LINT := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

# what docs/examples shows; each is a recipe that has to be installed
EXAMPLES := nginx/intercept portkey

.PHONY: build test race real lint golden examples mutation ci

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

# runs the layers of docs/examples, which have to fail, and writes every format of each anew
examples: build
	for recipe in $(EXAMPLES); do \
	  dir=docs/examples/$$(echo $$recipe | tr / -); mkdir -p $$dir; status=0; \
	  ./preservecheck check --recipe $$recipe --fixture 'article/*' -o json=$$dir/run.json >/dev/null || status=$$?; \
	  test $$status = 1 || { echo "$$recipe: exit $$status, want 1" >&2; exit 1; }; \
	  chmod 644 $$dir/run.json; \
	done
	go test ./report -run 'Examples|FormatsPage' -update

# changes the code place by place and wants the tests to notice; an hour
mutation:
	bash .ci/mutation

ci:
	bash .ci/run
