#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/benchmarks.md from what `hwaead-bench --json FILE` measured.

usage: python3 bench/report.py bench.json > docs/benchmarks.md
"""
import json
import sys

ROUNDS = {"AES-128-GCM": 10, "AES-192-GCM": 12, "AES-256-GCM": 14}
OPS = {"seal": "seal", "open": "open", "rekey": "new key and seal", "key": "key set-up"}


def number(x):
    """At least three digits, no false precision."""
    if x is None:
        return ""
    return f"{x:.2f}" if x < 10 else f"{x:.1f}" if x < 1000 else f"{x:,.0f}".replace(",", " ")


def figure(r, rounds):
    """The median of a result; a tilde when most of its repetitions were slowed."""
    return number(r["ns"]) + ("~" if 2 * r["slowed"] > rounds else "") if r else ""


def ratio(a, b):
    return f"{a / b:.2f}" if a and b else ""


def table(head, rows, left=1):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * left + "---:|" * (len(head) - left)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


class Bench:
    def __init__(self, data):
        if data.get("format") != 3:
            raise SystemExit("report.py: not a file that this version of hwaead-bench writes")
        self.data = data
        self.base = data["method"]["base"]
        self.cells = {}
        for r in data["results"]:
            self.cells[r["alg"], r["op"], r["mode"], r["size"], r["peer"]] = r
        self.algs = list(dict.fromkeys(r["alg"] for r in data["results"]))
        self.peers = [p for p in data["peers"] if any(r["peer"] == p["name"] for r in data["results"])]

    def row(self, *cell):
        return self.cells.get(cell)

    def ns(self, *cell):
        r = self.row(*cell)
        return r["ns"] if r else None

    def sizes(self, alg, op, mode):
        return sorted({k[3] for k in self.cells if k[:3] == (alg, op, mode)})

    def names(self, layer, hollow=False):
        return [p["name"] for p in self.peers if p["layer"] == layer and p.get("hollow", False) == hollow]

    def best(self, names, *cell):
        """The fastest of some peers in a cell: (ns, name)."""
        found = [(self.ns(*cell, n), n) for n in names if self.ns(*cell, n)]
        return min(found) if found else (None, "")

    def others(self):
        """Whoever is not hwaead: libraries by their own API, and the default provider."""
        return self.names("library") + [self.base]

    def core(self):
        """The tier that hwaead takes by itself, which is the first that runs; any when that was left out."""
        auto = "core-" + self.data["machine"]["tiers"].split(",")[0]
        return [auto] if auto in self.names("core") else self.names("core")

    def limit(self, alg, op, mode, size):
        """The least of the tiers' limits; the core's rows carry that of their own tier."""
        found = [r["limit_ns"] for k, r in self.cells.items() if k[:4] == (alg, op, mode, size) and r["limit_ns"]]
        return min(found) if found else None


def head(b):
    d, m = b.data, b.data["machine"]
    core = f"{m['core']}, " if m["core"] else ""
    under = f" (under {m['hypervisor']})" if m["hypervisor"] else ""
    rows = [
        ["CPU", f"{m['cpu']}: {core}family {m['family']} model {m['model']} stepping {m['stepping']}{under}"],
        ["clock while measuring", f"{m['clock_ghz']:.2f} GHz"],
        ["CPUs", f"{m['cpus']}, pinned to number {d['method']['cpus'][0]}"],
        ["kernel", m["kernel"]],
        ["tiers that run", m["tiers"]],
        ["OpenSSL", d["openssl"]],
        ["hwaead", f"{d['hwaead']}, {d['compiler']}, {d['build_type']}"],
        ["date", d["finished"]],
    ]
    return ("# Benchmarks\n\n<!-- Written by bench/report.py from bench/hwaead-bench's output; edits here are lost. -->\n\n"
            "All figures come from one run on one machine. Compare figures within the run; on another machine run\n"
            "it again: `sh bench/peers/build.sh` for the peers from the Rust registry,\n"
            "`build/release/bench/hwaead-bench --algs all --json bench.json`, then `python3 bench/report.py bench.json`.\n\n" + table(["", ""], rows, 2))


def competitors(b):
    rows = []
    for p in b.data["peers"]:
        rows.append([p["name"], p["layer"], p.get("version") or "absent: " + p["absent"]])
    return ("## Who is measured\n\n" + table(["name", "layer", "version, or why it is absent"], rows, 3) +
            "\n`core-*` is hwaead's C API with a nonce given, a tier each. `evp-*` goes through EVP: `evp-hwaead` as it is\n"
            "installed, `evp-hwaead-*` held to a tier, `evp-default` OpenSSL's own, and `evp-null` a provider whose cipher\n"
            "does nothing, which is what libcrypto itself costs. The others are called by their own API; those of the Rust\n"
            "registry are built for no CPU in particular and choose their code at run time.\n")


def method(b):
    m = b.data["method"]
    slowed = f"{m['slowed']} repetitions had to be kept although slowed; a tilde marks figures in which they are most." \
        if m["slowed"] else "None had to be kept although slowed."
    return f"""## Method and caveats

