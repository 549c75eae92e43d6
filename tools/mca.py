#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""AArch64's bulk loops by static analysis: cycles for 128 bytes of AES-256-GCM in llvm-mca's models.

    tools/mca.py OUTPUT.md

Takes the loops out of the compiled tiers (build/aarch64, build/aarch64-clang) and out of Debian 13's libcrypto 3.5, which
it fetches as a package for arm64, and counts the instructions that a run under QEMU executes. Needs a newer llvm than
Debian 12's own: apt-get install llvm-19 qemu-user gcc-aarch64-linux-gnu, and tests/run.sh's builds.
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.join(TOP, "build", "aarch64-root")
CPUS = ("neoverse-n1", "neoverse-n2", "neoverse-v1", "neoverse-v2", "apple-m1")
ROUNDS, BLOCKS = 14, 8
ITERATIONS = 200
LONGEST = 600  # instructions of a loop
BRANCH = re.compile(r"(b\..*|cbn?z|tbn?z|b)$")

# Just what GCM needs for 128 bytes: AES rounds, and the products of Karatsuba's method with one reduction.
LEAST = ["aese v0.16b, v31.16b", "aesmc v0.16b, v0.16b"] * (ROUNDS - 1) * BLOCKS + ["aese v0.16b, v31.16b"] * BLOCKS + \
        ["pmull v0.1q, v30.1d, v31.1d"] * (3 * BLOCKS + 2)


def run(*command, text=None):
    return subprocess.run(command, check=True, capture_output=True, text=True, input=text).stdout


def newest_mca():
    found = [p for folder in os.environ["PATH"].split(":") for p in glob.glob(os.path.join(folder, "llvm-mca-*"))
             if p.rsplit("-", 1)[1].isdigit()]
    if not found:
        sys.exit("no llvm-mca-NN here: apt-get install llvm-19")
    return max(found, key=lambda p: int(p.rsplit("-", 1)[1]))


def instructions(path):
    """(function, address, mnemonic, operands)"""
    function = ""
    for line in run("aarch64-linux-gnu-objdump", "-d", "--no-show-raw-insn", path).splitlines():
        head = re.match(r"[0-9a-f]+ <(.*)>:$", line)
        m = re.match(r"\s*([0-9a-f]+):\s+(\S+)\s*([^/]*)", line)
        if head:
            function = head.group(1)
        elif m:
            yield function, int(m.group(1), 16), m.group(2), m.group(3).strip()


