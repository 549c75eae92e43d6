"""`hwaead random`: a stream for programs that test generators."""

import os
import pty
import re
import subprocess

import pytest

from harness import BUILD, missing

RANDOM = [str(BUILD / "hwaead"), "random"]


def random(*arguments: str, **more):
    return subprocess.run([*RANDOM, *arguments], capture_output=True, timeout=60, check=False, **more)


@pytest.mark.parametrize("n", [0, 1, 31, 32, 65536, 65537, 1000001])
def test_so_many_bytes(n):
    first, second = random("--bytes", str(n)), random("--bytes", str(n))
    assert first.returncode == second.returncode == 0 and first.stderr == second.stderr == b""
    assert len(first.stdout) == len(second.stdout) == n
    if n >= 31:
        assert first.stdout[:16] != second.stdout[:16] and first.stdout[:16] != bytes(16)


@pytest.mark.parametrize("request_size", ["1", "12", "32", "4096", "65536"])
def test_short_requests(request_size):
    done = random("--bytes", "200000", "--request", request_size)
    assert done.returncode == 0 and len(done.stdout) == 200000
    blocks = [done.stdout[i:i + 16] for i in range(0, 200000, 16)]
    assert len(set(blocks)) == len(blocks)


def test_hex():
    lines = random("--bytes", "65600", "--hex").stdout.decode().splitlines()
    assert len(lines) == 2050 and all(re.fullmatch("[0-9a-f]{64}", line) for line in lines)
    assert re.fullmatch("[0-9a-f]{14}\n", random("--bytes", "7", "--hex").stdout.decode())


def test_reader_that_goes_away():
    with subprocess.Popen(RANDOM, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as endless:
        assert len(endless.stdout.read(300000)) == 300000
        endless.stdout.close()
        assert endless.wait(timeout=30) == 0 and endless.stderr.read() == b""


def test_full_disk():
    if not os.path.exists("/dev/full"):
        missing("no /dev/full")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(RANDOM, stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)
    assert done.returncode == 1 and b"No space left" in done.stderr


@pytest.mark.parametrize("option,code", [(None, 2), ("--hex", 0), ("--force", 0)])
def test_terminal(option, code):
    ours, theirs = pty.openpty()
    try:
        done = subprocess.run([*RANDOM, "--bytes", "32", *filter(None, [option])], stdout=theirs,
                              stderr=subprocess.PIPE, timeout=60, check=False)
    finally:
        os.close(theirs)
        os.close(ours)
    assert done.returncode == code and (b"terminal" in done.stderr) == (code == 2)


@pytest.mark.parametrize("wrong", [["--bytes"], ["--bytes", "-1"], ["--bytes", "1x"], ["--bytes", ""], ["--request", "0"],
                                   ["--request", "65537"], ["--bytes", "99999999999999999999"], ["12"]])
def test_wrong_usage(wrong):
    done = random(*wrong)
    assert done.returncode == 2 and done.stdout == b"" and b"--request" in done.stderr
