"""Decimal numbers as they are written: two spellings of one number, and two numbers that are one double.

Ranks and ties are decided between doubles, so numbers that differ as written must differ as doubles too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

RULE = "are one number with 53 bits; shift or scale all numbers of the column first"
_SAFE = 15
"""As many decimal digits, without an exponent, as every double tells apart."""
_NUMBER = re.compile(r"([+-]?)([0-9]*)[.]?([0-9]*)(?:[eE]([+-]?[0-9]+))?")


class Clash(NamedTuple):
    """Two unequal numbers that are one double: the earlier row and its number, and the later ones (from row 1)."""

    row: int
    text: str
    later: int
    other: str

    def __str__(self) -> str:
        return f"row {self.later}: {self.other} and {self.text} in row {self.row} {RULE}"


def written(text: str) -> tuple[str, str, int | str]:
    """Sign, digits without outer zeros and exponent: the same for all spellings of one number.

    >>> written("1.50") == written("+15e-1"), written("1e-400") == written("0")
    (True, False)
    """
    found = _NUMBER.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is not a decimal number")
    sign, whole, part, power = found.groups(default="0")
    digits = (whole + part).lstrip("0")
    if not digits:
        return "", "", 0
    significant = digits.rstrip("0")
    if len(power) > 18:  # no double is that far from 1; Python limits the digits that it reads
        return sign.strip("+"), significant, power
    return sign.strip("+"), significant, int(power) - len(part) + len(digits) - len(significant)


def clash(words: pa.ChunkedArray, doubles: pa.ChunkedArray) -> Clash | None:
    """The first row whose number is the double of an earlier row without being its number; None where there is none.

    ``words`` (rows,) are numbers as written, or null, and ``doubles`` the same as float64.
    """
    longest = pc.max(pc.binary_length(words)).as_py() or 0
    if longest <= _SAFE and not pc.any(pc.match_substring(words, "e", ignore_case=True)).as_py():
        return None
    values = np.sort(doubles.drop_null().to_numpy())  # much faster than Arrow's count of distinct doubles
    if not (values[1:] == values[:-1]).any():
        return None
    distinct = pc.unique(words).drop_null()
    numbers = distinct.cast(pa.float64())
    shared = pc.and_(pc.is_finite(numbers), _shared(numbers))  # what is not finite is refused elsewhere
    suspects = distinct.filter(shared).to_pylist()
    if not _fall_together(suspects):
        return None
    return _first_clash(words.to_pylist(), set(suspects))


def _shared(numbers: pa.Array) -> pa.Array:
    """True for a number that stands more than once in ``numbers``; -0.0 is 0.0."""
    values = np.asarray(numbers.to_numpy(zero_copy_only=False)) + 0.0
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    return pa.array(counts[codes] > 1)


def _fall_together(texts: Sequence[str]) -> bool:
    numbers = {written(text): float(text) for text in texts}
    return len(set(numbers.values())) < len(numbers)


def _first_clash(words: Sequence[str | None], suspects: set[str]) -> Clash | None:
    seen: dict[float, tuple[int, str]] = {}
    for row, word in enumerate(words, start=1):
        if word is None or word not in suspects:
            continue
        first, text = seen.setdefault(float(word), (row, word))
        if written(text) != written(word):
            return Clash(first, text, row, word)
    return None
