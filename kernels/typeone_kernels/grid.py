"""One ascending list of all values that the conformal p-values of several models can take."""

from __future__ import annotations

from fractions import Fraction
from math import gcd
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from typeone_kernels._jit import kernel

Ints = NDArray[np.int64]


class Grid(NamedTuple):
    """The distinct values of r / sizes[k], ascending, with 0 at index 0; an index is called a code.

    Value g is ``numerators[g] / (denominators[g] * unit)``.  ``codes[first[k] + r]`` is the code of
    r / sizes[k], r = 0..sizes[k].  Codes order p-values of models with different calibration sizes exactly.
    """

    sizes: Ints
    unit: int
    numerators: Ints
    denominators: Ints
    codes: Ints
    first: Ints


@kernel
def _merge(sizes: Ints, first: Ints, codes: Ints, numerators: Ints, owners: Ints) -> int:
    """Write codes, and a numerator and a model for each value; return the number of values, 0 included.

    Repeatedly takes the least of the models' next fractions, compared by cross products below 2**63.
    """
    ranks = np.zeros(sizes.size, np.int64)
    found = 0
    while True:
        least = 0
        for k in range(1, sizes.size):
            if ranks[k] * sizes[least] < ranks[least] * sizes[k]:
                least = k
        numerator, size = ranks[least], sizes[least]
        if numerator > size:  # every model is past 1
            return found
        numerators[found], owners[found] = numerator, least
        for k in range(sizes.size):
            if ranks[k] * size == numerator * sizes[k]:
                codes[first[k] + ranks[k]] = found
                ranks[k] += 1
        found += 1


def common_grid(sizes: Ints) -> Grid:
    """The grid of models with ``sizes`` (K,) = m_k + 1, each below 2**31; O(K sum(sizes)) time."""
    first = np.concatenate([[0], np.cumsum(sizes + 1)]).astype(np.int64)
    codes = np.empty(first[-1], np.int64)
    numerators, owners = np.empty_like(codes), np.empty_like(codes)
    found = _merge(sizes, first, codes, numerators, owners)
    unit = gcd(*sizes.tolist())
    return Grid(sizes, unit, numerators[:found].copy(), sizes[owners[:found]] // unit, codes, first)


def last_at_most(grid: Grid, value: Fraction) -> int:
    """The code of the largest grid value <= ``value``, 0 <= ``value`` <= 1, in Python integers."""
    ranks = [value.numerator * size // value.denominator for size in grid.sizes.tolist()]
    return max(int(grid.codes[start + rank]) for start, rank in zip(grid.first, ranks, strict=False))
