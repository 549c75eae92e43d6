#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the speed of two builds of hwaead; guard.sh makes them and calls this.

usage: guard.py HWAEAD-BENCH OLD NEW

Runs hwaead-bench with the library and the module of one build and of the other in turn, in pairs. What counts of a pair
is the time of the new build over that of the old one, in each cell. A cell is slower when the median of the pairs is above
1 by more than the bound: 2 %, or the distance between the quartiles of the pairs, which is about three standard errors of
such a median, whichever is more. Cells found slower are measured once more, and must be found slower again.

Exit status: 0 not slower, 1 slower, 2 could not be measured.
"""
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

PAIRS = 9
LEAST = 0.02
OPTIONS = ["--algs", "AES-256-GCM,AES-256-GCM-SIV", "--sizes", "16,64,256,1350,4096,16384", "--ops", "seal,open,key",
           "--modes", "throughput", "--rounds", "7", "--rep-ms", "2", "--patience", "3", "--only", "core-,evp-hwaead",
           "--skip", "evp-hwaead-", "--suites", os.devnull, "--peers", os.devnull]


def run(bench, build):
    """ns of each cell."""
    done = subprocess.run([bench, *OPTIONS, "--module", str(build / "hwaead.so"), "--json", "-"], capture_output=True, text=True,
                          env={**os.environ, "LD_LIBRARY_PATH": str(build)})
    if done.returncode != 0:
        print(f"hwaead-bench failed with {build}:\n{done.stderr}", file=sys.stderr)
        sys.exit(2)
    return {(r["alg"], r["op"], r["size"], r["peer"]): r["ns"] for r in json.loads(done.stdout)["results"]}


def measure(bench, old, new):
    """For each cell the ratios new to old, one for each pair; in every other pair the new build runs first."""
    ratios = {}
    for i in range(PAIRS):
        print(f"\r      pair {i + 1} of {PAIRS} ", end="", flush=True)
        times = {build: run(bench, build) for build in ((old, new) if i % 2 else (new, old))}
        for cell in times[old]:
            ratios.setdefault(cell, []).append(times[new][cell] / times[old][cell])
    print("\r", end="")
    return ratios


def judge(ratios):
    """For each cell: change, bound."""
    judged = {}
    for cell, found in ratios.items():
        q1, median, q3 = statistics.quantiles(found, n=4)
        judged[cell] = median - 1, max(LEAST, q3 - q1)
    return judged


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__.strip())
    bench, old, new = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    judged = judge(measure(bench, old, new))
    slower = {cell for cell, (change, bound) in judged.items() if change > bound}
    if slower:
        print(f"      {len(slower)} of {len(judged)} cells look slower: measuring again.")
        again = judge(measure(bench, old, new))
        slower = {cell for cell in slower if again[cell][0] > again[cell][1]}
        judged = again
    print(f"      {'':58} change   bound")
    for (alg, op, size, peer), (change, bound) in judged.items():
        mark = "  SLOWER" if (alg, op, size, peer) in slower else "  faster" if change < -bound else ""
        print(f"      {alg + ' ' + op + (f' {size}' if op != 'key' else ''):35} {peer:20} {100 * change:+8.1f} % {100 * bound:6.1f} %{mark}")
    changes = [change for change, _ in judged.values()]
    print(f"\n{len(judged)} cells; the median of all changes is {100 * statistics.median(changes):+.1f} %.")
    print(f"SLOWER in {len(slower)} cells." if slower else "Not slower anywhere.")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
