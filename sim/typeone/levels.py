"""Levels as exact rationals: 0.1 means 1/10, not the double nearest to it."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

LevelLike: TypeAlias = str | int | float | Fraction | Decimal

_MAX_DIGITS = 400


class Level(Fraction):
    """An exact rational that remembers how it was typed.

    ``Level(".05")``, ``Level(0.05)``, ``Level("5e-2")`` and ``Level("1/20")`` are equal; ``text`` is what
    the user wrote and is used for column names.

    >>> Level(0.1) == Level("1/10"), Level(".05").text
    (True, '.05')
    """

    __slots__ = ("text",)
    text: str

    def __new__(cls, value: LevelLike | Level) -> Level:
        """Parse ``value``; raises ValueError for anything that is not one finite number."""
        text = value.text if isinstance(value, Level) else _typed(value)
        try:
            if len(text) > _MAX_DIGITS or abs(_exponent(text)) > _MAX_DIGITS:
                raise ValueError
            level = super().__new__(cls, text)
        except (ValueError, ZeroDivisionError):
            raise ValueError(f"{text[:40]!r} is not a number such as 0.05 or 1/20") from None
        level.text = text
        return level

    def __reduce__(self) -> tuple[type[Level], tuple[str]]:
        return Level, (self.text,)

    def __copy__(self) -> Level:
        return self

    def __deepcopy__(self, memo: object) -> Level:
        return self

    # Comparisons with floats and decimals go through these, which would otherwise make a Level of two integers.
    @classmethod
    def from_float(cls, f: float) -> Fraction:  # type: ignore[override]
        """The exact value of a double."""
        return Fraction.from_float(f)

    @classmethod
    def from_decimal(cls, dec: Decimal) -> Fraction:  # type: ignore[override]
        """The exact value of a decimal."""
        return Fraction.from_decimal(dec)

    @property
    def canonical(self) -> str:
        """The reduced fraction, the same for every spelling: ``"1/20"``."""
        return f"{self.numerator}/{self.denominator}"


def _typed(value: LevelLike) -> str:
    if isinstance(value, bool):
        raise ValueError(f"{value!r} is not a number such as 0.05 or 1/20")
    if isinstance(value, float):  # includes numpy.float64: the shortest decimal that reads back as this double
        return float.__repr__(value)
    return str(value).strip()


def _exponent(text: str) -> int:
    _, _, exponent = text.lower().partition("e")
    return int(exponent) if exponent else 0


def level(name: str, value: LevelLike) -> Level:
    """A level strictly between 0 and 1, or a ValueError that names the argument ``name``."""
    exact = number(name, value)
    if not 0 < exact < 1:
        raise ValueError(f"{name}={exact.text}: a level lies strictly between 0 and 1")
    return exact


def levels(name: str, values: LevelLike | list[LevelLike] | tuple[LevelLike, ...]) -> tuple[Level, ...]:
    """One or several distinct levels; a ValueError names the position of a bad or repeated one."""
    several = list(values) if isinstance(values, list | tuple) else [values]
    if not several:
        raise ValueError(f"{name}: at least one level is needed")
    exact = tuple(level(f"{name}[{i}]" if len(several) > 1 else name, value) for i, value in enumerate(several))
    for i, item in enumerate(exact):
        if item in exact[:i]:
            first = exact.index(item)
            raise ValueError(f"{name}[{i}]={item.text}: repeats {name}[{first}]={exact[first].text}")
    return exact


def number(name: str, value: LevelLike) -> Level:
    """Any finite exact number, or a ValueError that names the argument ``name``."""
    try:
        return Level(value)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
