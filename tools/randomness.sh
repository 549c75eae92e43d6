#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# rngtest and dieharder over hwaead's random bytes: what docs/randomness.md shows.
set -u

usage() {
    cat <<'END'
Usage: sh tools/randomness.sh [PATH OF THE hwaead COMMAND]

Needs rngtest and dieharder (Debian: rng-tools-debian, dieharder). Prints Markdown. Takes about half an hour of one core.
The command is build/release/hwaead unless given.
END
}

case ${1-} in
    -h | --help)
        usage
        exit 0
        ;;
esac
hwaead=${1-build/release/hwaead}
for program in "$hwaead" rngtest dieharder; do
    command -v "$program" >/dev/null || {
        usage >&2
        echo "Missing: $program" >&2
        exit 2
    }
done

# Each test reads a stream of its own. Left out are those that dieharder itself calls suspect or not to be used (5, 6, 7,
# 14) and those that want a parameter (200 to 203).
blocks=200000
dieharder_tests="0 1 2 3 4 8 9 10 11 12 13 15 16 17 100 101 102 204 205 206 207 208 209"

echo "Run on $(date -u '+%Y-%m-%d'), $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $("$hwaead" --version)."
for request in 65536 32; do
    echo
    echo "    hwaead random --request $request | rngtest -c $blocks"
    echo
    "$hwaead" random --request $request | rngtest -c $blocks 2>&1 | grep -E 'successes|failures|Monobit|Poker|[Rr]uns|Continuous' |
        sed 's/^/    /'
done
echo
echo "    for t in $dieharder_tests; do hwaead random --request 32 | dieharder -g 200 -d \$t; done"
echo
for t in $dieharder_tests; do
    "$hwaead" random --request 32 | dieharder -g 200 -d "$t" | grep -E 'PASSED|WEAK|FAILED' | sed 's/^/    /'
done
