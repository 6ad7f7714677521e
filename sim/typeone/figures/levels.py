"""Rates against the level they are promised at: power, TPR, FPR, GCR, with the diagonal for error rates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from typeone.engine.study import Measure
from typeone.figures import style
from typeone.figures.picture import Picture
from typeone.figures.rows import Row, bars, column, groups, levels_of, opening, row_numbers, rows_of, statement
from typeone.figures.stored import Stored
from typeone.figures.style import Look
from typeone.levels import Level

PLACE = 10


def against_level(
    table: pa.Table | Sequence[Row],
    ax: Axes | None = None,
    *,
    measure: str,
    cell: int | None = None,
    looks: Mapping[str, Look] | None = None,
    diagonal: bool = False,
) -> Axes:
    """Estimates of ``measure`` with their intervals against the level, one line for each method.

    ``table`` is a summary; with several cells in it name one.  ``diagonal`` draws "rate = level", which an
    error rate must not exceed.
    """
    rows = rows_of(table, measure=measure, cell=cell)
    ax = style.axes(ax)
    by_method = groups(rows, "method")
    looks = looks or style.looks(method for (method,) in by_method)
    levels = [float(Level(text)) for text in levels_of(rows)]
    step = 0.012 * max(levels)
    if diagonal:
        ax.axline((0, 0), slope=1, color=style.FAINT, linewidth=1, zorder=1, label="rate = level")
    for place, ((method,), group) in enumerate(by_method.items()):
        group = sorted(group, key=lambda row: Level(row["level"]))
        x = np.array([float(Level(row["level"])) for row in group]) + step * (place - (len(by_method) - 1) / 2)
        y, look = column(group, "estimate"), looks[method]
        ax.errorbar(
            x, y, bars(group), color=look.color, linestyle=look.dash, linewidth=1.2, elinewidth=0.7, label=method
        )
        style.marks(ax, x, y, look, rows=row_numbers(group))
    ax.set(xlabel="level", ylabel=measure, xlim=(0, 1.08 * max(levels)))
    style.from_zero(ax, float((column(rows, "estimate") + bars(rows)[1]).max()))
    ax.set_xticks(levels, levels_of(rows))
    return ax


def has_line(run: Stored, rows: Sequence[Row]) -> bool:
    """Whether a measure with these rows is shown against the level: several levels, and not too many cells."""
    return len(run.manifest.factors) <= style.MOST_PANELS and len(levels_of(rows)) > 1


def offers(run: Stored) -> Iterator[Picture]:
    """One picture for each measure with several levels, when there are few enough cells to stand side by side."""
    for measure, rows in run.measures("rate", "fraction"):
        if has_line(run, rows):
            yield _picture(run, measure, [row for row in rows if row["level"]])


def _picture(run: Stored, measure: Measure, rows: list[Row]) -> Picture:
    def draw() -> Figure:
        cells = groups(rows, "cell")
        figure, grid = style.panels(len(cells), shared=True)
        known = style.looks(run.methods)
        for ax, ((cell,), group) in zip(grid, cells.items(), strict=True):
            against_level(group, ax, measure=measure.name, looks=known, diagonal=measure.claim)
            style.title(ax, run.cell_name(cell) if len(cells) > 1 else "")
        return style.finish(figure, grid)

    promise = " A procedure keeps its promise on or below the line." if measure.claim else ""
    return Picture(
        f"level-{measure.name}",
        f"{measure.name} against the level",
        f"{opening(measure.text or measure.name)}, by level and method.{promise} {statement(rows)}",
        draw,
    )