def loops(path):
    """Innermost loops of AES-256 with carry-less products: [(function, instructions)]."""
    code = list(instructions(path))
    index = {address: i for i, (_, address, _, _) in enumerate(code)}
    for i, (function, address, mnemonic, operands) in enumerate(code):
        m = re.search(r"([0-9a-f]+) <", operands) if BRANCH.match(mnemonic) else None
        if not m or int(m.group(1), 16) not in index or not 0 <= address - int(m.group(1), 16) < 4 * LONGEST:
            continue
        body = [(x[2], x[3]) for x in code[index[int(m.group(1), 16)]:i + 1]]
        count = Counter(name for name, _ in body)
        if sum(BRANCH.match(name) is not None for name, _ in body) == 1 and count["pmull"] and \
                count["aese"] in (ROUNDS * BLOCKS // 2, ROUNDS * BLOCKS):
            yield function, body


def fused(body):
    """AESE and the AESMC that belongs to it: how many pairs are adjacent and on one register, of how many."""
    pairs = sum(1 for (a, x), (b, y) in zip(body, body[1:])
                if a == "aese" and b == "aesmc" and x.split(",")[0] == y.split(",")[0] == y.split(",")[1].strip())
    return pairs, sum(1 for name, _ in body if name == "aesmc")


def decrypts(body):
    """Whether the blocks that are byte-reversed for the hash come from memory as they are."""
    loaded = set()
    for name, operands in body + body:  # what an iteration loads for the next one, too
        registers = [int(n) for n in re.findall(r"\b[vqd](\d+)", operands)]
        if name.startswith("ld"):
            loaded |= set(registers)
        elif name == "rev64":
            if registers[1] in loaded:
                return True
        elif registers:
            loaded.discard(registers[0])
    return False


def mca(tool, cpu, lines):
    """(cycles an iteration, the bound by the busiest unit)"""
    out = run(tool, "-mtriple=aarch64", f"-mcpu={cpu}", "-mattr=+aes,+sha3", f"-iterations={ITERATIONS}", text="\n".join(lines) + "\n")
    def number(key):
        return float(re.search(key + r":\s+([\d.]+)", out).group(1))
    return number("Total Cycles") / ITERATIONS, number("Block RThroughput")


def as_text(body):
    return [".Ltop:"] + [f"{name} {re.sub(r'[0-9a-f]+ <[^>]*>', '.Ltop', operands)}" for name, operands in body]


def newer_libcrypto(folder):
    """libcrypto of Debian 13 for arm64, from where this system has its packages."""
    parts, state = os.path.join(folder, "parts"), os.path.join(folder, "state")
    for path in (parts, os.path.join(state, "lists", "partial"), os.path.join(folder, "cache", "archives", "partial")):
        os.makedirs(path)
    open(os.path.join(folder, "status"), "w").close()
    for source in [*glob.glob("/etc/apt/sources.list.d/*.sources"), *glob.glob("/etc/apt/sources.list.d/*.list"), "/etc/apt/sources.list"]:
        if os.path.exists(source):
            with open(source) as f, open(os.path.join(parts, os.path.basename(source)), "w") as g:
                g.write(re.sub(r"\bbookworm\b", "trixie", f.read()))
    options = ["-oAPT::Architecture=arm64", "-oAPT::Architectures::=arm64", f"-oDir::State={state}", f"-oDir::State::status={folder}/status",
               f"-oDir::Cache={folder}/cache", f"-oDir::Etc::sourceparts={parts}", "-oDir::Etc::sourcelist=/dev/null", "-oDebug::NoLocking=1",
               "-oAPT::Sandbox::User=root"]
    run("apt-get", *options, "-q", "update")
    subprocess.run(["apt-get", *options, "-q", "download", "libssl3t64"], cwd=folder, check=True, capture_output=True)
    package = glob.glob(os.path.join(folder, "libssl3t64_*.deb"))[0]
    run("dpkg", "-x", package, os.path.join(folder, "root"))
    return os.path.join(folder, "root/usr/lib/aarch64-linux-gnu/libcrypto.so.3"), os.path.basename(package).split("_")[1]


def subjects(folder):
    """(name, loop body) of all that is compared."""
    for build, compiler in (("aarch64", "gcc"), ("aarch64-clang", "clang")):
        for tier in ("armv8", "armv8_sha3"):
            path = os.path.join(TOP, "build", build, "CMakeFiles/hwaead_core.dir/core", f"tier_{tier}.c.o")
            for function, body in sorted(loops(path)):
                if re.match(r"gcm_(seal|open)_long$", function):
                    yield f"{tier}, {compiler}, {function.split('_')[1]}", body
    path, version = newer_libcrypto(folder)
    for function, body in loops(path):
        blocks = Counter(name for name, _ in body)["aese"] // ROUNDS
        kind = "unroll8_eor3" if blocks == BLOCKS else "4 blocks"
        yield f"libcrypto {version}, {kind}, {'open' if decrypts(body) else 'seal'}", body


def executed(build, tier, kib):
    """Instructions that the known tool executes under QEMU, by single steps in its log."""
    program = os.path.join(TOP, "build", build, "tests", "core", "core_one_message")
    with tempfile.NamedTemporaryFile() as log:
        run("qemu-aarch64", "-cpu", "max", "-singlestep", "-d", "nochain,exec", "-D", log.name, "-L", ROOT, program, tier, str(kib))
        with open(log.name, "rb") as f:
            return sum(1 for line in f if line.startswith(b"Trace"))


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    tool, folder = newest_mca(), tempfile.mkdtemp()
    try:
        rows = list(subjects(folder))
    finally:
        shutil.rmtree(folder)
    version = re.search(r"version (\S+)", run(tool, "--version")).group(1)
    out = [
        "# AArch64: what models say of the bulk loops", "",
        "Written by `tools/mca.py docs/aarch64.md`. **These are models, not measurements**: no AArch64 machine was at hand. "
        f"llvm-mca {version} plays each loop of AES-256-GCM against its description of a CPU, as if all loads hit the first-level "
        "cache. It knows nothing of the fusion of AESE with AESMC that these CPUs do, so its limits are too high for all of "
        "them alike; what compares is one loop with another.", "",
        "Cycles for 128 bytes / what the busiest unit alone would take, by the same model. \"Least\" is the busiest unit's "
        f"time for {ROUNDS * BLOCKS} AESE, {(ROUNDS - 1) * BLOCKS} AESMC and {3 * BLOCKS + 2} PMULL, without a single load, counter or sum.", "",
        "| loop | instructions | pairs fusible | " + " | ".join(CPUS) + " |", "|---|---|---|" + "---|" * len(CPUS)]
    least = [mca(tool, cpu, LEAST)[1] for cpu in CPUS]
    out.append(f"| least | {len(LEAST)} | | " + " | ".join(f"{x:.1f}" for x in least) + " |")
    for name, body in rows:
        count = Counter(n for n, _ in body)
        times = BLOCKS * ROUNDS // count["aese"]
        cells = [mca(tool, cpu, as_text(body)) for cpu in CPUS]
        out.append(f"| {name} | {len(body) * times} | {fused(body)[0] * times} of {fused(body)[1] * times} | "
                   + " | ".join(f"{c * times:.1f} / {r * times:.1f}" for c, r in cells) + " |")
    out += ["", "Instructions executed under QEMU for one more KiB of a long message (two runs, the difference), AES-256-GCM, sealing:", "",
            "| tier, compiler | for each byte |", "|---|---|"]
    for build, compiler in (("aarch64", "gcc"), ("aarch64-clang", "clang")):
        for tier in ("armv8", "armv8_sha3"):
            more = executed(build, tier, 24) - executed(build, tier, 8)
            out.append(f"| {tier}, {compiler} | {more / (16 * 1024):.2f} |")
    with open(sys.argv[1], "w") as f:
        f.write("\n".join(out) + "\n")
    print("\n".join(out))


if __name__ == "__main__":
    main()
