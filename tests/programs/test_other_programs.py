"""Programs with ways of their own to AES-GCM: stunnel (a property query), OpenVPN (packets through EVP, no libssl), and
the ciphers of PHP and Ruby."""

import socket

import pytest

from harness import BROKEN, DEFAULT, HWAEAD, Talker, by_sides, free_port, judge, need, run, sha256

SECTION = """foreground = yes
pid =
debug = info
[test]
accept = 127.0.0.1:{port}
sslVersion = TLSv{version}
ciphers = ECDHE-RSA-AES256-GCM-SHA384
ciphersuites = TLS_AES_256_GCM_SHA384
"""


def stunnel(folder, name, crypto, version, lines) -> tuple[Talker, int]:
    port = free_port()
    conf = folder / f"{name}.conf"
    conf.write_text(SECTION.format(port=port, version=version) + lines)
    talker = Talker([need("stunnel"), conf], crypto)
    assert talker.wait_for(lambda out: b"Configuration successful" in out), talker.said()
    return talker, port


@pytest.mark.parametrize("version", ["1.2", "1.3"])
@by_sides
def test_stunnel(version, server, client, works, rsa, site, tmp_path):
    """It makes its contexts with provider!=fips, which must not lose hwaead. TLS from a stunnel to another."""
    listener, port = stunnel(tmp_path, "server", server, version,
                             f"cert = {rsa.cert}\nkey = {rsa.key}\n"
                             f"exec = /bin/cat\nexecArgs = cat {site.folder / 'mebibyte'}\n")
    with listener:
        talker, plain = stunnel(tmp_path, "client", client, version,
                                f"client = yes\nconnect = 127.0.0.1:{port}\nCAfile = {rsa.cert}\nverifyChain = yes\n")
        with talker, socket.create_connection(("127.0.0.1", plain), 20) as s:
            got = bytearray()
            try:
                while piece := s.recv(1 << 16):
                    got += piece
            except ConnectionResetError:
                pass
            if not works:
                talker.wait_for(lambda out: b"error:" in out, 5)
    judge(works, sha256(got) == site.hashes["mebibyte"], f"server: {listener.said()}\nclient: {talker.said()}")


def openvpn(folder, name, crypto, cert, role, own: int, peer: int) -> Talker:
    """No tunnel device and no address: pings through the data channel, and a file that counts what was opened. The
    control channel is ChaCha20-Poly1305, so that the data channel is all that AES-GCM does."""
    return Talker([need("openvpn"), "--verb", "4", "--dev", "null", role, *(("--dh", "none") if "server" in role else ()),
                   "--local", "127.0.0.1", "--lport", own, "--remote", "127.0.0.1", "--rport", peer, "--ca", cert.cert,
                   "--cert", cert.cert, "--key", cert.key, "--tls-ciphersuites", "TLS_CHACHA20_POLY1305_SHA256",
                   "--data-ciphers", "AES-256-GCM", "--cipher", "AES-256-GCM", "--ping", "1", "--status",
                   folder / name, "1"], crypto)


def opened(folder, name) -> int:
    path = folder / name
    counts = [line.split(",")[1] for line in path.read_text().splitlines() if line.startswith("Auth read bytes,")] \
        if path.exists() else []
    return int(counts[0]) if counts else 0


@by_sides
def test_openvpn(server, client, works, rsa, tmp_path):
    ports = free_port(socket.SOCK_DGRAM), free_port(socket.SOCK_DGRAM)
    bad = b"AEAD Decrypt error: cipher final failed"
    with openvpn(tmp_path, "server", server, rsa, "--tls-server", *ports) as one, \
            openvpn(tmp_path, "client", client, rsa, "--tls-client", *ports[::-1]) as two:
        sides = ((one, "server"), (two, "client"))
        for side, _ in sides:
            assert side.wait_for(lambda out: b"data channel: cipher 'aes-256-gcm'" in out.lower()), side.said()
        for side, name in sides:
            side.wait_for(lambda out, n=name: opened(tmp_path, n) > 0 or bad in out)
        got = [opened(tmp_path, name) > 0 for _, name in sides]
        refused = [bad in side.out for side, _ in sides]
    said = f"server: {one.said()[-2000:]}\nclient: {two.said()[-2000:]}"
    assert got == [works] * 2 and refused == [not works] * 2, said


PHP = r"""
foreach ([128, 192, 256] as $bits) foreach ([0, 1, 16, 17, 5000] as $n) foreach ([12, 1, 16, 64] as $iv) {
    $name = "aes-$bits-gcm"; $key = str_repeat("k", $bits / 8); $nonce = str_repeat("i", $iv); $text = str_repeat("p", $n);
    foreach ([16, 12, 4] as $size) {
        $sealed = openssl_encrypt($text, $name, $key, OPENSSL_RAW_DATA, $nonce, $tag, "aad", $size);
        echo md5($sealed . $tag), " ";
        echo openssl_decrypt($sealed, $name, $key, OPENSSL_RAW_DATA, $nonce, $tag, "aad") === $text ? "opens " : "WRONG ";
        $tag[0] = chr(ord($tag[0]) ^ 1);
        echo openssl_decrypt($sealed, $name, $key, OPENSSL_RAW_DATA, $nonce, $tag, "aad") === false ? "refused\n" : "WRONG\n";
    }
}
"""
RUBY = r"""
require 'openssl'
[128, 192, 256].product([0, 1, 16, 17, 5000], [12, 1, 16, 64], [16, 12, 4]).each { |bits, n, iv, size|
  make = ->(way) { c = OpenSSL::Cipher.new("aes-#{bits}-gcm").send(way); c.key = "k" * (bits / 8); c.iv_len = iv; c }
  feed = ->(c, text) { (text.empty? ? "" : c.update(text)) + c.final }
  a = make.(:encrypt); a.iv = "i" * iv; a.auth_data = "aad"
  sealed = feed.(a, "p" * n); tag = a.auth_tag(size)
  b = make.(:decrypt); b.iv = "i" * iv; b.auth_tag = tag; b.auth_data = "aad"
  good = feed.(b, sealed) == "p" * n
  b.reset; b.iv = "i" * iv; b.auth_data = "aad"
  b.auth_tag = tag[0..-2] + (tag[-1].ord ^ 1).chr
  refused = begin feed.(b, sealed); false; rescue OpenSSL::Cipher::CipherError; true end
  puts OpenSSL::Digest.hexdigest("SHA256", sealed + tag) + (good ? " opens " : " WRONG ") + (refused ? "refused" : "WRONG")
}
"""


@pytest.mark.parametrize("language,option,script", [("php", "-r", PHP), ("ruby", "-e", RUBY)], ids=["php", "ruby"])
def test_ciphers_of(language, option, script):
    """Line for line what default gives; with the module that corrupts tags, no line is."""
    said = {}
    for crypto in (DEFAULT, HWAEAD, BROKEN):
        done = run([need(language), option, script], crypto)
        assert done.returncode == 0, done.stderr
        said[crypto] = done.stdout.splitlines()
        assert len(said[crypto]) == 180 and not any("WRONG" in line for line in said[crypto]), done.stdout
    assert said[HWAEAD] == said[DEFAULT]
    assert not set(said[BROKEN]) & set(said[DEFAULT])
