#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Is one commit slower than another? Builds both and measures them in alternating runs.
set -u

usage() {
    cat <<'END'
Usage: sh bench/guard.sh [COMMIT [BASE]]

Builds COMMIT (HEAD unless told) and BASE (COMMIT's parent unless told) in build/guard, measures both in alternating runs
of this tree's hwaead-bench, and fails when an operation of COMMIT is slower by more than the noise of these very runs
explains. Takes about 3 minutes on an idle machine. For changes that are not committed: sh bench/guard.sh "$(git stash create)"
Exit status: 0 not slower, 1 slower, 2 could not be measured.
END
}

case ${1-} in
    -*)
        usage
        [ "$1" = --help ] || [ "$1" = -h ] || exit 2
        exit 0
        ;;
esac
top=$(cd "$(dirname "$0")/.." && pwd) || exit 2
commit=${1:-HEAD}
base=${2:-$commit^}
guard=$top/build/guard
logs=$guard/logs
stages=4
mkdir -p "$logs" || exit 2
. "$top/tests/setup.sh"

give_up() {
    say
    say "Not measured: $*"
    exit 2
}

hash_of() {
    git -C "$top" rev-parse --verify --quiet "$1^{commit}" || give_up "there is no commit $1."
}
new=$(hash_of "$commit") || exit 2
old=$(hash_of "$base") || exit 2
[ "$new" != "$old" ] || give_up "both are the same commit."

# build COMMIT FOLDER: library and module of a commit.
build() {
    rm -rf "$2" && mkdir -p "$2/source" && git -C "$top" archive "$1" | tar -x -C "$2/source" &&
        cmake -S "$2/source" -B "$2/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DHWAEAD_TESTS=OFF -DHWAEAD_BENCH=OFF &&
        cmake --build "$2/build" --target hwaead_module hwaead_shared
}
build_bench() {
    cmake -S "$top" -B "$guard/bench" -G Ninja -DCMAKE_BUILD_TYPE=Release -DHWAEAD_TESTS=OFF &&
        cmake --build "$guard/bench" --target hwaead_bench
}
say "New: $(git -C "$top" log -1 --format='%h %s' "$new")"
say "Old: $(git -C "$top" log -1 --format='%h %s' "$old")"
stage "Build the new one" build "$new" "$guard/new" || give_up "it does not build."
stage "Build the old one" build "$old" "$guard/old" || give_up "it does not build."
stage "Build the bench" build_bench || give_up "it does not build."
say "[4/4] Measure ..."
python3 "$top/bench/guard.py" "$guard/bench/bench/hwaead-bench" "$guard/old/build" "$guard/new/build"
