#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/benchmarks.md from what `hwaead-bench --json FILE` measured.

usage: python3 bench/report.py [--plots LINK] FILE... > docs/benchmarks.md
       python3 bench/report.py --summary FILE...

The first file is the run with one thread. Others are added to it: with two threads (--threads 2), a sweep (--sweep), and
what hwaead-bench-random wrote. --plots tells where, seen from the page, plots.py puts its plots. --summary: ratios and
lost cells as plain text. The format of the files: bench/README.md.
"""
import argparse
import json
import sys

FORMAT = 3
ROUNDS = {"AES-128-GCM": 10, "AES-192-GCM": 12, "AES-256-GCM": 14}
OPS = {"seal": "seal", "open": "open", "rekey": "new key and seal", "key": "key set-up"}
MODES = ("throughput", "latency", "mix")


def label(alg, op, mode):
    return f"{alg}, {OPS[op]}" + ("" if op == "key" else f", {mode}")


def heading(size, mode):
    """Over the column of a size; a mix of lengths has none."""
    return mode if mode == "mix" else str(size)


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
    """One file of hwaead-bench."""

    def __init__(self, data):
        self.data = data
        self.base = data["method"]["base"]
        self.threads = data["method"]["threads"]
        self.cells = {}
        for r in data["results"]:
            self.cells[r["alg"], r["op"], r["mode"], r["size"], r["peer"]] = r
        self.groups = list(dict.fromkeys(k[:3] for k in self.cells))
        self.algs = list(dict.fromkeys(g[0] for g in self.groups))
        self.peers = [p for p in data["peers"] if any(r["peer"] == p["name"] for r in data["results"])]

    def row(self, *cell):
        return self.cells.get(cell)

    def ns(self, *cell):
        r = self.row(*cell)
        return r["ns"] if r else None

    def sizes(self, alg, op, mode):
        return sorted({k[3] for k in self.cells if k[:3] == (alg, op, mode)})

    def names(self, layer, hollow=False):
        """Of the peers that take a place: not those of another algorithm."""
        return [p["name"] for p in self.peers
                if p["layer"] == layer and p.get("hollow", False) == hollow and not p.get("context")]

    def best(self, names, *cell):
        """The fastest of some peers in a cell: (ns, name)."""
        found = [(self.ns(*cell, n), n) for n in names if self.ns(*cell, n)]
        return min(found) if found else (None, "")

    def suites(self):
        """What is behind the names of peers on another libcrypto: "" for this system's, "@sid" and so on."""
        return [n.removeprefix("evp-hwaead") for n in self.names("evp") if n == "evp-hwaead" or n.startswith("evp-hwaead@")]

    def others(self):
        """Whoever is not hwaead: libraries by their own API, and the default providers."""
        return self.names("library") + [n for n in self.names("evp") if n.split("@")[0] == self.base]

    def core(self):
        """The tier that hwaead takes by itself, which is the first that runs; any when that was left out."""
        auto = "core-" + self.data["machine"]["tiers"].split(",")[0]
        return [auto] if auto in self.names("core") else self.names("core")

    def limit(self, alg, op, mode, size):
        """The least of the tiers' limits; the core's rows carry that of their own tier."""
        found = [r["limit_ns"] for k, r in self.cells.items() if k[:4] == (alg, op, mode, size) and r["limit_ns"]]
        return min(found) if found else None


def load(paths):
    """The files by what they are: {"main", "threads", "sweep", "random"}."""
    runs = {}
    for path in paths:
        with open(path, encoding="utf-8") as f:
            data = json.load(f)
        if "generator" in data["results"][0]:
            runs["random"] = data
            continue
        if data.get("format") != FORMAT:
            raise SystemExit(f"report.py: {path} is not a file that this version of hwaead-bench writes")
        b = Bench(data)
        runs["sweep" if data["method"]["seam"] else "threads" if b.threads > 1 else "main"] = b
    if "main" not in runs:
        raise SystemExit("report.py: no file of a run with one thread")
    return runs


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
            "it again: `sh bench/compare.sh`, which ends with a page like this one in build/bench. How the instrument works and\n"
            "what its files hold: bench/README.md.\n\n" + table(["", ""], rows, 2))


def competitors(b):
    rows = []
    for p in b.data["peers"]:
        rows.append([p["name"], p["layer"], p.get("version") or "absent: " + p["absent"]])
    return ("## Who is measured\n\n" + table(["name", "layer", "version, or why it is absent"], rows, 3) +
            "\n`core-*` is hwaead's C API with a nonce given, a tier each. `evp-*` goes through EVP: `evp-hwaead` as it is\n"
            "installed, `evp-hwaead-*` held to a tier, `evp-default` OpenSSL's own, and `evp-null` a provider whose cipher\n"
            "does nothing, which is what libcrypto itself costs. The others are called by their own API; those of the Rust\n"
            "registry are built for no CPU in particular and choose their code at run time. `@SUITE`: on the libraries of that\n"
            "Debian suite and its C library, in a process of its own that takes its turns while the bench waits, on the same CPU.\n"
            "`aegis` is another algorithm, there for orientation: it is in the tables of all figures and counts nowhere else.\n")


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
* *Mix*: independent calls of lengths that change at random from call to call, always in the same order: one of the octaves
  1, 2 to 3, ... 2048 to 4095, and a length in it; {m['mix_mean']:.0f} bytes in the mean. Messages to open lie one behind the other.
