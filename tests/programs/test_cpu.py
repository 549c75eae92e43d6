"""CPUs that this machine does not have, under qemu-user: what hwaead says where it cannot run, and what it picks."""

import os
import sys

import pytest

from harness import BUILD, DEFAULT, HERE, HWAEAD, NOTHING, need, run
from test_config import with_keys

LACKING = {
    "max,-aes": "lacks the AES instructions (AES-NI)",
    "max,-pclmulqdq": "lacks the carry-less multiply instruction (PCLMULQDQ)",
    "Nehalem": "lacks the AES (AES-NI) and carry-less multiply (PCLMULQDQ) instructions",
}


def emulated(cpu: str, *args, crypto=NOTHING, **env: str):
    """Runs `openssl ...`, or ask_libcrypto.py when the first argument is "ask"."""
    program, *rest = args
    command = [os.path.realpath(sys.executable), HERE / "ask_libcrypto.py"] if program == "ask" else [need(program)]
    return run([need("qemu-x86_64"), "-cpu", cpu, *command, *rest], crypto, env=env)


@pytest.mark.parametrize("cpu", LACKING)
def test_one_clear_sentence(cpu):
    done = emulated(cpu, "openssl", "list", "-providers", "-provider", "hwaead", OPENSSL_MODULES=str(BUILD))
    assert done.returncode != 0
    ours = [line for line in done.stderr.splitlines() if ":hwaead: " in line]
    assert len(ours) == 1 and LACKING[cpu] in ours[0], done.stderr


@pytest.mark.parametrize("cpu", LACKING)
def test_default_serves(cpu, tmp_path):
    """Our configuration does no harm on such a CPU."""
    done = emulated(cpu, "openssl", "list", "-providers", crypto=HWAEAD)
    assert done.returncode == 0 and "default" in done.stdout and "hwaead" not in done.stdout
    done = emulated(cpu, "ask", "AES-256-GCM", "SHA256", crypto=HWAEAD)
    assert done.stdout.split() == ["default", "default"], done.stderr


def test_strict_fails_each_use(rsa, tmp_path):
    """With strict = 1 nothing falls back in silence: the cipher is hwaead's and says why it cannot work."""
    crypto = with_keys(tmp_path, "strict = 1")
    done = emulated("Nehalem", "openssl", "cms", "-encrypt", "-aes-256-gcm", "-in", HERE / "default.cnf", "-out",
                    tmp_path / "sealed", str(rsa.cert), crypto=crypto)
    assert done.returncode != 0 and LACKING["Nehalem"] in done.stderr, done.stderr


def test_the_least_cpu():
    """Westmere, the first with AES instructions: tier aesni, and the same tag as OpenSSL's own."""
    listed = emulated("Westmere", "openssl", "list", "-providers", "-verbose", crypto=HWAEAD)
    assert "tier aesni" in listed.stdout, listed.stderr
    sealed = emulated("Westmere", "ask", f"seal:{HWAEAD.conf}")
    expected = run([sys.executable, HERE / "ask_libcrypto.py", f"seal:{DEFAULT.conf}"], NOTHING).stdout.split()[1]
    assert sealed.stdout.split() == ["hwaead", expected], sealed.stderr


def test_a_tier_above_the_cpu(tmp_path):
    crypto = with_keys(tmp_path, "tier = vaes512")
    done = emulated("Westmere", "ask", "AES-256-GCM", crypto=crypto)
    assert done.stdout.split() == ["default"], done.stderr
