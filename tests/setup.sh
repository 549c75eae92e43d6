# Sourced by tests/run.sh and bench/demo.sh: what both need to install, to build and to show how far they are.
# The sourcing script sets `top` (the source tree), `logs` (a folder for logs) and `stages` (how many there are).

PATH=$PATH:/usr/sbin:/sbin
export PATH
unset OPENSSL_CONF OPENSSL_CONF_INCLUDE OPENSSL_MODULES

say() { printf '%s\n' "$*"; }

# install_missing PACKAGES PROGRAMS: two lists in quotes. On Debian and Ubuntu installs those packages that are missing;
# elsewhere says which of the programs are not there.
install_missing() {
    if ! command -v apt-get >/dev/null 2>&1 || ! command -v dpkg-query >/dev/null 2>&1; then
        check_programs "$2"
        return
    fi
    missing=
    for package in $1; do
        status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) || status=none
        [ "$status" = installed ] || missing="$missing $package"
    done
    if [ -z "$missing" ]; then
        say "Every package needed is here."
        return 0
    fi
    sudo=
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null 2>&1 || {
            say "Missing packages:$missing"
            say "Install them as root (apt-get install$missing), or make sudo available, and start again."
            return 1
        }
        sudo=sudo
    fi
    say "Installing with apt-get:$missing"
    # Packages of servers start them at once. These tests start their own, so ask dpkg not to (policy-rc.d is the
    # distribution's way), unless this machine has its own policy.
    if [ ! -e /usr/sbin/policy-rc.d ]; then
        policy=/usr/sbin/policy-rc.d
        printf '#!/bin/sh\nexit 101\n' | $sudo tee $policy >/dev/null && $sudo chmod 755 $policy
    fi
    # shellcheck disable=SC2086
    apt_install $missing || {
        say "Refreshing the package lists (apt-get update)."
        $sudo apt-get -q update && apt_install $missing
    }
    result=$?
    remove_policy
    return $result
}

policy=
sudo=
remove_policy() {
    [ -z "$policy" ] || $sudo rm -f "$policy"
    policy=
}

apt_install() {
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install "$@"
}

# Systems without apt: says what is missing, or carries on when all is there.
check_programs() {
    absent=
    for program in $1; do
        case $program in
            pytest) python3 -c 'import pytest' 2>/dev/null ;;
            *) command -v "$program" >/dev/null 2>&1 ;;
        esac || absent="$absent $program"
    done
    pkg-config --exists 'libcrypto >= 3.0' 2>/dev/null || absent="$absent OpenSSL-3-headers"
    [ -n "$absent" ] || return 0
    say "This is neither Debian nor Ubuntu, so nothing is installed for you."
    say "Missing:$absent"
    say "Install these with your package manager and start again."
    return 1
}

# fresh_build PRESET [CMAKE OPTIONS]: from an empty folder.
fresh_build() {
    preset=$1
    shift
    rm -rf "${top:?}/build/$preset"
    cd "$top" && cmake --preset "$preset" "$@" && cmake --build --preset "$preset"
}

# stage TITLE COMMAND...: runs it with its output in a log and a sign of life on the terminal. On failure shows the
# end of the log and remembers the title in `failed`.
stage_number=0
failed=
shower=
stop() {
    remove_policy
    [ -z "$shower" ] || kill "$shower" 2>/dev/null
    say
    say "Stopped before the end."
    exit 130
}
trap stop INT TERM HUP

stage() {
    title=$1
    shift
    stage_number=$((stage_number + 1))
    log=$logs/$stage_number.log
    started=$(date +%s)
    say "[$stage_number/$stages] $title ..."
    signs_of_life "$log" &
    shower=$!
    ("$@") >"$log" 2>&1 </dev/null
    result=$?
    kill $shower 2>/dev/null
    wait $shower 2>/dev/null
    shower=
    [ ! -t 1 ] || printf '\r\033[K'
    took=$(($(date +%s) - started))
    summary "$log"
    if [ $result = 0 ]; then
        say "      done in $took s"
    else
        tail -n 60 "$log" | sed 's/^/      | /'
        say "      FAILED after $took s; all of its output is in $log"
        failed="$failed
  $title"
    fi
    return $result
}

# signs_of_life LOG: the seconds and the last line of the log, each second on a terminal, else each minute.
signs_of_life() {
    waited=0
    while sleep 1; do
        waited=$((waited + 1))
        if [ -t 1 ]; then
            printf '\r\033[K      %s s  %.90s' "$waited" "$(tail -n 1 "$1" | tr -d '\r\033')"
        elif [ $((waited % 60)) = 0 ]; then
            printf '      %s s  %.90s\n' "$waited" "$(tail -n 1 "$1" | tr -d '\r\033')"
        fi
    done
}

# summary LOG: shows the closing line of ctest or pytest and what was skipped, and adds it to the running totals.
passed_total=0
failed_total=0
skipped_total=0
summary() {
    line=$(grep -E '^[0-9]+% tests passed' "$1" | tail -n 1)
    if [ -n "$line" ]; then
        say "      $line"
        bad=$(say "$line" | sed -n 's/.*, \([0-9]*\) tests failed out of.*/\1/p')
        all=$(say "$line" | sed -n 's/.*out of \([0-9]*\).*/\1/p')
        skipped=$(sed -n 's/^.*- \([^ ]*\) (Skipped)$/\1/p' "$1")
        n=$(say "$skipped" | grep -c .)
        passed_total=$((passed_total + all - bad - n))
        failed_total=$((failed_total + bad))
        skipped_total=$((skipped_total + n))
        # shellcheck disable=SC2086
        [ "$n" = 0 ] || say "$n of them skipped, for want of what they need:" $skipped | fold -s -w 100 | sed 's/^/      /'
    fi
    line=$(grep -E '^=*.*[0-9]+ (passed|failed|error).* in [0-9.]+s' "$1" | tail -n 1)
    if [ -n "$line" ]; then
        say "      $(say "$line" | tr -d '=' | sed 's/^ *//; s/ *$//')"
        sed -n 's/^SKIPPED \(.\{1,140\}\).*/      skipped: \1/p' "$1"
        for word in passed skipped failed error; do
            n=$(say "$line" | sed -n "s/.*[^0-9]\([0-9][0-9]*\) ${word}.*/\1/p")
            case $word in
                passed) passed_total=$((passed_total + ${n:-0})) ;;
                skipped) skipped_total=$((skipped_total + ${n:-0})) ;;
                *) failed_total=$((failed_total + ${n:-0})) ;;
            esac
        done
    fi
}
