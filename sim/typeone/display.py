"""Tables and sentences as text for a terminal, as Markdown and as HTML."""

from __future__ import annotations

import html
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from typeone.aligned import GAP, Column, aligned, kind_of

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

WIDTH = 80
MOST_ROWS = 40
MOST_CHARACTERS = 60
"""Of a word in a table in a terminal."""
MOST_TEXT = 300
"""Of several words in a cell of a table in a terminal."""


def cell(value: Any) -> str:
    """A value as a reader wants it: four significant digits, yes / no, a dash for nothing."""
    if value is None or value != value:  # NaN
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in str(value))  # a line break stays in its cell


def width() -> int:
    """Columns of the terminal that is printed to, at least 40; 80 where there is none and COLUMNS does not say."""
    if "COLUMNS" in os.environ or (sys.stdout is not None and sys.stdout.isatty()):
        return max(40, shutil.get_terminal_size((WIDTH, 24)).columns)
    return WIDTH


def text_table(
    header: Sequence[str], rows: Iterable[Sequence[Any]], *, most: int = MOST_ROWS, total: int | None = None
) -> str:
    """Aligned columns: numbers right, text left, within the width; a line says how many rows were left out.

    ``total`` rows there are, where not all are handed in.
    """
    shown, hidden = _cut(rows, most, total)
    blocks = aligned(columns_of(header, shown), width())
    text = "\n\n".join("\n".join([*head, rule, *(line for row in body for line in row)]) for head, rule, body in blocks)
    return text + (f"\n… and {hidden} more rows" if hidden else "")


def columns_of(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[Column]:
    """The values of a table as the text of its columns."""
    columns = []
    for i, name in enumerate(header):
        cells = [_short(cell(row[i])) for row in rows]
        numbers = all(isinstance(row[i], int | float | None) for row in rows)
        columns.append(Column(name, cells, kind_of(cells, numbers=numbers)))
    return columns


def _short(text: str) -> str:
    most = MOST_TEXT if " " in text.strip() else MOST_CHARACTERS
    return text if len(text) <= most else text[: most - 1] + "…"


def folded(text: str, indent: int = 0) -> str:
    """Sentences broken into lines of at most 80 characters; tables, which fit as they are, are left alone.

    ``indent``: where ``text`` begins in its first line, and all others with it.
    """
    most = min(width(), WIDTH) - indent
    lines = [line if len(line) <= most else _fill(line, most) for line in text.split("\n")]
    return "\n".join(lines).replace("\n", "\n" + " " * indent)


def _fill(line: str, most: int) -> str:
    grade = re.match(r"\s*(?:(?:ok|note|warning):? +)?", line)
    head = grade[0] if grade else ""
    if GAP in line[len(head) :]:
        return line
    return textwrap.fill(
        line[len(head) :],
        most,
        initial_indent=head,
        subsequent_indent=" " * len(head),
        break_long_words=False,
        break_on_hyphens=False,
    )


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """The whole table as Markdown."""
    lines = [list(header), ["---"] * len(header), *([cell(value).replace("|", r"\|") for value in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def html_table(
    header: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    caption: str = "",
    most: int = MOST_ROWS,
    total: int | None = None,
) -> str:
    """The same table as HTML, escaped."""
    shown, hidden = _cut(rows, most, total)
    head = "".join(f"<th>{html.escape(name)}</th>" for name in header)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(cell(v))}</td>" for v in row) + "</tr>" for row in shown)
    more = f"<p>… and {hidden} more rows</p>" if hidden else ""
    title = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def first_rows(table: pa.Table, order: NDArray[np.int64] | None = None) -> list[tuple[Any, ...]]:
    """As many rows of an Arrow table as are shown, in the ``order`` of these positions if given."""
    shown = table.slice(0, MOST_ROWS) if order is None else table.take(order[:MOST_ROWS])
    return [tuple(row.values()) for row in shown.to_pylist()]


def warned(warnings: Iterable[str]) -> list[str]:
    """What a reader must know, each marked as a warning."""
    return [f"warning: {warning}" for warning in warnings]


def html_paragraphs(texts: Iterable[str]) -> str:
    """Sentences as HTML, escaped."""
    return "".join(f"<p>{html.escape(text)}</p>" for text in texts if text)


def _cut(rows: Iterable[Sequence[Any]], most: int, total: int | None) -> tuple[list[Sequence[Any]], int]:
    given = list(rows)
    shown = given[:most]
    return shown, (len(given) if total is None else total) - len(shown)
