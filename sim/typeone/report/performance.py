"""Figures and the table of estimates, each pointing to the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from typeone.engine.summary import intervals_in
from typeone.figures.picture import Picture
from typeone.figures.rows import Row
from typeone.figures.stored import Stored
from typeone.report.html import Markup, csv_download, element, joined, paragraph, table, text
from typeone.report.svg import inline
from typeone.report.verdicts import interval

MOST_FIGURES = 1_200_000
MOST_TABLE = 700_000
"""Bytes; with a CSV of at most 2/3 MB the page stays below 3 MB."""
_READINGS = ("lower_failed_as_0", "upper_failed_as_0", "lower_failed_as_1", "upper_failed_as_1")


class Shown:
    """The figures of a page, drawn until they take up their share of it, and the rows each one shows."""

    def __init__(self, pictures: Sequence[Picture], tips: Mapping[int, str], *, command: str) -> None:
        self.rows: dict[int, list[int]] = {}
        self._bodies: list[Markup] = []
        self._left_out: list[str] = []
        self._command = command
        used = 0
        for picture in pictures:
            number = len(self._bodies) + 1
            if used >= MOST_FIGURES:
                self._left_out.append(picture.name)
                continue
            label = f"{picture.title}. {picture.caption} The values are in the table below."
            svg, rows = inline(picture.draw(), f"f{number}", label, tips.get)
            if used + len(svg) > MOST_FIGURES:
                self._left_out.append(picture.name)
                continue
            used += len(svg)
            self._bodies.append(_figure(number, picture, svg))
            for row in rows:
                self.rows.setdefault(row, []).append(number)

    def body(self) -> Markup:
        """All figures; those for which there was no room are named."""
        parts = list(self._bodies)
        if self._left_out:
            names = ", ".join(self._left_out)
            parts.append(paragraph(f"Left out to keep this page small: {names}. Draw them with {self._command}."))
        return joined(*parts)

    def links(self, row: int) -> Markup:
        """Links from a row to the figures that show it."""
        anchors = [element("a", str(number), href=f"#figure-{number}") for number in self.rows.get(row, [])]
        return Markup(" ".join(anchors))


def _figure(number: int, picture: Picture, svg: Markup) -> Markup:
    words = joined(element("strong", f"Figure {number}. {picture.title}. "), picture.caption)
    body = element("div", svg, class_="wide", role="region", tabindex="0", aria_label=picture.title)
    return element("figure", body, element("figcaption", words), id=f"figure-{number}")


def tips(rows: Sequence[Row]) -> dict[int, str]:
    """What a mark shows on hover, by row number."""
    return {row["row"]: _tip(row) for row in rows if row["estimate"] is not None}


def _tip(row: Row) -> str:
    at = f" at {row['level']}" if row["level"] else ""
    return f"{row['method']}, {row['measure']}{at}, cell {row['cell']}: {interval(row)}"


def listed(run: Stored) -> list[Row]:
    """The rows that the page's table has room for: claims first, then in the order of the summary."""
    per_row = 330 + 45 * len(run.varying) + (180 if run.manifest.failed else 0)
    most = MOST_TABLE // per_row
    first = sorted(run.records, key=lambda row: (row["verdict"] is None, "_gain_" in row["measure"], row["row"]))
    return sorted(first[:most], key=lambda row: row["row"])


def estimates(run: Stored, rows: Sequence[Row], shown: Shown) -> Markup:
    """The table of estimates, each with its errors, counts and verdict, and the complete one to save."""
    readings = _READINGS if run.manifest.failed else ()
    header = [
        "cell", *run.varying, "method", "measure", "level", "estimate", "± MC error", "lower", "upper", "verdict",
        "needed", "figures", "attempted", "valid", "failed", "SD", *readings,
    ]  # fmt: skip
    body = [_line(run, row, readings, shown) for row in rows]
    total = len(run.records)
    left = "" if len(rows) == total else f" The first {len(rows):,} of {total:,} rows; all are in the file."
    sorts = intervals_in(run.study, run.summary)
    caption = f"Estimates: 95 % intervals from lower to upper, one at a time: {sorts}.{left}"
    complete: pa.Table = run.summary.drop_columns(["row"])
    return joined(
        table(
            "estimates",
            caption,
            header,
            body,
            ids=[f"row-{row['row']}" for row in rows],
            choose=["cell", *run.varying, "method", "measure", "level", "verdict"],
        ),
        paragraph("The whole table, with all digits and all factors: ", csv_download("summary", complete)),
    )


def _line(run: Stored, row: Row, readings: Sequence[str], shown: Shown) -> list[Any]:
    return [
        element("a", str(row["cell"]), href=f"#cell-{row['cell']}"),
        *(row[name] for name in run.varying),
        row["method"],
        row["measure"],
        row["level"],
        *(row[name] for name in ("estimate", "mc_se", "lower", "upper")),
        _verdict(row["verdict"]),
        row["needed"],
        shown.links(row["row"]),
        *(row[name] for name in ("attempted", "valid", "failed", "sd", *readings)),
    ]


def _verdict(verdict: str | None) -> Markup:
    return element("span", verdict, class_=verdict.replace(" ", "-")) if verdict else text("")
