"""What a panel study needs, exactly: the saving of exact inversion over Hoeffding, and adversaries' phase diagrams."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from typeone import panels
from typeone.figures import phase_diagram, style

Rows = list[dict[str, Any]]
LAYERS = ("exact", "hoeffding")
TARGETS = (("0.20", "0.05"), ("0.10", "0.025"), ("0.05", "0.01"))
PASSING = ("1", "0.98", "0.95")
"""Probability that a generated unit passes."""
SHARES = ("0.02", "0.05", "0.1", "0.15", "0.2", "0.25", "0.3")
CLARITY = ("0.05", "0.1", "0.15", "0.2", "0.25", "0.3", "0.35", "0.4", "0.45")
SIZES = (7, 15, 47)
DELTA = "0.01"


def units_saved() -> Iterator[dict[str, Any]]:
    """Generated units for a certificate by either layer; 0 where no number is enough."""
    for beta, xi in TARGETS:
        for passing in PASSING:
            row: dict[str, Any] = {"beta": beta, "xi_E": xi, "passing": passing}
            for layer in LAYERS:
                options = panels.Options(generator=layer, beta=beta, xi_e=xi)  # type: ignore[arg-type]
                try:
                    row[layer] = panels.units_needed(options, passing=passing)
                except ValueError:
                    row[layer] = 0
            yield row | {"saved": _saved(row["exact"], row["hoeffding"])}


def evaluators_saved() -> Iterator[dict[str, Any]]:
    """Evaluators with which a unit of 50 passes with power .8: mass-controlled against familywise.

    The evaluator layer is Clopper-Pearson in both; the familywise method pays for the number of units.  Hoeffding on
    this layer would need sqrt(log(2 / gamma) / (2 E)) below the distance to the nearest passing probability.
    """
    for p in ("1", "0.95", "0.9", "0.8"):
        for method in ("mass-controlled", "familywise"):
            options = panels.Options(method=method)  # type: ignore[arg-type]
            needed = panels.evaluators_needed(options, units=50, p=p)
            for size, exact in zip(options.grid, needed.tolist(), strict=True):
                hoeffding = _hoeffding_evaluators(p, size, options)
                row = {"p": p, "method": method, "size": size, "exact": exact, "hoeffding": hoeffding}
                yield row | {"saved": _saved(exact, hoeffding)}


def _hoeffding_evaluators(p: str, size: int, options: panels.Options) -> int:
    """With two-sided Hoeffding intervals at the same level; by the mean of the votes, so a lower limit for power .8."""
    shares = np.arange(5001, 10001) / 10000
    errors = panels.superpopulation_errors([f"{share:.4f}" for share in shares], size)[:, size - 1]
    passing = shares[errors <= float(options.delta)]
    if not passing.size or float(p) <= passing[0]:
        return 0
    gamma = (
        float(options.eta_e) * float(options.xi_e) if options.method == "mass-controlled" else float(options.eta_e) / 50
    )
    return int(np.ceil(np.log(2 / gamma) / (2 * (float(p) - passing[0]) ** 2)))


def _saved(exact: int, other: int) -> float | None:
    return 1 - exact / other if exact and other else None


def phases() -> Rows:
    """Exact error of a panel, by clarity of an accepting population and the adversary's share, fixed or targeted."""
    p = [f"{0.5 + float(clarity):.2f}" for clarity in CLARITY]
    rows = []
    for attack in ("fixed_share", "targeted_share"):
        for share in SHARES:
            errors = panels.superpopulation_errors(p, max(SIZES), **{attack: share})  # type: ignore[arg-type]
            for clarity, curve in zip(CLARITY, errors, strict=True):
                for size in SIZES:
                    head = {"attack": attack.removesuffix("_share"), "share": share, "clarity": clarity, "size": size}
                    rows.append(head | {"error": float(curve[size - 1])})
    return rows


def draw(rows: Rows, file: Path) -> None:
    """One row of diagrams for each attack, one column for each size."""
    error = {(row["attack"], row["share"], row["clarity"], row["size"]): row["error"] for row in rows}
    figure, axes = style.panels(2 * len(SIZES), most=len(SIZES), width=3.7)
    for i, attack in enumerate(("fixed", "targeted")):
        for j, size in enumerate(SIZES):
            ax = axes[i * len(SIZES) + j]
            grid = [[error[attack, share, clarity, size] for share in SHARES] for clarity in CLARITY]
            phase_diagram(grid, ax, x=SHARES, y=CLARITY, names=(f"{attack} share", "clarity"), delta=DELTA)
            style.title(ax, f"{attack} share, K = {size}; dashed: error = {DELTA}")
    style.save(figure, file)
