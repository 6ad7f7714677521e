"""Joint decontamination."""

from __future__ import annotations

from typing import Any

from typeone.figures import style
from typeone.figures.envelope import envelope
from typeone.figures.inline._svg import svg


def draw(result: Any) -> str:
    """The envelope: histogram of max-p and chord, with the cut-off of the chosen method."""
    found = result.envelope
    scale, cutoff = found.scale, result.cutoffs.get(result.method)
    left, _ = envelope(
        result.p_max,
        lam=float(found.lam),
        kappa=float(found.kappa),
        scale=float("nan") if scale is None else float(scale),
        cutoff=float(cutoff or 0),
        alpha=result.level,
    )
    return svg(style.figure_of(left), f"max-p of {len(result)} items, and the chord that bounds contaminated ones")
