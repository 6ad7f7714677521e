"""Two figures of the measured numbers: ratios with their targets, and growth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from typeone.figures.style import ALARM, COLORS, FAINT, INK, axes, dressed, figure_of, panels, title

Data = dict[str, Any]


def save(figure: Figure, path: Path) -> None:
    """The same bytes for the same numbers."""
    with matplotlib.rc_context({"svg.hashsalt": "typeone", "svg.fonttype": "none"}):
        figure.savefig(path, format="svg", metadata={"Date": None})


def ratios(rows: list[Data]) -> Figure:
    """Every target of a row: the measured ratio with its quartiles, the limit as a bar, the further aim as a dot."""
    wanted = [(row["name"], target) for row in rows for target in row["targets"] if target["ratio"]]
    ax = axes(None, width=7.0, height=0.9 + 0.26 * len(wanted))
    for y, (_, target) in enumerate(wanted):
        ratio, missed = target["ratio"], target["verdict"] in ("missed", "stretch missed", "output differs")
        color = ALARM if missed else COLORS[0]
        ax.plot([ratio["lower"], ratio["upper"]], [y, y], color=color, linewidth=2)
        ax.plot(ratio["median"], y, "o", color=color, markersize=5)
        if target["limit"] is not None:
            ax.plot(target["limit"], y, "|", color=INK, markersize=11, markeredgewidth=1.5)
        if target["stretch"] is not None:
            ax.plot(target["stretch"], y, "x", color=FAINT, markersize=6)
    ax.set_xscale("log")
    ax.set_yticks(range(len(wanted)), [_label(name, target) for name, target in wanted])
    ax.invert_yaxis()
    ax.set_xlabel("ratio of medians (dot, quartiles); limit (bar), stretch (cross); red: missed")
    return figure_of(ax)


def _label(name: str, target: Data) -> str:
    if target["rule"] == "at most":
        return f"{name}: ours / {target['other']} ≤"
    return f"{name}: {target['other']} / ours ≥"


def growth(rows: list[Data]) -> Figure:
    """Time per repetition against size, and numpy's sort of as much data."""
    figure, grid = panels(len(rows), most=3, width=2.6, height=2.4)
    for ax, row in zip(grid, rows, strict=True):
        ax.plot(row["sizes"], row["seconds"], "o-", color=COLORS[0], label="ours")
        ax.plot(row["sizes"], row["sort_seconds"], "s--", color=COLORS[1], label="numpy sort")
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.xaxis.set_minor_formatter(NullFormatter())
        ax.set_xticks([row["sizes"][0], row["sizes"][-1]], [f"{row['sizes'][i]:,}" for i in (0, -1)])
        title(dressed(ax), f"{row['name']}: {row['exponent']:.2f} (sort {row['sort_exponent']:.2f})")
    grid[0].legend(frameon=False, fontsize=8)
    grid[0].set_ylabel("seconds a repetition")
    return figure
