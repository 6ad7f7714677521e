"""The joint lower tail of calibration ranks: what JECS assumes of contaminated items, on items known to be so."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from numpy.typing import NDArray

from typeone.figures import style

_MOST_NAMED = 12


def lower_tail(p_values: Any, names: Sequence[str], axes: Sequence[Axes] | None = None) -> tuple[Axes, Axes]:
    """Calibration items' p-values under each model, ``p_values`` (K, m), K >= 2, in two pictures.

    Left: the items in the plane of the two models with the most items low under both.  Right: the share of items
    with all p-values <= t, divided by t, for every pair and all models.  JECS wants these curves to rise; one that is
    highest on the left belongs to models under which the same documents score low.
    """
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 2 or p.shape[0] < 2 or p.shape[0] != len(names):
        raise ValueError(f"p_values: one row for each of at least two models, named; {p.shape} and {len(names)} names")
    p = p[:, ~np.isnan(p).any(axis=0)]
    if not p.shape[1]:
        raise ValueError("p_values: no item has one under every model")
    left, right = axes if axes is not None else style.panels(2, width=4.2, height=3.6)[1]
    pairs = list(combinations(range(p.shape[0]), 2))
    low = [int((p[list(pair)].max(axis=0) <= 0.1).sum()) for pair in pairs]
    _plane(left, p, pairs[int(np.argmax(low))], names)
    _curves(right, p, [*pairs, *([tuple(range(p.shape[0]))] if p.shape[0] > 2 else [])], names)
    return left, right


def _plane(ax: Axes, p: NDArray[np.float64], pair: tuple[int, int], names: Sequence[str]) -> None:
    i, j = pair
    low = np.maximum(p[i], p[j]) <= 0.1
    for of, color, label in ((~low, style.COLORS[5], None), (low, style.ALARM, f"both at most 0.1: {int(low.sum())}")):
        points: PathCollection = ax.scatter(p[i, of], p[j, of], s=8, color=color, alpha=0.6, linewidths=0, label=label)
        points.set_rasterized(p.shape[1] > 5000)
    ax.set(xlabel=f"p-value under {names[i]}", ylabel=f"p-value under {names[j]}", xlim=(0, 1.01), ylim=(0, 1.01))
    style.own_legend(ax)


def _curves(ax: Axes, p: NDArray[np.float64], groups: Sequence[tuple[int, ...]], names: Sequence[str]) -> None:
    t = np.arange(2, 81) / 100  # from where a share is not decided by one or two items, to the scan's first threshold
    looks = style.looks("+".join(names[k] for k in group) for group in groups)
    for group, (label, look) in zip(groups, looks.items(), strict=True):
        share = np.searchsorted(np.sort(p[list(group)].max(axis=0)), t, side="right") / p.shape[1]
        width = 2.2 if len(group) == p.shape[0] else 1.1
        ax.plot(t, share / t, color=look.color, linestyle=look.dash, linewidth=width, label=label)
    ax.set(xlabel="t", ylabel="share with all p ≤ t, divided by t", xlim=(0, 0.8), ylim=(0, None))
    if len(groups) <= _MOST_NAMED:
        ax.legend(loc="lower right", ncols=2, fontsize=7, frameon=False, labelcolor=style.INK)
