"""Panels: error curves over the panel size, sizes over the count of positive votes, and what adversaries do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from typeone.figures import style
from typeone.figures.maps import heat_map
from typeone.levels import Level, LevelLike, level, levels
from typeone.panels import PanelSizes

_FLOOR = 1e-12


def error_curves(
    errors: Any,
    ax: Axes | None = None,
    *,
    delta: LevelLike | None = None,
    labels: Sequence[str] = (),
    sizes: PanelSizes | None = None,
) -> Axes:
    """Disagreement errors e(K), shape (units, horizon) or (horizon,), on a logarithmic scale.

    ``delta`` draws the tolerance; ``sizes`` (one for each unit, for that tolerance) marks the minimum size with
    a circle and the stable size with a square.  Errors below 1e-12 are not drawn.
    """
    curves = np.atleast_2d(np.asarray(errors, dtype=np.float64))
    if labels and len(labels) != curves.shape[0]:
        raise ValueError(f"labels: {curves.shape[0]} are needed, not {len(labels)}")
    ax = style.axes(ax)
    names = list(labels) or [f"unit {i}" for i in range(curves.shape[0])]
    for position, (name, look) in enumerate(style.looks(names).items()):
        curve = curves[position]
        K = np.arange(1, curve.size + 1)
        seen = curve >= _FLOOR
        ax.plot(K[seen], curve[seen], color=look.color, linestyle=look.dash, linewidth=1.2, label=name)
        if sizes is not None:
            _mark_sizes(ax, curve, np.ravel(sizes.minimum)[position], np.ravel(sizes.stable)[position], look)
    if delta is not None:
        tolerance = level("delta", delta)
        ax.axhline(float(tolerance), color=style.INK, linewidth=1, label=f"tolerance {tolerance.text}")
    ax.set_yscale("log")
    ax.set(xlabel="panel size K", ylabel="disagreement error")
    style.own_legend(ax)
    return ax


def _mark_sizes(ax: Axes, curve: Any, minimum: int, stable: int, look: style.Look) -> None:
    for size, marker in ((minimum, "o"), (stable, "s")):
        if size:
            ax.plot(size, max(curve[size - 1], _FLOOR), marker=marker, color=look.color, markersize=5, zorder=3)


def stable_sizes(
    sizes: PanelSizes, counts: Any, ax: Axes | None = None, *, delta: Sequence[LevelLike] | LevelLike, of: str = "C"
) -> Axes:
    """Minimum (thin) and stable (thick) panel sizes over ``counts`` (N,), for one or several tolerances.

    ``sizes`` have shape (N,) or (N, tolerances); 0, "none", leaves a gap.
    """
    several = levels("delta", list(delta) if isinstance(delta, list | tuple) else delta)  # type: ignore[arg-type]
    shape = (len(counts), len(several))
    minimum = np.where(sizes.minimum > 0, sizes.minimum, np.nan).reshape(shape)
    stable = np.where(sizes.stable > 0, sizes.stable, np.nan).reshape(shape)
    ax = style.axes(ax)
    for position, look in enumerate(style.looks(tolerance.text for tolerance in several).values()):
        text = several[position].text
        ax.step(counts, stable[:, position], where="mid", color=look.color, linestyle=look.dash, linewidth=1.8,
                label=f"stable, δ = {text}")  # fmt: skip
        ax.step(counts, minimum[:, position], where="mid", color=look.color, linestyle=look.dash, linewidth=0.8,
                label=f"minimum, δ = {text}")  # fmt: skip
    ax.set(xlabel=f"positive votes {of}" if of == "C" else of, ylabel="panel size K")
    ax.set_ylim(bottom=0)
    style.own_legend(ax)
    return ax


def phase_diagram(
    errors: Any,
    ax: Axes | None = None,
    *,
    x: Sequence[Any],
    y: Sequence[Any],
    names: tuple[str, str],
    delta: LevelLike = "0.01",
) -> Axes:
    """An adversary's phase diagram: errors (len(y), len(x)) as powers of ten, with the line error = ``delta``.

    ``names`` are those of x and y, for instance clarity against the corrupted share.
    """
    values = np.asarray(errors, dtype=np.float64)
    if values.shape != (len(y), len(x)):
        raise ValueError(f"errors: shape {(len(y), len(x))} is needed, not {values.shape}")
    tolerance: Level = level("delta", delta)
    tens = np.log10(np.maximum(values, _FLOOR))
    ax = heat_map(tens, (x, y), ax, names=(*names, "log10 of the error"), target=float(np.log10(float(tolerance))))
    style.title(ax, f"dashed: error = {tolerance.text}")
    return ax
