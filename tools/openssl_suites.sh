#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs OpenSSL's own tests with hwaead in the place of AES-GCM, beside the same tests without it.
set -u

usage() {
    cat <<'END'
Usage: sh tools/openssl_suites.sh [--work DIR] [--jobs N] [SOURCE...]

Builds OpenSSL from source and runs those of its tests that reach AES-GCM, AES-GCM-SIV or random bytes, twice: with
`default` alone, and with hwaead activated in the configuration files that the tests read. A SOURCE is an unpacked OpenSSL
source tree (3.0 or later), or a Debian suite, whose source apt fetches (bookworm, trixie, sid, experimental); without
one: bookworm trixie. Needs a built hwaead (cmake --preset release), perl, make and a C compiler. Installs nothing.

  --work DIR   where sources, builds and logs go: build/openssl-suites unless told, 2 GB a source
  --jobs N     for make: the number of CPUs unless told
  --help       this text

Each line of the table is a suite of OpenSSL's: how many cases passed and failed with `default` alone and with hwaead, as
their TAP output says, subtests included. Then the same with a module that corrupts tags, which must fail: without that
the table would say nothing. About 10 minutes a source on 2 CPUs, most of them to build; a source that is built is kept.
Exit status: 0 if no suite fails with hwaead more often than without, 1 if one does, 2 if something could not be done.
END
}

# own: the test makes library contexts of its own from test/default.cnf, and wants the process to have no provider.
suites="evp evp_extra evp_fetch_prov evp_libctx evp_byname evp_skey aesgcm rand rand_config threads enc cms cmsapi
    pkcs12:own hpke bio_enc provider_status prov_config ssl_new ssl_old sslapi:own sslbuffers ssl_ctx recordlen bad_dtls
    dtls dtls_mtu tls13secrets tls13encryption fatalerr asyncio rpk ssl_cert_comp quicapi:own quic_multistream
    quic_tserver quic_radix quic_record quic_txp quic_wire quicfaults quic_qlog ech"
control="aesgcm evp sslapi:own"

top=$(cd "$(dirname "$0")/.." && pwd) || exit 2
work=$top/build/openssl-suites
jobs=$(getconf _NPROCESSORS_ONLN)
while [ $# -gt 0 ]; do
    case $1 in
        --work) work=${2-} && shift 2 ;;
        --jobs) jobs=${2-} && shift 2 ;;
        --help | -h) usage && exit 0 ;;
        -*) usage >&2 && exit 2 ;;
        *) break ;;
    esac || exit 2
done
[ $# -gt 0 ] || set -- bookworm trixie
module=$top/build/release/hwaead.so
corrupt=$top/build/release/tests/corrupt/hwaead.so
for file in "$module" "$corrupt"; do
    [ -f "$file" ] || { echo "$file is missing: build hwaead first (cmake --preset release)." && exit 2; }
done
for program in perl make cc; do
    command -v $program >/dev/null 2>&1 || { echo "There is no $program." && exit 2; }
done
mkdir -p "$work" && work=$(cd "$work" && pwd) || exit 2
cp "$module" "$work/hwaead.so" && cp "$corrupt" "$work/corrupt.so" || exit 2 # a build meanwhile does no harm
unset OPENSSL_CONF OPENSSL_CONF_INCLUDE OPENSSL_MODULES OPENSSL_ENGINES

# fetch SUITE: the source of its openssl in $work/SUITE, by an apt that has a state of its own.
fetch() {
    mirror=$(apt-get indextargets --format '$(ORIGIN) $(COMPONENT) $(SUITE) $(REPO_URI)' 'Identifier: Packages' |
        awk '$1 == "Debian" && $2 == "main" && $3 !~ /security|updates|backports/ { print $4; exit }')
    apt=$work/.apt-$1
    rm -rf "$apt" "$work/.$1"
    mkdir -p "$apt/lists/partial" "$apt/archives/partial" "$work/.$1" && : >"$apt/status" || return 1
    echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $1 main" >"$apt/sources.list"
    cat >"$apt/apt.conf" <<END
Dir::State "$apt";
Dir::State::status "$apt/status";
Dir::Cache "$apt";
Dir::Etc::SourceList "$apt/sources.list";
Dir::Etc::SourceParts "/dev/null";
APT::Sandbox::User "";
END
    APT_CONFIG=$apt/apt.conf
    export APT_CONFIG
    apt-get -q update || return 1
    # the newest that the mirror still has
    for version in $(apt-cache showsrc openssl | sed -n 's/^Version: //p' | sort -rV); do
        (cd "$work/.$1" && apt-get -q source --download-only --only-source "openssl=$version" &&
            tar xf openssl_*.orig.tar.gz) &&
            mv "$work/.$1"/openssl-*/ "$work/$1" && rm -rf "$work/.$1" "$apt" && return 0
    done
    return 1
}

# build SOURCE DIR: out of the tree, and of the programs only what the suites start.
build() {
    mkdir -p "$2" && cd "$2" || return 1
    CFLAGS=-O1 perl "$1/Configure" no-docs || CFLAGS=-O1 perl "$1/Configure" || return 1 # 3.0 knows no such option
    targets=apps/openssl
    for suite in $suites; do
        recipe=$(recipe "$1" "${suite%:own}")
        [ -z "$recipe" ] || targets="$targets $(grep -oE "[\"'][a-z0-9_]+[\"']" "$recipe" | tr -d "\"'" | sort -u |
            while read -r word; do grep -oE "^test/$word(\.so)?:" Makefile | tr -d :; done | sort -u | tr '\n' ' ')"
    done
    for target in providers/legacy.so test/p_minimal.so engines/dasync.so engines/ossltest.so util/wrap.pl \
        util/shlib_wrap.sh; do
        grep -q "^$target:" Makefile && targets="$targets $target"
    done
    # shellcheck disable=SC2086
    make -j "$jobs" build_generated && make -j "$jobs" $targets && touch built
}

recipe() { find "$1/test/recipes" -maxdepth 1 -name "[0-9]*-test_$2.t"; }

# view SOURCE DIR MODULE FILE...: the source tree as links, but for configuration files that activate `default` and
# MODULE, which may be none.
view() {
    source=$1 dir=$2 used=$3
    shift 3
    rm -rf "$dir" && mkdir -p "$dir" && cp -as "$source/." "$dir/" || return 1
    for file in "$@"; do
        rm "$dir/$file" && cat "$source/$file" - >"$dir/$file" <<END || return 1

[openssl_init]
providers = provider_sect
[provider_sect]
default = default_sect
[default_sect]
activate = 1
END
        [ -z "$used" ] || cat >>"$dir/$file" <<END || return 1
[openssl_init]
alg_section = hwaead_algorithms
[provider_sect]
hwaead = hwaead_settings
[hwaead_settings]
module = $used
activate = 1
[hwaead_algorithms]
default_properties = ?hwaead.use=yes
END
    done
}

# count SUITE VIEW LOG: runs it and prints "passed failed"; "- -" when the suite says that it cannot run here.
count() {
    rm -f "$3.tap"
    (cd "$build" && SRCTOP=$2 BLDTOP=$build PERL=perl EXE_EXT='' HARNESS_TAP_COPY=$3.tap \
        perl "$2/test/run_tests.pl" "test_$1") >"$3" 2>&1 </dev/null
    result=$?
    passed=$(grep -cE '^ *ok ' "$3.tap") failed=$(grep -cE '^ *not ok ' "$3.tap")
    if [ "$passed" = 0 ] && [ "$failed" = 0 ] && [ $result = 0 ]; then echo "- -" && return; fi
    [ $result = 0 ] || [ "$failed" != 0 ] || failed=1 # it ended early
    echo "$passed $failed"
}

# view_of SUITE KIND, KIND being default, hwaead or corrupt
view_of() {
    case $1 in
        *:own) echo "$views/$2-own" ;;
        *) echo "$views/$2" ;;
    esac
}

