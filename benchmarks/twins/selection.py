"""Step-up decisions on conformal ranks, by counting them: p-values rank / (m + 1), levels a / b, all in integers."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
STEPS = 18  # (4/5)**18 is the first threshold of the scan below 1/50
FEWEST = 10


class Envelope(NamedTuple):
    """The chord's step, W, and the numerator of w over m + 1."""

    step: int
    inside: int
    width: int


def histogram(ranks: Ints, m: int) -> Ints:
    """How many ranks have each value 0..m+1."""
    return np.bincount(ranks, minlength=m + 2)


def last(passing: Bools, of: Ints) -> int:
    """The largest attained rank that passes, 0 if none does."""
    found = np.flatnonzero(passing & (of > 0))
    return int(found[-1]) if found.size else 0


def bh(of: Ints, count: Ints, level: Fraction) -> int:
    """Largest attained r with n r / M <= level k."""
    rank, M = np.arange(of.size), of.size - 1
    return last(count[-1] * rank * level.denominator <= level.numerator * count * M, of)


def storey(of: Ints, count: Ints, level: Fraction) -> int:
    """BH at level / pi0 with pi0 = 2 (1 + #{p > 1/2}) / n."""
    rank, M = np.arange(of.size), of.size - 1
    above = count[-1] - count[M // 2]
    return last(2 * (1 + above) * rank * level.denominator <= level.numerator * count * M, of)


def scan(of: Ints, count: Ints) -> tuple[Envelope, int]:
    """The chord envelope of ranks without ties among the calibration scores, and the rank of kappa."""
    M = of.size - 1
    thresholds = [Fraction(4, 5) ** j for j in range(STEPS + 1)]
    upper = np.array([int(t * M) for t in thresholds])
    lower = np.array([int(t / 2 * M) for t in thresholds])
    between = -np.diff(count[upper])
    stop = between < FEWEST
    stop[1:] |= 5 * between[1:] >= 4 * between[:-1]
    step = int(stop.argmax()) + 1 if stop.any() else STEPS
    inside = int(count[upper[step]] - count[lower[step]])
    return Envelope(step, inside, int(upper[step] - lower[step])), int(lower[step])


def chord(of: Ints, count: Ints, level: Fraction) -> tuple[int, Envelope, int]:
    """Largest attained r <= kappa with (1 + W) r / M <= level k w; the envelope; kappa's rank."""
    envelope, kappa = scan(of, count)
    rank = np.arange(kappa + 1)
    sides = (1 + envelope.inside) * rank * level.denominator, level.numerator * count[: kappa + 1] * envelope.width
    return (last(sides[0] <= sides[1], of[: kappa + 1]) if envelope.width else 0), envelope, kappa


def decisions(ranks: Ints, m: int, level: Fraction) -> tuple[Bools, Bools, Bools]:
    """What BH, Storey-BH and the chord envelope select, each (n,)."""
    of = histogram(ranks, m)
    count = np.cumsum(of)
    return (
        ranks <= bh(of, count, level),
        ranks <= storey(of, count, level),
        ranks <= chord(of, count, level)[0],
    )
