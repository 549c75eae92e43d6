"""OpenSSH: an sshd of the test's own, with its own keys and port on loopback; 100 MiB each way, rekeying, tampering."""

import getpass
import hashlib
import os
import shlex
import socket
import subprocess
import threading
from pathlib import Path

import pytest

from harness import DEFAULT, HWAEAD, MIB, Child, Crypto, by_sides, free_port, judge, need, run, wait_for_port

CIPHERS = ["aes256-gcm@openssh.com", "aes128-gcm@openssh.com"]


class Sshd(Child):
    def __init__(self, home: Path, crypto: Crypto):
        need("ssh")
        sshd = need("sshd")
        home.mkdir(mode=0o700)
        self.home, self.port = home, free_port()
        for name in ("host", "user"):
            made = run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", home / name])
            assert made.returncode == 0, made.stderr
        (home / "known").write_text(f"[127.0.0.1]:{self.port} {(home / 'host.pub').read_text()}")
        (home / "sshd_config").write_text(f"""
            ListenAddress 127.0.0.1
            Port {self.port}
            HostKey {home}/host
            AuthorizedKeysFile {home}/user.pub
            PidFile none
            StrictModes no
            UsePAM {"yes" if account_is_locked() else "no"}
            PermitRootLogin yes
            PasswordAuthentication no
            KbdInteractiveAuthentication no
            Ciphers {",".join(CIPHERS)}
            LogLevel VERBOSE
            """)
        if os.geteuid() == 0:  # where sshd locks its unprivileged child up; the service makes it when it starts
            os.makedirs("/run/sshd", mode=0o755, exist_ok=True)
        self.log = open(home / "log", "wb")
        super().__init__([sshd, "-D", "-e", "-f", home / "sshd_config"], crypto, stdout=self.log, stderr=self.log)
        try:
            wait_for_port(self.port, self)
        except AssertionError as e:
            self.stop()
            raise AssertionError(f"{e}\n{self.said()}") from e

    def stop(self) -> None:
        super().stop()
        self.log.close()

    def said(self) -> str:
        return "\n".join((self.home / "log").read_text(errors="replace").splitlines()[-20:])

    def command(self, cipher: str, remote: str, *options: str, port: int = 0) -> list[str]:
        """The ssh command line; `port` is that of something which stands between."""
        return ["ssh", "-F", "none", "-p", str(port or self.port), "-i", str(self.home / "user"), "-c", cipher,
                "-o", f"UserKnownHostsFile={self.home}/known", "-o", f"HostKeyAlias=[127.0.0.1]:{self.port}",
                "-o", "IdentitiesOnly=yes", "-o", "IdentityAgent=none", "-o", "BatchMode=yes", "-v", *options,
                f"{getpass.getuser()}@127.0.0.1", remote]


def account_is_locked() -> bool:
    """Without PAM sshd refuses accounts whose password field is locked."""
    try:
        fields = [line.split(":") for line in Path("/etc/shadow").read_text().splitlines()]
    except OSError:
        return False
    return any(f[0] == getpass.getuser() and f[1].startswith("!") for f in fields)


@pytest.fixture(scope="module")
def daemons(tmp_path_factory):
    """One sshd for each implementation, started when first asked for."""
    home, made = tmp_path_factory.mktemp("ssh"), {}

    def get(crypto: Crypto) -> Sshd:
        if crypto.name not in made:
            made[crypto.name] = Sshd(home / crypto.name, crypto)
        return made[crypto.name]

    yield get
    for daemon in made.values():
        daemon.stop()


@pytest.fixture(scope="module", params=[pytest.param(5, id="5MiB"),
                                        pytest.param(100, id="100MiB", marks=pytest.mark.slow)])
def file(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("file") / "file"
    path.write_bytes(os.urandom(request.param * MIB))
    yield path, hashlib.sha256(path.read_bytes()).hexdigest()
    path.unlink()


@pytest.mark.parametrize("cipher", CIPHERS)
@by_sides
def test_both_ways(cipher, server, client, works, daemons, file):
    """Up and down with hashes compared; new keys four times and more on each way."""
    path, digest = file
    daemon = daemons(server)
    rekey = ["-o", f"RekeyLimit={path.stat().st_size // 5 // 1024}K"]
    with open(path, "rb") as source:
        up = run(daemon.command(cipher, "sha256sum", *rekey), client, stdin=source)
    said = up.stderr + daemon.said()
    ok = up.returncode == 0 and up.stdout.split()[0] == digest
    if ok:
        got = hashlib.sha256()
        with Child(daemon.command(cipher, f"cat {shlex.quote(str(path))}", *rekey), client, stdout=subprocess.PIPE,
                   stderr=subprocess.PIPE, stdin=subprocess.DEVNULL) as down:
            errors = []
            reader = threading.Thread(target=lambda: errors.append(down.process.stderr.read()))
            reader.start()
            while piece := down.process.stdout.read(MIB):
                got.update(piece)
            reader.join(30)
            ok = down.process.wait(30) == 0 and got.hexdigest() == digest
        said += errors[0].decode(errors="replace")
        assert said.count("SSH2_MSG_KEXINIT received") >= 8, "no new keys were agreed on the way\n" + said
        assert f"cipher: {cipher}" in said
    judge(works, ok, said)


class Tamperer(threading.Thread):
    """A relay of one connection that changes one bit of what the server sends, after the first 100,000 bytes."""

    def __init__(self, server_port: int):
        super().__init__(daemon=True)
        self.server_port = server_port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(20)
        self.port = self.listener.getsockname()[1]
        self.changed = False

    def run(self) -> None:
        with self.listener, self.listener.accept()[0] as client, \
                socket.create_connection(("127.0.0.1", self.server_port)) as server:
            upward = threading.Thread(target=self._copy, args=(client, server), daemon=True)
            upward.start()
            self._copy(server, client, 100_000)
            upward.join(10)

    def _copy(self, source: socket.socket, sink: socket.socket, change_after: int = -1) -> None:
        seen = 0
        try:
            while data := source.recv(65536):
                if not self.changed and 0 <= change_after <= seen:
                    data = data[:-1] + bytes([data[-1] ^ 4])
                    self.changed = True
                seen += len(data)
                sink.sendall(data)
        except OSError:
            pass
        finally:
            for end in (source, sink):
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass


@pytest.mark.parametrize("cipher", CIPHERS)
def test_tampering_is_noticed(cipher, daemons, file):
    daemon = daemons(DEFAULT)
    relay = Tamperer(daemon.port)
    relay.start()
    remote = f"head -c 1000000 {shlex.quote(str(file[0]))}"
    done = run(daemon.command(cipher, remote, port=relay.port), HWAEAD, text=False)
    relay.join(20)
    assert relay.changed and done.returncode != 0
    assert b"message authentication code incorrect" in done.stderr, done.stderr
    assert len(done.stdout) < 1_000_000
