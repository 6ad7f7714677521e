"""The reference tail map: from a document's score to its evidence, with the cap and one source's documents."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from typeone.figures import style
from typeone.levels import LevelLike
from typeone.scf import ReferenceMap
from typeone.scf.tail import cap_level


def tail_map(
    reference: ReferenceMap,
    ax: Axes | None = None,
    *,
    cap: LevelLike = "0.05",
    documents: Any = (),
    name: str = "",
) -> Axes:
    """Evidence -log Q(s) of a fitted ``reference`` against the score, cut off at the cap.

    ``documents`` (n,) are scores of one source called ``name``: filled where they are capped (Q < cap), and
    their mean evidence, the source's statistic, is a line.
    """
    alpha = cap_level(cap)
    scores = np.asarray(documents, dtype=np.float64)
    ax = style.axes(ax)
    low = min([reference.steps[0], *scores])
    high = max([reference.steps[-1], *scores])
    margin = 0.03 * (high - low or 1.0)
    grid = np.concatenate([[low - margin], reference.steps, [high + margin]])
    evidence = -np.log(reference.tail(grid))
    # Q is constant up to and including a step, so evidence rises just after it.
    ax.step(grid, evidence, where="pre", color=style.FAINT, linewidth=1, linestyle=(0, (3, 2)), label="uncapped")
    ax.step(grid, reference.evidence(grid, alpha), where="pre", color=style.COLORS[0], label="evidence")
    if alpha:
        height = -math.log(float(alpha))
        ax.axhline(height, color=style.COLORS[1], linewidth=1, label=f"cap {alpha.text}: at most {height:.3g}")
    if scores.size:
        _documents(ax, scores, reference.evidence(scores, alpha), reference.capped(scores, alpha), name)
    ax.set(xlabel="score", ylabel="evidence −log Q (nats)", xlim=(grid[0], grid[-1]))
    ax.set_ylim(bottom=0)
    style.own_legend(ax)
    return ax


def _documents(ax: Axes, scores: Any, evidence: Any, capped: Any, name: str) -> None:
    ink = style.COLORS[3]
    ax.scatter(scores[~capped], evidence[~capped], s=26, facecolors=style.PAPER, edgecolors=ink, zorder=3)
    ax.scatter(scores[capped], evidence[capped], s=26, marker="s", color=ink, zorder=3)
    mean = float(evidence.mean())
    told = f"{name or 'source'}: {scores.size} documents, {int(capped.sum())} capped, mean {mean:.4g}"
    ax.axhline(mean, color=ink, linewidth=1, linestyle=(0, (6, 2, 1.5, 2)), label=told)