# run SOURCE NAME: the table of one source.
run() {
    source=$1 build=$work/build-$2 views=$work/views-$2 logs=$work/logs-$2
    mkdir -p "$logs" || return 2
    if [ ! -e "$build/built" ]; then
        echo "$2: building OpenSSL ..."
        (build "$source" "$build") >"$logs/build" 2>&1 || {
            echo "$2: NOT built; the last lines of $logs/build:" && tail -n 5 "$logs/build" && return 2
        }
    fi
    own="test/default.cnf test/default-and-legacy.cnf"
    for kind in "default" "hwaead $work/hwaead.so" "corrupt $work/corrupt.so"; do
        # shellcheck disable=SC2086
        set -- $kind
        # shellcheck disable=SC2086
        view "$source" "$views/$1" "${2-}" apps/openssl.cnf $own &&
            view "$source" "$views/$1-own" "${2-}" $own || return 2
    done
    echo
    echo "$("$build/util/wrap.pl" "$build/apps/openssl" version)"
    printf '%-18s %17s %17s\n' "" "default alone" "with hwaead"
    printf '%-18s %8s %8s %8s %8s\n' suite passed failed passed failed
    worse=0
    for suite in $suites; do
        name=${suite%:own}
        [ -n "$(recipe "$source" "$name")" ] || continue
        before=$(count "$name" "$(view_of "$suite" default)" "$logs/$name.default")
        after=$(count "$name" "$(view_of "$suite" hwaead)" "$logs/$name.hwaead")
        # shellcheck disable=SC2086
        printf '%-18s %8s %8s %8s %8s\n' "$name" $before $after
        [ "${after#* }" = - ] || [ "${before#* }" = - ] || [ "${after#* }" -le "${before#* }" ] || worse=1
    done
    echo "With a module that corrupts tags (must fail):"
    for suite in $control; do
        name=${suite%:own}
        after=$(count "$name" "$(view_of "$suite" corrupt)" "$logs/$name.corrupt")
        # shellcheck disable=SC2086
        printf '%-18s %17s %8s %8s\n' "$name" "" $after
        case $after in *" 0" | "- -") echo "$name did not notice: hwaead was not used." && return 2 ;; esac
    done
    echo "Logs: $logs"
    return $worse
}

result=0
for source in "$@"; do
    if [ -f "$source/Configure" ]; then
        tree=$(cd "$source" && pwd) && name=$(basename "$tree")
    else
        tree=$work/$source name=$source
        [ -f "$tree/Configure" ] || {
            echo "$source: fetching the source ..."
            (fetch "$source") >"$work/fetch-$source.log" 2>&1 || {
                echo "$source: no source could be had; the last lines of $work/fetch-$source.log:"
                tail -n 5 "$work/fetch-$source.log"
                result=2
                continue
            }
        }
    fi
    run "$tree" "$name"
    status=$?
    [ $status -le $result ] || result=$status
done
exit $result
