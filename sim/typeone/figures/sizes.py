"""Against a size that can be chosen: the curve behind a plan, and what a vote count means at each number of sources."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes

from typeone.figures import style
from typeone.figures.rows import Row, bars, column, groups

Sizes: TypeAlias = Sequence[tuple[str, int]]


def plan_curve(
    curve: pa.Table | Sequence[Row],
    ax: Axes | None = None,
    *,
    name: str = "size",
    measure: str = "estimate",
    target: float | None = None,
    answers: Sizes = (),
) -> Axes:
    """Estimates of a plan's ``curve`` with the bounds that decided, against the size called ``name``.

    One line for each size of a second factor, at the effect as it is.  ``target`` is the line to be reached;
    ``answers`` are named sizes, drawn upright.  Exact values have no bars; sizes that were only inferred are left out.
    """
    rows = curve.to_pylist() if isinstance(curve, pa.Table) else list(curve)
    rows = [row for row in rows if row["multiple"] == "1" and row["estimate"] is not None]
    if not rows:
        raise ValueError("curve: no size has an estimate")
    ax = style.axes(ax)
    lines = groups(rows, "outer")
    for ((outer,), group), look in zip(lines.items(), style.looks(map(str, range(len(lines)))).values(), strict=True):
        group = sorted(group, key=lambda row: row["size"])
        x, y = column(group, "size"), column(group, "estimate")
        label = None if outer is None else f"second factor {outer}"
        ax.errorbar(x, y, bars(group), color=look.color, linestyle=look.dash, linewidth=1.0, elinewidth=0.8)
        style.marks(ax, x, y, look, label=label)
    if target is not None:
        ax.axhline(target, color=style.INK, linewidth=1, label=f"target {target:.4g}")
    for (text, size), dash in zip(answers, style.DASHES * (1 + len(answers)), strict=False):
        ax.axvline(size, color=style.COLORS[2], linewidth=1, linestyle=dash, label=f"{text} {size}")
    ax.set(xlabel=name, ylabel=measure)
    style.own_legend(ax)
    return ax


def count_rule(points: pa.Table | Sequence[Row], ax: Axes | None = None, *, tau: int) -> Axes:
    """What "count >= ``tau``" means at n sources: the posterior of an item with just enough votes, fpr and tpr.

    ``points`` have the columns of ``typeone.pooling.OperatingPoint``; the bar is the range over which sources vote 1.
    """
    rows = points.to_pylist() if isinstance(points, pa.Table) else list(points)
    if not rows:
        raise ValueError("points: at least one number of sources is needed")
    ax = style.axes(ax)
    n, posterior = column(rows, "n"), column(rows, "posterior")
    ends = (posterior - column(rows, "lowest"), column(rows, "highest") - posterior)
    lengths = np.nan_to_num(np.maximum(np.array(ends), 0.0))
    names = ("posterior", "tpr", "fpr")
    for name, look in style.looks(names).items():
        y = column(rows, name)
        if np.isnan(y).all():
            continue
        extra: dict[str, Any] = {"yerr": lengths} if name == "posterior" else {}
        ax.errorbar(n, y, color=look.color, linestyle=look.dash, linewidth=1.0, elinewidth=0.8, **extra)
        told = "posterior of an item with just enough votes" if name == "posterior" else f"{name.upper()} of the rule"
        style.marks(ax, n, y, look, label=told)
    ax.set(xlabel="sources n", ylabel=f"count ≥ {tau}", ylim=(-0.03, 1.03))
    style.own_legend(ax)
    return ax
