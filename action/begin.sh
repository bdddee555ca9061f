#!/usr/bin/env bash
# First step of the action: says "could not tell" until something better is known, and where everything will be.
set -euo pipefail

say() { printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"; }
refuse() { printf 'preservecheck: %s\n' "$*" >&2; exit 2; }

say verdict could-not-tell
say exit-code 3
say counts '{}'

# A version goes into a command and into the key of a cache, so it is a release or a commit and nothing else.
version=${IN_VERSION:-}
if [ -n "$version" ] && ! [[ $version =~ ^(v[0-9]+\.[0-9]+\.[0-9]+|[0-9a-f]{40})$ ]]; then
  say exit-code 2
  refuse 'the input version has to be a release like v1.2.3, or the 40 digits of a commit'
fi

# Runners of Windows have a drive and backslashes in their paths; bash and everything called here takes both.
temp=${RUNNER_TEMP//\\//}
action=${GITHUB_ACTION_PATH//\\//}

# The reports of two checks in one job must not overwrite each other.
say reports "$(mktemp -d "$temp/preservecheck-reports-XXXXXX")"

sum=(sha256sum)
if ! command -v sha256sum >/dev/null; then sum=(shasum -a 256); fi # macOS

# The key of the source is its content: another source is never served the program of this one.
source_key() {
  cd "$action"
  find . -type f -not -path './.git/*' | LC_ALL=C sort | tr '\n' '\0' | xargs -0 "${sum[@]}" | "${sum[@]}" | cut -c 1-40
}
key=${version:-$(source_key)}
say key "$key"
folder="$temp/preservecheck-$key"
say folder "$folder"
if [ "${RUNNER_OS:-}" = Windows ]; then say program "$folder/preservecheck.exe"; else say program "$folder/preservecheck"; fi
