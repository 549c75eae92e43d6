"""Fixtures: certificates and files to send. The module under test comes from the build folder in HWAEAD_BUILD."""

import os
import platform
import shutil
import signal
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness import BROKEN, BUILD, CORRUPT, HWAEAD, MIB, openssl, sha256
from newer import Newer, newer

collect_ignore = [] if platform.machine() == "x86_64" else ["test_cpu.py"]  # other CPUs of x86-64, emulated


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes long; the short run leaves it out")
    config.addinivalue_line("filterwarnings", "error")
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as with Ctrl-C, so that every child is ended
    for path in (BUILD / "hwaead.so", HWAEAD.conf, CORRUPT / "hwaead.so", BROKEN.conf):
        if not path.is_file():
            pytest.exit(f"{path} is missing: build first (sh tests/run.sh does), or set HWAEAD_BUILD", returncode=2)


def pytest_report_header(config):
    return [f"module: {BUILD / 'hwaead.so'}", openssl("version").stdout.strip()]


@dataclass(frozen=True)
class Certificate:
    cert: Path
    key: Path


def make_certificate(folder: Path, name: str, *algorithm: str) -> Certificate:
    made = Certificate(folder / f"{name}.crt", folder / f"{name}.key")
    done = openssl("req", "-x509", "-nodes", "-newkey", *algorithm, "-keyout", str(made.key), "-out", str(made.cert),
                   "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                   "-config", "/dev/null")
    assert done.returncode == 0, done.stderr
    return made


@pytest.fixture(scope="session")
def rsa(tmp_path_factory) -> Certificate:
    return make_certificate(tmp_path_factory.mktemp("rsa"), "rsa", "rsa:2048")


@pytest.fixture(scope="session")
def ecdsa(tmp_path_factory) -> Certificate:
    return make_certificate(tmp_path_factory.mktemp("ecdsa"), "ecdsa", "ec", "-pkeyopt", "ec_paramgen_curve:P-256")


@pytest.fixture(scope="session")
def ten_mib() -> bytes:
    return os.urandom(10 * MIB)


class Site:
    """A folder of files to serve, with their hashes."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.hashes: dict[str, str] = {}

    def add(self, name: str, data: bytes) -> None:
        (self.folder / name).write_bytes(data)
        self.hashes[name] = sha256(data)


@pytest.fixture(scope="session")
def site(tmp_path_factory) -> Site:
    made = Site(tmp_path_factory.mktemp("site"))
    for name, size in (("empty", 0), ("one", 1), ("almost-a-record", 16 * 1024 - 1), ("mebibyte", MIB)):
        made.add(name, os.urandom(size))
    return made


@pytest.fixture(scope="session")
def large(site):
    """The name of a 300 MiB file of the site; removed at the end."""
    site.add("large", os.urandom(300 * MIB))
    yield "large"
    (site.folder / "large").unlink()


@pytest.fixture(scope="session")
def new(tmp_path_factory) -> Newer:
    folder = tmp_path_factory.mktemp("newer")
    yield newer(folder)
    shutil.rmtree(folder)
