"""Python's ssl module, in the Python that runs these tests; sh tests/run.sh takes the system's, which uses the
system's OpenSSL. (A Python that brings an OpenSSL of its own never sees our module.)"""

import pytest

from harness import HERE, MIB, PYTHON, Talker, by_sides, judge, run

# Python can name the suites of TLS 1.2 only; in TLS 1.3 it takes the first that both have, which is this one.
SUITES = [("TLSv1_3", "TLS_AES_256_GCM_SHA384"), ("TLSv1_2", "ECDHE-RSA-AES128-GCM-SHA256"),
          ("TLSv1_2", "ECDHE-RSA-AES256-GCM-SHA384")]


def echo(version, suite, server, client, rsa, env=None) -> tuple[bool, str]:
    """10 MiB to the server and back, and what both said."""
    peer = [PYTHON, HERE / "python_peer.py"]
    with Talker([*peer, "server", rsa.cert, rsa.key, version, suite], server, env) as listener:
        if not listener.wait_for(lambda out: out.endswith(b"\n")):
            return False, listener.said()
        port = bytes(listener.out).decode().split()[0]
        done = run([*peer, "client", rsa.cert, port, version, suite, str(10 * MIB)], client, env=env)
        if done.returncode != 0:
            listener.wait_for(lambda out: b"Error" in out, 5)
    ok = done.returncode == 0 and done.stdout.split() == [version.replace("_", "."), suite, "same"]
    return ok, done.stdout + done.stderr + listener.said()


@pytest.mark.parametrize("version,suite", SUITES, ids=["-".join(s) for s in SUITES])
@by_sides
def test_echo(version, suite, server, client, works, rsa):
    judge(works, *echo(version, suite, server, client, rsa))
