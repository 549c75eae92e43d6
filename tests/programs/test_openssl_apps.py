"""The openssl program: list, speed and cms."""

import os
import re
import shutil
from pathlib import Path

import pytest

from harness import BUILD, HWAEAD, NOTHING, by_sides, openssl, run

NAMES = [
    {"2.16.840.1.101.3.4.1.6", "AES-128-GCM", "id-aes128-GCM"},
    {"2.16.840.1.101.3.4.1.26", "AES-192-GCM", "id-aes192-GCM"},
    {"2.16.840.1.101.3.4.1.46", "AES-256-GCM", "id-aes256-GCM"},
]
IN_PLACE = {"OPENSSL_MODULES": str(BUILD)}
SHORT = ["-seconds", "1", "-bytes", "1024"]
BOTH = ["-provider-path", str(BUILD), "-provider", "hwaead", "-provider", "default"]


def cipher_names(listing: str, provider: str) -> list[set[str]]:
    """The sets of names of one cipher each; their spelling follows whoever was loaded first, so in lower case."""
    return [set(re.split(r",\s*", names.lower())) for names in re.findall(rf"\{{ (.*?) \}} @ {provider}", listing)]


def test_list_ciphers():
    """All names and OIDs that the default provider has for AES-GCM. (Ciphers of one name are listed in another way.)"""
    done = openssl("list", "-cipher-algorithms", "-provider", "hwaead", crypto=NOTHING, env=IN_PLACE)
    assert done.returncode == 0, done.stderr
    served = cipher_names(done.stdout, "hwaead")
    expected = [{n.lower() for n in names} for names in NAMES]
    assert sorted(served, key=sorted) == sorted(expected, key=sorted)
    default = cipher_names(openssl("list", "-cipher-algorithms").stdout, "default")
    assert all(names in default for names in expected)


def test_list_providers():
    done = openssl("list", "-providers", "-verbose", crypto=HWAEAD)
    assert done.returncode == 0, done.stderr
    ours = done.stdout[done.stdout.index("\n  hwaead\n"):]
    for expected in (r"name: hwaead", r"version: \d+\.\d+\.\d+", r"status: active", r"build info: .*tier \w+"):
        assert re.search(expected, ours), ours
    assert "\n  default\n" in done.stdout


def rates(text: str) -> list[float]:
    """The figures of the table's last line, in thousands of bytes a second."""
    return [float(f) for f in re.findall(r"([\d.]+)k", text.strip().splitlines()[-1])] if text.strip() else []


def counts(progress: str) -> list[int]:
    """How many operations succeeded at each size, from the lines that openssl speed prints on its way."""
    return [int(n) for n in re.findall(r"(\d+) AES-\d+-GCM's in", progress)]


def speed(*options: str, env=None):
    return openssl("speed", *options, crypto=NOTHING, env=env)


def check_speed(*options: str, env=None) -> None:
    done = speed(*options, env=env)
    assert done.returncode == 0, done.stderr
    assert rates(done.stdout) and all(rate > 0 for rate in rates(done.stdout)), done.stdout + done.stderr


@pytest.mark.parametrize("options", [[], ["-decrypt"], ["-aead"], ["-aead", "-decrypt"], ["-multi", "2"],
                                     ["-multi", "2", "-elapsed", "-aead"]], ids=" ".join)
@pytest.mark.parametrize("bits", [pytest.param("128", marks=pytest.mark.slow), "256"])
def test_speed_with_hwaead_alone(bits, options):
    """No other provider is active, so the figures can only be hwaead's."""
    check_speed("-provider", "hwaead", "-evp", f"aes-{bits}-gcm", *SHORT, *options, env=IN_PLACE)


@pytest.mark.parametrize("query", [pytest.param("provider=hwaead", marks=pytest.mark.slow), "?provider=hwaead"])
@pytest.mark.parametrize("options", [["-bytes", "1350", "-elapsed"], ["-bytes", "1024", "-aead", "-decrypt"],
                                     ["-bytes", "1024", "-multi", "2", "-elapsed"]], ids=" ".join)
def test_speed_beside_default(query, options):
    """The strict query takes nothing but hwaead's cipher; `default` is there for everything else."""
    check_speed(*BOTH, "-propquery", query, "-evp", "aes-256-gcm", "-seconds", "1", *options)


