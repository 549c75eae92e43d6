"""What the program tests share: configurations, child processes that are always ended, free ports, comparisons."""

import hashlib
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
BUILD = Path(os.environ.get("HWAEAD_BUILD", TOP / "build" / "release")).resolve()
CORRUPT = BUILD / "tests" / "corrupt"
PYTHON = os.environ.get("HWAEAD_TEST_PYTHON", sys.executable)  # whose ssl module is tested
IN_CI = os.environ.get("CI") == "true"
MIB = 1 << 20

# What programs say, each in its own words, when a record's tag is wrong.
BAD_TAG = r"bad record mac|bad_record_mac|decryption failed|message authentication code incorrect|Corrupted MAC"


@dataclass(frozen=True)
class Crypto:
    """Which implementation a child process is given, by the openssl.cnf that OPENSSL_CONF names."""

    name: str
    conf: Path

    def env(self, **more: str) -> dict[str, str]:
        env = {k: v for k, v in os.environ.items() if not k.startswith("OPENSSL_")}
        env.update(PATH=env.get("PATH", "") + ":/usr/sbin:/sbin", LC_ALL="C", OPENSSL_CONF=str(self.conf), **more)
        return env


DEFAULT = Crypto("default", HERE / "default.cnf")
HWAEAD = Crypto("hwaead", BUILD / "openssl-hwaead.cnf")
BROKEN = Crypto("corrupt", CORRUPT / "openssl-hwaead.cnf")
NOTHING = Crypto("no configuration", Path("/dev/null"))
CRYPTO = {c.name: c for c in (DEFAULT, HWAEAD, BROKEN)}

# (server, client, does it work). The last rows are the negative controls: one side with the module that corrupts a
# bit of each tag. They fail only if that side's AES-GCM really is the module's; two corrupt sides might agree.
SIDES = [
    ("hwaead", "hwaead", True),
    ("hwaead", "default", True),
    ("default", "hwaead", True),
    ("corrupt", "default", False),
    ("default", "corrupt", False),
    ("corrupt", "hwaead", False),
    ("hwaead", "corrupt", False),
]
by_sides = pytest.mark.parametrize(
    "server,client,works",
    [pytest.param(CRYPTO[s], CRYPTO[c], w, id=f"server:{s}-client:{c}") for s, c, w in SIDES],
)


def judge(works: bool, ok: bool, said: str) -> None:
    """A run with good modules must succeed; one with a corrupt side must fail, and must fail over the tag."""
    said = said if len(said) < 6000 else said[:3000] + "\n[...]\n" + said[-3000:]
    if works:
        assert ok, said
    else:
        assert not ok, "the module that corrupts tags made no difference: something else did the work\n" + said
        assert re.search(BAD_TAG, said, re.I), "it failed, but not over the tag:\n" + said


def need(program: str) -> str:
    """The path of a program. Without it: failure in CI, elsewhere a skip that says so."""
    for folder in (os.environ.get("PATH", "") + ":/usr/sbin:/sbin").split(":"):
        path = os.path.join(folder, program)
        if folder and os.access(path, os.X_OK):
            return path
    missing(f"{program} is not installed; sh tests/run.sh installs it")


def missing(sentence: str):
    if IN_CI:
        pytest.fail(sentence)
    pytest.skip(sentence)


def run(args, crypto: Crypto = DEFAULT, timeout: float = 60, env: dict[str, str] | None = None, **more):
    """A finished child process; its stderr is text, its stdout too unless text=False."""
    more.setdefault("text", True)
    more.setdefault("stdin", subprocess.DEVNULL)
    with Child(args, crypto, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more) as child:
        out, err = child.process.communicate(timeout=timeout)
        return subprocess.CompletedProcess(args, child.process.returncode, out, err)


def openssl(*args: str, crypto: Crypto = DEFAULT, timeout: float = 60, env: dict[str, str] | None = None, **more):
    return run(["openssl", *args], crypto, timeout, env, **more)


class Child:
    """A child process in a process group of its own, which is ended with the `with` block whatever happens."""

    def __init__(self, args, crypto: Crypto = DEFAULT, env: dict[str, str] | None = None, **popen):
        self.process = subprocess.Popen([str(a) for a in args], env={**crypto.env(), **(env or {})},
                                        start_new_session=True, **popen)

    def __enter__(self) -> "Child":
        return self

    def __exit__(self, *_) -> None:
        self.stop()

    def stop(self) -> None:
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self.process.pid, number)
            except ProcessLookupError:
                pass
            try:
                self.process.wait(5)
                break
            except subprocess.TimeoutExpired:
                continue
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream:
                try:
                    stream.close()
                except OSError:
                    pass


class Talker(Child):
    """A child whose output, stdout and stderr together, is collected while it runs; its stdin stays open."""

    def __init__(self, args, crypto: Crypto = DEFAULT, env: dict[str, str] | None = None, merge: bool = True):
        super().__init__(args, crypto, env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT if merge else subprocess.PIPE)
        self.changed = threading.Condition()
        self.out = bytearray()
        self.err = bytearray() if not merge else self.out
        self.readers = [threading.Thread(target=self._collect, args=(self.process.stdout, self.out), daemon=True)]
        if not merge:
            self.readers.append(
                threading.Thread(target=self._collect, args=(self.process.stderr, self.err), daemon=True))
        for reader in self.readers:
            reader.start()

    def _collect(self, stream, into: bytearray) -> None:
        while True:
            piece = os.read(stream.fileno(), 65536)
            with self.changed:
                into += piece
                self.changed.notify_all()
            if not piece:
                return

    def send(self, data: bytes) -> None:
        try:
            self.process.stdin.write(data)
            self.process.stdin.flush()
        except BrokenPipeError:
            pass

    def wait_for(self, is_so, timeout: float = 20) -> bool:
        """Whether is_so(output so far) becomes true in time and before the child has ended."""
        limit = time.monotonic() + timeout
        with self.changed:
            while not is_so(self.out):
                left = limit - time.monotonic()
                if left <= 0 or not any(r.is_alive() for r in self.readers):
                    return bool(is_so(self.out))
                self.changed.wait(min(left, 0.02))
        return True

    def said(self) -> str:
        return self.err.decode(errors="replace")

    def stop(self) -> None:
        if self.process.poll() is None:
            try:
                os.killpg(self.process.pid, signal.SIGTERM)
            except ProcessLookupError:
                pass
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
        for reader in self.readers:
            reader.join(5)
        super().stop()


def free_port(kind: int = socket.SOCK_STREAM) -> int:
    with socket.socket(socket.AF_INET, kind) as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for_port(port: int, child: Child, timeout: float = 30) -> None:
    limit = time.monotonic() + timeout
    while time.monotonic() < limit:
        if child.process.poll() is not None:
            raise AssertionError(f"the server ended at once with {child.process.returncode}")
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise AssertionError(f"nothing listens on port {port} after {timeout} s")


def sha256(data) -> str:
    return hashlib.sha256(data).hexdigest()


def ask_libcrypto(*args: str, crypto: Crypto, env: dict[str, str] | None = None) -> str:
    """What ask_libcrypto.py prints in a child with that configuration."""
    done = run([sys.executable, HERE / "ask_libcrypto.py", *args], crypto, env=env)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
