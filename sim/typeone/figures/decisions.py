"""What ``typeone apply`` decided: one mark for each source, item or unit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from typeone.figures import style
from typeone.figures.style import Look
from typeone.levels import LevelLike, levels

_ROLES = {
    "accept": Look(style.COLORS[2], "^", "-"),
    "abstain": Look(style.FAINT, "o", "-"),
    "reject": Look(style.COLORS[1], "v", "-"),
}


def p_values(
    values: Any, ax: Axes | None = None, *, at: Sequence[LevelLike] = (), rows: Sequence[int | None] = ()
) -> Axes:
    """p-values (n,) from smallest to largest, with the levels ``at`` which they are judged.

    Under a true null everywhere they follow the diagonal; values below a level's line are rejected.
    """
    p = np.asarray(values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    ax = style.axes(ax)
    share = (np.arange(p.size) + 1) / p.size
    ax.plot([0, 1], [0, 1], color=style.FAINT, linewidth=1, zorder=1)
    linked = [rows[i] for i in order] if rows else ()
    style.marks(ax, share, p[order], Look(style.COLORS[0], "o", "-"), rows=linked)
    for level, dash in zip(levels("at", list(at)) if at else (), style.DASHES * 9, strict=False):
        count = int((p <= float(level)).sum())
        ax.axhline(
            float(level),
            color=style.COLORS[1],
            linewidth=1,
            linestyle=dash,
            label=f"level {level.text}: {count} rejected",
        )
    ax.set(xlabel="share of targets, by p-value", ylabel="p-value", xlim=(0, 1.02), ylim=(0, 1.02))
    if at:
        style.own_legend(ax)
    return ax


def selection(p_max: Any, selected: Any, ax: Axes | None = None) -> Axes:
    """The histogram of max-p values (n,), the selected items in front."""
    p, chosen = np.asarray(p_max, dtype=np.float64), np.asarray(selected, dtype=bool)
    ax = style.axes(ax)
    bins = np.linspace(0, 1, 41).tolist()
    ax.hist(p, bins=bins, color=style.GRID, edgecolor=style.FAINT, linewidth=0.5, label=f"all {p.size} items")
    ax.hist(p[chosen], bins=bins, color=style.COLORS[2], label=f"{int(chosen.sum())} selected as clean")
    ax.set(xlabel="max-p over models", ylabel="items", xlim=(0, 1))
    style.own_legend(ax)
    return ax


def unit_sizes(
    share: Any, minimum: Any, stable: Any, ax: Axes | None = None, *, rows: Sequence[int | None] = ()
) -> Axes:
    """Minimum and stable panel size of each unit against its share of positive votes; 0 ("none") is left out."""
    x = np.asarray(share, dtype=np.float64)
    ax = style.axes(ax)
    parts = (("stable", stable, Look(style.COLORS[0], "s", "-")), ("minimum", minimum, Look(style.COLORS[1], "o", "-")))
    for name, sizes, look in parts:
        y = np.asarray(sizes, dtype=np.float64)
        there = y > 0
        linked = [row for row, kept in zip(rows, there, strict=True) if kept] if len(rows) else ()
        style.marks(ax, x[there], y[there], look, rows=linked, label=f"{name} ({int((~there).sum())} units have none)")
    ax.set(xlabel="share of positive votes", ylabel="panel size K", xlim=(-0.02, 1.02))
    ax.set_ylim(bottom=0)
    style.own_legend(ax)
    return ax


def posteriors(
    values: Any, decisions: Sequence[str], ax: Axes | None = None, *, rows: Sequence[int | None] = ()
) -> Axes:
    """Posteriors (n,) from smallest to largest, by decision: accept, abstain or reject."""
    p, words = np.asarray(values, dtype=np.float64), np.asarray(decisions, dtype=object)
    place = np.empty(p.size)
    place[np.argsort(p, kind="stable")] = np.arange(1, p.size + 1)
    ax = style.axes(ax)
    for word, look in _ROLES.items():
        here = np.flatnonzero(words == word).tolist()
        linked = [rows[i] for i in here] if len(rows) else ()
        style.marks(ax, place[here], p[here], look, rows=linked, label=f"{word} ({len(here)})")
    ax.set(xlabel="items, by posterior", ylabel="posterior", ylim=(-0.02, 1.02))
    style.own_legend(ax)
    return ax
