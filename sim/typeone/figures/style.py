"""One look for all figures: no pyplot, colors that also work in grey, and files that are equal when made again.

Every color that stands for ink, grid or a method is one of the constants below, so that a page can replace
it (dark mode).  Methods differ in marker and dash besides color.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from matplotlib.markers import MarkerStyle
from numpy.typing import NDArray

INK = "#1a1c1f"
FAINT = "#868d98"
GRID = "#dfe2e7"
PAPER = "#fefefe"
ALARM = "#b3261e"
COLORS = ("#0b3c6f", "#c2540c", "#2f7d55", "#8038a8", "#a8740f", "#56606e", "#0e7490", "#b0175e")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p")
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1.5, 2)), (0, (3, 2)), (0, (8, 2)))
MAP = "cividis"
FORMATS = ("svg", "pdf", "png")
MOST_PANELS = 6

Numbers: TypeAlias = Sequence[float] | NDArray[np.float64]


class Look(NamedTuple):
    """How a method is drawn."""

    color: str
    marker: str
    dash: Any


def looks(names: Iterable[str]) -> dict[str, Look]:
    """A look for each name, in the order given; the ninth color repeats the first with another marker."""
    return {
        name: Look(COLORS[i % len(COLORS)], MARKERS[(i + i // len(COLORS)) % len(MARKERS)], DASHES[i % len(DASHES)])
        for i, name in enumerate(dict.fromkeys(names))
    }


def panels(
    count: int, *, width: float = 3.1, height: float = 2.9, most: int = 3, shared: bool = False
) -> tuple[Figure, list[Axes]]:
    """A figure of ``count`` equal Axes, at most ``most`` in a row; ``shared`` for one scale of y."""
    columns = min(count, most)
    rows = -(-count // columns)
    wide = max(width * columns, 4.6)
    figure = Figure(figsize=(wide, height * rows), layout="constrained", facecolor="none")
    FigureCanvasAgg(figure)
    grid = figure.subplots(rows, columns, squeeze=False, sharey=shared).ravel()
    for ax in grid[count:]:
        figure.delaxes(ax)
    return figure, [dressed(ax) for ax in grid[:count]]


def axes(ax: Axes | None, *, width: float = 4.8, height: float = 3.4) -> Axes:
    """The caller's Axes, or those of a new figure."""
    return panels(1, width=width, height=height)[1][0] if ax is None else ax


def figure_of(ax: Axes) -> Figure:
    """The figure that Axes stand in."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    return figure


def dressed(ax: Axes) -> Axes:
    """Axes in the house style."""
    ax.set_facecolor("none")
    for side, spine in ax.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(FAINT)
    ax.tick_params(colors=INK, color=FAINT, labelsize=8)
    for axis in (ax.xaxis, ax.yaxis):
        axis.label.set_color(INK)
        axis.label.set_fontsize(9)
    ax.grid(visible=True, color=GRID, linewidth=0.6)
    ax.set_axisbelow(True)
    return ax


def title(ax: Axes, text: str) -> None:
    """The title of one panel."""
    ax.set_title(text, fontsize=9, color=INK)


def finish(figure: Figure, grid: Sequence[Axes], *, columns: int = 4) -> Figure:
    """One legend above all panels, and a y label only where a row of panels with a common scale begins."""
    entries: dict[str, Any] = {}
    for ax in grid:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
        place = ax.get_subplotspec()
        if place is not None and not place.is_first_col() and len(ax.get_shared_y_axes().get_siblings(ax)) > 1:
            ax.set_ylabel("")
    if entries:
        box = figure.legend(
            list(entries.values()),
            list(entries),
            loc="outside upper left",
            ncols=min(columns, len(entries)),
            fontsize=8,
            frameon=False,
        )
        for text in box.get_texts():
            text.set_color(INK)
    return figure


def own_legend(ax: Axes) -> None:
    """A legend on top of ``ax``, where it hides nothing."""
    box = ax.legend(loc="lower left", bbox_to_anchor=(0, 1.0), fontsize=8, frameon=False)
    for text in box.get_texts():
        text.set_color(INK)


def from_zero(ax: Axes, top: float) -> None:
    """Let y start at 0 and reach ``top``, or what panels with the same scale need."""
    before = 0.0 if ax.get_autoscaley_on() else ax.get_ylim()[1]
    ax.set_ylim(0, max(before, 1.06 * top) or 1.0)


def marks(ax: Axes, x: Numbers, y: Numbers, look: Look, *, rows: Sequence[int | None] = (), **options: Any) -> None:
    """Markers; with ``rows`` each is a link ``row:N``, by which a page ties it to row N of a table."""
    points = ax.scatter(
        x, y, s=22, marker=MarkerStyle(look.marker), color=look.color, linewidths=0.6, zorder=3, **options
    )
    points.set_edgecolor(PAPER)
    _link(points, rows)


def links(ax: Axes, x: Numbers, y: Numbers, rows: Sequence[int | None]) -> None:
    """Invisible marks on what is no marker (a bar, a step, a cell of a map), so that it is tied to its row too."""
    if any(row is not None for row in rows):
        _link(ax.scatter(x, y, s=120, marker="s", color=[(1.0, 1.0, 1.0, 0.0)], linewidths=0.0, zorder=4), rows)


def _link(points: PathCollection, rows: Sequence[int | None]) -> None:
    if any(row is not None for row in rows):
        # A single link would be dropped where all points share one path.
        points.set_urls([None if row is None else f"row:{row}" for row in (*rows, None)])


def save(figure: Figure, file: Path, caption: str = "") -> None:
    """Write ``figure`` in the format of the file's name, the caption below; the same bytes every time."""
    kind = file.suffix.removeprefix(".")
    for points in figure.findobj(PathCollection):
        points.set_urls([None])  # there is no table to link to
    if caption:
        width = int(figure.get_figwidth() * 17)
        text = figure.supxlabel("\n".join(textwrap.wrap(caption, width)), x=0.01, ha="left", fontsize=7.5)
        text.set_color(INK)
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind)
    with matplotlib.rc_context({"svg.hashsalt": file.stem, "svg.fonttype": "path", "pdf.fonttype": 42}):
        figure.savefig(file, format=kind, dpi=160, facecolor="white", metadata=metadata)
