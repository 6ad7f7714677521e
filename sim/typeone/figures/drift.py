"""Count-scale drift: what a rule set at one number of sources does at others, error rate and operating point."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator
from numpy.typing import NDArray

from typeone.figures import style
from typeone.figures.picture import Picture
from typeone.figures.rows import Row, bars, column, groups, in_order, numeric, row_numbers, rows_of, statement
from typeone.figures.stored import Stored
from typeone.figures.style import Look
from typeone.levels import Level

PLACE = 15
SOURCES = "n"
_BARS: dict[str, Any] = {"linestyle": "none", "elinewidth": 0.7}
ERROR, EXACT, POINT = "fpr", "fpr_exact", "operating_point"


def drift(
    table: pa.Table | Sequence[Row],
    axes: tuple[Axes, Axes] | None = None,
    *,
    level: str,
    looks: Mapping[str, Look] | None = None,
) -> tuple[Axes, Axes]:
    """False-positive rate (left) and posterior at which a rule accepts (right) against the number of sources n.

    Rows of a summary of the pooling study with the measures fpr and operating_point; marks with bars are
    simulated, lines join exact rates (fpr_exact) where the table has them.  The grey line is the posterior
    1 - ``level`` that every rule was set to.  All rows that are given are drawn: filter a table in which other
    factors vary too.
    """
    simulated = rows_of(table, measure=ERROR, level=level)
    points = rows_of(table, measure=POINT, level=level)
    exact = [row for row in rows_of(table, level=level) if row["measure"] == EXACT]
    looks = looks or style.looks(row["method"] for row in simulated)
    rate, point = axes or style.panels(2)[1]
    for (method,), rows in groups(simulated, "method").items():
        rows = _ordered(rows)
        rate.errorbar(_sources(rows), column(rows, "estimate"), bars(rows), color=looks[method].color, **_BARS)
        style.marks(rate, _sources(rows), column(rows, "estimate"), looks[method], rows=row_numbers(rows))
    for (method,), rows in groups(exact, "method").items():
        _line(rate, _ordered(rows), looks[method])
    for (method,), rows in groups(points, "method").items():
        rows = _ordered(rows)
        _line(point, rows, looks[method], label=method)
        style.marks(point, _sources(rows), column(rows, "estimate"), looks[method], rows=row_numbers(rows))
    point.axhline(1 - float(Level(level)), color=style.FAINT, linewidth=1, zorder=1)
    for ax, label in ((rate, "false-positive rate"), (point, "accepts from posterior")):
        _frame(ax, np.array([float(numeric(n) or 0) for n in in_order(row[SOURCES] for row in simulated)]), label)
    return rate, point


def _line(ax: Axes, rows: Sequence[Row], look: Look, label: str | None = None) -> None:
    x, y = _sources(rows), column(rows, "estimate")
    ax.plot(x, y, color=look.color, linestyle=look.dash, linewidth=1.2, label=label)


def _ordered(rows: Sequence[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: numeric(row[SOURCES]) or 0)


def _sources(rows: Sequence[Row]) -> NDArray[np.float64]:
    return np.array([float(numeric(row[SOURCES]) or 0) for row in rows])


def _frame(ax: Axes, ticks: NDArray[np.float64], label: str) -> None:
    ax.set_xscale("log")
    ax.set_xticks(ticks, [f"{n:g}" for n in ticks])
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set(xlabel="sources n", ylabel=label, ylim=(-0.03, 1.03))


def offers(run: Stored) -> Iterator[Picture]:
    """For each level of a run of rules at several numbers of sources, when the other factors leave few panels."""
    rows = [row for measure in (ERROR, EXACT, POINT) for row in run.rows(measure)]
    others = [name for name in run.varying if name != SOURCES]
    if not run.rows(POINT) or SOURCES not in run.numeric or len(groups(rows, *others)) > style.MOST_PANELS:
        return
    for (level,), group in groups(rows, "level").items():
        yield _picture(run, level, group, others)


def _picture(run: Stored, level: str, rows: list[Row], others: list[str]) -> Picture:
    def draw() -> Figure:
        parts = groups(rows, *others)
        count = len(parts)
        figure, grid = style.panels(2 * count, width=2.6, height=2.5, most=count, shared=True)
        known = style.looks(run.methods)
        for place, (values, group) in enumerate(parts.items()):
            drift(group, (grid[place], grid[count + place]), level=level, looks=known)
            named = zip(others, values, strict=True)
            style.title(grid[place], ", ".join(f"{name} {value}" for name, value in named))
        return style.finish(figure, grid)

    simulated = [row for row in rows if row["measure"] == ERROR]
    return Picture(
        f"drift-{level}",
        f"False-positive rate and operating point against the number of sources, level {level}",
        f"Thresholds set once for posterior {float(1 - Level(level)):g} (grey line) and kept as more sources are "
        f"consulted. Above: share of false items accepted, marks simulated, lines exact. Below: the posterior at which "
        f"each rule then accepts. {statement(simulated)}",
        draw,
    )
