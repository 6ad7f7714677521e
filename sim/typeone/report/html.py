"""Small pieces of HTML, escaped."""

from __future__ import annotations

import base64
import gzip
import html
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from typeone.display import cell
from typeone.tables import WRITERS

_LONG = 40  # letters of a cell that may wrap
_TALL = 40  # rows of a table that scrolls inside the page
MOST_CSV = 500_000
"""Bytes of a table that is embedded as it is; a larger one is embedded as .csv.gz, up to the same size."""


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands below it."""

    id: str
    title: str
    body: Markup


def text(value: Any) -> Markup:
    """A value as escaped text; ``Markup`` stays as it is."""
    return value if isinstance(value, Markup) else Markup(html.escape(cell(value)))


def joined(*parts: Any) -> Markup:
    """Values one after the other."""
    return Markup("".join(text(part) for part in parts))


def element(name: str, *content: Any, **attributes: Any) -> Markup:
    """An element; ``class_`` and ``data_x`` stand for class and data-x, None leaves an attribute out."""
    told = "".join(
        f' {key.strip("_").replace("_", "-")}="{html.escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{told}>{joined(*content)}</{name}>")


def paragraph(*content: Any) -> Markup:
    """A paragraph of values."""
    return element("p", *content)


def bullets(items: Iterable[Any]) -> Markup:
    """A list."""
    return element("ul", *(element("li", item) for item in items))


def code(command: str) -> Markup:
    """A block of commands."""
    return element("pre", element("code", command), tabindex="0")


def facts(pairs: Iterable[tuple[str, Any]]) -> Markup:
    """Names and values."""
    return element("dl", *(joined(element("dt", name), element("dd", value)) for name, value in pairs))


def table(
    name: str,
    caption: Any,
    header: Sequence[str],
    rows: Sequence[Sequence[Any]],
    *,
    ids: Sequence[str] = (),
    choose: Sequence[str] = (),
) -> Markup:
    """A table that scripts make sortable and filterable; ``choose`` are the columns with a list of choices.

    Numbers show four digits; their full value is what is sorted, and appears on hover.
    """
    right = [all(_is_number(row[i]) for row in rows) and bool(rows) for i in range(len(header))]
    heads = [
        element("th", title, scope="col", class_="n" if r else None, data_choose="" if title in choose else None)
        for title, r in zip(header, right, strict=True)
    ]
    body = []
    for position, row in enumerate(rows):
        cells = "".join(_cell(value, r) for value, r in zip(row, right, strict=True))
        body.append(f'<tr id="{ids[position]}">{cells}</tr>' if ids else f"<tr>{cells}</tr>")
    label = re.sub("<[^>]*>", "", text(caption))
    grid = (
        f'<table id="{name}" class="sortable"><caption>{text(caption)}</caption>'
        f"<thead><tr>{''.join(heads)}</tr></thead><tbody>{''.join(body)}</tbody></table>"
    )
    kind = "wide tall" if len(rows) > _TALL else "wide"
    return Markup(f'<div class="{kind}" role="region" tabindex="0" aria-label="{label}">{grid}</div>')


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def _cell(value: Any, right: bool) -> str:
    shown = text(value)
    kind = ' class="n"' if right else ' class="t"' if len(shown) > _LONG and not isinstance(value, Markup) else ""
    if isinstance(value, float) and repr(value) != shown:
        return f'<td{kind} title="{value!r}">{shown}</td>'
    return f"<td{kind}>{shown}</td>"


def download(name: str, content: bytes, media: str) -> Markup:
    """A link that saves ``content`` from the page itself."""
    data = base64.b64encode(content).decode()
    return Markup(f'<a class="save" download="{html.escape(name)}" href="data:{media};base64,{data}">{name}</a>')


def csv_download(name: str, data: pa.Table) -> Markup:
    """A link to the table as CSV, packed when it is large; words when even that is too large for a page."""
    sink = io.BytesIO()
    WRITERS[".csv"](data, sink)
    content = sink.getvalue()
    if len(content) <= MOST_CSV:
        return download(f"{name}.csv", content, "text/csv")
    packed = gzip.compress(content, mtime=0)
    if len(packed) <= MOST_CSV:
        return download(f"{name}.csv.gz", packed, "application/gzip")
    return text(f"{name}: {len(content) / 1e6:.1f} MB as CSV, too large for this page")
