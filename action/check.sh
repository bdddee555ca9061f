#!/usr/bin/env bash
# Third step of the action: the check, its reports and its outputs. Ends with the exit code of the check.
set -euo pipefail

say() { printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"; }
refuse() {
  say exit-code 2
  printf 'preservecheck: %s\n' "$*" >&2
  exit 2
}

args=(check --format=text --color=never)
# A value stands behind its flag's "=", so that it can't be a flag of its own. Empty inputs are those that nobody gave.
flag() { if [ -n "$2" ]; then args+=("--$1=$2"); fi; }
# lines NAME TEXT: a flag for each line, or with an empty name each line as it stands.
lines() {
  local line
  while IFS= read -r line || [ -n "$line" ]; do
    line=${line%$'\r'}
    if [ -z "$line" ]; then continue; fi
    if [ -n "$1" ]; then args+=("--$1=$line"); else args+=("$line"); fi
  done <<<"$2"
}

flag layer "${IN_LAYER:-}"
flag target "${IN_TARGET:-}"
flag recipe "${IN_RECIPE:-}"
flag name "${IN_NAME:-}"
flag profile "${IN_PROFILE:-}"
flag baseline "${IN_BASELINE:-}"
flag fail-on "${IN_FAIL_ON:-}"
lines known "${IN_KNOWN:-}"
while IFS= read -r line; do
  case "${line%$'\r'}" in
    '' | --*=* | --allow-untestable | --verbose) ;;
    *) refuse 'each line of the input args has to be --flag=value' ;;
  esac
done <<<"${IN_ARGS:-}"
lines '' "${IN_ARGS:-}"

# placed: is there a file in which results have their place (docs/formats.md)? A recipe of the program's own is none.
placed() {
  if [ -n "${IN_TARGET:-}${IN_KNOWN:-}" ]; then return 0; fi
  case ${IN_RECIPE:-} in . | .. | ./* | ../* | /*) return 0 ;; esac
  case $'\n'${IN_ARGS:-} in *$'\n'--matrix=* | *$'\n'--known=*) return 0 ;; esac
  return 1
}
if [ "${IN_UPLOAD_SARIF:-}" = true ] && ! placed; then
  refuse 'upload-sarif needs target, known, a folder as recipe or --matrix=FILE in args: code scanning refuses results that have no place in a file'
fi

file() {
  case $1 in
    json) echo "$REPORTS/record.json" ;;
    junit) echo "$REPORTS/junit.xml" ;;
    html) echo "$REPORTS/report.html" ;;
    markdown) echo "$REPORTS/summary.md" ;;
    sarif) echo "$REPORTS/report.sarif" ;;
    prometheus) echo "$REPORTS/metrics.prom" ;;
    github) echo "$REPORTS/annotations.txt" ;;
  esac
}
formats=(json junit html markdown sarif prometheus github)
for format in "${formats[@]}"; do args+=("--output=$format=$(file "$format")"); done

# Reports are plain text, and arguments are named in errors: until the token comes again, the runner obeys no line.
token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
printf '::stop-commands::%s\n' "$token"
code=0
"$PROGRAM" "${args[@]}" || code=$?
printf '\n::%s::\n' "$token"

# A pass is believed only if the run says so in a report of its own: `--help` ends with 0 as well.
says=$(sed -n 's/^preservecheck_run_exit_code //p' "$(file prometheus)" 2>/dev/null || true)
case $code in
  0 | 1) if [ "$says" != "$code" ]; then code=3; fi ;;
  2 | 3) ;;
  *) code=3 ;;
esac
case $code in
  0) verdict=pass ;;
  1) verdict=fail ;;
  *) verdict=could-not-tell ;;
esac
if [ "$code" != 2 ] && [ -n "$says" ]; then
  counts=$(sed -n 's/^preservecheck_rows{verdict="\([a-z-]*\)"} \([0-9]*\)$/"\1":\2/p' "$(file prometheus)" | paste -sd , -)
  say counts "{$counts}"
  for format in "${formats[@]}"; do say "$format" "$(file "$format")"; done
  if [ "${IN_SUMMARY:-}" = true ]; then cat "$(file markdown)" >>"$GITHUB_STEP_SUMMARY"; fi
  if [ "${IN_ANNOTATIONS:-}" = true ]; then cat "$(file github)"; fi
fi
# Last, so that whatever went wrong before leaves "could not tell".
say exit-code "$code"
say verdict "$verdict"
exit "$code"
