"""openssl.cnf: what our files do, their traps, bad values, and a module that cannot be loaded."""

import os
import platform
import re
import shutil
import stat
import sys
from pathlib import Path

import pytest

from harness import BUILD, HERE, HWAEAD, BROKEN, NOTHING, Crypto, ask_libcrypto, missing, openssl, run

STOCK = """\
openssl_conf = openssl_init
[openssl_init]
providers = provider_sect
ssl_conf = ssl_sect
[provider_sect]
default = default_sect
[default_sect]
activate = 1
[ssl_sect]
system_default = system_default_sect
[system_default_sect]
CipherString = DEFAULT:@SECLEVEL=2
"""


LEAST_TIER = {"x86_64": "aesni", "aarch64": "armv8"}[platform.machine()]


def edited(folder: Path, *changes: tuple[str, str]) -> Crypto:
    """Our openssl.cnf with some text replaced; each text must be there."""
    text = HWAEAD.conf.read_text()
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return written(folder, text)


def written(folder: Path, text: str) -> Crypto:
    file = folder / "openssl.cnf"
    file.write_text(text)
    return Crypto("written", file)


def with_keys(folder: Path, *lines: str) -> Crypto:
    return edited(folder, ("activate = 1\n\n#", "activate = 1\n" + "\n".join(lines) + "\n\n#"))


def providers(crypto: Crypto, *names: str) -> list[str]:
    return ask_libcrypto(*names, crypto=crypto).split()


def test_our_file_selects_hwaead():
    assert providers(HWAEAD, "AES-128-GCM", "AES-192-GCM", "AES-256-GCM") == ["hwaead"] * 3


def test_the_rest_stays_with_default():
    assert providers(HWAEAD, "SHA256", "AES-256-CBC", "ChaCha20-Poly1305") == ["default"] * 3


def test_control_without_the_file():
    assert providers(NOTHING, "AES-256-GCM", "SHA256") == ["default"] * 2


def test_order_of_providers_does_not_matter(tmp_path):
    crypto = edited(tmp_path, ("default = hwaead_default\nhwaead = hwaead_settings",
                               "hwaead = hwaead_settings\ndefault = hwaead_default"))
    assert providers(crypto, "AES-256-GCM", "SHA256") == ["hwaead", "default"]


def test_the_trap(tmp_path):
    """What the files warn of: without the line for `default`, SHA-256 is gone."""
    crypto = edited(tmp_path, ("default = hwaead_default\n", ""))
    assert providers(crypto, "AES-256-GCM", "SHA256") == ["hwaead", "none"]


@pytest.mark.parametrize("module", ["/nowhere/hwaead.so", "hwaead-that-is-not-installed", "{folder}/text.so"])
def test_module_that_cannot_be_loaded(module, tmp_path):
    """Programs go on with `default`, in silence; the list of providers tells."""
    (tmp_path / "text.so").write_text("not a module")
    crypto = edited(tmp_path, (f'"{BUILD}/hwaead.so"', module.format(folder=tmp_path)))
    assert providers(crypto, "AES-256-GCM", "SHA256") == ["default"] * 2
    done = openssl("list", "-providers", crypto=crypto)
    assert done.returncode == 0 and "default" in done.stdout and "hwaead" not in done.stdout


def test_folder_with_a_strange_name(tmp_path):
    """A path may have a space or a # in it: our files quote it."""
    folder = tmp_path / "a #1 folder"
    folder.mkdir()
    shutil.copy(BUILD / "hwaead.so", folder)
    crypto = edited(tmp_path, (str(BUILD / "hwaead.so"), str(folder / "hwaead.so")))
    assert providers(crypto, "AES-256-GCM") == ["hwaead"]


def why_not(crypto: Crypto):
    """What the comments in our files tell a person to do: take `activate` out and ask for hwaead by name."""
    before, ours = crypto.conf.read_text().split("[hwaead_settings]")
    asking = written(crypto.conf.parent, before + "[hwaead_settings]" + ours.replace("activate = 1\n", "", 1))
    return openssl("list", "-providers", "-provider-path", str(BUILD), "-provider", "hwaead", crypto=asking)


@pytest.mark.parametrize("line", ["tier = fastest", "tier = VAES512", "tier =", "strict = maybe", "stats = x",
                                  "replace_ctr_drbg = 2", "min_tag = 0", "min_tag = 17", "min_tag = 12 bytes",
                                  "min_tag = -1"])
