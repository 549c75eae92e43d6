"""openssl s_server and s_client: the TLS and DTLS matrix, key updates, resumption, renegotiation, bad datagrams."""

import random
import re
import socket
import threading
import time

import pytest

from harness import BAD_TAG, DEFAULT, HWAEAD, Crypto, Talker, by_sides, free_port, judge, sha256

SUITES = {
    "tls1_3-aes128": ["-tls1_3", "-ciphersuites", "TLS_AES_128_GCM_SHA256"],
    "tls1_3-aes256": ["-tls1_3", "-ciphersuites", "TLS_AES_256_GCM_SHA384"],
    "tls1_2-aes128": ["-tls1_2", "-cipher", "ECDHE-RSA-AES128-GCM-SHA256"],
    "tls1_2-aes256": ["-tls1_2", "-cipher", "ECDHE-RSA-AES256-GCM-SHA384"],
    "dtls1_2-aes128": ["-dtls1_2", "-cipher", "ECDHE-RSA-AES128-GCM-SHA256"],
    "dtls1_2-aes256": ["-dtls1_2", "-cipher", "ECDHE-RSA-AES256-GCM-SHA384"],
}
STREAMS = [name for name in SUITES if not name.startswith("dtls")]
# These wait for what never comes, or for sleeps of openssl: one of the two ciphers is enough for the short run.
DATAGRAMS = [pytest.param("dtls1_2-aes128", marks=pytest.mark.slow), "dtls1_2-aes256"]


class Pair:
    """An s_server and an s_client that talk to each other, perhaps through something that stands between them."""

    def __init__(self, suite, server, client, cert, server_options=(), client_options=(), between=None, quiet=True,
                 works=True):
        self.works = works
        loud = ["-quiet"] if quiet else []
        port = free_port(socket.SOCK_DGRAM if suite.startswith("dtls") else socket.SOCK_STREAM)
        self.server = Talker(["openssl", "s_server", "-accept", f"127.0.0.1:{port}", "-cert", cert.cert, "-key",
                              cert.key, *SUITES[suite], *(loud or ["-state"]), *server_options], server,
                             merge=not quiet)
        self.client = None
        try:
            self._listening(suite, port)
            target = between(port) if between else port
            self.client = Talker(["openssl", "s_client", "-connect", f"127.0.0.1:{target}", "-CAfile", cert.cert,
                                  "-verify_return_error", *SUITES[suite], *(loud or ["-state"]), *client_options],
                                 client, merge=not quiet)
        except BaseException:
            self.__exit__()
            raise

    def _listening(self, suite: str, port: int) -> None:
        """Waits until the server has its port, without making a connection."""
        table, hex_port = "/proc/net/udp" if suite.startswith("dtls") else "/proc/net/tcp", f":{port:04X} "
        limit = time.monotonic() + 20
        while time.monotonic() < limit:
            with open(table, encoding="ascii") as f:
                if any(hex_port in line.split("rem_address")[0][:24] for line in f):
                    return
            assert self.server.process.poll() is None, self.server.said()
            time.sleep(0.02)
        raise AssertionError("s_server does not listen")

    def __enter__(self) -> "Pair":
        return self

    def __exit__(self, *_) -> None:
        for child in (self.client, self.server):
            if child:
                child.stop()

    def sees(self, side: Talker, is_so) -> bool:
        """Whether that comes true. A run that must fail is over, too, when one side has complained of a tag."""
        def over(out) -> bool:
            return is_so(out) or not self.works and re.search(BAD_TAG, self.said(), re.I) is not None
        side.wait_for(over, 20 if self.works else 2)
        return is_so(side.out)

    def said(self) -> str:
        return "server: " + self.server.said() + "\nclient: " + (self.client.said() if self.client else "none")


def holds(size: int):
    return lambda out: len(out) >= size


def send_both_ways(suite, server: Crypto, client: Crypto, works: bool, cert, data: bytes) -> tuple[bool, str]:
    """Client to server, then server to client; both must arrive whole."""
    with Pair(suite, server, client, cert, works=works) as pair:
        ok = True
        for source, sink in ((pair.client, pair.server), (pair.server, pair.client)):
            source.send(data)
            ok = ok and pair.sees(sink, holds(len(data))) and sha256(sink.out) == sha256(data)
    return ok, pair.said()


@pytest.mark.parametrize("suite", STREAMS)
@by_sides
def test_ten_mib_each_way(suite, server, client, works, rsa, ten_mib):
    judge(works, *send_both_ways(suite, server, client, works, rsa, ten_mib if works else ten_mib[:1000]))


