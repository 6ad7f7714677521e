"""Maps: a measure over two factors, as a heat map with contours and the line of a target."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from numpy.typing import NDArray

from typeone.display import cell
from typeone.engine.study import Measure
from typeone.figures import style
from typeone.figures.picture import Picture
from typeone.figures.rows import Row, groups, in_order, opening, row_numbers, rows_of, statement
from typeone.figures.stored import Stored
from typeone.levels import Level

PLACE = 30
TARGET = 0.8
"""The line drawn on maps of power."""
CONTOURS_FROM = 3
"""Fewer rows or columns than that have no contours."""
_MOST_NUMBERS = 80


def power_map(
    table: pa.Table | Sequence[Row],
    ax: Axes | None = None,
    *,
    measure: str,
    x: str,
    y: str,
    target: float | None = TARGET,
    span: tuple[float, float] | None = None,
) -> Axes:
    """Estimates of ``measure`` over factors ``x`` and ``y``; contours, and a thick line where it is ``target``.

    One row for each pair of values: filter to one method and one level first.  Cells stand at equal
    distances, whatever their values; a missing pair stays empty.  ``span`` fixes the ends of the color scale.
    """
    rows = rows_of(table, measure=measure)
    xs, ys = in_order(row[x] for row in rows), in_order(row[y] for row in rows)
    grid = np.full((len(ys), len(xs)), np.nan)
    for row in rows:
        place = ys.index(row[y]), xs.index(row[x])
        if not np.isnan(grid[place]):
            raise ValueError(f"{x}={row[x]}, {y}={row[y]}: two rows; name one method and one level")
        grid[place] = row["estimate"]
    ax = heat_map(grid, (xs, ys), ax, names=(x, y, measure), target=target, span=span)
    across, up = [xs.index(row[x]) + 0.5 for row in rows], [ys.index(row[y]) + 0.5 for row in rows]
    style.links(ax, across, up, row_numbers(rows))
    return ax


def heat_map(
    grid: NDArray[np.float64],
    ticks: tuple[Sequence[Any], Sequence[Any]],
    ax: Axes | None = None,
    *,
    names: tuple[str, str, str],
    target: float | None,
    span: tuple[float, float] | None = None,
) -> Axes:
    """Values (rows, columns) as a map; ``ticks`` and ``names`` are those of columns, rows (and the values)."""
    ax = style.axes(ax)
    ax.grid(visible=False)
    low, high = span or (float(np.nanmin(grid)), float(np.nanmax(grid)))
    mesh = ax.pcolormesh(np.ma.masked_invalid(grid), cmap=style.MAP, vmin=low, vmax=high, edgecolors="none")
    middles = [np.arange(size, dtype=np.float64) + 0.5 for size in reversed(grid.shape)]
    _lines(ax, middles, grid, target)
    if grid.size <= _MOST_NUMBERS:
        _numbers(ax, mesh, grid)
    for axis, values, middle, name in zip((ax.xaxis, ax.yaxis), ticks, middles, names[:2], strict=True):
        every = -(-len(values) // 10)
        axis.set_ticks(middle[::every], [str(value) for value in values[::every]])
        axis.set_label_text(name)
    bar = style.figure_of(ax).colorbar(mesh, ax=ax, shrink=0.9)
    bar.ax.tick_params(labelsize=7, colors=style.INK, color=style.FAINT)
    bar.set_label(names[2], color=style.INK, size=8)
    bar.outline.set_visible(False)
    return ax


def _lines(ax: Axes, middles: Sequence[NDArray[np.float64]], grid: NDArray[np.float64], target: float | None) -> None:
    """Contours where the grid is wide enough for them, the target's dashed white on black."""
    if min(grid.shape) < CONTOURS_FROM:
        return
    low, high = float(np.nanmin(grid)), float(np.nanmax(grid))
    thin = [value for value in np.linspace(low, high, 6)[1:-1] if target is None or abs(value - target) > 1e-9]
    if high > low:
        ax.contour(*middles, grid, levels=thin, colors=style.PAPER, linewidths=0.6, linestyles="solid")
    if target is not None and low < target < high:
        ax.contour(*middles, grid, levels=[target], colors="black", linewidths=3.2)
        ax.contour(*middles, grid, levels=[target], colors="white", linewidths=1.4, linestyles="dashed")


def _numbers(ax: Axes, mesh: QuadMesh, grid: NDArray[np.float64]) -> None:
    for (row, column), value in np.ndenumerate(grid):
        if np.isnan(value):
            continue
        red, green, blue, _ = mesh.to_rgba(np.array([value]))[0]
        dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
        ink = "white" if dark else "black"
        ax.text(column + 0.5, row + 0.5, f"{value:.2g}", color=ink, ha="center", va="center", fontsize=7)


def offers(run: Stored) -> Iterator[Picture]:
    """A map for each rate, level and pair of varying numeric factors, the other factors held.

    With more than two varying factors the first two that are numbers span the map, and each method and each
    combination of the others is a panel, as far as the panels go.
    """
    if len(run.numeric) < 2:
        return
    x, y = sorted(run.numeric[:2], key=lambda name: -len({str(c[name]) for c in run.manifest.factors}))
    others = [name for name in run.varying if name not in (x, y)]
    names = ("method", *others)
    for measure, rows in run.measures("rate", "fraction"):
        for (level,), group in groups(rows, "level").items():
            yield from _pictures(measure, level, _named(groups(group, *names), names), (x, y))


def _named(parts: dict[tuple[Any, ...], list[Row]], names: Sequence[str]) -> dict[str, list[Row]]:
    """Panels by title: ``jecs, K 3``."""

    def title(values: tuple[Any, ...]) -> str:
        others = zip(names[1:], values[1:], strict=True)
        return ", ".join([str(values[0]), *(f"{name} {value}" for name, value in others)])

    return {title(values): rows for values, rows in parts.items()}


def _pictures(measure: Measure, level: str, parts: dict[str, list[Row]], factors: tuple[str, str]) -> Iterator[Picture]:
    """Pictures of at most MOST_PANELS panels each."""
    everything = list(parts.items())
    starts = range(0, len(everything), style.MOST_PANELS)
    for number, start in enumerate(starts, start=1):
        shown = dict(everything[start : start + style.MOST_PANELS])
        part = f"-{number}" if len(starts) > 1 else ""
        yield _picture(measure, level, shown, factors, part)


def _picture(measure: Measure, level: str, parts: dict[str, list[Row]], factors: tuple[str, str], part: str) -> Picture:
    rows = list(itertools.chain.from_iterable(parts.values()))
    target = None if not level else float(Level(level)) if measure.claim else TARGET
    x, y = factors
    at = f" at level {level}" if level else ""
    words = f"{opening(measure.text or measure.name)}{at}. Values stand at equal distances."
    line = "" if target is None else f" The dashed line, where there is one, is at {cell(target)}."

    def draw() -> Figure:
        span = min(row["estimate"] for row in rows), max(row["estimate"] for row in rows)
        figure, grid = style.panels(len(parts), width=3.6, height=3.0)
        for ax, (title, group) in zip(grid, parts.items(), strict=True):
            power_map(group, ax, measure=measure.name, x=x, y=y, target=target, span=span)
            style.title(ax, title)
        return figure

    return Picture(
        f"map-{measure.name}{'-' if level else ''}{level}{part}",
        f"{measure.name}{at} over {x} and {y}",
        f"{words}{line} {statement(rows, bars=False)}",
        draw,
    )
