"""Estimates with their intervals: against a numeric factor, or one below another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from typeone.engine.study import Measure
from typeone.figures import style
from typeone.figures.levels import has_line
from typeone.figures.picture import Picture
from typeone.figures.rows import Row, bars, column, groups, in_order, numeric, opening, row_numbers, rows_of, statement
from typeone.figures.stored import Stored
from typeone.figures.style import Look
from typeone.levels import Level

PLACE = 40
MOST_DOTS = 60


def against_factor(
    table: pa.Table | Sequence[Row],
    ax: Axes | None = None,
    *,
    measure: str,
    factor: str,
    level: str | None = None,
    looks: Mapping[str, Look] | None = None,
) -> Axes:
    """Estimates of ``measure`` against a numeric factor, one line for each method.

    All rows that are given are drawn: filter a table in which other factors vary too.
    """
    rows = rows_of(table, measure=measure, level=level)
    by_method = groups(rows, "method")
    looks = looks or style.looks(method for (method,) in by_method)
    ax = style.axes(ax)
    values = in_order(row[factor] for row in rows)
    place_of = {value: float(numeric(value) or 0) for value in values}
    span = max(place_of.values()) - min(place_of.values())
    for place, ((method,), group) in enumerate(by_method.items()):
        group = sorted(group, key=lambda row: place_of[row[factor]])
        x = np.array([place_of[row[factor]] for row in group])
        x = x + 0.008 * span * (place - (len(by_method) - 1) / 2)
        y, look = column(group, "estimate"), looks[method]
        options = {"color": look.color, "linestyle": look.dash, "linewidth": 1.2, "elinewidth": 0.7}
        ax.errorbar(x, y, bars(group), label=method, **options)
        style.marks(ax, x, y, look, rows=row_numbers(group))
    ax.set(xlabel=factor, ylabel=measure)
    if level is not None and level:
        ax.axhline(float(Level(level)), color=style.FAINT, linewidth=1, zorder=1)
    return ax


def dots(
    table: pa.Table | Sequence[Row], ax: Axes | None = None, *, measure: str, names: Sequence[str] = ("method",)
) -> Axes:
    """Estimates of ``measure`` with intervals, one line of the picture for each row, called by ``names``."""
    rows = rows_of(table, measure=measure)
    ax = style.axes(ax, height=1.1 + 0.24 * len(rows))
    looks = style.looks(row["method"] for row in rows)
    heights = np.arange(len(rows))[::-1]
    for row, height in zip(rows, heights, strict=True):
        look = looks[row["method"]]
        ax.errorbar(row["estimate"], height, xerr=bars([row]), color=look.color, linestyle="none", elinewidth=1.2)
        style.marks(ax, [row["estimate"]], [height], look, rows=row_numbers([row]))
    ax.set_yticks(heights, [_called(row, names) for row in rows])
    ax.set(xlabel=measure, ylim=(-0.7, len(rows) - 0.3))
    return ax


def _called(row: Row, names: Sequence[str]) -> str:
    values = [(name, row[name]) for name in names if row[name] != ""]
    return ", ".join(str(value) if name == "method" else f"{name} {value}" for name, value in values)


def offers(run: Stored) -> Iterator[Picture]:
    """A trend for each measure when exactly one factor varies and is a number; else dots while they fit."""
    few = len(run.manifest.factors) <= style.MOST_PANELS or len(run.varying) < 2
    for measure, rows in run.measures("rate", "fraction", "mean"):
        if len(run.varying) == 1 and run.numeric == run.varying:
            yield _trend(run, measure, rows)
        elif few and len(rows) <= MOST_DOTS and not has_line(run, rows):
            yield _dots(run, measure, rows)


def _trend(run: Stored, measure: Measure, rows: list[Row]) -> Picture:
    factor = run.varying[0]

    def draw() -> Figure:
        by_level = groups(rows, "level")
        figure, grid = style.panels(len(by_level))
        known = style.looks(run.methods)
        for ax, ((level,), group) in zip(grid, by_level.items(), strict=True):
            claimed = level if measure.claim else None
            against_factor(group, ax, measure=measure.name, factor=factor, level=claimed, looks=known)
            style.title(ax, f"level {level}" if level else "")
        return style.finish(figure, grid)

    line = " The grey line is the level." if measure.claim else ""
    return Picture(
        f"trend-{measure.name}",
        f"{measure.name} against {factor}",
        f"{opening(measure.text or measure.name)}, by {factor} and method.{line} {statement(rows)}",
        draw,
    )


def _dots(run: Stored, measure: Measure, rows: list[Row]) -> Picture:
    def draw() -> Figure:
        ax = dots(rows, measure=measure.name, names=["method", *run.varying, "level"])
        return style.figure_of(ax)

    parts = ", ".join(["method", *run.varying, *(["level"] if any(row["level"] for row in rows) else [])])
    return Picture(
        f"estimates-{measure.name}",
        f"{measure.name} of every cell",
        f"{opening(measure.text or measure.name)}; one line for each {parts}. {statement(rows)}",
        draw,
    )