@pytest.mark.parametrize("suite", DATAGRAMS)
@by_sides
def test_datagrams_each_way(suite, server, client, works, rsa):
    """One datagram after the other has arrived, since nothing slows a sender of datagrams down."""
    rng = random.Random(1)
    with Pair(suite, server, client, rsa, works=works) as pair:
        ok, want = True, {pair.client: b"", pair.server: b""}
        for i in range(200):
            for source, sink in ((pair.client, pair.server), (pair.server, pair.client)):
                piece = rng.randbytes(rng.randrange(1, 1300))
                want[sink] += piece
                source.send(piece)
                ok = ok and pair.sees(sink, holds(len(want[sink])))
            if not ok:
                break
        ok = ok and all(bytes(sink.out) == text for sink, text in want.items())
        alive = pair.server.process.poll() is None and pair.client.process.poll() is None
    # A wrong tag is no error in DTLS: the datagram is dropped without a word, and both sides go on waiting.
    assert ok == works and alive, pair.said()


@pytest.mark.parametrize("suite", [pytest.param("tls1_3-aes128", marks=pytest.mark.slow), "tls1_3-aes256"])
@by_sides
def test_key_update_every_16_records(suite, server, client, works, rsa):
    """Each side sends a line in 16 records of 512 bytes, then the client asks both to change their keys."""
    small = ["-max_send_frag", "512"]
    with Pair(suite, server, client, rsa, small, small, quiet=False, works=works) as pair:
        ok = pair.sees(pair.client, lambda out: b"Verify return code: 0" in out)
        for i in range(40):
            for source, sink in ((pair.client, pair.server), (pair.server, pair.client)):
                line = random.Random(i).randbytes(4095).hex().encode() + b"\n"
                source.send(b"=" + line)
                ok = ok and pair.sees(sink, lambda out, text=line: text in out)
            if not ok:
                break
            pair.client.send(b"K\n")
            ok = pair.sees(pair.client, lambda out, n=i: out.count(b"KEYUPDATE") > n)
        ok = ok and all(bytes(side.out).count(b"key update") >= 39 for side in (pair.client, pair.server))
    judge(works, ok, pair.said())


@pytest.mark.parametrize("suite", STREAMS)
@by_sides
def test_resumption(suite, server, client, works, rsa, tmp_path):
    """A second connection resumes the first one's session and still carries text."""
    saved = tmp_path / "session.pem"
    said, ok, patience = "", True, 20 if works else 3
    port = free_port()
    with Talker(["openssl", "s_server", "-accept", f"127.0.0.1:{port}", "-cert", rsa.cert, "-key", rsa.key, "-rev",
                 *SUITES[suite]], server) as listener:
        assert listener.wait_for(lambda out: b"ACCEPT" in out), listener.said()
        for options, expected in ((["-sess_out", saved], b"New, "), (["-sess_in", saved], b"Reused, ")):
            with Talker(["openssl", "s_client", "-connect", f"127.0.0.1:{port}", "-CAfile", rsa.cert,
                         *SUITES[suite], *options], client) as talker:
                ok = ok and talker.wait_for(lambda out, text=expected: text in out, patience)
                talker.send(b"first words\n")
                ok = ok and talker.wait_for(lambda out: b"sdrow tsrif" in out, patience)
                talker.send(b"Q\n")
                talker.wait_for(lambda out: False, patience)  # until it has ended and saved its session
            said += talker.said()
            if not ok:
                break
    judge(works, ok, said + listener.said())


@pytest.mark.parametrize("suite", [s for s in STREAMS if s.startswith("tls1_3")])
@by_sides
def test_early_data(suite, server, client, works, rsa, tmp_path):
    """0-RTT: what the client sends under the ticket's key, before the handshake, is read, and the rest after it."""
    saved, early = tmp_path / "session.pem", tmp_path / "early"
    early.write_bytes(b"early words " * 600)
    said, ok, patience = "", True, 20 if works else 3
    port = free_port()
    with Talker(["openssl", "s_server", "-accept", f"127.0.0.1:{port}", "-cert", rsa.cert, "-key", rsa.key,
                 "-early_data", "-max_early_data", "16384", *SUITES[suite]], server) as listener:
        assert listener.wait_for(lambda out: b"ACCEPT" in out), listener.said()
        for options, expected in ((["-sess_out", saved], b"New, "), (["-sess_in", saved, "-early_data", early],
                                                                    b"Early data was accepted")):
            with Talker(["openssl", "s_client", "-connect", f"127.0.0.1:{port}", "-CAfile", rsa.cert,
                         *SUITES[suite], *options], client) as talker:
                ok = ok and talker.wait_for(lambda out, text=expected: text in out, patience)
                line = b"late words for " + expected
                talker.send(line + b"\n")
                ok = ok and listener.wait_for(lambda out, text=line: text in out, patience)
                talker.send(b"Q\n")
                talker.wait_for(lambda out: False, patience)
            said += talker.said()
            if not ok:
                break
        ok = ok and listener.out.count(b"early words ") == 600
    judge(works, ok, said + listener.said())


