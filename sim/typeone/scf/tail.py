"""The smoothed reference tail in integers: weights, constants and the exact place where the cap begins."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from typeone.levels import Level, LevelLike, number
from typeone_kernels.scf import UNIT_BITS

Smoothing: TypeAlias = Literal["document", "source"] | Level

_SMALLEST = Fraction(1, 10**100)
_EXACT_BITS = 53  # integers up to 2**53 are doubles
_INT_BITS = 62


def smoothing_rule(value: str | LevelLike) -> Smoothing:
    """``"document"`` (one in N + 1, the default), ``"source"`` (one in K + 1) or a number eps > 0."""
    if value == "document" or value == "source":
        return value  # type: ignore[return-value]
    try:
        eps = number("smoothing", value)
    except ValueError:
        raise ValueError(f"smoothing={value!r}: is 'document', 'source' or a number above 0") from None
    if not _SMALLEST <= eps <= 1 / _SMALLEST:
        raise ValueError(f"smoothing={eps.text}: is 'document', 'source' or a number between 1e-100 and 1e100")
    return eps


def cap_level(value: LevelLike) -> Level:
    """The evidence cap alpha, 0 <= alpha < 1 (0: uncapped)."""
    cap = number("cap", value)
    if not 0 <= cap < 1 or 0 < cap < _SMALLEST:
        raise ValueError(f"cap={cap.text}: the evidence cap is 0 (uncapped) or lies in [1e-100, 1)")
    return cap


def cap_evidence(cap: Level) -> int:
    """-log(alpha) in units of 2**-40; 0 for the uncapped statistic, where it is never used."""
    return round(-math.log(float(cap)) * 2.0**UNIT_BITS) if cap else 0


@dataclass(frozen=True, slots=True)
class TailScale:
    """Common unit of the weights 1/n_i of all possible reference sources.

    ``weight`` (S,) is unit / n_i: exact whenever K lcm(sizes) (a + b) <= 2**53, which holds for bags of up to
    16 documents with room to spare.  Otherwise the unit is the largest power of two that cannot overflow, and
    a weight is off by at most half a unit (relative error of the tail at most max(n_i) / unit).
    """

    unit: int
    weight: NDArray[np.int64]
    references: int
    most_evidence: int
    """No document's evidence exceeds this many units of 2**-40: -log Q above every reference score."""

    @classmethod
    def of(cls, sizes: NDArray[np.int64], references: int, smoothing: Smoothing) -> TailScale:
        """Scale for any ``references`` sources among those with ``sizes`` (S,)."""
        distinct = [int(n) for n in np.unique(sizes)]
        most = references * distinct[-1]
        a, b = _epsilon(smoothing, references, most)
        unit = 1
        for n in distinct:
            unit = math.lcm(unit, n)
            if references * unit * (a + b) > 2**_EXACT_BITS:
                unit = 1 << (_INT_BITS - references.bit_length())
                break
        weight = np.array([_nearest(unit, n) for n in distinct], np.int64)
        most_evidence = math.ceil(math.log((a + b) / a) * 2.0**UNIT_BITS) + 1
        return cls(unit, weight[np.searchsorted(distinct, sizes)], references, most_evidence)

    def constants(self, documents: int, smoothing: Smoothing) -> tuple[float, float, float]:
        """(c0, c1, c2) of Q = (c0 + c1 S) / c2 for a reference of ``documents`` documents."""
        a, b = _epsilon(smoothing, self.references, documents)
        whole = self.references * self.unit
        return float(a * whole), float(b), float(whole * (a + b))

    def capped_below(self, documents: int, smoothing: Smoothing, caps: Sequence[Level]) -> list[int]:
        """For every cap alpha the integer s with: Q < alpha exactly when S < s."""
        a, b = _epsilon(smoothing, self.references, documents)
        whole = self.references * self.unit
        return [
            max(0, -(whole * (cap.denominator * a - cap.numerator * (a + b)) // (cap.denominator * b))) for cap in caps
        ]


def _nearest(unit: int, n: int) -> int:
    return (2 * unit + n) // (2 * n)


def _epsilon(smoothing: Smoothing, references: int, documents: int) -> tuple[int, int]:
    if smoothing == "document":
        return 1, documents
    if smoothing == "source":
        return 1, references
    assert isinstance(smoothing, Level)
    return smoothing.numerator, smoothing.denominator