* {m['aad']} bytes of associated data, 12-byte nonces, 16-byte tags, out of place, contexts and fetched ciphers reused. Text, AAD
  and output stay in the caches nearest to the CPU as far as they fit.
* EVP: init(iv), AAD, update, final, get tag to seal; init(iv), set tag, AAD, update, final to open. For the default
  provider's GCM-SIV each init passes cipher and key too, since otherwise it would keep the AAD of the message before.
* *Throughput*: calls back to back with nonces from a ring, so that short messages overlap in the CPU. *Latency*: each
  nonce is the tag before it (sealing), or its address depends on the last byte opened before it (opening).
* *Key set-up*: a new key into the same context. *New key and seal*: that and one message, which is what `openssl speed`
  measures since 3.0.16.
* What a library does at key set-up and what it leaves to each message differs; *new key and seal* is the fair comparison.
* Medians of {m['rounds']} repetitions of at least {m['rep_ms']:g} ms of the thread's processor time. In each round all peers take turns.
* Before and after each repetition a reference loop runs; when it takes over {100 * m['tolerance']:g} % longer than usual the machine is slowed (a lower
  clock, a busy neighbour on the same core) and the repetition is done again: {m['redone']} times in this run. {slowed}
* The loop and the call cost {m['harness_ns']:.1f} ns, which every figure contains.
* Before timing, every peer sealed the same messages to the same bytes, opened them, and refused a changed tag and text.
"""


def limits(b):
    rows, tiers = [], b.data["limits"]
    for name, t in tiers.items():
        rows.append([name] + [f"{t[k]:.2f}" for k in ("aes_latency", "clmul_latency", "aes", "clmul", "logic", "shuffle")])
    text = "## What the CPU allows\n\nMeasured on this machine, in cycles: latencies, and from one independent instruction to the next.\n\n"
    text += table(["tier (vector)", "AES round latency", "multiply latency", "AES round", "multiply", "logic", "shuffle"], rows)
    text += ("\nThe instructions of GCM alone, in their proportion and without waiting for each other, in cycles per 64 bytes: AES rounds and\n"
             "multiplies with 4 (schoolbook) or 3 (Karatsuba) multiplies a vector and one reduction (2 multiplies) in 256 bytes; *all*:\n"
             "schoolbook with counters, whitening, byte reversals and sums as well.\n\n")
    rows = []
    ghz = b.data["machine"]["clock_ghz"]
    for name, t in tiers.items():
        for alg in ROUNDS:
            s = t["school"][alg]
            rows.append([name, alg, f"{s:.2f}", f"{t['karatsuba'][alg]:.2f}", f"{t['all'][alg]:.2f}", f"{64 * ghz / s:.1f}"])
    text += table(["tier", "cipher", "schoolbook", "Karatsuba", "all", "schoolbook, GB/s"], rows, 2)
    text += ("\nGCM-SIV seals in two passes, so the AES of CTR (rounds times the throughput above) and the multiplies of POLYVAL add up;\n"
             "it opens in one, as GCM does.\n\n")
    rows = []
    for name, t in tiers.items():
        for alg in ROUNDS:
            school, karatsuba = t["siv_school"][alg + "-SIV"], t["siv_karatsuba"][alg + "-SIV"]
            rows.append([name, alg + "-SIV"] + [f"{x:.2f}" for op in ("seal", "open") for x in
                                               (school[op], karatsuba[op], 64 * ghz / school[op])])
    text += table(["tier", "cipher", "seal: schoolbook", "Karatsuba", "GB/s", "open: schoolbook", "Karatsuba", "GB/s"], rows, 2)
    text += ("\n**limit** below is the schoolbook figure of the best tier for the text and one more block (that of J0 and the lengths); for\n"
             "latency also the longest path: AES rounds, three multiplies in a row and six single steps. It counts no load, no\n"
             "store and no call, and Karatsuba or rarer reductions can pass it in bulk. GCM-SIV's has besides the AES blocks that\n"
             "derive the message's keys and one AES instruction for each step of the key schedule; its path goes through AES twice.\n\n"
             "The same by arithmetic, for orientation (AES-256-GCM, 64-byte vectors, 4.5 multiplies each with the reduction's share):\n\n")
    rows = [
        ["Zen 4", "AES 1 a cycle; a multiply takes as much of the AES ports as an AES round", "14 + 4.5 = 18.5"],
        ["Zen 5", "AES 2 a cycle; a multiply takes one of the two AES ports for 2 cycles", "(14 + 2 x 4.5) / 2 = 11.5"],
        ["Intel since Ice Lake", "AES 1 a cycle, multiply 1 a cycle, on different ports", "14"],
    ]
    return text + table(["CPU", "ports", "cycles per 64 bytes"], rows, 3) + \
        "\nThe Zen 5 and Intel rows are not measurements of this run.\n"


def evp_summary(b):
    null = b.names("evp", hollow=True)
    out = ["## Through EVP: hwaead against the default provider\n"]
    for alg in b.algs:
        if not any(k[0] == alg and k[4] == b.base for k in b.cells):
            out.append(evp_without_base(b, alg))
            continue
        rows = []
        ops = [op for op in ("seal", "open", "rekey") if b.ns(alg, op, "throughput", max(b.sizes(alg, op, "throughput"),
                                                                                         default=0), "evp-hwaead")]
        for size in b.sizes(alg, "seal", "throughput"):
            row = [str(size)]
            for op in ops:
                cell = (alg, op, "throughput", size)
                ours, base = b.ns(*cell, "evp-hwaead"), b.ns(*cell, b.base)
                floor, limit = (b.ns(*cell, null[0]) if null else None), b.limit(*cell)
                row += [number(base), number(ours), f"**{ratio(base, ours)}**"]
                if op != "rekey":
                    row.append(ratio(base, floor + limit) if floor and limit else "")
            rows.append(row)
        if not ops:
            continue
        head = ["bytes"]
        for op in ops:
            head += [f"{OPS[op]}: default, ns", "hwaead, ns", "times"] + ([] if op == "rekey" else ["at most"])
        out.append(f"{alg}:\n\n" + table(head, rows, 0))
    out.append("*times*: as fast as the default provider. *at most*: what a schoolbook kernel at the limit would reach, the null provider's\n"
               "time added to the limit.\n")
    return "\n".join(out) if len(out) > 2 else ""


def evp_without_base(b, alg):
    """A cipher that this libcrypto's default provider lacks: its only rivals have no EVP to carry."""
    null, rows = b.names("evp", hollow=True), []
    for size in b.sizes(alg, "seal", "throughput"):
        row = [str(size)]
        for op in ("seal", "open"):
            cell = (alg, op, "throughput", size)
            ours, (other, name) = b.ns(*cell, "evp-hwaead"), b.best(b.names("library"), *cell)
            row += [number(ours), number(b.ns(*cell, null[0])) if null else "", number(other), name, f"**{ratio(other, ours)}**"]
        rows.append(row)
    if not any(r[1] or r[6] for r in rows):
        return ""
    head = ["bytes"]
    for op in ("seal", "open"):
        head += [f"{op}: hwaead by EVP, ns", "EVP alone, ns", "best library called directly, ns", "which", "times"]
    return f"{alg}, which this libcrypto's default provider does not have:\n\n" + table(head, rows, 0)


