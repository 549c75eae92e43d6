"""The EVP tests of this build, and our configuration files, with a newer OpenSSL: one module serves both."""

import re

import pytest

from harness import BUILD, Crypto, missing
from newer import WANTED, version_of

pytestmark = pytest.mark.slow

# Left out: what takes minutes, what has the provider linked in, what is no test, and evp_runtime, which starts itself
# again and would so start the loader.
LEFT_OUT = ("evp_limits", "evp_bare", "evp_runtime")
PROGRAMS = sorted(path.name for path in (BUILD / "tests" / "evp").glob("evp_*")
                  if path.is_file() and not path.suffix and not path.name.endswith("_builtin")
                  and path.name not in LEFT_OUT)
RAND = ("HWAEAD-CTR-DRBG", "HWAEAD-DRBG")
RUNS = [(program, rand) for program in PROGRAMS for rand in (RAND if "_rand_" in program else RAND[:1])]


def test_version(new):
    assert version_of(new.run(new.openssl, "version").stdout) >= WANTED
    assert len(PROGRAMS) > 20


@pytest.mark.parametrize("program,rand", RUNS, ids=["-".join(r) if "_rand_" in r[0] else r[0] for r in RUNS])
def test_evp_program(new, program, rand):
    done = new.run(BUILD / "tests" / "evp" / program, "auto", env={"HWAEAD_TEST_RAND": rand}, timeout=300)
    if done.returncode == 77:
        missing(done.stdout.strip())
    assert done.returncode == 0, done.stdout + done.stderr
    used, = re.findall(r"^\d+ cases on tier .* \((OpenSSL .*)\)$", done.stdout, re.M)
    assert version_of(used) >= WANTED
    if program == "evp_rand_provider":
        assert "random_provider of OpenSSL" in done.stdout, "the configuration was not tested\n" + done.stdout


@pytest.mark.parametrize("way,serves", [("", "default"), ("-random", "hwaead"), ("-drbg", "hwaead"),
                                        ("-random-provider", "hwaead")])
def test_configuration_files(new, way, serves):
    """Random bytes come from whom they should, and hwaead is not switched off on the way."""
    crypto = Crypto(way, BUILD / f"openssl-hwaead{way}.cnf")
    drawn = set()
    for length in (16, 32, 4096) * 3:
        done = new.run(new.openssl, "rand", "-hex", str(length), crypto=crypto)
        assert done.returncode == 0, done.stderr
        assert len("".join(done.stdout.split())) == 2 * length
        drawn.add(done.stdout[:32])
    assert len(drawn) == 9
    checked = new.run(BUILD / "hwaead", "check", crypto=crypto)
    assert checked.returncode == 0 and re.search(rf"^ +random bytes +{serves}$", checked.stdout, re.M), checked.stdout
    listed = new.run(new.openssl, "list", "-providers", crypto=crypto).stdout
    assert "hwaead" in listed and "default" in listed


def test_bench_of_random_bytes(new):
    """Each generator is measured, random_provider among them."""
    done = new.run(BUILD / "bench" / "hwaead-bench-random", "--module", BUILD / "hwaead.so", "--sizes", "12", "--rounds",
                   "7", "--rep-ms", "1")
    assert done.returncode == 0, done.stderr
    names = re.findall(r"^ +12  (\S+) +[0-9.]+ ns", done.stdout, re.M)
    assert names == ["null", "default", "HWAEAD-CTR-DRBG", "HWAEAD-DRBG", "random_provider"]
