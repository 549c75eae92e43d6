"""QUIC by libssl 3.5 over loopback: streams both ways, with key changes on the way. Its first packets are AES-128-GCM
whatever the suite is."""

import pytest

from harness import HERE, PYTHON, Talker, by_sides

pytestmark = pytest.mark.slow

PEER = HERE / "quic_peer.py"
SUITES = ("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384")


def echo(new, suite, server, client, cert, size: int, patience: float) -> tuple[str, bool]:
    """What both said; whether both are still waiting."""
    python = [*new.prefix, PYTHON, PEER, suite]
    with Talker([*python, "server", cert.cert, cert.key], server) as listener:
        assert listener.wait_for(lambda out: b"port " in out and out.endswith(b"\n")), listener.said()
        port = listener.said().split()[1]
        with Talker([*python, "client", cert.cert, port, str(size)], client) as talker:
            for side in (talker, listener):
                side.wait_for(lambda out: b"good" in out and out.endswith(b"\n"), patience)
            waiting = talker.process.poll() is None and listener.process.poll() is None
            return f"server: {listener.said()}\nclient: {talker.said()}", waiting


@pytest.mark.parametrize("suite", SUITES)
@by_sides
def test_echo_with_key_changes(new, suite, server, client, works, rsa):
    if works:
        said, _ = echo(new, suite, server, client, rsa, 1 << 20, 30)
        assert said.count("good") == 2 and int(said.rsplit("good", 1)[1]) > 30, said
    elif suite == SUITES[0]:
        # A wrong tag is no error in QUIC: the packet is dropped without a word, and both sides go on waiting.
        said, waiting = echo(new, suite, server, client, rsa, 1000, 3)
        assert "good" not in said and waiting, said
