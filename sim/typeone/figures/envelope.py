"""The envelope of the max-p null distribution: histogram, threshold, chord and cut-off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from typeone.figures import style
from typeone.levels import LevelLike, level


def envelope(
    p_max: Any,
    axes: Sequence[Axes] | None = None,
    *,
    lam: float,
    kappa: float,
    scale: float,
    cutoff: float,
    alpha: LevelLike,
) -> tuple[Axes, Axes]:
    """The chord envelope of n max-p values, two pictures side by side (or in the two Axes given).

    Left: the histogram of ``p_max`` (n,) with lambda, kappa, and the null count that the chord allows in a bin
    (n * scale * width).  Right, from 0 to kappa: the count of values <= t, the chord n * scale * t, and the
    line chord / alpha that the count must reach; ``cutoff`` is where it last does.  ``scale`` NaN: undefined,
    nothing is selected and no chord is drawn.
    """
    values = np.sort(np.asarray(p_max, dtype=np.float64).ravel())
    if not values.size or not ((values >= 0) & (values <= 1)).all():
        raise ValueError("p_max: at least one p-value, all between 0 and 1")
    if not 0 < kappa < lam <= 1:
        raise ValueError(f"kappa={kappa}, lam={lam}: 0 < kappa < lam <= 1 is needed")
    wanted = level("alpha", alpha)
    left, right = axes if axes is not None else style.panels(2, width=4.2, height=3.4)[1]
    _histogram(left, values, (kappa, lam), scale)
    _counts(right, values, kappa, scale, (cutoff, float(wanted), wanted.text))
    return left, right


def _histogram(ax: Axes, values: NDArray[np.float64], window: tuple[float, float], scale: float) -> None:
    bins = np.linspace(0, 1, 41)
    kappa, lam = window
    ax.hist(values, bins=bins.tolist(), color=style.COLORS[5], alpha=0.55, linewidth=0)
    ax.axvspan(kappa, lam, color=style.COLORS[4], alpha=0.16, linewidth=0, label="κ < p ≤ λ: where the chord is fixed")
    for value, name, dash in ((lam, "λ", "-"), (kappa, "κ", (0, (4, 2)))):
        ax.axvline(value, color=style.INK, linewidth=1, linestyle=dash, label=f"{name} = {value:.4g}")
    if np.isfinite(scale):
        allowed = values.size * scale * (bins[1] - bins[0])
        ax.plot(
            [0, lam], [allowed, allowed], color=style.COLORS[1], linewidth=1.8, label="null count allowed by the chord"
        )
    ax.set(xlabel="max-p over models", ylabel="items", xlim=(0, 1))
    style.own_legend(ax)


def _counts(
    ax: Axes, values: NDArray[np.float64], kappa: float, scale: float, decision: tuple[float, float, str]
) -> None:
    cutoff, alpha, text = decision
    shown = values[values <= kappa]
    ax.step(np.append(0, shown), np.arange(shown.size + 1), where="post", color=style.INK, label="items with p ≤ t")
    if np.isfinite(scale):
        ends = np.array([0, kappa])
        chord = values.size * scale * ends
        ax.plot(ends, chord, color=style.COLORS[1], linewidth=1.8, label="chord: bound on contaminated items")
        ax.plot(ends, chord / alpha, color=style.COLORS[0], linestyle=(0, (5, 2)), label=f"chord / α (α = {text})")
    if cutoff > 0:
        count = int(np.searchsorted(values, cutoff, side="right"))
        ax.axvline(cutoff, color=style.COLORS[2], linewidth=1.4, label=f"cut-off {cutoff:.4g}: {count} selected")
    ax.set(xlabel="t", ylabel="items", xlim=(0, kappa), ylim=(0, 1.25 * max(shown.size, 1)))
    style.own_legend(ax)