def test_speed_controls(tmp_path):
    """With hwaead alone nothing else serves ciphers, and without the module there are no figures.

    The module that corrupts tags is no control here: openssl speed seals and opens with the same one.
    """
    other = speed("-provider", "hwaead", "-evp", "aes-256-cbc", *SHORT, env=IN_PLACE)
    assert other.returncode != 0 and not counts(other.stderr)
    assert re.search("unknown cipher|unsupported:.*AES-256-CBC", other.stderr), other.stderr  # the latter OpenSSL 3.0.2
    absent = speed("-provider", "hwaead", "-evp", "aes-256-gcm", *SHORT, env={"OPENSSL_MODULES": str(tmp_path)})
    assert absent.returncode != 0 and not counts(absent.stderr)
    default = speed("-provider", "default", "-propquery", "provider=hwaead", "-evp", "aes-256-gcm", *SHORT)
    assert not counts(default.stderr)
    assert default.returncode != 0 or "id-aes256-GCM's in" in default.stderr  # what OpenSSL 3.0.2 then takes instead


def modules_folder() -> Path:
    return Path(re.search(r'"(.*)"', openssl("version", "-m").stdout).group(1))


@pytest.mark.slow
def test_the_literal_speed_command(tmp_path):
    """`openssl speed -provider hwaead -evp aes-256-gcm`, no other option and no help from the environment.

    Installs to a staging folder, and puts the staged module where OpenSSL looks when that can be done without
    touching an installation of the user's; OPENSSL_MODULES stands in for it otherwise.
    """
    done = run(["cmake", "--install", BUILD], env={"DESTDIR": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    place = modules_folder() / "hwaead.so"
    staged = Path(f"{tmp_path}{place}")
    command = ["openssl", "speed", "-provider", "hwaead", "-evp", "aes-256-gcm"]
    if os.geteuid() == 0 and not place.exists():
        shutil.copy(staged, place)
        try:
            done = run(["env", "-u", "OPENSSL_CONF", *command], timeout=90)
        finally:
            place.unlink()
    else:
        done = run(command, NOTHING, timeout=90, env={"OPENSSL_MODULES": str(staged.parent)})
    assert done.returncode == 0, done.stderr
    assert len(rates(done.stdout)) == 6 and all(rate > 0 for rate in rates(done.stdout)), done.stdout


def test_install_layout(tmp_path):
    """What cmake --install brings: module, libraries, headers, pkg-config file, configuration, documents."""
    done = run(["cmake", "--install", BUILD], env={"DESTDIR": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    files = {str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if not p.is_dir()}
    for ending in (str(modules_folder())[1:] + "/hwaead.so", "lib/libhwaead.so.0", "lib/libhwaead.a",
                   "include/hwaead/hwaead.h", "include/hwaead/hazmat.h", "pkgconfig/hwaead.pc",
                   "share/hwaead/openssl-hwaead.cnf", "share/hwaead/hwaead.cnf",
                   *(f"share/hwaead/{name}hwaead-{way}.cnf" for name in ("", "openssl-")
                     for way in ("random", "drbg", "random-provider")),
                   "share/hwaead/examples/nginx.conf", "doc/hwaead/README.md", "doc/hwaead/LICENSE"):
        assert any(f.replace("lib/x86_64-linux-gnu", "lib").endswith(ending.replace("lib/x86_64-linux-gnu", "lib"))
                   for f in files), f"{ending} is not among {sorted(files)}"
    assert not any(f.startswith("etc/") for f in files)
    texts = [p.read_text() for p in tmp_path.rglob("share/hwaead/*.cnf")]
    assert len(texts) == 8
    for text in texts:
        assert f'module = "{modules_folder()}/hwaead.so"' in text and str(BUILD) not in text


@pytest.mark.parametrize("cipher", ["aes-128-gcm", "aes-256-gcm"])
@by_sides
def test_cms(cipher, server, client, works, rsa, tmp_path):
    """A CMS message (AuthEnvelopedData) sealed by one side (`client`) and opened by the other (`server`)."""
    text, sealed, opened = (tmp_path / name for name in ("text", "sealed", "opened"))
    text.write_bytes(os.urandom(100_001))
    done = openssl("cms", "-encrypt", "-binary", f"-{cipher}", "-in", str(text), "-outform", "DER", "-out",
                   str(sealed), str(rsa.cert), crypto=client)
    assert done.returncode == 0, done.stderr
    done = openssl("cms", "-decrypt", "-binary", "-inform", "DER", "-in", str(sealed), "-inkey", str(rsa.key), "-recip",
                   str(rsa.cert), "-out", str(opened), crypto=server)
    assert (done.returncode == 0) == works, done.stderr
    if works:
        assert opened.read_bytes() == text.read_bytes()