def core_summary(b):
    out = ["## The core against the limit and against other libraries\n"]
    for alg in b.algs:
        for op in ("seal", "open"):
            for mode in ("throughput", "latency"):
                rows = []
                for size in b.sizes(alg, op, mode):
                    cell = (alg, op, mode, size)
                    ours, tier = b.best(b.names("core"), *cell)
                    other, name = b.best(b.others(), *cell)
                    limit = b.limit(*cell)
                    rows.append([str(size), number(limit), number(ours), tier[5:],
                                 f"{100 * limit / ours:.0f} %" if limit and ours else "",
                                 f"{size / ours:.2f}" if ours else "", number(other), name,
                                 f"**{ratio(other, ours)}**" if other and ours else ""])
                if any(r[2] for r in rows):
                    out.append(f"{alg}, {OPS[op]}, {mode}:\n\n" + table(
                        ["bytes", "limit, ns", "hwaead, ns", "best tier", "of limit", "GB/s", "best other, ns", "which", "times"],
                        rows, 0))
    return "\n".join(out) if len(out) > 1 else ""


def siv_summary(b):
    """GCM-SIV against each other peer, and against hwaead's own GCM."""
    out = ["## GCM-SIV: how many times as fast as each\n"]
    for alg in b.algs:
        if not alg.endswith("-SIV"):
            continue
        for op in OPS:
            for mode in ("throughput", "latency"):
                sizes = b.sizes(alg, op, mode)
                core = {s: b.best(b.core(), alg, op, mode, s)[0] for s in sizes}
                rows = []
                for name in b.others():
                    found = [ratio(b.ns(alg, op, mode, s, name), core[s]) for s in sizes]
                    if any(found):
                        rows.append([name] + found)
                if rows:
                    best = [ratio(b.best(b.others(), alg, op, mode, s)[0], core[s]) for s in sizes]
                    rows.append(["**best other**"] + [f"**{x}**" for x in best])
                    evp = [ratio(b.best(b.others(), alg, op, mode, s)[0], b.ns(alg, op, mode, s, "evp-hwaead")) for s in sizes]
                    rows.append(["best other, hwaead by EVP"] + evp)
                gcm = [ratio(b.best(b.core(), alg[:-4], op, mode, s)[0], core[s]) for s in sizes]
                if any(gcm):
                    rows.append(["hwaead's own " + alg[:-4]] + gcm)
                if rows:
                    label = f"{alg}, {OPS[op]}" + ("" if op == "key" else f", {mode}")
                    out.append(f"{label}:\n\n" + table(["against"] + (["times"] if op == "key" else [str(s) for s in sizes]), rows))
    return "\n".join(out) + "\nOf the core's tier that hwaead takes by itself, except where EVP is named.\n" if len(out) > 1 else ""


