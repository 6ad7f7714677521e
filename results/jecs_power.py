"""Power maps of JECS and its baselines over shift, share of clean items and number of models (`jecs-power`)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from jecs_rows import Results, text_of
from typeone.display import markdown_table
from typeone.figures import heat_map, style
from typeone.jecs.methods import METHODS

SHOWN = ("jecs", "max-p", "adafilter")


def draw(results: Results, file: Path) -> None:
    """One row of maps for each method, one column for each number of models, one color scale."""
    shifts, clean, models = (_values(results, name) for name in ("shift", "clean", "models"))
    power = {(row.method, *_place(results, row.cell)): row.power for row in results.rows}
    figure, axes = style.panels(len(SHOWN) * len(models), most=len(models), width=3.4)
    for i, method in enumerate(SHOWN):
        for j, number in enumerate(models):
            grid = np.array([[power[method, shift, share, number] for shift in shifts] for share in clean])
            ax = axes[i * len(models) + j]
            heat_map(grid, (shifts, clean), ax, names=("shift", "share clean", "power"), target=0.8, span=(0.0, 1.0))
            style.title(ax, f"{METHODS[method].title}, {number} models")
    style.save(figure, file)


def _values(results: Results, name: str) -> list[str]:
    return list(dict.fromkeys(text_of(getattr(p, name)) for p in results.parameters))


def _place(results: Results, cell: int) -> tuple[str, str, str]:
    p = results.parameters[cell]
    return text_of(p.shift), text_of(p.clean), text_of(p.models)


def gains(results: Results) -> str:
    """JECS against each other method: mean difference in power over the cells, where it is largest and smallest."""
    of = {(row.cell, row.method): row for row in results.rows}
    cells = range(len(results.parameters))
    body = []
    for method in (m for m in METHODS if m not in ("jecs", "union") and (0, m) in of):
        differences = [of[cell, "jecs"].power - of[cell, method].power for cell in cells]
        best, worst = int(np.argmax(differences)), int(np.argmin(differences))
        errors = [2 * (of[cell, "jecs"].power_se ** 2 + of[cell, method].power_se ** 2) ** 0.5 for cell in cells]
        ahead = sum(d > e for d, e in zip(differences, errors, strict=True))
        behind = sum(d < -e for d, e in zip(differences, errors, strict=True))
        ends = [f"{differences[cell]:+.3f} ({of[cell, 'jecs'].named})" for cell in (best, worst)]
        body.append([METHODS[method].title, f"{np.mean(differences):+.3f}", ahead, behind, *ends])
    header = ["JECS over", "mean gain in power", "cells ahead", "cells behind", "largest gain", "least gain"]
    return markdown_table(header, body)