def test_malformed_value(line, tmp_path):
    """hwaead does not load and `default` serves; whoever asks why is told key and value."""
    crypto = with_keys(tmp_path, line)
    assert providers(crypto, "AES-256-GCM", "SHA256") == ["default"] * 2
    asked = why_not(crypto)
    assert asked.returncode != 0
    assert re.search(rf"hwaead: {re.escape(line.rstrip())} .*must be", asked.stderr), asked.stderr


@pytest.mark.parametrize("line", ["tier = auto", "strict = 1", "strict = off", "stats = 1",
                                  "min_tag = 16", "replace_ctr_drbg = 0", "unknown_key = 1"])
def test_good_value(line, tmp_path):
    assert providers(with_keys(tmp_path, line), "AES-256-GCM") == ["hwaead"]


@pytest.mark.parametrize("tier", ["aesni", "vaes256", "vaes512", "armv8", "armv8_sha3"])
def test_tier(tier, tmp_path):
    """A tier that runs here is the one in use; one that does not gives a sentence that names it."""
    crypto = with_keys(tmp_path, f"tier = {tier}")
    if providers(crypto, "AES-256-GCM") == ["hwaead"]:
        assert f"tier {tier}" in openssl("list", "-providers", "-verbose", crypto=crypto).stdout
    else:
        assert tier in why_not(crypto).stderr and tier != LEAST_TIER


def system_file(folder: Path, stock: str, first: bool) -> Crypto:
    """A system-wide openssl.cnf that includes our fragment as its last line, or wrongly as its first."""
    fragment = (BUILD / "conf" / "hwaead.cnf").read_text()
    module = re.search(r'module = "(.*)"', fragment).group(1)
    (folder / "hwaead.cnf").write_text(fragment.replace(module, str(BUILD / "hwaead.so")))
    include = f".include {folder}/hwaead.cnf\n"
    return written(folder, include + stock if first else stock + include)


def stock_files() -> list:
    """Debian 13 activates `default` in its file; this machine's own file is whatever it is (Debian 12: it does not)."""
    found = [pytest.param(STOCK, id="debian13")]
    file = Path(openssl("version", "-d").stdout.split('"')[1]) / "openssl.cnf"
    if file.is_file() and re.search(r"^\s*openssl_conf\s*=\s*openssl_init", file.read_text(), re.M):
        found.append(pytest.param(file.read_text(), id="this-machine"))
    return found


@pytest.mark.parametrize("stock", stock_files())
def test_system_wide_include(stock, tmp_path):
    assert providers(system_file(tmp_path, stock, first=False), "AES-256-GCM", "SHA256") == ["hwaead", "default"]


@pytest.mark.parametrize("stock", stock_files())
def test_system_wide_include_in_the_wrong_place(stock, tmp_path):
    """As the first line it does nothing, and harms nothing."""
    assert providers(system_file(tmp_path, stock, first=True), "AES-256-GCM", "SHA256") == ["default"] * 2


def test_two_library_contexts():
    """Two private contexts load our file in one process; the second works after the first is gone."""
    good = ask_libcrypto(f"seal:{HWAEAD.conf}", f"seal:{HWAEAD.conf}", crypto=NOTHING).splitlines()
    reference = ask_libcrypto(f"seal:{HERE}/default.cnf", crypto=NOTHING).split()[1]
    assert good == [f"hwaead {reference}"] * 2
    corrupt = ask_libcrypto(f"seal:{BROKEN.conf}", crypto=NOTHING).split()
    assert corrupt[0] == "hwaead" and corrupt[1] != reference


def test_set_gid_program(tmp_path):
    """A set-gid program ignores OPENSSL_CONF and OPENSSL_MODULES, but a file that it loads itself works: the path in
    our file is absolute. In two processes: OpenSSL 3.0.2 asks a provider that comes late only for what no other has."""
    if os.geteuid() != 0:
        missing("only root can make a set-gid program for this test")
    python = tmp_path / "python"
    shutil.copy(os.path.realpath(sys.executable), python)
    os.chown(python, 0, 65534)
    python.chmod(0o755 | stat.S_ISGID)

    def answers(*questions):
        done = run([python, HERE / "ask_libcrypto.py", "secure", *questions], HWAEAD)
        assert done.returncode == 0, done.stderr
        secure, *rest = done.stdout.split()
        if secure == "0":
            missing(f"set-gid has no effect in {tmp_path}")
        return rest

    assert answers("AES-256-GCM") == ["default"]
    assert answers(f"load:{HWAEAD.conf}", "AES-256-GCM") == ["loaded", "hwaead"]
