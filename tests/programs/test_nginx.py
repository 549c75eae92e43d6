"""Debian's nginx and curl: downloads of many sizes, keep-alive, reload, graceful quit, killed workers, leaks."""

import hashlib
import os
import signal
import subprocess

import pytest

from harness import BROKEN, DEFAULT, HWAEAD, CRYPTO, Child, by_sides, judge, need, run, sha256
from nginx import SUITES, Nginx, curl, wait_until


@pytest.fixture(scope="module")
def servers(tmp_path_factory, rsa, ecdsa, site):
    """One nginx for each implementation, by its name."""
    home = tmp_path_factory.mktemp("nginx")
    made = {}
    try:
        for name, crypto in CRYPTO.items():
            made[name] = Nginx(home / name, crypto, rsa, ecdsa, site.folder)
        yield made
    finally:
        for server in made.values():
            server.stop()


def told(done: subprocess.CompletedProcess, server: Nginx) -> str:
    """What both sides said: curl now, nginx in the last lines of its log."""
    return done.stderr.decode(errors="replace") + "\n".join(server.log().splitlines()[-5:])


@pytest.mark.parametrize("suite", SUITES)
@pytest.mark.parametrize("name", ["empty", "one", "almost-a-record", "mebibyte"])
@by_sides
def test_download(name, suite, server, client, works, servers, site, tmp_path):
    nginx = servers[server.name]
    head = tmp_path / "head"
    done = curl(nginx, suite, name, crypto=client, more=["-D", head])
    ok = done.returncode == 0 and sha256(done.stdout) == site.hashes[name]
    judge(works, ok, told(done, nginx))
    if works:
        assert f"X-TLS: {SUITES[suite][1]}" in head.read_text()


@pytest.mark.slow
@pytest.mark.parametrize("suite", SUITES)
@by_sides
def test_download_of_300_mib(suite, server, client, works, servers, site, large):
    nginx = servers[server.name]
    digest = hashlib.sha256()
    with Child(["curl", "-sS", "--fail", "--noproxy", "*", "--cacert", nginx.ca, *SUITES[suite][0], nginx.url(large)],
               client, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        while piece := child.process.stdout.read(1 << 20):
            digest.update(piece)
        error = child.process.stderr.read()
        result = subprocess.CompletedProcess([], child.process.wait(30), b"", error)
    judge(works, result.returncode == 0 and digest.hexdigest() == site.hashes[large], told(result, nginx))


@pytest.mark.parametrize("suite", ["tls1.3-aes128", "tls1.2-rsa-aes256"])
@by_sides
def test_keep_alive(suite, server, client, works, servers):
    """A thousand small requests on one connection, each answered with its own address."""
    nginx = servers[server.name]
    count = 1000 if works else 5
    done = curl(nginx, suite, f"echo/[1-{count}]", crypto=client, more=["-w", "%{stderr}connects %{num_connects}\\n"])
    said = done.stderr.decode()
    ok = done.returncode == 0 and done.stdout == b"".join(b"/echo/%d\n" % i for i in range(1, 1001))
    if ok:
        assert said.count("connects 1") == 1 and said.count("connects 0") == 999
    judge(works, ok, told(done, nginx)[-3000:])


def reload_and_quit(nginx: Nginx, crypto, site, rounds: int, patience: float) -> int:
    """Downloads across reloads, then a graceful quit in the middle of one; the exit code."""
    for _ in range(rounds):
        old = nginx.workers()
        os.kill(nginx.process.pid, signal.SIGHUP)
        assert wait_until(lambda: nginx.workers() and not set(nginx.workers()) & set(old), patience), nginx.log()
        done = curl(nginx, "tls1.3-aes256", "mebibyte", crypto=crypto, timeout=patience)
        assert sha256(done.stdout) == site.hashes["mebibyte"], told(done, nginx)
    with Child(["curl", "-sS", "--noproxy", "*", "--cacert", nginx.ca, "--limit-rate", "2M", nginx.url("mebibyte")],
               crypto, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0) as child:
        first = child.process.stdout.read(10000)
        os.kill(nginx.process.pid, signal.SIGQUIT)
        body, error = child.process.communicate(timeout=patience)
    assert sha256(first + body) == site.hashes["mebibyte"], error
    return nginx.process.wait(patience)


def test_reload_and_graceful_quit(rsa, ecdsa, site, tmp_path):
    with Nginx(tmp_path / "nginx", HWAEAD, rsa, ecdsa, site.folder, workers=4) as nginx:
        with open(f"/proc/{nginx.workers()[0]}/maps", encoding="ascii") as maps:
            assert str(HWAEAD.conf.parent / "hwaead.so") in maps.read()
        assert reload_and_quit(nginx, DEFAULT, site, rounds=3, patience=30) == 0, nginx.log()
        assert not nginx.crashes(), nginx.log()


def test_reload_with_corrupt_module(rsa, ecdsa, site, tmp_path):
    """The control: the download after a reload fails when the workers' module corrupts tags."""
    with Nginx(tmp_path / "nginx", BROKEN, rsa, ecdsa, site.folder) as nginx:
        with pytest.raises(AssertionError, match="(?i)bad record mac|decrypt"):
            reload_and_quit(nginx, DEFAULT, site, rounds=1, patience=30)


@pytest.mark.slow
def test_killed_workers(rsa, ecdsa, site, tmp_path):
    """A hundred workers are killed; the next one, forked from a master that never used a cipher, serves."""
    with Nginx(tmp_path / "nginx", HWAEAD, rsa, ecdsa, site.folder, workers=1) as nginx:
        for i in range(100):
            old = nginx.workers()
            os.kill(old[0], signal.SIGKILL)
            assert wait_until(lambda before=old: nginx.workers() not in ([], before)), nginx.log()
            if i % 10 == 9:
                done = curl(nginx, "tls1.3-aes128", "almost-a-record")
                assert sha256(done.stdout) == site.hashes["almost-a-record"], told(done, nginx)
