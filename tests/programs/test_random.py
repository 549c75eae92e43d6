"""The configuration files that give programs hwaead's random bytes: who serves, what a missing module does, and
programs that fork. Python calls RAND_bytes for ssl.RAND_bytes, nginx's workers for all that TLS needs."""

import socket
import ssl
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness import BUILD, DEFAULT, HWAEAD, Crypto, ask_libcrypto, openssl, run
from nginx import Nginx
from test_config import providers, written
from test_openssl_tls import Pair

# What libcrypto's primary generator is with each file, and without the module.
WAYS = {
    "random": ("CTR-DRBG hwaead", "CTR-DRBG default"),
    "drbg": ("HWAEAD-DRBG hwaead", "none none"),
}
by_way = pytest.mark.parametrize("way", WAYS)


def crypto_of(way: str) -> Crypto:
    return Crypto(way, BUILD / f"openssl-hwaead-{way}.cnf")


def who(crypto: Crypto) -> str:
    return " ".join(ask_libcrypto("generator", "random", crypto=crypto).split())


@by_way
def test_who_serves(way):
    assert who(HWAEAD) == who(DEFAULT) == "CTR-DRBG default"
    assert who(crypto_of(way)) == WAYS[way][0]
    assert providers(crypto_of(way), "AES-256-GCM", "SHA256") == ["hwaead", "default"]


@by_way
def test_without_the_module(way, tmp_path):
    absent = written(tmp_path, crypto_of(way).conf.read_text().replace(str(BUILD), "/nowhere"))
    assert who(absent) == WAYS[way][1]
    assert providers(absent, "AES-256-GCM") == ["default"]
    done = openssl("rand", "-hex", "16", crypto=absent)
    assert (done.returncode == 0) == (WAYS[way][1] != "none none"), done.stderr


@by_way
def test_openssl_rand(way):
    """Short and long requests, the same lengths again and again: no block of 16 bytes comes twice."""
    blocks = set()
    total = 0
    for length in (1, 12, 16, 32, 511, 512, 513, 4096, 65536, 65537, 3_000_000, 32, 4096):
        done = run(["openssl", "rand", str(length)], crypto_of(way), text=False)
        assert done.returncode == 0 and len(done.stdout) == length, done.stderr
        pieces = [done.stdout[i:i + 16] for i in range(0, length - 15, 16)]
        blocks.update(pieces)
        total += len(pieces)
    assert len(blocks) == total


@by_way
@pytest.mark.parametrize("suite", ["tls1_3-aes128", "tls1_2-aes256"])
def test_handshake(way, suite, rsa):
    with Pair(suite, crypto_of(way), crypto_of(way), rsa) as pair:
        for sender, receiver in ((pair.client, pair.server), (pair.server, pair.client)):
            sender.send(b"from one to the other\n")
            assert receiver.wait_for(lambda out: b"from one to the other" in out), receiver.said()


# Draws before and after forks, in processes that fork again, and in threads. One line for each draw.
DRAWS = """
import os, ssl, sys, threading
def draw(n):
    for i in range(n):
        sys.stdout.write(ssl.RAND_bytes((12, 32, 64)[i % 3]).hex() + "\\n")
    sys.stdout.flush()
def family(depth):
    for i in range(3):
        child = os.fork()
        if child == 0:
            if depth:
                family(depth - 1)
            draw(30)
            os._exit(0)
        if i == 1:
            draw(30)
        assert os.waitpid(child, 0)[1] == 0
draw(30)
family(2)
threads = [threading.Thread(target=draw, args=(300,)) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
family(1)
"""


@by_way
def test_python_that_forks(way):
    done = run([sys.executable, "-c", DRAWS], crypto_of(way))
    assert done.returncode == 0, done.stderr
    drawn = done.stdout.split()
    families = (1 + 3 + 9) + 39 + 4 + 12  # draws of 30: parents in the middle, children at the end
    assert len(drawn) == 30 + 30 * families + 8 * 300
    assert len({text[:24] for text in drawn}) == len(drawn)  # 12 bytes are enough to tell


def hello(server: Nginx, version) -> tuple[str, list[bytes]]:
    """The worker's process id, and what it chose at random: its random, and in TLS 1.3 its key share, too."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.minimum_version = context.maximum_version = version
    received, sent = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = context.wrap_bio(received, sent)
    first, chosen = b"", []

    def until(step, *arguments):
        nonlocal first
        while True:
            try:
                result = step(*arguments)
                wire.sendall(sent.read())
                return result
            except ssl.SSLWantReadError:
                wire.sendall(sent.read())
                piece = wire.recv(65536)
                assert piece
                first += piece if not chosen else b""
                if not chosen and len(first) > 200:
                    assert first[0] == 22 and first[5] == 2  # a handshake record with a ServerHello
                    end = 5 + int.from_bytes(first[3:5], "big")
                    chosen.extend([first[11:43]] + ([first[end - 32:end]] if version == ssl.TLSVersion.TLSv1_3 else []))
                received.write(piece)

    with socket.create_connection(("127.0.0.1", server.port), 20) as wire:
        until(tls.do_handshake)
        until(tls.write, b"GET /pid HTTP/1.0\r\n\r\n")
        answer = b""
        while b"\r\n\r\n" not in answer or not answer.endswith(b"\n"):
            answer += until(tls.read, 4096)
    return answer.split()[-1].decode(), chosen


@by_way
def test_nginx_workers(way, rsa, ecdsa, site, tmp_path):
    """The workers inherit the generators of the process that they were forked from; none repeats another."""
    with Nginx(tmp_path / "nginx", crypto_of(way), rsa, ecdsa, site.folder, workers=4) as server:
        versions = [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3] * 120
        with ThreadPoolExecutor(12) as pool:
            hellos = list(pool.map(lambda version: hello(server, version), versions))
        assert len({pid for pid, _ in hellos}) >= 2, "one worker served all, so this shows nothing"
        chosen = [value for _, values in hellos for value in values]
        assert len(set(chosen)) == len(chosen) == 360
        assert not server.crashes()
