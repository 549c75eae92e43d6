"""`hwaead check`: it says what programs get, and why not hwaead."""

import platform

import pytest

from harness import BUILD, DEFAULT, HWAEAD, NOTHING, Crypto, need, openssl, run
from newer import WANTED, version_of
from test_config import edited, with_keys

CHECK = [str(BUILD / "hwaead"), "check"]


def check(crypto, prefix=(), **env: str):
    done = run([*prefix, *CHECK], crypto, env={"OPENSSL_MODULES": str(BUILD), **env})
    assert done.stderr == ""
    return done.returncode, done.stdout


def served(said: str) -> dict[str, str]:
    table = said.split("Who serves what:\n")[1]
    return {row[:18].strip(): row[18:].strip() for row in table.splitlines() if row.startswith("  ")}


def test_all_is_well():
    code, said = check(HWAEAD)
    who = served(said)
    assert code == 0 and "hwaead serves AES-GCM with tier " in said
    assert [who[f"AES-{n}-GCM"] for n in (128, 192, 256)] == ["hwaead"] * 3 and who["AES-256-GCM-SIV"] == "hwaead"
    assert who["SHA-256"] == who["random bytes"] == "default"


@pytest.mark.parametrize("way", ["random", "drbg", "random-provider"])
def test_random_bytes(way):
    """OpenSSL before 3.5 does not know random_provider, and reads no further."""
    code, said = check(Crypto(way, BUILD / f"openssl-hwaead-{way}.cnf"))
    known = way != "random-provider" or version_of(openssl("version").stdout) >= WANTED
    assert code == (0 if known else 1)
    assert served(said)["random bytes"] == served(said)["AES-256-GCM"] == ("hwaead" if known else "default")


@pytest.mark.parametrize("crypto", [DEFAULT, NOTHING], ids=["default", "nothing"])
def test_not_configured(crypto):
    code, said = check(crypto)
    assert code == 1 and served(said)["AES-256-GCM"] == "default" and "hwaead is not active." in said
    assert "Loading the module from OpenSSL's module folder:\n  that works" in said


def test_preferred_by_nobody(tmp_path):
    code, said = check(edited(tmp_path, ("default_properties = ?hwaead.use=yes\n", "")))
    assert code == 1 and "default_properties = ?hwaead.use=yes" in said


def test_the_trap(tmp_path):
    code, said = check(edited(tmp_path, ("default = hwaead_default\n", "")))
    assert code == 1 and served(said)["SHA-256"] == "nobody" and "is `default` activated" in said


def test_bad_value(tmp_path):
    code, said = check(with_keys(tmp_path, "min_tag = 17"))
    assert code == 1 and "min_tag = 17" in said


def test_missing_module(tmp_path):
    code, said = check(edited(tmp_path, (str(BUILD / "hwaead.so"), "/nowhere/hwaead.so")))
    assert code == 1 and "/nowhere/hwaead.so" in said


def test_not_activated(tmp_path):
    code, said = check(edited(tmp_path, ("activate = 1\n\n#", "\n#")))
    assert code == 1 and "that works, so the section lacks activate = 1" in said


@pytest.mark.skipif(platform.machine() != "x86_64", reason="an emulated CPU of x86-64")
def test_cpu_without_the_instructions():
    code, said = check(HWAEAD, prefix=(need("qemu-x86_64"), "-cpu", "Nehalem"))
    assert code == 1 and "this CPU lacks the AES (AES-NI)" in said


def test_usage():
    tool = CHECK[0]
    assert run([tool, "--help"], DEFAULT).stdout.startswith("Usage: hwaead check")
    assert run([tool, "--version"], DEFAULT).stdout.startswith("hwaead ")
    wrong = run([tool, "chek"], DEFAULT)
    assert wrong.returncode == 2 and wrong.stdout == "" and "Usage" in wrong.stderr
