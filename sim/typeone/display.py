"""Results as text for a terminal and as HTML for a notebook."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import Any

MOST_ROWS = 40
MOST_CHARACTERS = 60
"""Of one cell of a table in a terminal."""


def cell(value: Any) -> str:
    """A value as a reader wants it: four significant digits, yes / no, a dash for nothing."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in str(value))  # a line break stays in its cell


def text_table(header: Sequence[str], rows: Iterable[Sequence[Any]], *, most: int = MOST_ROWS) -> str:
    """Aligned columns: numbers right, text left; a line says how many rows were left out."""
    shown, hidden = _cut(rows, most)
    cells = [[_short(cell(value)) for value in row] for row in shown]
    width = [max([len(name), *(len(row[i]) for row in cells)]) for i, name in enumerate(header)]
    right = [all(isinstance(row[i], int | float | None) for row in shown) for i in range(len(header))]

    def line(values: Sequence[str]) -> str:
        parts = [v.rjust(w) if r else v.ljust(w) for v, w, r in zip(values, width, right, strict=True)]
        return "  ".join(parts).rstrip()

    lines = [line(header), line(["-" * w for w in width]), *(line(row) for row in cells)]
    if hidden:
        lines.append(f"… and {hidden} more rows")
    return "\n".join(lines)


def _short(text: str) -> str:
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 1] + "…"


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """The whole table as Markdown."""
    lines = [list(header), ["---"] * len(header), *([cell(value).replace("|", r"\|") for value in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def html_table(
    header: Sequence[str], rows: Iterable[Sequence[Any]], *, caption: str = "", most: int = MOST_ROWS
) -> str:
    """The same table as HTML, escaped."""
    shown, hidden = _cut(rows, most)
    head = "".join(f"<th>{html.escape(name)}</th>" for name in header)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(cell(v))}</td>" for v in row) + "</tr>" for row in shown)
    more = f"<p>… and {hidden} more rows</p>" if hidden else ""
    title = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _cut(rows: Iterable[Sequence[Any]], most: int) -> tuple[list[Sequence[Any]], int]:
    everything = list(rows)
    return everything[:most], max(0, len(everything) - most)
