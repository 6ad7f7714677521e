"""Sums of doubles without rounding: no order and no chunking can show in them.

A double is m * 2**e with an integer |m| < 2**53.  Blocks of values are summed by exponent in pieces short
enough that every partial sum is an integer below 2**53, and carried into Python integers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

_BLOCK = 1 << 20
"""Values in a block: 2**20 pieces below 2**32 stay below 2**53."""
_LOW = 27
_PIECE = 32


@dataclass(slots=True)
class Moments:
    """Count, sum and sum of squares of finite doubles, exactly."""

    count: int = 0
    total: Fraction = Fraction(0)
    squares: Fraction = Fraction(0)

    def add(self, values: NDArray[np.float64]) -> None:
        """Take in finite ``values`` of any shape (n,); O(n)."""
        for start in range(0, values.size, _BLOCK):
            block = values[start : start + _BLOCK]
            fractions, exponents = np.frexp(block)
            mantissas = np.ldexp(fractions, 53).astype(np.int64)
            high, low = mantissas >> _LOW, mantissas & ((1 << _LOW) - 1)
            shifts = exponents.astype(np.int64) - 53
            self.count += block.size
            self.total += _sum(high, shifts, _LOW) + _sum(low, shifts, 0)
            self.squares += (
                _sum(high * high, 2 * shifts, 2 * _LOW)
                + _sum(high * low, 2 * shifts, _LOW + 1)
                + _sum(low * low, 2 * shifts, 0)
            )

    def merge(self, other: Moments) -> None:
        """Take in the values that ``other`` has summed."""
        self.count += other.count
        self.total += other.total
        self.squares += other.squares

    @property
    def mean(self) -> float:
        """The mean, rounded once; NaN without values."""
        return float(self.total / self.count) if self.count else math.nan

    @property
    def variance(self) -> Fraction:
        """The unbiased variance, exactly; needs two values."""
        return (self.squares - self.total * self.total / self.count) / (self.count - 1)

    @property
    def sd(self) -> float:
        """The standard deviation over the values; NaN for fewer than two."""
        return root(self.variance) if self.count > 1 else math.nan


def root(value: Fraction) -> float:
    """The square root of a rational >= 0, which itself may be no double: beyond 1e308 or below 1e-308."""
    if not value:
        return 0.0
    half = (value.numerator.bit_length() - value.denominator.bit_length()) // 2
    return math.ldexp(math.sqrt(value / Fraction(4) ** half), half)


def _sum(integers: NDArray[np.int64], shifts: NDArray[np.int64], extra: int) -> Fraction:
    """The exact sum of integers * 2**(shifts + extra), |integers| < 2**54."""
    if not integers.size:
        return Fraction(0)
    least = int(shifts.min())
    places = shifts - least
    upper = np.bincount(places, weights=integers >> _PIECE)
    lower = np.bincount(places, weights=integers & ((1 << _PIECE) - 1))
    whole = 0
    for place in np.flatnonzero((upper != 0) | (lower != 0)):
        whole += ((int(upper[place]) << _PIECE) + int(lower[place])) << int(place)
    power = least + extra
    return Fraction(whole << power) if power >= 0 else Fraction(whole, 1 << -power)
