#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# AArch64 on another machine: an arm64 Debian beside the system's, and the programs of it under QEMU.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
root=$top/build/aarch64-root
wrappers=$top/build/aarch64-programs

usage() {
    cat <<'END'
Usage: sh tests/aarch64.sh root|programs|no-aes

  root       unpacks arm64 packages (C library, OpenSSL, Python) into build/aarch64-root, from where this system has its
             own; nothing of the system is changed
  programs   the program tests that emulation allows, on the build in build/aarch64: openssl speed, TLS handshakes,
             Python's ssl
  no-aes     what those programs say on a CPU without AES
END
}

# The packages of the release that runs here, for arm64, with a state and a cache of their own.
make_root() {
    [ ! -e "$root/complete" ] || return 0
    apt=$top/build/aarch64-apt
    rm -rf "$root" "$apt"
    mkdir -p "$root" "$apt/state/lists/partial" "$apt/cache/archives/partial"
    : >"$apt/status"
    cat >"$apt/apt.conf" <<END
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Install-Recommends "0";
Dir::State "$apt/state";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
Debug::NoLocking "1";
END
    [ "$(id -u)" != 0 ] || echo 'APT::Sandbox::User "root";' >>"$apt/apt.conf"
    export APT_CONFIG="$apt/apt.conf"
    apt-get -q update
    apt-get -q -y --download-only install libc6-dev libssl-dev openssl python3 \
        "libgcc-$(aarch64-linux-gnu-gcc -dumpversion | cut -d. -f1)-dev"
    for package in "$apt"/cache/archives/*.deb; do
        dpkg -x "$package" "$root"
    done
    find "$root" -type l -lname '/*' | while read -r link; do # where they point to is in the root, too
        ln -srfn "$root$(readlink "$link")" "$link"
    done
    rm -rf "$apt"
    touch "$root/complete"
}

# wrap NAME PROGRAM: a script that stands for a program of the root.
wrap() {
    cat >"$wrappers/$1" <<END
#!/bin/sh
exec qemu-aarch64 -cpu "\${HWAEAD_TEST_CPU:-max}" \${HWAEAD_TEST_PRELOAD:+-E "LD_PRELOAD=\$HWAEAD_TEST_PRELOAD"} \\
    -L "$root" "$root/usr/bin/$2" "\$@"
END
    chmod 755 "$wrappers/$1"
}

make_wrappers() {
    mkdir -p "$wrappers"
    wrap openssl openssl
    wrap python3 "$(basename "$(readlink -f "$root/usr/bin/python3")")"
    PATH=$wrappers:$PATH
    export PATH
}

programs() {
    make_wrappers
    echo "Thinned: one cipher and version of each kind."
    cd "$top" && HWAEAD_BUILD=$top/build/aarch64 HWAEAD_TEST_PYTHON=$wrappers/python3 \
        "${python:-/usr/bin/python3}" -m pytest -p no:cacheprovider -ra -m "not slow" \
        tests/programs/test_openssl_apps.py tests/programs/test_openssl_tls.py tests/programs/test_python.py \
        -k "(test_speed_with_hwaead_alone and 256) or (test_ten_mib_each_way and tls1_3-aes256) or (test_echo and TLSv1_2-ECDHE-RSA-AES256)"
}

# The sentence, once, and default's cipher for whoever asks for any.
no_aes() {
    make_wrappers
    HWAEAD_TEST_PRELOAD=$top/build/aarch64/tests/core/hide_aes.so
    export HWAEAD_TEST_PRELOAD
    said=$(OPENSSL_MODULES=$top/build/aarch64 OPENSSL_CONF=/dev/null openssl list -providers -provider hwaead 2>&1) && {
        echo "FAIL: hwaead was loaded: $said"
        return 1
    }
    [ "$(printf '%s\n' "$said" | grep -c 'hwaead: .*this CPU lacks the AES instructions')" = 1 ] || {
        echo "FAIL: not the sentence, once: $said"
        return 1
    }
    listed=$(OPENSSL_CONF=$top/build/aarch64/openssl-hwaead.cnf openssl list -providers)
    case $listed in
        *hwaead*) echo "FAIL: hwaead is listed: $listed"; return 1 ;;
        *default*) ;;
        *) echo "FAIL: default is not listed: $listed"; return 1 ;;
    esac
    HWAEAD_TEST_PRELOAD=
    listed=$(OPENSSL_CONF=$top/build/aarch64/openssl-hwaead.cnf openssl list -providers -verbose)
    case $listed in
        *"tier armv8_sha3"*) ;;
        *) echo "FAIL: control: with AES it is not listed: $listed"; return 1 ;;
    esac
    listed=$(HWAEAD_TEST_CPU=cortex-a72 OPENSSL_CONF=$top/build/aarch64/openssl-hwaead.cnf openssl list -providers -verbose)
    case $listed in
        *"tier armv8"[!_]*) echo "A CPU without AES, one without SHA3 and one with all: as they should be." ;;
        *) echo "FAIL: not tier armv8 on a CPU without SHA3: $listed"; return 1 ;;
    esac
}

case ${1:-} in
    root) make_root ;;
    programs) programs ;;
    no-aes) no_aes ;;
    --help | -h) usage ;;
    *) usage >&2; exit 2 ;;
esac
