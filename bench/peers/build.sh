#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the bench's peers from the Rust registry, one shared library each. Installs nothing.
set -u

crates="aegis awslc boringssl ring rustcrypto"

case ${1-} in
    -*)
        cat <<'END'
Usage: sh bench/peers/build.sh [DIR [CRATE...]]

Builds AWS-LC, BoringSSL, ring, RustCrypto and, for orientation, AEGIS, as bench/peers/Cargo.lock holds them, into DIR,
where hwaead-bench finds them by --peers DIR. Without DIR: build/release/bench/peers, where the release build's bench
looks by itself. Crates: aegis awslc boringssl ring rustcrypto; all unless told. One that does not build is reported,
its log kept, and the others are built all the same. Needs cargo (Rust 1.85 or later) and a C compiler; BoringSSL needs cmake, a C++ compiler and libclang
besides. Takes about 5 minutes on two cores. Exit status: 0 if all were built, 1 if some were not.
END
        [ "$1" = --help ] || [ "$1" = -h ] || exit 2
        exit 0
        ;;
esac

here=$(cd "$(dirname "$0")" && pwd) || exit 2
dir=${1:-$here/../../build/release/bench/peers}
[ $# -eq 0 ] || shift
[ $# -eq 0 ] || crates=$*
mkdir -p "$dir/log" || exit 2
dir=$(cd "$dir" && pwd) || exit 2

has() {
    command -v "$1" >/dev/null 2>&1
}

# clang-sys looks for it there and beside llvm-config's libraries.
has_libclang() {
    [ -z "${LIBCLANG_PATH-}" ] || return 0
    has llvm-config && ls "$(llvm-config --libdir)"/libclang*.so* >/dev/null 2>&1 && return 0
    ls /usr/lib/llvm-*/lib/libclang*.so* /usr/lib/*/libclang*.so* /usr/lib*/libclang*.so* 2>/dev/null | grep -q .
}

# missing CRATE: what its build needs and is not here.
missing() {
    has cargo || echo "cargo"
    has cc || has gcc || has clang || echo "a C compiler"
    [ "$1" = boringssl ] || return 0
    has cmake || echo "cmake"
    has c++ || has g++ || has clang++ || echo "a C++ compiler"
    has_libclang || echo "libclang (Debian: libclang-dev)"
}

failed=0
for crate in $crates; do
    if [ ! -f "$here/$crate/Cargo.toml" ] || [ "$crate" = abi ]; then
        echo "$crate: no such crate" >&2
        exit 2
    fi
    lacks=$(missing "$crate" | paste -sd, - | sed 's/,/, /g')
    if [ -n "$lacks" ]; then
        echo "$crate: not built, missing: $lacks"
        failed=1
        continue
    fi
    echo "$crate: building ..."
    if (cd "$here" && cargo build --release --locked --target-dir "$dir/target" -p "hwaead-bench-$crate") \
        >"$dir/log/$crate" 2>&1 &&
        cp "$dir/target/release/libhwaead_bench_$crate.so" "$dir/"; then
        echo "$crate: built"
    else
        echo "$crate: does NOT build; the last lines of $dir/log/$crate:"
        tail -n 15 "$dir/log/$crate" | sed 's/^/    /'
        failed=1
    fi
done
exit $failed
