"""Joint decontamination straight from its definition, in Fractions; and its error rate by enumeration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from math import lcm
from typing import NamedTuple

import numpy as np

from twins.ranks import attainable, rank
from twins.selection import adafilter, at_most, bh, storey

P = Sequence[Fraction]


class Envelope(NamedTuple):
    lam: Fraction
    W: int
    w: Fraction


def conformal(calibration: Sequence[float], candidates: Sequence[float], larger: bool) -> list[Fraction]:
    return [Fraction(rank(calibration, s, larger), len(calibration) + 1) for s in candidates]


def largest_attainable(calibration: Sequence[float], larger: bool, t: Fraction) -> Fraction:
    """G(t): the largest attainable p-value <= t, 0 if none."""
    grid = [Fraction(r, len(calibration) + 1) for r in attainable(calibration, larger)]
    return max((p for p in grid if p <= t), default=Fraction(0))


def floor_on_grid(m: int, t: Fraction) -> Fraction:
    """G(t) without ties."""
    return Fraction(t * (m + 1) // 1, m + 1)


def scan(p: P, fewest: int = 10) -> Fraction:
    """lambda: down from 1 by factors 4/5."""
    upper, before = Fraction(1), None
    while True:
        lower = Fraction(4, 5) * upper
        k = sum(lower < value <= upper for value in p)
        falling = before is None or 5 * k < 4 * before
        if k < fewest or not falling or lower < Fraction(1, 50):
            return lower
        upper, before = lower, k


def envelope(p: P, widths: Sequence[Callable[[Fraction], Fraction]], fewest: int = 10) -> Envelope:
    """``widths``: the functions G_k."""
    lam = scan(p, fewest)
    W = sum(lam / 2 < value <= lam for value in p)
    return Envelope(lam, W, min(G(lam) - G(lam / 2) for G in widths))


def jecs(p: P, level: Fraction, env: Envelope) -> set[int]:
    """BH on q = s p for p <= kappa and 1 otherwise, s = (1 + W) / (n w)."""
    if env.w == 0:
        return set()
    scale = (1 + env.W) / (len(p) * env.w)
    q = [scale * value if value <= env.lam / 2 else Fraction(1) for value in p]
    return bh(q, level)


def jecs_filter(p: P, F: P, level: Fraction, env: Envelope) -> set[int]:
    """n s t replaced by min(n s t, t #{F <= t}), for t <= kappa."""
    if env.w == 0:
        return set()
    slope = (1 + env.W) / env.w
    passing = [
        t for t in p if t <= env.lam / 2 and min(slope * t, t * len(at_most(F, t))) <= level * len(at_most(p, t))
    ]
    return at_most(p, max(passing)) if passing else set()


def all_methods(
    p_models: Sequence[P], level: Fraction, widths: Sequence[Callable[[Fraction], Fraction]]
) -> tuple[list[set[int]], Envelope]:
    """Selections in the kernels' order, from the p-values of each model (K lists of n)."""
    n = len(p_models[0])
    items = [sorted(p[i] for p in p_models) for i in range(n)]
    S = [values[-1] for values in items]
    F = [values[-2] if len(values) > 1 else Fraction(0) for values in items]
    each = [bh(p, level) for p in p_models]
    env = envelope(S, widths)
    selections = [
        set.union(*each),
        set.intersection(*each),
        bh(S, level),
        storey(S, level),
        jecs(S, level, env),
        adafilter(S, F, level),
        jecs_filter(S, F, level, env),
    ]
    return selections, env


def extreme_laws(values: Sequence[Fraction], G: Callable[[Fraction], Fraction]) -> list[list[Fraction]]:
    """The extreme points F = G 1{t >= c}, c <= 4/5 or none, of the laws the theorem allows on ``values``.

    F = G h with h nondecreasing and at most 1 on (0, 4/5] is a mixture of these.  P-values above 4/5 take no
    part, so what is left of the mass is put at 1, the last value.
    """
    usable = [v for v in values if v <= Fraction(4, 5)]
    laws = []
    for c in [*usable, Fraction(2)]:
        cdf = [G(v) if v >= c else Fraction(0) for v in usable]
        masses = [b - a for a, b in zip([Fraction(0), *cdf], cdf, strict=False)]
        between = [Fraction(0)] * (len(values) - len(usable) - 1)
        laws.append([*masses, *between, 1 - sum(masses, Fraction(0))])
    return laws


def worst_gcr(
    n: int,
    values: Sequence[Fraction],
    null_widths: Sequence[Callable[[Fraction], Fraction]],
    select: Callable[[tuple[Fraction, ...]], set[int]],
) -> Fraction:
    """The largest GCR of ``select`` over all laws the theorem allows, by enumeration of all p-value vectors.

    Item i is null with G_i = ``null_widths[i]``; the items after those are clean.  ``values``: all values a
    p-value can take, 1 the last.  E FDP is linear in the law of each null, and in that of the clean p-values
    given the nulls, so its maximum stands at extreme points: ``extreme_laws`` and fixed clean p-values.
    Exact in int64 for n <= 5 and values with a common denominator up to 1000; O(len(values)^n) calls.
    """
    nulls, shares = len(null_widths), lcm(*range(1, n + 1))
    fdp = np.zeros((len(values),) * n, dtype=np.int64)
    for index in product(range(len(values)), repeat=n):
        selected = select(tuple(values[g] for g in index))
        fdp[index] = shares * sum(i < nulls for i in selected) // max(1, len(selected))
    denominator = lcm(*(v.denominator for v in values))
    for G in null_widths:
        laws = np.array([[int(mass * denominator) for mass in law] for law in extreme_laws(values, G)])
        fdp = np.tensordot(fdp, laws, axes=(0, 1))  # the axis of this null becomes the last
    return Fraction(int(fdp.max()), shares * denominator**nulls)
