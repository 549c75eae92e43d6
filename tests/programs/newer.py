"""A newer OpenSSL than this machine's: Debian 13's libraries and its openssl, as bench/suites.sh unpacks them into a
folder, started by their own loader. Nothing of the machine changes, and nobody needs to be root."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from harness import NOTHING, TOP, missing, need, openssl, run

WANTED = (3, 5)  # has random_provider
SUITE = "trixie"


def version_of(text: str) -> tuple[int, int]:
    major, minor = text.split()[1].split(".")[:2]
    return int(major), int(minor)


@dataclass(frozen=True)
class Newer:
    prefix: tuple[str, ...]  # before the path of a program
    openssl: str

    def run(self, *args, crypto=NOTHING, **more):
        return run([*self.prefix, *args], crypto, **more)


def newer(folder: Path) -> Newer:
    """The machine's own OpenSSL where that is new enough."""
    if version_of(openssl("version").stdout) >= WANTED:
        return Newer((), need("openssl"))
    done = subprocess.run(["sh", TOP / "bench" / "suites.sh", folder, SUITE], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        missing(f"there is no newer OpenSSL to test with:\n{done.stdout}{done.stderr}")
    suite = folder / SUITE
    return Newer((str(suite / "loader"), "--library-path", str(suite / "lib")), str(suite / "root/usr/bin/openssl"))
