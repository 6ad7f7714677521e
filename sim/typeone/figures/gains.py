"""Paired comparisons: wins, ties and losses of one method against another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from typeone.display import cell
from typeone.figures import style
from typeone.figures.picture import Picture
from typeone.figures.rows import Row, column, groups, row_numbers, rows_of, statement
from typeone.figures.stored import Stored

PLACE = 50
_PARTS = (("win", style.COLORS[0], style.PAPER), ("tie", style.GRID, style.INK), ("loss", style.COLORS[1], style.PAPER))


def wins(
    table: pa.Table | Sequence[Row], ax: Axes | None = None, *, measure: str, cell_number: int | None = None
) -> Axes:
    """Shares of repetitions in which the paired gain ``measure`` is positive, zero and negative, for each pair.

    Beside each bar stands the mean gain with its Monte Carlo standard error.
    """
    rows = rows_of(table, cell=cell_number)
    gains = rows_of(rows, measure=measure)
    shares = {(row["method"], row["measure"]): row["estimate"] for row in rows}
    ax = style.axes(ax, height=0.9 + 0.27 * len(gains))
    heights = np.arange(len(gains))[::-1]
    left = np.zeros(len(gains))
    for name, color, ink in _PARTS:
        width = np.array([shares[row["method"], f"{measure}_{name}"] for row in gains])
        ax.barh(heights, width, left=left, height=0.72, color=color, label=name)
        for height, start, wide in zip(heights, left, width, strict=True):
            if wide >= 0.12:
                ax.text(start + wide / 2, height, f"{wide:.0%}", color=ink, fontsize=7, ha="center", va="center")
        left += width
    style.links(ax, np.full(len(gains), 0.5), heights.astype(float), row_numbers(gains))
    for height, row in zip(heights, gains, strict=True):
        error = "" if row["mc_se"] is None else f" ± {row['mc_se']:.1g}"
        text = f"{row['estimate']:+.4f}{error}"
        ax.text(1.02, height, text, color=style.INK, fontsize=7, va="center")
    ax.grid(visible=False)
    ax.set_yticks(heights, [row["method"] for row in gains])
    ax.set(xlabel=f"share of repetitions; right: mean {measure}", xlim=(0, 1.32))
    ax.set_xticks([0, 0.25, 0.5, 0.75, 1.0], ["0", "25 %", "50 %", "75 %", "100 %"])
    return ax


def offers(run: Stored) -> Iterator[Picture]:
    """One picture for each gain and level, a panel for each cell, when they can stand side by side."""
    if len(run.manifest.factors) > style.MOST_PANELS:
        return
    for measure, rows in run.measures("gain"):
        shares = [row for name, *_ in _PARTS for row in run.rows(f"{measure.name}_{name}")]
        for (level,), group in groups(rows, "level").items():
            yield _picture(run, measure.name, level, group + [row for row in shares if row["level"] == level])


def _picture(run: Stored, measure: str, level: str, rows: list[Row]) -> Picture:
    gains = [row for row in rows if row["measure"] == measure]

    def draw() -> Figure:
        cells = groups(rows, "cell")
        pairs = len({row["method"] for row in rows})
        figure, grid = style.panels(len(cells), width=4.4, height=1.2 + 0.22 * pairs, most=2)
        for ax, ((number,), group) in zip(grid, cells.items(), strict=True):
            wins(group, ax, measure=measure)
            style.title(ax, run.cell_name(number) if len(cells) > 1 else "")
        return style.finish(figure, grid)

    at = f" at level {level}" if level else ""
    errors = [error for error in column(gains, "mc_se") if not np.isnan(error)]
    largest = cell(float(max(errors))) if errors else "–"
    words = statement(gains, bars=False).partition(", Monte Carlo")[0]
    return Picture(
        f"wins-{measure}{'-' if level else ''}{level}",
        f"Wins, ties and losses by {measure}{at}",
        f"“a - b”: a win is a repetition in which method a is ahead of b. {words}; mean gains have a Monte Carlo "
        f"standard error of at most {largest}.",
        draw,
    )
