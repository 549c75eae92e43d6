#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the instructions that hwaead executes for fixed calls, and compares them with those in instructions.txt.

usage: instructions.py PROGRAM MODULE COMPILER [--update]

valgrind's callgrind counts those of the program (the core is linked into it) and of the module, not those of libc and
libcrypto. No noise: the same build gives the same counts. Another compiler gives others, so the file says whose they
are. Fails when a count is more than BOUND above the file's. --update writes the file anew.

Exit status: 0 good, 1 more instructions than before, 77 not comparable here (a failure where CI=true).
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BOUND = 0.02
FILE = Path(__file__).with_name("instructions.txt")
HEAD = """# Instructions a call, tier aesni, by valgrind's callgrind: what tests/instructions/instructions.py counted.
# After a change that is meant: cmake --build --preset release --target update_instructions
"""


def not_here(why):
    print(f"Not compared: {why}")
    sys.exit(1 if os.environ.get("CI") == "true" else 77)


def own_instructions(dump, objects):
    """The sum of the costs that a dump of callgrind books to some objects themselves, callees not included."""
    names, total, current, of_callee = {}, 0, "", False
    for line in dump.splitlines():
        if match := re.match(r"ob=\((\d+)\)(?: (.*))?", line):
            number, name = match.groups()
            if name:
                names[number] = os.path.realpath(name)
            current = names[number]
        elif match := re.match(r"cob=\((\d+)\) (.*)", line):
            names[match.group(1)] = os.path.realpath(match.group(2))
        elif line.startswith("calls="):
            of_callee = True
        elif match := re.match(r"[+*\d-]\S* (\d+)$", line):
            if not of_callee and current in objects:
                total += int(match.group(1))
            of_callee = False
    return total


def count(program, module):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", "--zero-before=begin", "--dump-before=end",
             f"--callgrind-out-file={folder}/out", program, str(Path(module).parent)],
            env={**os.environ, "OPENSSL_CONF": os.devnull}, capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            sys.exit(f"the program failed under valgrind:\n{done.stdout}{done.stderr}")
        counts = {}
        for i, line in enumerate(done.stdout.splitlines(), 1):
            calls, name = line.split(" ", 1)
            dump = Path(folder, f"out.{i}").read_text()
            counts[name] = own_instructions(dump, {os.path.realpath(program), os.path.realpath(module)}) // int(calls)
        return counts


def compare(counts, known):
    worse = [n for n in counts if n in known and counts[n] > known[n] * (1 + BOUND)]
    for name, n in counts.items():
        change = f"{100 * (n / known[name] - 1):+6.1f} %" if name in known else "     new"
        print(f"{name:40} {known.get(name, ''):>8} {n:>8} {change}{'  MORE' if name in worse else ''}")
    unknown = set(counts) ^ set(known)
    if any(n < known[name] * (1 - BOUND) for name, n in counts.items() if name in known):
        print("Some counts fell: write that down, or the gain can be lost unseen.")
    if worse:
        print(f"{len(worse)} of {len(counts)} counts rose by more than {100 * BOUND:g} %.")
    if unknown:
        print("Not in the file, or only there: " + ", ".join(sorted(unknown)))
    if worse or unknown:
        print("If that is meant: cmake --build --preset release --target update_instructions")
    return not worse and not unknown


def read_file():
    lines = [line for line in FILE.read_text().splitlines() if line and not line.startswith("#")]
    compiler = lines[0].removeprefix("compiler: ")
    return compiler, {name: int(n) for n, name in (line.split(None, 1) for line in lines[1:])}


def main():
    program, module, compiler = sys.argv[1:4]
    if shutil.which("valgrind") is None:
        not_here("there is no valgrind.")
    counts = count(program, module)
    if sys.argv[4:] == ["--update"]:
        FILE.write_text(HEAD + f"compiler: {compiler}\n" + "".join(f"{n:>8} {name}\n" for name, n in counts.items()))
        print(f"{len(counts)} counts written to {FILE.name}.")
        return 0
    known_compiler, known = read_file()
    if compiler != known_compiler:
        not_here(f"the counts in {FILE.name} are those of {known_compiler}, this is {compiler}.")
    return 0 if compare(counts, known) else 1


if __name__ == "__main__":
    sys.exit(main())
