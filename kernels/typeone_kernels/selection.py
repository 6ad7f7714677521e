"""Step-up selection decided in integers: Benjamini-Hochberg, Storey-BH, and the shape they share.

A support is the ascending list of values a p-value can take (or does take), given as fractions
``numerators[g] / (denominators[g] * unit)`` for g = 0..G with ``numerators[0] = 0``; ``counts[g]`` is the
number of p-values <= value g.  The conformal grid r / (m + 1) has numerators 0..m+1, denominators 1 and unit
m + 1, and its counts come from counting the ranks.  Sorted p-values u / M are a support too: numerators
(0, u_(1), ..., u_(n)), counts 0..n, unit M; tied values may stand there repeatedly.

A level is the pair made by ``exact.level_pair``.  Products of the two sides of a comparison without the
level must stay below 2**62.

Sources: Benjamini and Hochberg (1995); Storey, Taylor and Siegmund (2004).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from typeone_kernels._jit import kernel
from typeone_kernels.exact import product_at_most

Ints = NDArray[np.int64]
_EXACT_DOUBLE = 2**53


@kernel
def cumulative_counts(codes: Ints, counts: Ints) -> None:
    """``counts[g] = #{codes <= g}`` for ``codes`` (n,) in 0..G, ``counts`` (G + 1,); O(n + G), no sort."""
    counts[:] = 0
    for i in range(codes.size):
        counts[codes[i]] += 1
    for g in range(1, counts.size):
        counts[g] += counts[g - 1]


@kernel
def step_up(numerators: Ints, denominators: Ints, counts: Ints, top: int, level: Ints, left: int, right: int) -> int:
    """Code of the largest attained value p <= value ``top`` with ``left * p <= level * #{<= p} * (right / unit)``.

    0 if there is none.  Selected are the p-values of at most this code.  BH has left = n and right = unit.
    O(top), from above.
    """
    for g in range(top, 0, -1):
        if counts[g] > counts[g - 1] and product_at_most(
            left * numerators[g], level[1], counts[g] * right * denominators[g], level[0]
        ):
            return g
    return 0


@kernel
def bh_cutoff(numerators: Ints, denominators: Ints, counts: Ints, top: int, level: Ints, unit: int) -> int:
    """Benjamini-Hochberg: largest k with p_(k) <= level * k / n.  ``top``: the last value <= level suffices."""
    return step_up(numerators, denominators, counts, top, level, counts[-1], unit)


@kernel
def storey_cutoff(numerators: Ints, denominators: Ints, counts: Ints, half: int, level: Ints, unit: int) -> int:
    """Storey-BH with lambda = 1/2: BH at level / pi0, pi0 = (1 + #{p > 1/2}) / (n / 2), capped nowhere.

    ``half`` is the last value <= 1/2.  With pi0 > 1 it selects less than BH.  Nothing keeps p > 1/2 from
    being selected where level * k >= 1 + #{p > 1/2}; the false discovery rate of independent p-values is
    controlled all the same (Benjamini, Krieger and Yekutieli 2006).
    """
    above = counts[-1] - counts[half]
    return step_up(numerators, denominators, counts, counts.size - 1, level, 2 * (1 + above), unit)


@kernel
def partial_conjunction_cutoff(
    numerators: Ints, denominators: Ints, counts: Ints, filter_counts: Ints, top: int, level: Ints, unit: int
) -> int:
    """AdaFilter (Wang et al. 2022): largest attained t <= value ``top`` with t * #{F <= t} <= level * #{S <= t}.

    ``counts`` counts the selection p-values S, ``filter_counts`` the filter p-values F <= S.
    """
    for g in range(top, 0, -1):
        if counts[g] > counts[g - 1] and product_at_most(
            filter_counts[g] * numerators[g], level[1], counts[g] * unit * denominators[g], level[0]
        ):
            return g
    return 0


def double_limits(level: Fraction, total: int, count: int) -> NDArray[np.float64]:
    """The doubles nearest to ``level * k / total`` for k = 1..``count``: the right-hand sides of BH.

    ``total`` is n for BH and 2 (1 + #{p > 1/2}) for Storey-BH with lambda = 1/2.  Where numerator and
    denominator are doubles themselves one division rounds correctly; otherwise Python's integers divide.
    """
    numerator, denominator = level.numerator, level.denominator * total
    if max(numerator * count, denominator) <= _EXACT_DOUBLE:
        return np.arange(1, count + 1) * np.float64(numerator) / np.float64(denominator)
    return np.array([numerator * k / denominator for k in range(1, count + 1)])


@kernel
def step_up_doubles(ascending: NDArray[np.floating[Any]], limits: NDArray[np.float64]) -> int:
    """The largest k with ``ascending[k - 1] <= limits[k - 1]``, 0 if none: how many p-values are selected."""
    for k in range(ascending.size, 0, -1):
        if ascending[k - 1] <= limits[k - 1]:
            return k
    return 0