def lost(b):
    """Every cell in which another is faster, a row for each operation."""
    rows = {}
    for alg, op, mode, size in dict.fromkeys(k[:4] for k in b.cells):
        cell = (alg, op, mode, size)
        evp_rivals = [b.base] if b.ns(*cell, b.base) else b.names("library")
        for what, mine, theirs in (("core", b.core(), b.others()), ("EVP", ["evp-hwaead"], evp_rivals)):
            ours, _ = b.best(mine, *cell)
            other, name = b.best(theirs, *cell)
            if ours and other and other < ours:
                where = f"{size}: " if op != "key" else ""
                rows.setdefault((alg, op, mode, what, name), []).append((size, f"{where}{ours / other:.2f}"))
    text = ("## Where hwaead is not first\n\nThe core, by the tier that it takes by itself, against every other peer; through EVP "
            "against the default\nprovider or, where that lacks the cipher, against libraries called directly.\n\n")
    if not rows:
        return text + "Nowhere in this run.\n"
    return text + table(["cipher", "operation", "mode", "by", "first is", "bytes: how many times slower hwaead is"],
                        [[alg, OPS[op], "" if op == "key" else mode, what, name, ", ".join(text for _, text in sorted(found))]
                         for (alg, op, mode, what, name), found in rows.items()], 6)


def full(b):
    out = ["## All figures\n\nns for one operation; **bold**: the best that does the work. *spread*: the widest distance between quartiles in the row.\n"]
    for alg in b.algs:
        for op in OPS:
            for mode in ("throughput", "latency"):
                sizes = b.sizes(alg, op, mode)
                if not sizes:
                    continue
                out.append(full_table(b, alg, op, mode, sizes))
    return "\n".join(out)


def full_table(b, alg, op, mode, sizes):
    solid = [p["name"] for p in b.peers if not p.get("hollow")]
    best = {s: b.best(solid, alg, op, mode, s)[1] for s in sizes}
    rows = []
    for p in b.peers:
        found = [b.row(alg, op, mode, s, p["name"]) for s in sizes]
        if not any(found):
            continue
        cells = [("**%s**" if best[s] == p["name"] else "%s") % figure(r, b.data["method"]["rounds"]) for s, r in zip(sizes, found)]
        spread = max((r["q3"] - r["q1"]) / r["ns"] for r in found if r)
        rows.append([p["name"]] + cells + [f"{100 * spread:.1f} %"])
    if op in ("seal", "open") and b.limit(alg, op, mode, sizes[0]):
        rows.append(["*limit*"] + [number(b.limit(alg, op, mode, s)) for s in sizes] + [""])
    label = f"### {alg}, {OPS[op]}" + ("" if op == "key" else f", {mode}")
    return label + "\n\n" + table(["peer"] + (["ns"] if op == "key" else [str(s) for s in sizes]) + ["spread"], rows)


def main():
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if len(sys.argv) == 2 else 2
    try:
        f = open(sys.argv[1], encoding="utf-8")
    except OSError as e:
        print(f"report.py: {e}", file=sys.stderr)
        return 2
    with f:
        b = Bench(json.load(f))
    parts = [head(b), evp_summary(b), core_summary(b), siv_summary(b), lost(b), limits(b), method(b), competitors(b), full(b)]
    print("\n".join(p for p in parts if p), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