@pytest.mark.slow
@by_sides
def test_renegotiation_in_tls_1_2(server, client, works, rsa):
    with Pair("tls1_2-aes256", server, client, rsa, ["-rev", "-client_renegotiation"], quiet=False,
              works=works) as pair:
        ok = pair.sees(pair.client, lambda out: b"Verify return code: 0" in out)
        for i in range(3):
            if not ok:
                break
            pair.client.send(b"R\n")
            ok = pair.sees(pair.client, lambda out, n=i + 1: out.count(b"RENEGOTIATING") >= n)
            line = f"after change {i}"
            pair.client.send(line.encode() + b"\n")
            ok = ok and pair.sees(pair.client, lambda out, back=line[::-1].encode(): back in out)
    judge(works, ok, pair.said())


class BadNetwork:
    """A UDP relay that, once text flows, drops, doubles, swaps and damages what the client sends."""

    APPLICATION_DATA = 23

    def __init__(self):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.settimeout(0.2)
        self.counts = dict.fromkeys(("dropped", "doubled", "swapped", "damaged"), 0)
        self.number = 0
        self.over = False
        self.thread = threading.Thread(target=self._relay, daemon=True)

    def __call__(self, server_port: int) -> int:
        self.server = ("127.0.0.1", server_port)
        self.thread.start()
        return self.socket.getsockname()[1]

    def stop(self) -> None:
        self.over = True
        self.thread.join(5)
        self.socket.close()

    def _relay(self) -> None:
        client, held = None, None
        while not self.over:
            try:
                data, sender = self.socket.recvfrom(65536)
            except OSError:
                continue
            if sender == self.server:
                self.socket.sendto(data, client)
                continue
            client = sender
            if data[0] != self.APPLICATION_DATA:
                self.socket.sendto(data, self.server)
                continue
            self.number += 1
            kind = self.number % 5
            if kind == 1:
                self.counts["dropped"] += 1
                continue
            if kind == 2:
                self.counts["damaged"] += 1
                bad = bytearray(data)
                bad[13 + self.number % (len(data) - 13)] ^= 1 << self.number % 8
                self.socket.sendto(bad, self.server)
            if kind == 3:
                held = data
                continue
            self.socket.sendto(data, self.server)
            if kind == 4 and held:
                self.counts["swapped"] += 1
                self.socket.sendto(held, self.server)
                held = None
            if kind == 0:
                self.counts["doubled"] += 1
                self.socket.sendto(data, self.server)


@pytest.mark.parametrize("suite", DATAGRAMS)
def test_dtls_over_a_bad_network(suite, rsa):
    """Replayed and damaged datagrams are not delivered, and do not disturb those that follow (same context)."""
    network = BadNetwork()
    try:
        with Pair(suite, HWAEAD, DEFAULT, rsa, between=network) as pair:
            lines = [f"<{i:04d}:{'x' * (i % 900)}>".encode() for i in range(1, 201)]
            pair.server.send(b"hello")
            assert pair.client.wait_for(holds(5)), pair.said()
            for i, line in enumerate(lines, 1):
                pair.client.send(line)
                assert pair.client.wait_for(lambda _, n=i: network.number >= n, 10), pair.said()
            last = lines[-1]
            assert pair.server.wait_for(lambda out: last in out), pair.said()
            got = bytes(pair.server.out)
    finally:
        network.stop()
    assert min(network.counts.values()) >= 30, network.counts
    for i, line in enumerate(lines, 1):
        assert got.count(line) == (0 if i % 5 == 1 else 1), f"datagram {i} arrived {got.count(line)} times"
    assert len(got) == sum(len(line) for i, line in enumerate(lines, 1) if i % 5 != 1)


def test_the_controls_need_the_module(rsa):
    """The control of the controls: with `default` on both sides the same scenario works."""
    ok, said = send_both_ways("tls1_3-aes256", DEFAULT, DEFAULT, True, rsa, b"some text")
    assert ok, said
