"""Pictures inside a notebook's cell: the natural figure of each result as one ``<svg>`` that fetches nothing."""

from __future__ import annotations

import html
import io
import re
from typing import Any

import matplotlib
import numpy as np
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure

from typeone.figures import style
from typeone.figures.decisions import p_values, posteriors, unit_sizes
from typeone.figures.envelope import envelope
from typeone.figures.estimates import MOST_DOTS, dots
from typeone.figures.rows import Row, groups
from typeone.figures.sizes import count_rule, plan_curve

MOST_MARKS = 600
"""Marks in one collection; more are drawn as pixels, so that the file stays small."""
_LINES = 'style="stroke-linejoin: round; stroke-linecap: butt"'
_NETWORK = re.compile(r'\s(?:xmlns(?::\w+)?|version)="[^"]*"')


def svg(figure: Figure, label: str) -> str:
    """The figure as ``<svg>`` on white, ``label`` for those who do not see it; no address stands in it."""
    for points in figure.findobj(PathCollection):
        points.set_urls([None])
        if np.shape(points.get_offsets())[0] > MOST_MARKS:
            points.set_rasterized(True)
    sink = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "typeone", "svg.fonttype": "none"}):
        figure.savefig(sink, format="svg", facecolor="white", metadata={"Date": None}, dpi=110)
    text = sink.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.S)
    head, body = text[: text.index(">") + 1], text[text.index(">") + 1 :]
    head = _NETWORK.sub("", head).replace("<svg", f'<svg role="img" aria-label="{html.escape(label)}" {_LINES}', 1)
    body = re.sub(
        r"<defs>\s*<style.*?</style>\s*</defs>", "", body, flags=re.S
    )  # its rule would hold for the whole page
    body = re.sub(r"<[^>]*>", _shorter, body).replace("xlink:href", "href")
    return head + re.sub(r"<!--.*?-->\s*", "", body, flags=re.S).strip()


def _shorter(tag: re.Match[str]) -> str:
    """Two decimals of a coordinate are enough; pixels are left as they are."""
    return tag[0] if "base64" in tag[0] else re.sub(r"(\d+\.\d\d)\d+", r"\1", tag[0])


def scf(result: Any) -> str:
    """p-values of all targets, with the levels."""
    ax = p_values(result.p_value, at=[level.text for level in result.levels])
    return svg(style.figure_of(ax), f"p-values of {len(result)} targets, smallest first, and the levels")


def jecs(result: Any) -> str:
    """The envelope: histogram of max-p and chord, with the cut-off of the chosen method."""
    found = result.envelope
    scale, cutoff = found.scale, result.cutoffs.get(result.method)
    left, _ = envelope(
        result.p_max,
        lam=float(found.lam),
        kappa=float(found.kappa),
        scale=float("nan") if scale is None else float(scale),
        cutoff=float(cutoff or 0),
        alpha=result.level,
    )
    return svg(style.figure_of(left), f"max-p of {len(result)} items, and the chord that bounds contaminated ones")


def panels(result: Any) -> str:
    """Minimum and stable size of each unit against its share of positive votes."""
    ax = unit_sizes(result.positives / max(result.evaluators, 1), result.minimum, result.stable)
    return svg(style.figure_of(ax), f"panel sizes of {len(result)} units against their share of positive votes")


def pooling(result: Any) -> str:
    """Posteriors by decision, with both thresholds."""
    ax = posteriors(result.posterior, result.to_arrow()["decision"].to_pylist())
    for name, threshold in (("accept", result.rule.accept), ("reject", result.rule.reject)):
        ax.axhline(float(threshold), color=style.FAINT, linewidth=1, label=f"{name} at {threshold.text}")
    style.own_legend(ax)
    return svg(style.figure_of(ax), f"posteriors of {len(result)} items, smallest first, by decision")


def drift(result: Any) -> str:
    """The operating point of one vote rule at each number of sources."""
    ax = count_rule(result.to_arrow(), tau=result.tau)
    return svg(style.figure_of(ax), f"what the rule count >= {result.tau} means at each number of sources")


def plan(result: Any) -> str:
    """The curve behind the answer, with the target and the sizes found; "" before anything is known."""
    if not any(row["multiple"] == "1" and row["estimate"] is not None for row in result.curve.to_pylist()):
        return ""
    wanted = re.search(r"[<>]=(.+)$", result.target)
    answers = []
    if len(result.main) == 1:
        told = {"minimum": result.main[0].minimum.size, "stable": result.main[0].stable.size}
        answers = [(name, size) for name, size in told.items() if size is not None]
    target = None if wanted is None else _number(wanted[1])
    ax = plan_curve(result.curve, name=result.factors[0], measure=result.column[1], target=target, answers=answers)
    return svg(style.figure_of(ax), f"{result.target} against {result.factors[0]}")


def _number(text: str) -> float:
    from typeone.levels import number

    return float(number("target", text))


def run(summary: Any) -> str:
    """Estimates of a run's summary with their intervals: its first promised measure, else its first; few cells only.

    "" when there is no estimate.  At most 60 estimates are drawn, those of the first cells.
    """
    rows: list[Row] = [row for row in summary.to_pylist() if row["estimate"] is not None]
    by_measure = {measure: group for (measure,), group in groups(rows, "measure").items()}
    if not by_measure:
        return ""
    promised = [name for name, group in by_measure.items() if any(row["verdict"] for row in group)]
    measure = (promised or list(by_measure))[0]
    shown = by_measure[measure][:MOST_DOTS]
    names = ["method", *(["cell"] if len({row["cell"] for row in shown}) > 1 else []), "level"]
    ax = dots(shown, measure=measure, names=names)
    left = len(by_measure[measure]) - len(shown)
    return svg(style.figure_of(ax), f"{measure} with intervals" + (f", {left} more not drawn" if left else ""))
