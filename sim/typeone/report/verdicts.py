"""The answer in words: which promises were kept, which not, and what is still open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from typeone.display import cell
from typeone.engine.verdicts import CLAIM_ERROR
from typeone.figures.rows import Row, groups
from typeone.figures.stored import Stored
from typeone.levels import Level
from typeone.report.html import Markup, bullets, element, joined, paragraph, table

VERDICTS = ("holds", "within margin", "violated", "undecided")
_MOST_NAMED = 5


def answer(run: Stored) -> Markup:
    """Sentences and one table; the sentences do not need it."""
    claims = [row for row in run.records if row["verdict"]]
    parts = [paragraph(_progress(run))]
    gains = bullets(_gains(run))
    if not claims:
        parts.append(paragraph("This study promises nothing about an error rate: there is no verdict, only estimates."))
        return joined(*parts, gains)
    parts += [paragraph(_count(claims)), bullets(_sentences(claims, run)), gains, _table(claims)]
    parts.append(
        paragraph(
            f"All verdicts of this run together are wrong with probability at most {CLAIM_ERROR:g}. “Holds”: the upper "
            f"bound is at most level + margin (margin {run.design.margin.text}). “Violated”: the lower bound is above "
            "the level. “Within margin”: both. “Undecided”: neither, more repetitions are needed. Failed repetitions "
            "count against either verdict."
        )
    )
    return joined(*parts)


def _progress(run: Stored) -> Markup:
    done, planned, failed = run.manifest.completed, run.manifest.planned, run.manifest.failed
    state = "Complete" if done == planned else "Not complete"
    cells = len(run.manifest.factors)
    return joined(
        element("strong", f"{state}: "),
        f"{done:,} of {planned:,} planned repetitions in {cells} cell{'s' if cells > 1 else ''}, {failed:,} failed"
        + (f"; the stopping rule ended {len(run.manifest.stopped)} cells early." if run.manifest.stopped else "."),
    )


def _count(claims: Sequence[Row]) -> Markup:
    counts = Counter(row["verdict"] for row in claims)
    names = sorted({row["measure"] for row in claims})
    told = [f"{counts[verdict]} {_BE[verdict]}" for verdict in VERDICTS if counts[verdict]]
    promises = ", ".join(f"“{name} ≤ level”" for name in names)
    return joined(element("strong", f"Of {len(claims)} claims {promises}: {', '.join(told)}."))


_BE = {"holds": "hold", "within margin": "within margin", "violated": "violated", "undecided": "undecided"}


def _sentences(claims: Sequence[Row], run: Stored) -> Iterator[Markup]:
    broken = [row for row in claims if row["verdict"] == "violated"]
    broken.sort(key=lambda row: float(Level(row["level"])) - row["estimate"])
    for row in broken[:_MOST_NAMED]:
        yield joined(
            element("strong", "Violated", class_="violated"),
            f": {row['measure']} of {row['method']} at level {row['level']} is {interval(row)} in ",
            element("a", f"cell {row['cell']}", href=f"#row-{row['row']}"),
            f" ({run.cell_name(row['cell'])}).",
        )
    if len(broken) > _MOST_NAMED:
        yield joined(f"And {len(broken) - _MOST_NAMED} more are violated: filter the table of estimates by verdict.")
    undecided = [row for row in claims if row["verdict"] == "undecided"]
    if undecided:
        yield _open(undecided)
    known = [row for row in claims if row["estimate"] is not None]
    if known and not broken:
        highest = max(known, key=lambda row: row["estimate"] - float(Level(row["level"])))
        yield joined(
            "No claim is violated. The estimate farthest above its level, or nearest below it: "
            f"{highest['measure']} of {highest['method']} at level {highest['level']}, {interval(highest)}."
        )


def _open(undecided: Sequence[Row]) -> Markup:
    needed = [row["needed"] for row in undecided if row["needed"] is not None]
    endless = len(undecided) - len(needed)
    told = f"{len(undecided)} undecided: "
    if needed:
        told += (
            f"if estimates stayed as they are, {min(needed):,} to {max(needed):,} repetitions of a cell would decide"
        )
    if endless:
        told += f"{'; ' if needed else ''}{endless} have no value or lie too near their level for any feasible number"
    return joined(told + ".")


def interval(row: Row) -> str:
    """``0.0487 ± 0.0039 (0.0412 to 0.0570)``: estimate, Monte Carlo standard error, 95 % interval."""
    error = "" if row["mc_se"] is None else f" ± {row['mc_se']:.2g}"
    ends = "" if row["lower"] is None else f" ({cell(row['lower'])} to {cell(row['upper'])})"
    return f"{cell(row['estimate'])}{error}{ends}"


def _gains(run: Stored) -> Iterator[Markup]:
    """Which method of a pair is ahead in every cell, by measure and level."""
    for measure, rows in run.measures("gain"):
        for (level,), group in groups(rows, "level").items():
            pairs = groups(group, "method")
            ahead = [pair for (pair,), cells in pairs.items() if all((row["lower"] or 0) > 0 for row in cells)]
            behind = [pair for (pair,), cells in pairs.items() if all((row["upper"] or 0) < 0 for row in cells)]
            better = [tuple(pair.split(" - ")) for pair in ahead] + [tuple(pair.split(" - "))[::-1] for pair in behind]
            told = ", ".join(" over ".join(pair) for pair in sorted(better)) or "none"
            at = f" at level {level}" if level else ""
            open_ = len(pairs) - len(better)
            yield joined(
                f"By {measure.name}{at}, ahead in every cell (each 95 % interval, on its own, leaves out 0): {told}; "
                f"{open_} of {len(pairs)} pairs {'are' if open_ != 1 else 'is'} not ordered in every cell."
            )


def _table(claims: Sequence[Row]) -> Markup:
    header = ["measure", "method", "level", *VERDICTS, "largest estimate", "± MC error"]
    rows: list[list[Any]] = []
    for (measure, method, level), group in groups(claims, "measure", "method", "level").items():
        counts = Counter(row["verdict"] for row in group)
        known = [row for row in group if row["estimate"] is not None]
        highest = max(known, key=lambda row: row["estimate"], default={"estimate": None, "mc_se": None})
        counted = [counts[verdict] for verdict in VERDICTS]
        rows.append([measure, method, level, *counted, highest["estimate"], highest["mc_se"]])
    caption = "Verdicts: number of cells, and the cell with the largest estimate"
    return table("verdicts", caption, header, rows, choose=["measure", "method", "level"])
