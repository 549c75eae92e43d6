#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds hwaead and shows what it does: openssl speed beside OpenSSL's own provider, and a TLS download through nginx.
set -u

case ${1-} in
    '') ;;
    *)
        cat <<'END'
Usage: sh bench/demo.sh

Installs what is missing (Debian and Ubuntu, as root or through sudo), builds hwaead in build/demo, measures AES-256-GCM
with `openssl speed` for OpenSSL's default provider and for hwaead in turn, and downloads a file through an nginx that
encrypts with hwaead. Takes about a minute. Nothing outside build/ is changed but the packages that were missing.
END
        [ "$1" = --help ] || [ "$1" = -h ] || exit 2
        exit 0
        ;;
esac

top=$(cd "$(dirname "$0")/.." && pwd) || exit 2
demo=$top/build/demo
logs=$demo/logs
stages=4
. "$top/tests/setup.sh"

nginx_process=
cleanup() {
    [ -z "$nginx_process" ] || kill "$nginx_process" 2>/dev/null
    nginx_process=
}
trap 'cleanup; rm -f "$demo/nginx/root/file" "$demo/nginx/got"' EXIT

give_up() {
    say
    say "The demo FAILED: $*"
    exit 1
}

say "[1/$stages] Packages ..."
install_missing "gcc libc6-dev cmake ninja-build pkg-config libssl-dev openssl python3 nginx curl" \
    "gcc cmake ninja pkg-config openssl python3 nginx curl" || give_up "the packages above are needed first."

rm -rf "$demo"
mkdir -p "$logs" || give_up "cannot write to $demo."
stage_number=1
build() {
    cmake -S "$top" -B "$demo" -G Ninja -DCMAKE_BUILD_TYPE=Release -DHWAEAD_BENCH=OFF &&
        cmake --build "$demo" --target hwaead_module hwaead_corrupt
}
stage "Build" build || give_up "hwaead does not build here."

# ---- openssl speed ------------------------------------------------------------------------------------------

# speed_of PROVIDER BYTES: thousands of bytes a second, for a second.
speed_of() {
    OPENSSL_CONF=/dev/null openssl speed -provider-path "$demo" -provider hwaead -provider default \
        -propquery "provider=$1" -evp aes-256-gcm -seconds 1 -bytes "$2" 2>>"$logs/speed" |
        sed -n 's/.* \([0-9.]*\)k *$/\1/p' | tail -n 1
}

say "[3/$stages] openssl speed -evp aes-256-gcm, a second for each figure ..."
say
OPENSSL_CONF=$demo/openssl-hwaead.cnf openssl list -providers -verbose 2>/dev/null |
    sed -n 's/.*build info: \(hwaead.*\)/      \1/p'
printf '      %12s %14s %14s %8s\n' 'message' 'default' 'hwaead' 'ratio'
for bytes in 16 64 256 1024 8192 16384; do
    default=$(speed_of default $bytes)
    hwaead=$(speed_of hwaead $bytes)
    [ -n "$default" ] && [ -n "$hwaead" ] || give_up "openssl speed gave no figure; see $logs/speed."
    ratio=$(awk "BEGIN { printf \"%.1f\", $hwaead / $default }")
    echo "$bytes $default $hwaead $ratio" |
        awk '{ printf "      %6d bytes %9.0f MB/s %9.0f MB/s %7sx\n", $1, $2 / 1000, $3 / 1000, $4 }'
done
say
say "      (Recent versions of openssl speed set a new key for every message, which weighs on the short ones.)"

# ---- nginx --------------------------------------------------------------------------------------------------

say "[4/$stages] A TLS 1.3 download through nginx ..."
site=$demo/nginx
mkdir -p "$site/root"
openssl req -x509 -nodes -newkey ec -pkeyopt ec_paramgen_curve:P-256 -keyout "$site/key" -out "$site/cert" -days 2 \
    -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 -config /dev/null 2>"$logs/cert" ||
    give_up "no certificate; see $logs/cert."
head -c 104857600 /dev/urandom >"$site/root/file"

# serve CONF: starts nginx with that openssl.cnf on a free port; sets `port` and `nginx_process`.
serve() {
    conf=$1
    set -- # before 1.19.5 nginx cannot be told where to log until it has read its configuration
    ! nginx -h 2>&1 | grep -q -e '-e filename' || set -- -e "$site/error.log"
    cleanup
    user=
    [ "$(id -u)" != 0 ] || user='user root;'
    port=$((20000 + $$ % 20000))
    for try in 1 2 3 4 5 6 7 8 9; do
        port=$((port + 7))
        cat >"$site/nginx.conf" <<END
$user
pid "$site/pid";
error_log "$site/error.log";
daemon off;
events { worker_connections 64; }
http {
    access_log off;
    client_body_temp_path "$site/body";
    proxy_temp_path "$site/proxy";
    fastcgi_temp_path "$site/fastcgi";
    uwsgi_temp_path "$site/uwsgi";
    scgi_temp_path "$site/scgi";
    server {
        listen 127.0.0.1:$port ssl;
        ssl_certificate "$site/cert";
        ssl_certificate_key "$site/key";
        ssl_protocols TLSv1.3;
        root "$site/root";
        add_header X-TLS "\$ssl_protocol \$ssl_cipher";
    }
}
END
        OPENSSL_CONF=$conf nginx -p "$site" -c "$site/nginx.conf" "$@" >>"$logs/nginx" 2>&1 &
        nginx_process=$!
        for wait in 1 2 3 4 5 6 7 8 9 10; do
            sleep 0.3
            kill -0 $nginx_process 2>/dev/null || break
            if [ -s "$site/pid" ] && [ "$(cat "$site/pid")" = $nginx_process ]; then
                return 0
            fi
        done
        cleanup
    done
    give_up "nginx does not start; see $logs/nginx and $site/error.log."
}

# download: what curl (with OpenSSL's default provider) gets from there into $site/got; its words in $site/curl.
download() {
    OPENSSL_CONF=/dev/null curl -sS --fail --noproxy '*' --max-time 120 --cacert "$site/cert" --tlsv1.3 \
        --tls13-ciphers TLS_AES_256_GCM_SHA384 -D "$site/head" -o "$site/got" -w '%{speed_download} %{time_total}\n' \
        "https://127.0.0.1:$port/file" >"$site/figures" 2>"$site/curl"
}

serve "$demo/openssl-hwaead.cnf"
grep -q "$demo/hwaead.so" "/proc/$nginx_process/maps" || give_up "nginx has not loaded $demo/hwaead.so."
download || give_up "curl: $(cat "$site/curl")"
cmp -s "$site/root/file" "$site/got" || give_up "the file that arrived is not the file that was sent."
suite=$(tr -d '\r' <"$site/head" | sed -n 's/^X-TLS: //p')
say "      100 MiB arrived whole over $suite, $(awk '{ printf "%.0f MB/s (%.2f s)", $1 / 1e6, $2 }' "$site/figures")."
say "      nginx encrypted with hwaead, curl decrypted with OpenSSL's own code."

serve "$demo/tests/corrupt/openssl-hwaead.cnf"
! download || give_up "a module that spoils every tag made no difference, so hwaead did not do the work."
say "      Proof: with a copy of hwaead that spoils one bit of each tag, curl refuses:"
say "        $(tail -n 1 "$site/curl")"
cleanup

say
say "Done: hwaead was built, ran AES-256-GCM at $ratio times the speed of OpenSSL's own (16 KiB messages), and"
say "encrypted what nginx served."
