"""The sums of every piece of work, one line each, written as soon as the piece is done.

A line holds what repetitions ``first`` .. ``first + count - 1`` of a cell gave, behind a checksum: a line that is
torn or damaged does not count, and its repetitions are computed again.  Sums are exact, so it does not matter
how the work was cut.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from types import TracebackType

from typeone.engine.files import explained
from typeone.engine.study import Column
from typeone.engine.sums import Moments


@dataclass(slots=True)
class Sums:
    """Attempted and failed repetitions, and exact sums of the columns that matter."""

    attempted: int = 0
    failed: int = 0
    example: str = ""
    """What the first failed repetition said."""
    moments: dict[Column, Moments] = field(default_factory=dict)

    def merge(self, other: Sums) -> None:
        """Take in the sums of further repetitions."""
        self.attempted += other.attempted
        self.failed += other.failed
        self.example = self.example or other.example
        for column, more in other.moments.items():
            self.moments.setdefault(column, Moments()).merge(more)


class Journal:
    """The file of a plan's folder; use as a context manager."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._known: dict[int, dict[tuple[int, int], Sums]] = {}
        content = file.read_bytes() if file.exists() else b""
        for line in content.splitlines():
            if (entry := _read(line)) is not None:
                cell, first, sums = entry
                self._known.setdefault(cell, {})[first, sums.attempted] = sums
        try:
            self._sink = file.open("ab")
            if content and not content.endswith(b"\n"):
                self._sink.write(b"\n")  # what follows must not be glued to a torn line
        except OSError as error:
            raise explained(error, file) from error

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._sink.close()

    def done(self, cell: int) -> Iterator[tuple[int, int]]:
        """Pieces (first, count) of a cell."""
        yield from self._known.get(cell, ())

    def sums(self, cell: int, upto: int) -> Sums:
        """The sums of a cell's first ``upto`` repetitions, as far as they are there."""
        found = Sums()
        for (first, _), sums in sorted(self._known.get(cell, {}).items(), key=lambda piece: piece[0]):
            if first < upto:
                found.merge(sums)
        return found

    def add(self, cell: int, first: int, sums: Sums) -> None:
        """Store a piece."""
        try:
            self._sink.write(_line(cell, first, sums))
            self._sink.flush()
        except OSError as error:
            raise explained(error, self._file) from error
        self._known.setdefault(cell, {})[first, sums.attempted] = sums


def _line(cell: int, first: int, sums: Sums) -> bytes:
    columns = [[*column, m.count, str(m.total), str(m.squares)] for column, m in sums.moments.items()]
    text = json.dumps([cell, first, sums.attempted, sums.failed, sums.example, columns]).encode()
    return b"%08x %s\n" % (zlib.crc32(text), text)


def _read(line: bytes) -> tuple[int, int, Sums] | None:
    check, _, text = line.rstrip(b"\n").partition(b" ")
    if not text or check != b"%08x" % zlib.crc32(text):
        return None
    cell, first, attempted, failed, example, columns = json.loads(text)
    moments = {
        Column(method, measure, level): Moments(count, Fraction(total), Fraction(squares))
        for method, measure, level, count, total, squares in columns
    }
    return cell, first, Sums(attempted, failed, example, moments)
