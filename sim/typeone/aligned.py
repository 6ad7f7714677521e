"""Columns of text that fit a width: headers wrap first, then words; what is left stands below, the first column again.

Numbers are never cut or broken: only a table whose first two columns are too wide together is wider than allowed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal["number", "fixed", "words"]

GAP = "  "
AMPLE = 20
"""A column of words is narrowed to this before any other is narrowed further."""
LONGEST_WORD = 16
"""A longer one may be broken where a column of words has to shrink."""
_BREAK = re.compile(r"(?<=_)(?=[^_\s])|(?<=[^\W\d_][-/])(?=[^\W\d_])|(?<=\S)(?=\s)")


class Column(NamedTuple):
    """A header and the cells below it: numbers stand right, other text left; only ``words`` may be broken."""

    name: str
    cells: Sequence[str]
    kind: Kind

    @property
    def natural(self) -> int:
        """The width without any break."""
        return max(map(len, [self.name, *self.cells]))

    @property
    def with_broken_header(self) -> int:
        """The least width when only the header is broken."""
        return max(_longest_piece(self.name), *map(len, self.cells), 1)

    @property
    def least(self) -> int:
        """The least width."""
        if self.kind != "words":
            return self.with_broken_header
        longest = max([_longest_piece(cell) for cell in self.cells], default=0)
        return max(_longest_piece(self.name), min(longest, LONGEST_WORD), 1)


class Block(NamedTuple):
    """Columns side by side: the lines above the rule, the rule, and the lines of each row."""

    head: list[str]
    rule: str
    rows: list[list[str]]


def kind_of(cells: Sequence[str], *, numbers: bool) -> Kind:
    """``words`` when some cell holds a word of two letters or more."""
    if numbers:
        return "number"
    return "words" if any(re.search(r"[^\W\d_]{2}", cell) for cell in cells) else "fixed"


def aligned(columns: Sequence[Column], width: int) -> list[Block]:
    """The table in as few blocks as fit ``width``; each block begins with the first column."""
    fitted = _widths(columns, width)
    if fitted is not None or len(columns) < 3:
        return [_block(columns, fitted or [column.least for column in columns])]
    first, blocks, here = columns[0], [], [columns[0]]
    for column in columns[1:]:
        if len(here) > 1 and _widths([*here, column], width) is None:
            blocks.append(here)
            here = [first]
        here.append(column)
    blocks.append(here)
    return [_block(part, _widths(part, width) or [column.least for column in part]) for part in blocks]


def _widths(columns: Sequence[Column], width: int) -> list[int] | None:
    """Widths that fit, with as little broken as possible; None when even the least do not fit."""
    room = width - len(GAP) * (len(columns) - 1)
    headers = [column.with_broken_header for column in columns]
    least = [column.least for column in columns]
    ample = [max(low, min(high, AMPLE)) for low, high in zip(least, headers, strict=True)]
    for floor in (headers, ample, least):
        if sum(floor) <= room:
            return _narrowed(columns, floor, room)
    return None


def _narrowed(columns: Sequence[Column], floor: Sequence[int], room: int) -> list[int]:
    """From the natural widths down until they fit, always taking from the column with most to give."""
    widths = [column.natural for column in columns]
    while sum(widths) > room:
        i = max(range(len(widths)), key=lambda i: widths[i] - floor[i])
        texts = (columns[i].name, *columns[i].cells)
        # What a break leaves empty is given up at once, so that fewer columns have to be broken.
        broken = max(len(line) for text in texts for line in wrapped(text, widths[i] - 1))
        widths[i] = max(broken, floor[i])
    return widths


def _block(columns: Sequence[Column], widths: Sequence[int]) -> Block:
    def lines(parts: Sequence[list[str]], *, bottom: bool) -> list[str]:
        height = max(map(len, parts))
        padded = [[""] * (height - len(p)) + p if bottom else p + [""] * (height - len(p)) for p in parts]
        return [_line([part[i] for part in padded], columns, widths) for i in range(height)]

    head = lines([wrapped(c.name, w) for c, w in zip(columns, widths, strict=True)], bottom=True)
    cells = zip(*(column.cells for column in columns), strict=True)
    rows = [lines([wrapped(text, w) for text, w in zip(row, widths, strict=True)], bottom=False) for row in cells]
    return Block(head, GAP.join("-" * w for w in widths), rows)


def _line(parts: Sequence[str], columns: Sequence[Column], widths: Sequence[int]) -> str:
    told = zip(parts, columns, widths, strict=True)
    return GAP.join(p.rjust(w) if c.kind == "number" else p.ljust(w) for p, c, w in told).rstrip()


def wrapped(text: str, width: int) -> list[str]:
    """``text`` in lines of at most ``width``: broken at spaces, after _ and between words joined by - or /."""
    lines = [""]
    if len(text) <= width:
        return [text]
    for piece in _BREAK.split(text):
        if lines[-1] and len(lines[-1]) + len(piece) > width:
            lines.append("")
            piece = piece.lstrip()
        while len(piece) > width:
            lines[-1], piece = piece[:width], piece[width:]
            lines.append("")
        lines[-1] += piece
    return lines


def _longest_piece(text: str) -> int:
    return max(len(piece.lstrip()) for piece in _BREAK.split(text))
