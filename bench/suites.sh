#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fetches the bench's libraries of newer Debian suites into folders of their own. Installs nothing.
set -u

usage() {
    cat <<'END'
Usage: sh bench/suites.sh [--again] [DIR [SUITE...]]

Fetches libcrypto, libgcrypt and ipsec-mb of other Debian suites, with the C library that they need, from the mirror that
apt is configured with, and unpacks them in DIR/SUITE, where hwaead-bench finds them by --suites DIR: it then measures
evp-default@SUITE and others. Without DIR: build/release/bench/suites, where the release build's bench looks by itself;
suites: trixie sid unless told. Of experimental only OpenSSL is taken, for tests/evp_with.sh, with what it needs of sid;
its libcrypto is not the one that the bench is linked to. A suite that is there already is kept;
--again fetches it anew. About 100 MB each, no root needed. Exit status: 0 if all are there, 1 if some could not be had.
END
}

again=no
case ${1-} in
    --again) again=yes && shift ;;
    --help | -h) usage && exit 0 ;;
    -*) usage >&2 && exit 2 ;;
esac

here=$(cd "$(dirname "$0")" && pwd) || exit 2
dir=${1:-$here/../build/release/bench/suites}
[ $# -eq 0 ] || shift
suites=${*:-trixie sid}
for program in apt-get dpkg cc; do
    command -v $program >/dev/null 2>&1 || {
        echo "Newer suites are not fetched: there is no $program."
        exit 1
    }
done
mkdir -p "$dir" || exit 2
dir=$(cd "$dir" && pwd) || exit 2

# The main archive, as the machine's own apt reaches it. Debian only: Ubuntu's libraries are not those of the suites.
mirror=$(apt-get indextargets --format '$(ORIGIN) $(COMPONENT) $(SUITE) $(REPO_URI)' 'Identifier: Packages' 2>/dev/null |
    awk '$1 == "Debian" && $2 == "main" && $3 !~ /security|updates|backports/ { print $4; exit }')
keys=/usr/share/keyrings/debian-archive-keyring.gpg
if [ -z "$mirror" ] || [ ! -r $keys ]; then
    echo "Newer suites are not fetched: apt has no Debian archive here."
    exit 1
fi

# apt with a state of its own, in which no package is installed: what it downloads comes with all that it needs.
private_apt() {
    APT_CONFIG=$work/apt.conf apt-get -q -y "$@"
}

known() {
    APT_CONFIG=$work/apt.conf apt-cache show --no-all-versions "$1" >/dev/null 2>&1
}

# fetch SUITE: its packages, unpacked in $work/root.
fetch() {
    mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/root" || return 1
    : >"$work/status"
    echo "deb [signed-by=$keys] $mirror $1 main" >"$work/sources.list"
    [ "$1" != experimental ] || echo "deb [signed-by=$keys] $mirror sid main" >>"$work/sources.list"
    cat >"$work/apt.conf" <<END
Dir::State "$work/state";
Dir::State::status "$work/status";
Dir::Cache "$work/cache";
Dir::Etc::SourceList "$work/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::Etc::Preferences "/dev/null";
Dir::Etc::PreferencesParts "/dev/null";
APT::Install-Recommends "0";
APT::Sandbox::User "";
Acquire::Languages "none";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "0";
Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled "0";
END
    private_apt update || return 1
    packages="openssl libssl-dev"
    more="libgcrypt20 libssl3t64 libssl3 libipsec-mb-dev"
    [ "$1" != experimental ] || more=
    for package in $more; do
        known $package && packages="$packages $package"
    done
    # shellcheck disable=SC2086
    private_apt --download-only --target-release "$1" install $packages || return 1
    for package in "$work"/cache/archives/*.deb; do
        dpkg -x "$package" "$work/root" || return 1
    done
}

# arrange: what hwaead-bench looks for, beside the root.
arrange() {
    libc=$(find "$work/root" -name libc.so.6 | head -n 1)
    loader=$(find "$work/root" -name 'ld-linux*.so.*' -type f | head -n 1)
    [ -n "$libc" ] && [ -n "$loader" ] || return 1
    ln -s "${loader#"$work"/}" "$work/loader" && ln -s "$(dirname "${libc#"$work"/}")" "$work/lib" || return 1
    rm -rf "$work/cache" "$work/state" "$work/sources.list" "$work/apt.conf" "$work/status" "$work"/lock*
}

# adapter FOLDER: for that suite's ipsec-mb, if it has one; anew each time, as it must fit the bench.
adapter() {
    [ ! -e "$1/lib/libIPSec_MB.so" ] ||
        cc -shared -fPIC -O2 -D_GNU_SOURCE -I"$here/../include" -I"$here" -I"$1/root/usr/include" \
            "$here/peer_ipsecmb.c" -o "$1/peer_ipsecmb.so" "$1/lib/libIPSec_MB.so"
}

result=0
for suite in $suites; do
    if [ -x "$dir/$suite/loader" ] && [ $again = no ]; then
        adapter "$dir/$suite" && echo "$suite: here already" || result=1
        continue
    fi
    echo "$suite: fetching ..."
    work=$dir/.$suite
    rm -rf "$work" "${dir:?}/$suite"
    mkdir -p "$work" || exit 2
    if (fetch "$suite" && arrange && adapter "$work") >"$dir/.$suite.log" 2>&1; then
        mv "$work" "$dir/$suite" && rm -f "$dir/.$suite.log"
        echo "$suite: $(ls "$dir/$suite/lib" | grep -E '^lib(crypto|gcrypt|IPSec_MB)\.so\.[0-9.]*$' | tr '\n' ' ')"
    else
        echo "$suite: NOT fetched; the last lines of $dir/.$suite.log:"
        tail -n 5 "$dir/.$suite.log" | sed 's/^/    /'
        result=1
    fi
done
exit $result
