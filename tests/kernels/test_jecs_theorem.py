"""The theorem behind the chord envelope, by enumeration of all p-value vectors of up to three items."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from twins import jecs as twin
from typeone_kernels.exact import level_pair
from typeone_kernels.jecs import CHORD, chord_of_sorted, decide, make_plan, scan_thresholds, workspace


def chord_on_grid(M, level):
    """The kernels' selection for p-values on the grid u / M without ties."""
    lambdas = scan_thresholds()
    tables = [np.array([int(t * M) for t in at]) for at in (lambdas, [t / 2 for t in lambdas])]
    positions, pair = np.empty(19, np.int64), level_pair(level)

    def select(p):
        ranks = [int(v * M) for v in p]
        ascending = np.array([0, *sorted(ranks)])
        n = len(ranks)
        natural, ones = np.arange(n + 1), np.ones(n + 1, np.int64)
        count, _, _ = chord_of_sorted(ascending, *tables, pair, natural, ones, positions)
        return {i for i, r in enumerate(ranks) if r <= ascending[count]}

    return select


@pytest.mark.parametrize("level", [Fraction(1, 10), Fraction(3, 10), Fraction(1, 2), Fraction(9, 10)])
@pytest.mark.parametrize("M", [10, 12, 15])
def test_gcr_at_most_the_level_in_every_design_without_ties(M, level):
    values = [Fraction(u, M) for u in range(1, M + 1)]
    worst = [
        twin.worst_gcr(n, values, [lambda t: twin.floor_on_grid(M - 1, t)] * nulls, chord_on_grid(M, level))
        for n in (1, 2, 3)
        for nulls in range(1, n + 1)
    ]
    assert max(worst) <= level
    assert max(worst) > level / 4  # the designs are hard enough to tell


def tie_patterns(m):
    """Sorted calibration scores with every pattern of ties among m of them."""
    for steps in product([0, 1], repeat=m - 1):
        yield np.concatenate([[0.0], np.cumsum(np.array(steps, float))])


@pytest.mark.parametrize("level", [Fraction(3, 10), Fraction(9, 10)])
def test_gcr_at_most_the_level_with_every_pattern_of_ties(level):
    """m = 4 calibration scores and three items, through the same code as real scores."""
    n, m = 3, 4
    for calibration in tie_patterns(m):
        plan = make_plan(n, [m], level)
        work = workspace(plan)
        work.scores[:] = calibration

        def chosen(p, plan=plan, work=work):
            work.ranks[0] = [int(v * (m + 1)) for v in p]
            decide(plan, work)
            return set(np.flatnonzero(work.selected[CHORD]).tolist())

        attained = sorted({Fraction(1, m + 1), *twin.conformal(calibration, calibration, False)})

        def G(t, attained=attained):
            return max((v for v in attained if v <= t), default=Fraction(0))

        for nulls in (1, 2, 3):
            assert twin.worst_gcr(n, attained, [G] * nulls, chosen) <= level


@pytest.mark.parametrize("level", [Fraction(3, 10), Fraction(3, 4)])
def test_gcr_at_most_the_level_with_unequal_calibration_sizes(level):
    """Models with m = 4 and m = 6; each null is contaminated in one of them."""
    sizes, n = [4, 6], 3
    plan = make_plan(n, sizes, level)
    work = workspace(plan)
    work.scores[:] = np.concatenate([np.arange(m) for m in sizes])
    values = sorted({Fraction(r, m + 1) for m in sizes for r in range(1, m + 2)})

    def chosen(p):
        # The value belongs to one model; under the other the rank is 1, which leaves the maximum alone
        # unless the value is below its smallest.
        for i, v in enumerate(p):
            home = 0 if 5 % v.denominator == 0 else 1
            work.ranks[home, i] = v * (sizes[home] + 1)
            work.ranks[1 - home, i] = 1 if v >= Fraction(1, sizes[1 - home] + 1) else 0
        decide(plan, work)
        return set(np.flatnonzero(work.selected[CHORD]).tolist())

    G = [lambda t, m=m: twin.floor_on_grid(m, t) for m in sizes]
    for nulls in (1, 2, 3):
        for owners in product(G, repeat=nulls):
            assert twin.worst_gcr(n, values, owners, chosen) <= level


@pytest.mark.parametrize("level", [Fraction(3, 10), Fraction(9, 10)])
def test_gcr_at_most_the_level_when_the_scan_goes_deeper(level):
    """Three p-values never pass the scan's ten; with one instead of ten they do, and the proof is the same."""
    M = 12
    values = [Fraction(u, M) for u in range(1, M + 1)]

    def G(t):
        return twin.floor_on_grid(M - 1, t)

    def chosen(p):
        return twin.jecs(p, level, twin.envelope(p, [G], fewest=1))

    assert twin.envelope([Fraction(11, 12), Fraction(3, 4), Fraction(1, 2)], [G], 1).lam < Fraction(4, 5)
    assert all(twin.worst_gcr(3, values, [G] * nulls, chosen) <= level for nulls in (1, 2, 3))


def test_the_enumeration_finds_the_error_of_a_wrong_width():
    """Attainable are 1/5, 2/5 and 1.  With w = lambda - kappa instead of 0 four nulls exceed level 1/2."""
    attained = [Fraction(1, 5), Fraction(2, 5), Fraction(1)]

    def G(t):
        return max((v for v in attained if v <= t), default=Fraction(0))

    def wrong(p):
        return twin.jecs(p, Fraction(1, 2), twin.envelope(p, [lambda t: t]))

    assert twin.worst_gcr(4, attained, [G] * 4, wrong) > Fraction(1, 2)
