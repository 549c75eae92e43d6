#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# This machine's module in the OpenSSL of another Debian suite.
set -eu

usage() {
    cat <<'END'
Usage: sh tests/evp_with.sh [SUITE]

Loads build/release/hwaead.so, as it was built on this machine, into the OpenSSL of a Debian suite: experimental unless
told, which has OpenSSL 4. The suite's OpenSSL, its headers and its C library are unpacked in build/suites (nothing is
installed; a suite that is there already is kept), and the EVP tests are built with them in build/evp-SUITE. Runs
`openssl list -providers`, `openssl speed`, `openssl rand` with each of our configuration files, and the EVP tests. Needs
a release build; takes some minutes. Exit status: 0 if all is well.
END
}

case ${1-} in
    --help | -h) usage && exit 0 ;;
    -*) usage >&2 && exit 2 ;;
esac
suite=${1:-experimental}
top=$(cd "$(dirname "$0")/.." && pwd)
release=$top/build/release
[ -e "$release/hwaead.so" ] || {
    echo "build/release/hwaead.so is missing: build hwaead first (cmake --preset release)."
    exit 2
}
sh "$top/bench/suites.sh" "$top/build/suites" "$suite"
root=$top/build/suites/$suite/root
loader=$(readlink -f "$top/build/suites/$suite/loader")
lib=$(readlink -f "$top/build/suites/$suite/lib")
unset OPENSSL_CONF OPENSSL_CONF_INCLUDE OPENSSL_MODULES

fail() {
    echo "FAIL: $*"
    exit 1
}

# openssl CONFIGURATION COMMAND...: the suite's.
openssl() {
    conf=$1
    shift
    OPENSSL_CONF=$conf OPENSSL_MODULES=$release "$loader" --library-path "$lib" "$root/usr/bin/openssl" "$@"
}

# ---- The command ---------------------------------------------------------------------------------------------------
openssl /dev/null version
listed=$(openssl /dev/null list -providers -provider hwaead -verbose)
case $listed in
    *"hwaead: AES-GCM"*"tier "*) printf '%s\n' "$listed" ;;
    *) fail "hwaead is not listed: $listed" ;;
esac
openssl /dev/null speed -seconds 1 -bytes 16384 -evp aes-256-gcm -provider hwaead 2>/dev/null
for way in "" -random -drbg -random-provider; do
    conf=$release/openssl-hwaead$way.cnf
    bytes=$(openssl "$conf" rand -hex 16)
    [ ${#bytes} = 32 ] || fail "openssl rand with $conf: $bytes"
    case $(openssl "$conf" list -providers) in
        *default*hwaead*) echo "openssl rand with openssl-hwaead$way.cnf: well" ;;
        *) fail "default and hwaead are not both active with $conf" ;;
    esac
done

# ---- The EVP tests: with the suite's headers, and started by its loader ---------------------------------------------
newest() { find "$lib" -name "$1.so.[0-9]*" | sort -V | tail -n 1; }
flags="-Wl,--allow-shlib-undefined -Wl,--disable-new-dtags -Wl,-rpath,$lib -Wl,--dynamic-linker=$loader"
cmake -S "$top" -B "$top/build/evp-$suite" -G Ninja -DHWAEAD_WERROR=ON -DHWAEAD_BENCH=OFF \
    -DOPENSSL_INCLUDE_DIR="$root/usr/include" -DOPENSSL_CRYPTO_LIBRARY="$(newest libcrypto)" \
    -DOPENSSL_SSL_LIBRARY="$(newest libssl)" -DCMAKE_C_FLAGS="-isystem $root/usr/include/$(basename "$lib")" \
    -DCMAKE_EXE_LINKER_FLAGS="$flags"
cmake --build "$top/build/evp-$suite"
HWAEAD_TEST_MODULE=$release/hwaead.so ctest --test-dir "$top/build/evp-$suite" --no-tests=error --output-on-failure \
    -LE slow -R '^evp\.'
