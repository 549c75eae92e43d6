#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds hwaead and everything that it is compared with, measures all of it side by side, and says where hwaead is first.
set -u

usage() {
    cat <<'END'
Usage: sh bench/compare.sh [--quick] [--docs] [--help]

Installs what is missing (Debian and Ubuntu, as root or through sudo), builds hwaead and the libraries that it is compared
with in build/bench, measures them in turn, and ends with a table of ratios and a list of every cell where hwaead is not
first. Results: build/bench/benchmarks.md, plots/*.svg and *.json. About 20 minutes on two cores, 8 more the first time,
for the libraries from the Rust registry; these and what is fetched from newer Debian suites are kept for the next run.
Nothing outside build/ is changed but the packages that were missing. For figures that mean something leave the machine
alone meanwhile; it notices slowed moments and measures again.

  --quick   fewer sizes and shorter repetitions, of the Rust libraries only those built before: about 5 minutes
  --docs    also writes docs/benchmarks.md and docs/plots, from this full run
  --help    this text
END
}

quick=no
docs=no
for argument in "$@"; do
    case $argument in
        --quick) quick=yes ;;
        --docs) docs=yes ;;
        --help | -h) usage && exit 0 ;;
        *) usage >&2 && exit 2 ;;
    esac
done
[ $quick = no ] || [ $docs = no ] || {
    echo "compare.sh: a quick run is not good enough for the docs" >&2
    exit 2
}

top=$(cd "$(dirname "$0")/.." && pwd) || exit 2
out=$top/build/bench
logs=$out/logs
stages=10
mkdir -p "$logs" || exit 2
. "$top/tests/setup.sh"
begun=$(date +%s)
python=python3
[ ! -x /usr/bin/python3 ] || python=/usr/bin/python3

give_up() {
    say
    say "Nothing was compared: $*"
    exit 1
}

# ---- Packages -----------------------------------------------------------------------------------------------

# The crates want Rust 1.85. Debian 12 has that under another name, which cannot be installed beside its older cargo.
rust_packages() {
    ! command -v cargo >/dev/null 2>&1 || return 0
    if apt-cache show cargo-web >/dev/null 2>&1; then echo cargo-web; else echo cargo; fi
}

stage_number=1
say "[1/$stages] Packages ..."
install_missing "gcc libc6-dev cmake ninja-build pkg-config libssl-dev openssl python3 python3-venv" \
    "gcc cmake ninja pkg-config openssl python3" || give_up "the packages above are needed first."
extras="libgcrypt20-dev nettle-dev libsodium-dev"
[ "$(uname -m)" != x86_64 ] || extras="$extras libipsec-mb-dev"
[ $quick = yes ] || extras="$extras g++ libclang-dev $(rust_packages)"
if command -v apt-get >/dev/null 2>&1; then
    install_missing "$extras" "" || say "      Going on without these; what needs them is not compared."
fi

# ---- Builds -------------------------------------------------------------------------------------------------

build() {
    cmake -S "$top" -B "$out/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DHWAEAD_TESTS=OFF &&
        cmake --build "$out/build" --target hwaead_module hwaead_bench hwaead_bench_random
}
stage "Build hwaead and the bench" build || give_up "hwaead does not build here."

# Those that are not there, or older than what they are made from.
stale_crates() {
    for crate in aegis awslc boringssl ring rustcrypto; do
        library=$out/peers/libhwaead_bench_$crate.so
        [ -f "$library" ] && [ -z "$(cd "$top/bench/peers" &&
            find Cargo.lock Cargo.toml evp_aead.rs plugin.h abi "$crate" -type f -newer "$library")" ] || echo "$crate"
    done
}
# shellcheck disable=SC2046
build_peers() {
    stale=$(stale_crates)
    [ -z "$stale" ] || sh "$top/bench/peers/build.sh" "$out/peers" $stale
}
fetch_suites() {
    sh "$top/bench/suites.sh" "$out/suites"
}
plotter() {
    "$out/venv/bin/python" -c 'import matplotlib' 2>/dev/null || {
        rm -rf "$out/venv"
        $python -m venv "$out/venv" &&
            "$out/venv/bin/pip" install --disable-pip-version-check -r "$top/bench/plot-requirements.txt"
    }
}

# optional TITLE COMMAND: a stage without which there is less to compare, but something.
optional() {
    kept=$failed
    stage "$@" || say "      Going on without."
    failed=$kept
}
if [ $quick = yes ]; then
    stage_number=$((stage_number + 1))
    say "[$stage_number/$stages] Libraries from the Rust registry: not built in a quick run."
else
    optional "Libraries from the Rust registry" build_peers
fi
optional "Libraries of newer Debian suites" fetch_suites
optional "matplotlib" plotter

# ---- Measuring ----------------------------------------------------------------------------------------------

bench() {
    file=$1
    shift
    "$out/build/bench/hwaead-bench" --peers "$out/peers" --suites "$out/suites" --progress --json "$out/$file" "$@" \
        >"$out/$file.txt"
}
newest=
[ ! -x "$out/suites/trixie/loader" ] || newest=@trixie
[ ! -x "$out/suites/sid/loader" ] || newest=@sid
seam_peers=core-,ipsec-mb$newest,evp-default$newest,boringssl
random_options=
if [ $quick = yes ]; then
    main_options="--quick --algs AES-256-GCM,AES-256-GCM-SIV --sizes 16,256,1350,16384 --modes throughput,latency,mix"
    thread_options="--quick --ops seal,open"
    sweep_options="--sizes 0-512 --only core-,ipsec-mb$newest"
    random_options="--rounds 7 --rep-ms 2"
else
    main_options="--algs AES-256-GCM,AES-128-GCM,AES-256-GCM-SIV"
    thread_options="--sizes 16,256,1350,16384,131072 --modes throughput,mix"
    sweep_options="--only $seam_peers"
fi
rm -f "$out"/*.json "$out"/*.json.txt
# shellcheck disable=SC2086
{
    stage "Measure: every peer, operation and size" bench main.json $main_options || give_up "see $log."
    [ "$(nproc)" -lt 2 ] ||
        optional "Measure: two threads" bench threads.json --threads 2 $thread_options
    optional "Measure: seams, at every size" bench sweep.json --sweep $sweep_options
    optional "Measure: random bytes" \
        "$out/build/bench/hwaead-bench-random" --json "$out/random.json" $random_options
}

# ---- Report -------------------------------------------------------------------------------------------------

# report FILE FOLDER: the page, and its plots in FOLDER/plots.
report() {
    link=
    if "$out/venv/bin/python" -c 'import matplotlib' 2>/dev/null; then
        rm -rf "$2/plots"
        "$out/venv/bin/python" "$top/bench/plots.py" "$2/plots" "$out"/*.json || return 1
        link='--plots plots'
    fi
    # shellcheck disable=SC2086
    $python "$top/bench/report.py" $link "$out"/*.json >"$1.new" && mv "$1.new" "$1"
}
stage "Write the page and the plots" report "$out/benchmarks.md" "$out" || give_up "see $log."
if [ $docs = yes ]; then
    report "$top/docs/benchmarks.md" "$top/docs" || give_up "docs/ could not be written."
fi
say
$python "$top/bench/report.py" --summary "$out"/*.json
say
say "Compared in $(($(date +%s) - begun)) s. The whole of it: build/bench/benchmarks.md, with plots and JSON beside it."
[ $docs = no ] || say "docs/benchmarks.md and docs/plots are those of this run."
