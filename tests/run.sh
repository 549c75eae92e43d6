#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds hwaead from scratch and runs every test.
set -u

usage() {
    cat <<'END'
Usage: sh tests/run.sh [--quick] [--help]

Installs what is missing (Debian and Ubuntu, as root or through sudo), builds hwaead from scratch in build/ and runs
every test: C tests with gcc, with sanitizers, with clang and, the core's, with musl, then real programs (openssl, nginx,
curl, ssh, stunnel, OpenVPN, Python, PHP, Ruby) on this machine's loopback. Nothing is changed outside build/ but the
packages that were missing; the test of the installed module puts hwaead.so in OpenSSL's module folder for a few seconds
when root runs it and none is there.

  --quick   one build with gcc, its C tests and the short program tests: a few minutes
  --help    this text

Ends with exit code 0 when everything passed. CI=true turns tests that lack a program into failures.
END
}

quick=no
for argument in "$@"; do
    case $argument in
        --quick) quick=yes ;;
        --help | -h)
            usage
            exit 0
            ;;
        *)
            usage >&2
            exit 2
            ;;
    esac
done

top=$(cd "$(dirname "$0")/.." && pwd) || exit 2
logs=$top/build/logs
rm -rf "$logs"
mkdir -p "$logs" || {
    printf "Not started: cannot write to %s.\n" "$logs"
    exit 2
}
. "$top/tests/setup.sh"

# The system's own Python is the one that is linked to the system's OpenSSL, which is what the tests are about.
python=python3
[ ! -x /usr/bin/python3 ] || python=/usr/bin/python3

packages="gcc libc6-dev cmake ninja-build pkg-config libssl-dev openssl binutils python3 python3-pytest python3-venv
    nginx curl openssh-client openssh-server stunnel4 openvpn php-cli ruby valgrind qemu-user"
needed="gcc cmake ninja pkg-config openssl nm python3 pytest nginx curl ssh sshd stunnel openvpn php ruby valgrind
    qemu-x86_64"
if [ $quick = no ]; then
    packages="$packages clang musl-tools"
    needed="$needed clang musl-gcc"
fi

# AArch64 is tested by emulation where one archive has the packages of both architectures, which is so on Debian.
aarch64=no
if [ $quick = no ] && [ "$(uname -m)" = x86_64 ]; then
    if grep -q '^ID=debian' /etc/os-release 2>/dev/null || [ "${CI:-}" = true ]; then
        aarch64=yes
        packages="$packages gcc-aarch64-linux-gnu libc6-dev-arm64-cross"
        needed="$needed aarch64-linux-gnu-gcc qemu-aarch64"
    else
        say "AArch64 under emulation is left out: that needs Debian."
    fi
fi

ctests() { cd "$top" && ctest --no-tests=error -j "$(getconf _NPROCESSORS_ONLN)" --preset "$@"; }
threads() { fresh_build tsan -DHWAEAD_WERROR=ON && ctests tsan; }
musl() {
    echo "Thinned: the slow tests of what the compiler made run in the builds with glibc."
    fresh_build musl -DHWAEAD_WERROR=ON && ctests musl -E "dead_stack|random_quality|emulated|hygiene.(isa|weak|tables|secret_time)"
}
programs() {
    cd "$top" && HWAEAD_BUILD=$top/build/release $python -m pytest -p no:cacheprovider -ra tests/programs "$@"
}
aarch64_builds() {
    sh "$top/tests/aarch64.sh" root && fresh_build aarch64 -DHWAEAD_WERROR=ON && fresh_build aarch64-clang -DHWAEAD_WERROR=ON
}
aarch64_ctests() {
    echo "Thinned: the tests of messages of 64 GiB (label slow) do not run. QEMU has no seccomp (evp.sandbox) and does not"
    echo "survive core.random_process; both are reported as disabled."
    ctests aarch64 -LE slow
}
aarch64_programs() { sh "$top/tests/aarch64.sh" no-aes && python=$python sh "$top/tests/aarch64.sh" programs; }
if [ $quick = yes ]; then stages=4; elif [ $aarch64 = yes ]; then stages=14; else stages=10; fi
begun=$(date +%s)

stage_number=1
say "[1/$stages] Packages ..."
install_missing "$packages" "$needed" || {
    say "Not started: the packages above are needed first."
    exit 1
}
stage "Build with gcc (release)" fresh_build release -DHWAEAD_WERROR=ON && built=yes || built=no
if [ $quick = yes ]; then
    [ $built = no ] || stage "C tests" ctests release -LE slow
    [ $built = no ] || stage "Real programs, the short tests" programs -m "not slow"
else
    [ $built = no ] || stage "C tests" ctests release
    stage "Build with sanitizers (asan)" fresh_build asan -DHWAEAD_WERROR=ON &&
        stage "C tests with sanitizers" ctests asan
    stage "The generators' threads with ThreadSanitizer (tsan)" threads
    stage "Build with clang (release-clang)" fresh_build release-clang -DHWAEAD_WERROR=ON &&
        stage "C tests with clang" ctests release-clang -LE slow
    stage "The core with musl" musl
    [ $built = no ] || stage "Real programs: openssl, nginx, curl, ssh, stunnel, OpenVPN, Python, PHP, Ruby" programs
    if [ $aarch64 = yes ] && stage "Build for AArch64 with gcc and clang" aarch64_builds; then
        stage "AArch64 under emulation: C tests" aarch64_ctests
        stage "AArch64 under emulation: clang's code" ctests aarch64-clang -R "core.(kernels|known_answers|siv_answers)|hygiene"
        stage "AArch64 under emulation: openssl, Python" aarch64_programs
    fi
fi

took=$(($(date +%s) - begun))
say
say "Tests: $passed_total passed, $failed_total failed, $skipped_total skipped"
if [ ! -e "${HWAEAD_VECTORS:-$top/../shared/vectors}/MANIFEST.tsv" ]; then
    say "Published vectors are not here, so that no test against them ran: CONTRIBUTING.md says where they belong."
fi
if [ -n "$failed" ]; then
    say "FAILED in $took s. These stages failed:$failed"
    say "Their whole output is in build/logs/."
    exit 1
fi
say "All $stages stages passed in $took s: hwaead was built and every test of this run succeeded."