* What a library does at key set-up and what it leaves to each message differs; *new key and seal* is the fair comparison.
* Medians of {m['rounds']} repetitions of at least {m['rep_ms']:g} ms of the thread's processor time. In each round all
  sizes take turns, and for each size all peers.
* Before and after each repetition a reference loop runs; when it takes over {100 * m['tolerance']:g} % longer than usual the machine is slowed (a lower
  clock, a busy neighbour on the same core) and the repetition is done again: {m['redone']} times in this run. {slowed}
* The loop and the call cost {m['harness_ns']:.1f} ns, which every figure contains.
* Before timing, every peer sealed the same messages to the same bytes, opened them, and refused a changed tag and text.
"""


def limits(b):
    rows, tiers = [], b.data["limits"]
    if not tiers:
        return "## What the CPU allows\n\nNot known: there are no loops that measure it on this architecture. A limit below is -.\n"
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
    """For each libcrypto and cipher: against its default provider, or against libraries where that lacks the cipher."""
    out = ["## Through EVP: hwaead against the default provider\n"]
    for suite in b.suites():
        base = b.base + suite
        version = next(p["version"] for p in b.peers if p["name"] == "evp-hwaead" + suite).split(",")[0].removeprefix("EVP of ")
        for alg in b.algs:
            if any(k[0] == alg and k[4] == base for k in b.cells):
                out.append(evp_with_base(b, alg, suite, version))
            elif not suite:
                out.append(evp_without_base(b, alg, version))
    out.append("*times*: as fast as the default provider. *at most*: what a schoolbook kernel at the limit would reach, the null provider's\n"
               "time added to the limit.\n")
    return "\n".join(x for x in out if x) if len(out) > 2 else ""


def evp_with_base(b, alg, suite, version):
    rows, ops = [], [op for op in ("seal", "open", "rekey") if b.sizes(alg, op, "throughput")]
    for size in b.sizes(alg, ops[0], "throughput") if ops else []:
        row = [str(size)]
        for op in ops:
            cell = (alg, op, "throughput", size)
            ours, base, floor = (b.ns(*cell, name + suite) for name in ("evp-hwaead", b.base, "evp-null"))
            limit = b.limit(*cell)
            row += [number(base), number(ours), f"**{ratio(base, ours)}**" if ratio(base, ours) else ""]
            if op != "rekey":
                row.append(ratio(base, floor + limit) if base and floor and limit else "")
        rows.append(row)
    if not rows:
        return ""
    columns = ["bytes"]
    for op in ops:
        columns += [f"{OPS[op]}: default, ns", "hwaead, ns", "times"] + ([] if op == "rekey" else ["at most"])
    return f"{alg}, {version}:\n\n" + table(columns, rows, 0)


def evp_without_base(b, alg, version):
    """A cipher that this libcrypto's default provider lacks: its only rivals have no EVP to carry."""
    null, rows = b.names("evp", hollow=True), []
    for size in b.sizes(alg, "seal", "throughput"):
        row = [str(size)]
        for op in ("seal", "open"):
            cell = (alg, op, "throughput", size)
            ours, (other, name) = b.ns(*cell, "evp-hwaead"), b.best(b.names("library"), *cell)
            times = f"**{ratio(other, ours)}**" if other and ours else ""
            row += [number(ours), number(b.ns(*cell, null[0])) if null else "", number(other), name, times]
        rows.append(row)
    if not any(r[1] or r[6] for r in rows):
        return ""
    columns = ["bytes"]
    for op in ("seal", "open"):
        columns += [f"{op}: hwaead by EVP, ns", "EVP alone, ns", "best library called directly, ns", "which", "times"]
    return f"{alg}, which the default provider of {version} does not have:\n\n" + table(columns, rows, 0)


