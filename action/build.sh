#!/usr/bin/env bash
# Second step of the action: the program, unless the cache had it.
set -euo pipefail

if [ -x "$PROGRAM" ]; then
  "$PROGRAM" version
  exit 0
fi
if ! command -v go >/dev/null; then
  echo 'preservecheck: Go 1.21 or later has to be on the PATH, which runners of GitHub have; elsewhere put actions/setup-go before this step' >&2
  exit 3
fi

# setup-go forbids Go to fetch the version that a module asks for; this module asks for its own.
export GOTOOLCHAIN=auto CGO_ENABLED=0 GOFLAGS=-buildvcs=false
folder=${PROGRAM%/*}
mkdir -p "$folder"
if [ -n "${IN_VERSION:-}" ]; then
  GOBIN=$folder go install -trimpath -ldflags='-s -w' "github.com/preservecheck/preservecheck/cmd/preservecheck@$IN_VERSION"
else
  # The source of an action has no history, so its version is the reference by which the workflow named it.
  version=${GITHUB_ACTION_REF:-}
  [[ $version =~ ^[0-9A-Za-z._-]{1,80}$ ]] || version=
  cd "${GITHUB_ACTION_PATH//\\//}"
  go build -trimpath -ldflags="-s -w${version:+ -X main.version=$version}" -o "$PROGRAM" ./cmd/preservecheck
fi
"$PROGRAM" version
