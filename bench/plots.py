#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what `hwaead-bench --json FILE` measured, an SVG for each cipher, operation and mode.

usage: plots.py FOLDER FILE...

Needs matplotlib (plot-requirements.txt). The colours are of middle brightness and the ground is transparent, so that the
plots can be read on a light page and on a dark one.
"""
import re
import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.ticker import FuncFormatter, NullLocator  # noqa: E402

from report import label, load, plot_name  # noqa: E402

INK = "#808080"
OURS = {"core": "#2f81f7", "evp": "#1fa97c"}
THEIRS = ["#d9822b", "#c7549b", "#b8860b", "#8f6fe0", "#d9534f", "#5b9aa0", "#9a7d55", "#7f8fa6", "#6f9f3f", "#a0667f"]
MOST_OTHERS = 9

plt.rcParams.update({
    "svg.fonttype": "none", "svg.hashsalt": "hwaead", "font.size": 9, "font.family": "sans-serif",
    "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": INK, "xtick.color": INK, "ytick.color": INK,
    "grid.color": INK, "grid.alpha": 0.25, "axes.grid": True, "legend.frameon": False, "legend.fontsize": 8,
    "axes.spines.top": False, "axes.spines.right": False,
})


def chosen(b, group):
    """(name, colour, width) of hwaead's core and of hwaead by EVP, then of the others, fastest at the longest size first; of a
    library in several versions the fastest only."""
    size = b.sizes(*group)[-1]
    lines = [(name, OURS[layer], 2.4) for layer, name in [("core", n) for n in b.core()[:1]] + [("evp", "evp-hwaead")]]
    fastest = {}
    for name in sorted((n for n in b.others() if b.ns(*group, size, n)), key=lambda n: b.ns(*group, size, n)):
        fastest.setdefault(name.split("@")[0] if b.base not in name else name, name)
    lines += [(name, colour, 1.2) for name, colour in zip(list(fastest.values())[:MOST_OTHERS], THEIRS + THEIRS)]
    return [line for line in lines if b.ns(*group, size, line[0])]


def curve(b, group, name):
    found = [(s, b.ns(*group, s, name)) for s in b.sizes(*group) if b.ns(*group, s, name)]
    return [s for s, _ in found], [ns for _, ns in found]


def size_axis(axes, sizes):
    axes.set_xscale("log", base=2)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticks([4 ** k for k in range(1, 13) if sizes[0] <= 4 ** k <= sizes[-1]])
    axes.xaxis.set_major_formatter(FuncFormatter(lambda s, _: f"{s / 1024:g} Ki" if s >= 1024 else f"{s:g}"))
    axes.set_xlabel("bytes")


def save(figure, path):
    """With coordinates to a tenth of a point, which halves the file."""
    figure.savefig(path, transparent=True, bbox_inches="tight", metadata={"Date": None, "Creator": None})
    plt.close(figure)
    path.write_text(re.sub(r"\d+\.\d{2,}", lambda x: f"{float(x[0]):.1f}".removesuffix(".0"), path.read_text()))


def draw_sizes(b, group, path):
    """On the left GB/s, on the right the time of each against that of hwaead's core."""
    figure, (speed, against) = plt.subplots(1, 2, figsize=(10, 4))
    base = dict(zip(*curve(b, group, b.core()[0])))
    for name, colour, width in chosen(b, group):
        sizes, ns = curve(b, group, name)
        speed.plot(sizes, [s / t for s, t in zip(sizes, ns)], color=colour, linewidth=width, label=name)
        against.plot(sizes, [t / base[s] for s, t in zip(sizes, ns)], color=colour, linewidth=width)
    limit = [(s, b.limit(*group, s)) for s in b.sizes(*group) if b.limit(*group, s)]
    if limit:
        speed.plot([s for s, _ in limit], [s / t for s, t in limit], color=INK, linestyle=":", label="limit")
    for axes in (speed, against):
        size_axis(axes, b.sizes(*group))
    speed.set_ylabel("GB/s")
    against.set_ylabel("time, hwaead's core = 1")
    against.set_yscale("log", base=2)
    against.set_ylim(0.5, 8)
    against.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
    figure.suptitle(label(*group))
    figure.legend(loc="center left", bbox_to_anchor=(0.92, 0.5))
    save(figure, path)


def draw_key(b, group, path):
    names = sorted((n for n in b.core()[:1] + ["evp-hwaead"] + b.others() if b.ns(*group, 0, n)), key=lambda n: -b.ns(*group, 0, n))
    figure, axes = plt.subplots(figsize=(7, 0.28 * len(names) + 0.8))
    colours = [OURS["core"] if n in b.core() else OURS["evp"] if n == "evp-hwaead" else INK for n in names]
    axes.barh(names, [b.ns(*group, 0, n) for n in names], color=colours, height=0.6)
    axes.set_xlabel("ns")
    axes.grid(axis="y", visible=False)
    axes.set_title(label(*group), fontsize=10)
    save(figure, path)


def draw_sweep(b, group, path):
    """Time over every size: seams show as steps and teeth."""
    figure, axes = plt.subplots(figsize=(10, 4))
    names = [p["name"] for p in b.peers if b.row(*group, b.sizes(*group)[-1], p["name"])]
    colours = iter(THEIRS)
    for name in names:
        ours = name in b.core()
        sizes, ns = curve(b, group, name)
        axes.plot(sizes, ns, color=OURS["core"] if ours else next(colours), linewidth=1.2 if ours else 0.7, label=name)
    axes.set_xlim(0, 2048)
    axes.set_ylim(0, 1.5 * max(t for s, t in zip(*curve(b, group, b.core()[0])) if s <= 2048))
    axes.set_xticks(range(0, 2049, 256))
    axes.set_xlabel("bytes")
    axes.set_ylabel("ns")
    axes.set_title(label(*group) + ", every size", fontsize=10)
    axes.legend(loc="upper left")
    save(figure, path)


def main():
    if len(sys.argv) < 3 or sys.argv[1].startswith("-"):
        raise SystemExit(__doc__.strip())
    folder, runs = Path(sys.argv[1]), load(sys.argv[2:])
    folder.mkdir(parents=True, exist_ok=True)
    for b, draw, prefix in [(runs["main"], draw_sizes, "")] + ([(runs["sweep"], draw_sweep, "sweep-")] if "sweep" in runs else []):
        for group in b.groups:
            if group[2] != "mix":
                (draw_key if group[1] == "key" else draw)(b, group, folder / (prefix + plot_name(*group)))


if __name__ == "__main__":
    main()
