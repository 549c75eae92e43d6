"""Leaks and bad accesses in real programs: nginx and curl under valgrind, and with the module built with ASan."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from harness import BUILD, DEFAULT, HERE, HWAEAD, TOP, Crypto, missing, need, run, sha256
from nginx import Nginx, curl
from test_nginx import reload_and_quit
from test_python import SUITES as PYTHON_SUITES, echo

pytestmark = pytest.mark.slow


def under_valgrind(logs: Path) -> list[str]:
    logs.mkdir()
    return [need("valgrind"), "--leak-check=full", "--show-leak-kinds=definite,indirect,possible", "--num-callers=40",
            "--fullpath-after=", f"--log-file={logs}/%p"]


def complaints(logs: Path) -> list[str]:
    """Those of valgrind's paragraphs that have a line of our source in them."""
    found = []
    for log in logs.iterdir():
        text = log.read_text(errors="replace")
        assert "ERROR SUMMARY" in text, f"{log} has no end: the process died\n" + text[-3000:]
        for paragraph in re.split(r"^==\d+== *\n", text, flags=re.M):
            if re.search(rf"{re.escape(str(TOP))}/(core|provider)/|hwaead\.so", paragraph):
                found.append(paragraph)
    return found


def test_valgrind_sees_our_leaks(tmp_path):
    """The control: a context that is lost on purpose is found, with our source in the paragraph (indirectly lost, by
    way of the libcrypto context that held it)."""
    done = run([*under_valgrind(tmp_path / "logs"), "--child-silent-after-fork=yes", os.path.realpath(sys.executable),
                HERE / "ask_libcrypto.py", "leak"], HWAEAD, timeout=120, env={"PYTHONMALLOC": "malloc"})
    assert done.stdout.strip() == "lost", done.stderr
    assert any("indirectly lost" in c and "new_ctx" in c for c in complaints(tmp_path / "logs"))


def test_nginx_reload_and_quit_under_valgrind(rsa, ecdsa, site, tmp_path):
    logs = tmp_path / "logs"
    with Nginx(tmp_path / "nginx", HWAEAD, rsa, ecdsa, site.folder, workers=1, before=under_valgrind(logs),
               timeout=90) as nginx:
        for suite in ("tls1.3-aes128", "tls1.2-ecdsa-aes256"):
            done = curl(nginx, suite, "mebibyte", timeout=120)
            assert sha256(done.stdout) == site.hashes["mebibyte"], nginx.log()
        assert reload_and_quit(nginx, DEFAULT, site, rounds=1, patience=120) == 0, nginx.log()
        assert not nginx.crashes(), nginx.log()
    assert len(list(logs.iterdir())) >= 3  # the first process and a worker before and after the reload
    assert complaints(logs) == []


def test_curl_under_valgrind(rsa, ecdsa, site, tmp_path):
    logs = tmp_path / "logs"
    with Nginx(tmp_path / "nginx", HWAEAD, rsa, ecdsa, site.folder) as nginx:
        done = run([*under_valgrind(logs), need("curl"), "-sS", "--noproxy", "*", "--cacert", nginx.ca,
                    nginx.url("mebibyte"), nginx.url("one")], HWAEAD, timeout=180, text=False)
    assert done.returncode == 0, done.stderr
    assert sha256(done.stdout[:1 << 20]) == site.hashes["mebibyte"]
    assert complaints(logs) == []


@pytest.fixture
def sanitized(tmp_path):
    """The module that reports bad accesses and undefined behaviour, the environment it needs, and its reports."""
    built = BUILD.parent / "asan"
    if not (built / "hwaead.so").is_file():
        missing(f"{built}/hwaead.so is not built (preset asan)")
    library = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True).stdout.strip()
    yield Crypto("sanitized", built / "openssl-hwaead.cnf"), {
        "LD_PRELOAD": library, "ASAN_OPTIONS": f"detect_leaks=0:log_path={tmp_path}/report",
        "UBSAN_OPTIONS": f"print_stacktrace=1:log_path={tmp_path}/report"}
    assert [report.read_text() for report in tmp_path.glob("report*")] == []


def test_nginx_with_sanitized_module(sanitized, rsa, ecdsa, site, tmp_path):
    """(curl stands still under LD_PRELOAD of Debian's libasan, with and without us: it is the plain peer here.)"""
    crypto, env = sanitized
    with Nginx(tmp_path / "nginx", crypto, rsa, ecdsa, site.folder, env=env) as nginx:
        for suite in ("tls1.3-aes128", "tls1.3-aes256", "tls1.2-rsa-aes128", "tls1.2-ecdsa-aes256"):
            for name, digest in site.hashes.items():
                done = curl(nginx, suite, name)
                assert sha256(done.stdout) == digest, done.stderr.decode() + nginx.log()
        assert reload_and_quit(nginx, DEFAULT, site, rounds=1, patience=60) == 0, nginx.log()
        assert not nginx.crashes(), nginx.log()


@pytest.mark.parametrize("version,suite", PYTHON_SUITES, ids=["-".join(s) for s in PYTHON_SUITES])
def test_python_with_sanitized_module(sanitized, version, suite, rsa):
    crypto, env = sanitized
    ok, said = echo(version, suite, crypto, crypto, rsa, env=env)
    assert ok, said
