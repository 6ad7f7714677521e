"""Step-up procedures on p-values that are Fractions, by their definitions.  Each returns a set of positions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

P = Sequence[Fraction]


def at_most(p: P, cutoff: Fraction) -> set[int]:
    return {i for i, value in enumerate(p) if value <= cutoff}


def bh(p: P, level: Fraction) -> set[int]:
    """Largest k with p_(k) <= level k / n."""
    n = len(p)
    passing = [k for k, value in enumerate(sorted(p), 1) if value <= level * k / n]
    return at_most(p, sorted(p)[passing[-1] - 1]) if passing else set()


def storey(p: P, level: Fraction, lam: Fraction = Fraction(1, 2)) -> set[int]:
    """BH at level / pi0 with pi0 = (1 + #{p > lam}) / (n (1 - lam)), not capped."""
    pi0 = (1 + sum(value > lam for value in p)) / (len(p) * (1 - lam))
    return bh(p, level / pi0)


def adafilter(selection: P, filtering: P, level: Fraction, most: Fraction = Fraction(1)) -> set[int]:
    """S <= t for the largest attained t <= ``most`` with t #{F <= t} <= level #{S <= t}."""
    passing = [
        t for t in selection if t <= most and t * len(at_most(filtering, t)) <= level * len(at_most(selection, t))
    ]
    return at_most(selection, max(passing)) if passing else set()
