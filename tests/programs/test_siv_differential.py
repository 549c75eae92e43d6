"""AES-GCM-SIV: the module in the system's libcrypto against the libcrypto that Python's cryptography brings along.

A fresh context for each message: contexts of libcrypto's own AES-GCM-SIV carry associated data into the next message.
"""

import os
import random
import subprocess
import sys
import tempfile

import pytest

from harness import BROKEN, BUILD, DEFAULT, HERE, HWAEAD, missing, run
from siv_worker import from_hex, to_hex

REQUIREMENTS = HERE / "peer-requirements.txt"
CAN_SIV = ("from cryptography.hazmat.primitives.ciphers.aead import AESGCMSIV\n"
           "AESGCMSIV(bytes(24)).encrypt(bytes(12), b'', b'')")
CHAIN_END = "312ee16869b010df8da9cefeaaee08e0"  # tests/evp/siv.c


def can_siv(python: str) -> bool:
    try:
        return run([python, "-c", CAN_SIV]).returncode == 0
    except OSError:
        return False


@pytest.fixture(scope="session")
def peer() -> str:
    """A Python whose cryptography has AES-GCM-SIV: HWAEAD_PEER_PYTHON, this one, or one made in the build folder."""
    made = BUILD / "peer"
    for python in (os.environ.get("HWAEAD_PEER_PYTHON"), sys.executable, made / "bin" / "python"):
        if python and can_siv(str(python)):
            return str(python)
    said = ""
    for step in ([sys.executable, "-m", "venv", "--clear", made],
                 [made / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                  "--requirement", REQUIREMENTS]):
        try:
            done = run(step, timeout=300)
        except (OSError, subprocess.TimeoutExpired) as error:
            missing(f"no cryptography to compare with: {error}")
        said = done.stdout + done.stderr
        if done.returncode != 0:
            missing(f"no cryptography to compare with (it takes python3-venv and a package index):\n{said[-500:]}")
    if not can_siv(str(made / "bin" / "python")):
        missing(f"the cryptography of {REQUIREMENTS.name} has no AES-GCM-SIV for empty texts")
    return str(made / "bin" / "python")


def ask(python, which: str, lines: list[str], crypto=DEFAULT) -> list[str]:
    """The answers, and a check that it is the wanted implementation which gave them."""
    with tempfile.TemporaryFile("w+") as questions:
        questions.writelines(text + "\n" for text in lines)
        questions.seek(0)
        done = run([python, HERE / "siv_worker.py", which], crypto, timeout=300, stdin=questions)
    assert done.returncode == 0, done.stderr
    name, *answers = done.stdout.splitlines()
    assert name.startswith({"libcrypto": "hwaead", "cryptography": "cryptography"}[which]), name
    assert len(answers) == len(lines)
    print(f"{len(lines)} answers of {name}")
    return answers


def ours(lines, crypto=HWAEAD):
    return ask(sys.executable, "libcrypto", lines, crypto)


def messages(seed: int, lengths) -> list[tuple[bytes, bytes, bytes, bytes]]:
    """Key, nonce, associated data and text, for (length of data, length of text) in each key size."""
    rng = random.Random(seed)
    return [(rng.randbytes(size), rng.randbytes(12), rng.randbytes(aad), rng.randbytes(text))
            for aad, text in lengths for size in (16, 24, 32)]


def line(verb: str, *parts: bytes) -> str:
    return " ".join([verb, *map(to_hex, parts)])


def dense():
    return ([(n % 37, n) for n in range(600)] + [(n, n % 53) for n in range(300)]
            + [(0, 2**p + d) for p in range(10, 17) for d in (-1, 0, 1)]
            + [(2**p + d, 5) for p in range(9, 15) for d in (-1, 1)])


def scattered():
    rng = random.Random(7)
    return [(int(2 ** rng.uniform(0, 12)) - 1, int(2 ** rng.uniform(0, 15)) - 1) for _ in range(400)]


@pytest.mark.parametrize("lengths", [dense, scattered])
def test_same_bytes_both_ways(peer, lengths):
    """Sealed alike, and each opens what the other has sealed."""
    all_messages = messages(1, lengths())
    seal = [line("seal", *m) for m in all_messages]
    mine, theirs = ours(seal), ask(peer, "cryptography", seal)
    for message, a, b in zip(all_messages, mine, theirs):
        assert a == b, f"key {len(message[0])}, data {len(message[2])}, text {len(message[3])}"
    texts = [to_hex(m[3]) for m in all_messages]
    for sealed, who in ((theirs, ours), (mine, lambda lines: ask(peer, "cryptography", lines))):
        assert who([line("open", *m[:3], from_hex(s)) for m, s in zip(all_messages, sealed)]) == texts


def test_tampering_is_refused_by_both(peer):
    all_messages = messages(2, [(a, t) for a in (0, 1, 16, 31) for t in (0, 1, 15, 16, 17, 80, 300)])
    rng = random.Random(3)
    lines = []
    for message, sealed in zip(all_messages, ours([line("seal", *m) for m in all_messages])):
        for part in range(4):  # of key, nonce, associated data, and ciphertext with tag
            parts = [*message[:3], from_hex(sealed)]
            if parts[part]:
                changed = bytearray(parts[part])
                changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
                parts[part] = bytes(changed)
                lines.append(line("open", *parts))
        lines.append(line("open", *message[:3], from_hex(sealed)[:-16] + bytes(16)))
        lines.append(line("open", *message[:3], b"\0" + from_hex(sealed)))
    assert len(lines) > 400
    assert set(ours(lines)) == {"refused"}
    assert set(ask(peer, "cryptography", lines)) == {"refused"}


def test_the_corrupt_module_is_found_out(peer):
    """The negative control: with one bit of each tag changed, neither side takes the other's messages."""
    all_messages = messages(4, [(5, n) for n in (0, 1, 16, 100)])
    seal = [line("seal", *m) for m in all_messages]
    spoilt, good = ours(seal, BROKEN), ask(peer, "cryptography", seal)
    assert not set(spoilt) & set(good)
    assert set(ask(peer, "cryptography", [line("open", *m[:3], from_hex(s)) for m, s in zip(all_messages, spoilt)])) \
        == {"refused"}
    assert set(ours([line("open", *m[:3], from_hex(s)) for m, s in zip(all_messages, good)], BROKEN)) == {"refused"}


@pytest.mark.parametrize("which", ["libcrypto", "cryptography"])
def test_chain(peer, which):
    """The chain of tests/evp/siv.c, each message made of the one before."""
    python, crypto = (sys.executable, HWAEAD) if which == "libcrypto" else (peer, DEFAULT)
    program = (f"import sys; sys.path.insert(0, {str(HERE)!r})\n"
               "from siv_worker import Cryptography, Libcrypto\n"
               f"worker = {which.capitalize()}()\n"
               "text, tag = bytearray(232), bytes(16)\n"
               "for i in range(200):\n"
               "    key, nonce, n = (bytes(text[:16]) + tag)[:16 + 8 * (i % 3)], bytearray(tag[:12]), 32 + i\n"
               "    nonce[0] ^= i\n"
               "    sealed = worker.seal(key, bytes(nonce), bytes(text[32:72][:i % 41]), bytes(text[:n]))\n"
               "    text[:n], tag = sealed[:n], sealed[n:]\n"
               "print(tag.hex())\n")
    done = run([python, "-c", program], crypto)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == CHAIN_END
