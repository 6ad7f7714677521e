"""ROC: of labelled scores with pointwise intervals, and of a run's methods at its levels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy import special

from typeone.engine.study import Measure
from typeone.figures import style
from typeone.figures.picture import Picture
from typeone.figures.rows import Row, bars, column, groups, levels_of, row_numbers, rows_of, statement
from typeone.figures.stored import Stored
from typeone.figures.style import Look
from typeone.levels import Level, LevelLike, level
from typeone.roc import auroc

PLACE = 20


def roc(scores: Any, labels: Any, ax: Axes | None = None, *, confidence: LevelLike = "0.95") -> Axes:
    """The ROC curve of scores (N,) with labels (N,), larger = more positive, and its AUROC.

    At each threshold the band is the exact (Clopper-Pearson) interval of the true-positive rate for that
    threshold: pointwise, not for the whole curve, and for the threshold, not for the false-positive rate.
    Tied scores make one step, so ties count one half in the area.
    """
    sure = float(level("confidence", confidence))
    area = auroc(scores, labels)
    values, positive = np.asarray(scores, dtype=np.float64), np.asarray(labels).astype(bool)
    cuts = np.unique(values)[::-1]
    found = np.searchsorted(np.sort(-values[positive]), -cuts, side="right")
    false = np.searchsorted(np.sort(-values[~positive]), -cuts, side="right")
    found, false = np.append(0, found), np.append(0, false)
    n, m = int(positive.sum()), int((~positive).sum())
    lower = np.where(found > 0, special.betaincinv(np.maximum(found, 1), n - found + 1, (1 - sure) / 2), 0.0)
    upper = np.where(found < n, special.betainccinv(found + 1, np.maximum(n - found, 1), (1 - sure) / 2), 1.0)
    ax = style.axes(ax, width=4.0, height=3.8)
    _frame(ax, "false-positive rate", "true-positive rate")
    color = style.COLORS[0]
    label = f"pointwise {100 * sure:.4g} % interval"
    ax.fill_between(false / m, lower, upper, color=color, alpha=0.18, linewidth=0, label=label)
    ax.plot(false / m, found / n, color=color, linewidth=1.4, label=f"AUROC {area:.4f} ({n} positive, {m} not)")
    style.own_legend(ax)
    return ax


def operating_points(
    table: pa.Table | Sequence[Row],
    ax: Axes | None = None,
    *,
    error: str,
    found: str,
    cell: int | None = None,
    looks: Mapping[str, Look] | None = None,
) -> Axes:
    """``found`` against ``error`` of a summary at each level, with the intervals of both."""
    rows = rows_of(table, cell=cell)
    pairs = {key: (a, b) for key, a, b in _pairs(rows, error, found)}
    ax = style.axes(ax, width=4.0, height=3.8)
    by_method: dict[str, list[tuple[Row, Row]]] = {}
    for (method, _), pair in pairs.items():
        by_method.setdefault(method, []).append(pair)
    looks = looks or style.looks(by_method)
    for method, points in by_method.items():
        points.sort(key=lambda pair: Level(pair[0]["level"]))
        across, up = [a for a, _ in points], [b for _, b in points]
        x, y, look = column(across, "estimate"), column(up, "estimate"), looks[method]
        options = {"color": look.color, "linestyle": look.dash, "linewidth": 1.2, "elinewidth": 0.5}
        ax.errorbar(x, y, bars(up), bars(across), label=method, **options)
        style.marks(ax, x, y, look, rows=row_numbers(up))
    ends = [float(row["estimate"]) for pair in pairs.values() for row in pair]
    _frame(ax, error, found, min(1.0, 1.15 * max(ends, default=1.0)) or 1.0)
    return ax


def _pairs(rows: Sequence[Row], error: str, found: str) -> Iterator[tuple[tuple[str, str], Row, Row]]:
    """Both rows of each method and level that has both."""
    by_key = {(row["method"], row["level"], row["measure"]): row for row in rows}
    for (method, text, measure), row in by_key.items():
        other = by_key.get((method, text, found))
        if measure == error and text and other is not None:
            yield (method, text), row, other


def _frame(ax: Axes, across: str, up: str, edge: float = 1.0) -> None:
    ax.axline((0, 0), slope=1, color=style.FAINT, linewidth=1, zorder=1)
    ax.set(xlabel=across, ylabel=up, xlim=(-0.02 * edge, 1.02 * edge), ylim=(-0.02 * edge, 1.02 * edge))


def offers(run: Stored) -> Iterator[Picture]:
    """For each promised error rate and each other rate at the same levels of the same methods."""
    if len(run.manifest.factors) > style.MOST_PANELS:
        return
    measures = list(run.measures("rate", "fraction"))
    for error, wrong in measures:
        for found, right in measures:
            shared = {(row["method"], row["level"]) for row in wrong} & {
                (row["method"], row["level"]) for row in right if row["level"]
            }
            if error.claim and not found.claim and shared and len(levels_of(right)) > 1:
                yield _picture(run, error, found, wrong + right)


def _picture(run: Stored, error: Measure, found: Measure, rows: list[Row]) -> Picture:
    def draw() -> Figure:
        cells = groups(rows, "cell")
        figure, grid = style.panels(len(cells), height=3.1, shared=True)
        known = style.looks(run.methods)
        for ax, ((cell,), group) in zip(grid, cells.items(), strict=True):
            operating_points(group, ax, error=error.name, found=found.name, looks=known)
            style.title(ax, run.cell_name(cell) if len(cells) > 1 else "")
        widest = max((ax.get_xlim() for ax in grid), key=lambda ends: ends[1])
        for ax in grid:
            ax.set(xlim=widest, ylim=widest)
        return style.finish(figure, grid)

    return Picture(
        f"roc-{found.name}",
        f"{found.name} against {error.name} at each level",
        f"Each point is a method at one level: up and to the left is better; on the line a method guesses. "
        f"{statement(rows)}",
        draw,
    )