def core_summary(b):
    out = ["## The core against the limit and against other libraries\n"]
    for alg in b.algs:
        for op in ("seal", "open"):
            for mode in MODES:
                rows = []
                for size in b.sizes(alg, op, mode):
                    cell = (alg, op, mode, size)
                    ours, tier = b.best(b.names("core"), *cell)
                    other, name = b.best(b.others(), *cell)
                    limit = b.limit(*cell)
                    length = b.data["method"]["mix_mean"] if mode == "mix" else size
                    rows.append([heading(size, mode), number(limit), number(ours), tier[5:],
                                 f"{100 * limit / ours:.0f} %" if limit and ours else "",
                                 f"{length / ours:.2f}" if ours else "", number(other), name,
                                 f"**{ratio(other, ours)}**" if other and ours else ""])
                if any(r[2] for r in rows):
                    out.append(label(alg, op, mode) + ":\n\n" + table(
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
            for mode in MODES:
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
                    columns = ["times"] if op == "key" else [heading(s, mode) for s in sizes]
                    out.append(label(alg, op, mode) + ":\n\n" + table(["against"] + columns, rows))
    return "\n".join(out) + "\nOf the core's tier that hwaead takes by itself, except where EVP is named.\n" if len(out) > 1 else ""


def lost_cells(b):
    """Every cell in which another is faster: (alg, op, mode, by, first): [(size, how many times slower hwaead is)]."""
    found = {}
    for cell in dict.fromkeys(k[:4] for k in b.cells):
        alg, op, mode, size = cell
        contests = [("core", b.core(), b.others())]
        for suite in b.suites():
            base = b.base + suite
            rivals = [base] if b.ns(*cell, base) else b.names("library") if not suite else []
            contests.append(("EVP" + suite, ["evp-hwaead" + suite], rivals))
        for by, mine, theirs in contests:
            ours, (other, name) = b.best(mine, *cell)[0], b.best(theirs, *cell)
            if ours and other and other < ours:
                found.setdefault((alg, op, mode, by, name), []).append((size, ours / other))
    return found


def lost_text(op, mode, cells):
    return ", ".join(f"{times:.2f}" if op == "key" else f"{heading(size, mode)}: {times:.2f}" for size, times in sorted(cells))


def lost(b):
    found = lost_cells(b)
    text = ("## Where hwaead is not first\n\nThe core, by the tier that it takes by itself, against every other peer; through EVP "
            "against the default\nprovider of the same libcrypto or, where that lacks the cipher, against libraries called directly.\n\n")
    if not found:
        return text + "Nowhere in this run.\n"
    return text + table(["cipher", "operation", "mode", "by", "first is", "bytes: how many times slower hwaead is"],
                        [[alg, OPS[op], "" if op == "key" else mode, by, name, lost_text(op, mode, cells)]
                         for (alg, op, mode, by, name), cells in found.items()], 6)


def plots(b, link):
    """plots.py draws one for each operation."""
    out = ["## Plots\n"]
    for alg, op, mode in b.groups:
        if mode != "mix":
            name = plot_name(alg, op, mode)
            out.append(f"![{label(alg, op, mode)}]({link}/{name})\n")
    return "\n".join(out)


def plot_name(alg, op, mode):
    return f"{alg}-{op}{'' if op == 'key' or mode == 'throughput' else '-' + mode}.svg".lower()


def threads_summary(one, two):
    """How much of twice the speed two threads reach."""
    out = [f"## Two threads\n\nBoth at once, each with its own key, context and messages, on CPUs {two.data['method']['cpus']}. ns of one operation of\n"
           "one thread, and in brackets how many times as much both do together as one alone did.\n"]
    for alg, op, mode in two.groups:
        sizes = two.sizes(alg, op, mode)
        rows = []
        for p in two.peers:
            cells = []
            for size in sizes:
                both, alone = two.ns(alg, op, mode, size, p["name"]), one.ns(alg, op, mode, size, p["name"])
                cells.append(number(both) + (f" ({2 * alone / both:.2f})" if both and alone else ""))
            if any(cells):
                rows.append([p["name"]] + cells)
        out.append(label(alg, op, mode) + ":\n\n" + table(["peer"] + (["ns"] if op == "key" else [heading(s, mode) for s in sizes]), rows))
    return "\n".join(out)


def sweep_summary(b, link):
    """The worst seam of each kind, and how many there are."""
    m, last = b.data["method"], max(k[3] for k in b.cells)
    sizes = f"Every size to {min(last, 2048)} bytes" + (f" and every 16th to {last}" if last > 2048 else "")
    share = f"{100 * m['seam']:g} %"
    out = [f"""## Seams

{sizes}, {m['rounds']} repetitions of {m['rep_ms']:g} ms each; lower quartiles. *Step*: three sizes
that each take over {share} more than each of the three before. *Inversion*: sizes that, with their neighbours, take over
{share} more than some longer message.
"""]
    if link:
        out += [f"![{label(*g)}, every size]({link}/sweep-{plot_name(*g)})\n" for g in b.groups]
    found = {}
    for s in b.data["seams"]:
        found.setdefault((s["alg"], s["op"], s["peer"], s["kind"]), []).append(s)
    rows = []
    for (alg, op, peer, kind), seams in found.items():
        s = max(seams, key=lambda s: s["ns"] / s["other_ns"])
        where = ", ".join(str(s["at"]) for s in seams) if kind == "step" else f"{seams[0]['from']} to {seams[-1]['to']}"
        rows.append([alg, OPS[op], peer, f"{len(seams)} {kind}{'s' if len(seams) > 1 else ''}", where,
                     f"{s['ns']:.1f} at {s['at']}, {s['other_ns']:.1f} at {s['other']}", f"{100 * (s['ns'] / s['other_ns'] - 1):.0f} %"])
    out.append(table(["cipher", "operation", "peer", "seams", "bytes", "the worst, ns", "more"], rows, 6) if rows else "None.\n")
    return "\n".join(out)


def random_summary(data):
    rows = [[str(r["size"]), r["generator"], number(r["median"]), f"{100 * (r['q3'] - r['q1']) / r['median']:.1f} %"] for r in data["results"]]
    return ("## Random bytes\n\nRAND_bytes, by hwaead-bench-random: generators in turn, medians of "
            f"{data['rounds']} repetitions of {data['rep_ms']} ms.\n\n" + table(["bytes", "generator", "ns", "spread"], rows, 2))


def full(b):
    out = ["## All figures\n\nns for one operation; **bold**: the best that does the work. *spread*: the widest distance between quartiles in the row.\n"]
    for alg in b.algs:
        for op in OPS:
            for mode in MODES:
                sizes = b.sizes(alg, op, mode)
                if not sizes:
                    continue
                out.append(full_table(b, alg, op, mode, sizes))
    return "\n".join(out)


def full_table(b, alg, op, mode, sizes):
    solid = [p["name"] for p in b.peers if not p.get("hollow") and not p.get("context")]
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
    columns = ["ns"] if op == "key" else [heading(s, mode) for s in sizes]
    return f"### {label(alg, op, mode)}\n\n" + table(["peer"] + columns + ["spread"], rows)


# ---- As plain text ----------------------------------------------------------------------------------------------------

def columns_of_text(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join("  " + row[0].ljust(widths[0]) + "".join("  " + c.rjust(w) for c, w in zip(row[1:], widths[1:])) for row in rows)


def summary(b):
    """What compare.sh ends with: how many times as fast as the fastest other, and the lost cells."""
    out = []
    for alg in b.algs:
        groups = [g for g in b.groups if g[0] == alg]
        sizes = sorted({k[3] for k in b.cells if k[0] == alg and k[1] != "key" and k[2] != "mix"})
        rows = [["bytes"] + [str(s) for s in sizes] + ["mix"]]
        for _, op, mode in groups:
            if op == "key" or mode == "mix":
                continue
            core, by_evp = [OPS[op] + ", " + mode + ": core"], [[OPS[op] + ", " + mode + ": EVP" + s] for s in b.suites()]
            for size, cell_mode in [(s, mode) for s in sizes] + [(0, "mix" if mode == "throughput" else "")]:
                cell = (alg, op, cell_mode, size)
                core.append(ratio(b.best(b.others(), *cell)[0], b.best(b.core(), *cell)[0]))
                for row, suite in zip(by_evp, b.suites()):
                    row.append(ratio(b.ns(*cell, b.base + suite), b.ns(*cell, "evp-hwaead" + suite)))
            rows += [row for row in [core] + by_evp if any(row[1:])]
        key = ratio(b.best(b.others(), alg, "key", "throughput", 0)[0], b.best(b.core(), alg, "key", "throughput", 0)[0])
        out.append(f"{alg}: how many times as fast as the fastest other (core), as the default provider (EVP)\n" + columns_of_text(rows)
                   + (f"\n  key set-up: core  {key}" if key else ""))
    found = lost_cells(b)
    out.append("Where hwaead is not first, and how many times slower it is:" if found else "hwaead is first in every cell of this run.")
    for (alg, op, mode, by, name), cells in found.items():
        out[-1] += f"\n  {label(alg, op, mode)}, {by}: behind {name} at {lost_text(op, mode, cells)}"
    return "\n\n".join(out)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--plots")
    parser.add_argument("--summary", action="store_true")
    args = parser.parse_args()
    try:
        runs = load(args.files)
    except OSError as e:
        raise SystemExit(f"report.py: {e}") from None
    b = runs["main"]
    if args.summary:
        print(summary(b))
        return
    parts = [head(b), plots(b, args.plots) if args.plots else "", evp_summary(b), core_summary(b), siv_summary(b), lost(b),
             threads_summary(b, runs["threads"]) if "threads" in runs else "",
             sweep_summary(runs["sweep"], args.plots) if "sweep" in runs else "",
             random_summary(runs["random"]) if "random" in runs else "",
             limits(b), method(b), competitors(b), full(b)]
    print("\n".join(p for p in parts if p), end="")


if __name__ == "__main__":
    main()
