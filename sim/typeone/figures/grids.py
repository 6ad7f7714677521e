"""Whole grids at a glance: nested-loop plots of a measure, and zip plots of its intervals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from typeone.engine.study import Measure
from typeone.figures import style
from typeone.figures.picture import Picture
from typeone.figures.rows import Row, column, groups, in_order, levels_of, opening, row_numbers, rows_of, statement
from typeone.figures.stored import Stored
from typeone.figures.style import Look
from typeone.levels import Level

PLACE = 35
MOST_CELLS = 400
_VERDICTS = {
    "holds": Look(style.COLORS[2], "o", "-"),
    "within margin": Look(style.COLORS[4], "D", "-"),
    "undecided": Look(style.FAINT, "D", "-"),
    "violated": Look(style.ALARM, "X", "-"),
}


def nested_loop(
    table: pa.Table | Sequence[Row],
    ax: Axes | None = None,
    *,
    measure: str,
    factors: Sequence[str],
    level: str = "",
    looks: Mapping[str, Look] | None = None,
    line: bool = False,
) -> Axes:
    """Estimates of every cell, ordered by ``factors`` (the last one fastest), one stepped line for each method.

    Below the lines each factor has a staircase with its name and values; ``line`` draws the level.

    Source: Ruecker and Schwarzer (2014).
    """
    rows = rows_of(table, measure=measure, level=level)
    values = {name: in_order(row[name] for row in rows) for name in factors}

    def place(row: Row) -> tuple[int, ...]:
        return tuple(values[name].index(row[name]) for name in factors)

    cells = sorted({place(row) for row in rows})
    by_method = groups(rows, "method")
    looks = looks or style.looks(method for (method,) in by_method)
    ax = style.axes(ax, width=7.6, height=3.4 + 0.35 * len(factors))
    for (method,), group in by_method.items():
        at = {place(row): row["estimate"] for row in group}
        y = np.array([at.get(where, np.nan) for where in cells])
        look = looks[method]
        middles = [cells.index(place(row)) + 0.5 for row in group]
        style.links(ax, middles, column(group, "estimate"), row_numbers(group))
        ax.stairs(y, baseline=None, color=look.color, linestyle=look.dash, linewidth=1.3, label=method)
    estimates = column(rows, "estimate")
    low, high = float(estimates.min()), float(max(estimates.max(), estimates.min() + 1e-9))
    if line:
        low, high = min(low, float(Level(level))), max(high, float(Level(level)))
        ax.axhline(float(Level(level)), color=style.FAINT, linewidth=1, zorder=1)
    _staircases(ax, cells, values, low, high - low)
    ax.set(xlabel=f"{len(cells)} cells, ordered by {', '.join(factors)}", ylabel=measure)
    ax.set_xlim(0, len(cells))
    ax.set_xticks([])
    return ax


def _staircases(
    ax: Axes, cells: Sequence[tuple[int, ...]], values: Mapping[str, Sequence[Any]], low: float, height: float
) -> None:
    """A staircase for each factor, below the measure's own range."""
    band = 0.16 * height
    top = low - 0.12 * height
    for position, (name, several) in enumerate(values.items()):
        base = top - (position + 1) * 1.5 * band
        steps = np.array([cell[position] for cell in cells]) / max(len(several) - 1, 1)
        ax.stairs(base + 0.7 * band * steps, baseline=None, color=style.INK, linewidth=0.9)
        label = f"{name}: {', '.join(str(value) for value in several)}"
        ax.text(0, base + 0.82 * band, label, color=style.INK, fontsize=7.5, va="bottom")
    bottom = top - (len(values) * 1.5 + 0.3) * band
    ax.set_ylim(bottom, low + 1.06 * height)
    ax.set_yticks([tick for tick in ax.get_yticks() if low - 1e-12 <= tick <= low + 1.06 * height])


def zip_plot(table: pa.Table | Sequence[Row], ax: Axes | None = None, *, measure: str, level: str) -> Axes:
    """The intervals of an error rate in all cells at one level, sorted by estimate, colored by verdict.

    Intervals that lie wholly to the right of the level's line close the zip the wrong way.
    """
    rows = sorted(rows_of(table, measure=measure, level=level), key=lambda row: row["estimate"])
    ax = style.axes(ax, height=min(7.0, 1.6 + 0.07 * len(rows)))
    for (verdict,), group in groups([row | {"at": i} for i, row in enumerate(rows)], "verdict").items():
        look = _VERDICTS.get(verdict, _VERDICTS["undecided"])
        at = [row["at"] for row in group]
        ax.hlines(at, column(group, "lower"), column(group, "upper"), colors=look.color, linewidth=1.4)
        style.marks(ax, column(group, "estimate"), at, look, rows=row_numbers(group), label=verdict)
    ax.axvline(float(Level(level)), color=style.INK, linewidth=1, linestyle=(0, (4, 2)), label="level")
    ax.set(xlabel=measure, ylim=(-1, len(rows)))
    ax.set_yticks([])
    return ax


def offers(run: Stored) -> Iterator[Picture]:
    """Zip plots of all claims; nested-loop plots of grids too large for a panel each."""
    for measure, rows in run.measures("rate", "fraction"):
        if measure.claim:
            yield _zip(measure, rows)
    if len(run.varying) >= 2 and style.MOST_PANELS < len(run.manifest.factors) <= MOST_CELLS:
        for measure, rows in run.measures("rate", "fraction", "mean"):
            for (level,), group in groups(rows, "level").items():
                yield _nested(run, measure, level, group)


def _zip(measure: Measure, rows: list[Row]) -> Picture:
    def draw() -> Figure:
        levels = levels_of(rows)
        tall = max(len([row for row in rows if row["level"] == level]) for level in levels)
        figure, grid = style.panels(len(levels), height=min(7.0, 1.9 + 0.07 * tall))
        for ax, level in zip(grid, levels, strict=True):
            zip_plot(rows, ax, measure=measure.name, level=level)
            style.title(ax, f"level {level}")
        return style.finish(figure, grid)

    return Picture(
        f"zip-{measure.name}",
        f"Intervals of {measure.name} in all cells",
        f"One line for each cell and method, sorted by estimate; the color is the verdict on "
        f"“{measure.name} ≤ level”. Verdicts use wider bounds than the intervals shown: their error is shared by "
        f"all of them. {statement(rows)}",
        draw,
    )


def _nested(run: Stored, measure: Measure, level: str, rows: list[Row]) -> Picture:
    def draw() -> Figure:
        ax = nested_loop(
            rows,
            measure=measure.name,
            factors=run.varying,
            level=level,
            looks=style.looks(run.methods),
            line=measure.claim,
        )
        return style.finish(style.figure_of(ax), [ax])

    at = f" at level {level}" if level else ""
    words = f"{opening(measure.text or measure.name)}{at}; the staircases below show which cell it is."
    return Picture(
        f"nested-{measure.name}{'-' if level else ''}{level}",
        f"{measure.name}{at} in every cell",
        f"{words} {statement(rows, bars=False)}",
        draw,
    )
