"""Step-up rules against their definitions in Fractions, on dense grids and on sorted p-values."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from twins import selection as twin
from typeone_kernels._jit import kernel
from typeone_kernels.exact import LARGEST, level_pair, product_at_most
from typeone_kernels.grid import common_grid, last_at_most
from typeone_kernels.selection import (
    bh_cutoff,
    cumulative_counts,
    double_limits,
    partial_conjunction_cutoff,
    step_up_doubles,
    storey_cutoff,
)

LEVELS = st.fractions(min_value=Fraction(1, 1000), max_value=Fraction(999, 1000), max_denominator=1000)
LONG = Fraction(10**399 // 3, 10**399)  # .333... with 399 digits, just below 1/3


@kernel
def at_most(a, b, c, d):
    return product_at_most(a, b, c, d)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(*[st.integers(-(2**63), 2**63 - 1) for _ in range(4)])
def test_product_at_most(a, b, c, d):
    assert at_most(a, b, c, d) == (a * b <= c * d)
    assert at_most(a, b, b, a)
    assert at_most(a, 2**62 - 1, a, 2**62) == (a >= 0)


@pytest.mark.parametrize(
    "level",
    [
        Fraction(1, 10),
        Fraction(1, LARGEST),
        Fraction(1, LARGEST + 1),
        Fraction(LARGEST, LARGEST + 1),
        Fraction(1, 10) + Fraction(1, 10**40),
        Fraction(1, 10) - Fraction(1, 10**40),
        LONG,
        1 - LONG,
        Fraction(14142135623730950488016887242096980785696718, 10**44),
    ],
)
def test_level_pair_is_the_nearest_from_below(level):
    a, b = level_pair(level).tolist()
    assert 0 < b <= LARGEST
    assert Fraction(a, b) <= level
    if level.denominator <= LARGEST:
        assert Fraction(a, b) == level
        return
    # No fraction lies between: the next one up has denominator c with c a + 1 = b d, largest c <= LARGEST.
    c = -pow(a, -1, b) % b if b > 1 else 0
    c += (LARGEST - c) // b * b
    above = Fraction((c * a + 1) // b, c)
    assert above - Fraction(a, b) == Fraction(1, b * c)
    assert level < above


def dense(ranks, size, level):
    """BH and Storey-BH selections of p-values ranks / size, by counting."""
    ranks = np.asarray(ranks, np.int64)
    counts = np.empty(size + 1, np.int64)
    cumulative_counts(ranks, counts)
    numerators, ones, pair = np.arange(size + 1), np.ones(size + 1, np.int64), level_pair(level)
    bh = bh_cutoff(numerators, ones, counts, int(level * size), pair, size)
    storey = storey_cutoff(numerators, ones, counts, size // 2, pair, size)
    assert {bh, storey} <= {0, *ranks.tolist()}
    return [set(np.flatnonzero(ranks <= cutoff).tolist()) for cutoff in (bh, storey)]


def sparse(ranks, size, level):
    """The same from the sorted ranks."""
    ranks, n = np.asarray(ranks, np.int64), len(ranks)
    ascending = np.concatenate([[0], np.sort(ranks)])
    ones, counts, pair = np.ones(n + 1, np.int64), np.arange(n + 1), level_pair(level)
    half = int(np.sum(2 * ranks <= size))
    chosen = (
        bh_cutoff(ascending, ones, counts, n, pair, size),
        storey_cutoff(ascending, ones, counts, half, pair, size),
    )
    return [set(np.flatnonzero(ranks <= ascending[k]).tolist()) for k in chosen]


@st.composite
def grid_p_values(draw):
    size = draw(st.integers(1, 40))
    return draw(st.lists(st.integers(1, size), min_size=1, max_size=40)), size


@settings(derandomize=True, deadline=None, max_examples=500)
@given(grid_p_values(), st.one_of(LEVELS, st.sampled_from([LONG, Fraction(1, 2), Fraction(1, 10)])))
def test_bh_and_storey(p_values, level):
    ranks, size = p_values
    p = [Fraction(r, size) for r in ranks]
    expected = [twin.bh(p, level), twin.storey(p, level)]
    assert dense(ranks, size, level) == expected
    assert sparse(ranks, size, level) == expected


@settings(derandomize=True, deadline=None, max_examples=200)
@given(grid_p_values(), LEVELS, LEVELS)
def test_a_higher_level_selects_a_superset(p_values, first, second):
    lower, upper = sorted([first, second])
    for small, large in zip(dense(*p_values, lower), dense(*p_values, upper), strict=True):
        assert small <= large


@settings(derandomize=True, deadline=None, max_examples=300)
@given(st.integers(1, 30), st.data(), LEVELS)
def test_partial_conjunction(size, data, level):
    both = st.lists(st.tuples(st.integers(1, size), st.integers(1, size)), min_size=1, max_size=30)
    pairs = data.draw(both)
    top = data.draw(st.integers(0, size))
    S, F = (np.array([f(pair) for pair in pairs], np.int64) for f in (max, min))
    counts, filter_counts = np.empty((2, size + 1), np.int64)
    cumulative_counts(S, counts)
    cumulative_counts(F, filter_counts)
    cutoff = partial_conjunction_cutoff(
        np.arange(size + 1), np.ones(size + 1, np.int64), counts, filter_counts, top, level_pair(level), size
    )
    assert cutoff in {0, *S.tolist()}
    p, q = ([Fraction(int(r), size) for r in ranks] for ranks in (S, F))
    selected = set(np.flatnonzero(cutoff >= S).tolist())
    assert selected == twin.adafilter(p, q, level, Fraction(top, size))


def test_at_equality_a_long_level_decides_exactly():
    """One p-value r / M at level r / M +- 10^-40: equality counts, the least bit below does not."""
    for size in (3, 10, 999_983):
        exact, hair = Fraction(size // 3, size), Fraction(1, 10**40)
        assert dense([size // 3], size, exact)[0] == {0}
        assert dense([size // 3], size, exact + hair)[0] == {0}
        assert dense([size // 3], size, exact - hair)[0] == set()


def test_products_beyond_64_bits():
    """u / M with M = 2^50, n = 1000: left times numerator is near 2^60, times the level's 18 digits 2^120."""
    size, level = 2**50, Fraction(123456789012345677, 10**18)
    limit = [level * k * size / 1000 for k in range(1, 1001)]
    ranks = [int(value) for value in limit]
    assert len(sparse(ranks, size, level)[0]) == 1000
    assert len(sparse([r + 1 for r in ranks], size, level)[0]) == 0


def doubles(p, level, storey=False):
    ascending = np.sort(np.array(p))
    total = 2 * (1 + int(np.sum(ascending > 0.5))) if storey else len(p)
    return step_up_doubles(ascending, double_limits(level, total, len(p)))


# Decimals as they are read: exact Fractions for the grid version, doubles for the other.
PUBLISHED = [
    ([".0054", ".0071", ".0060", ".995"], "1/5", 3),
    ([".03", ".04", ".05"], "1/20", 3),
    ([".01", ".02", ".03", ".04", ".05", ".06"] + [".9"] * 19, "1/4", 6),
    # p_(k) <= k / 12 at k = 1, 2 and 5 only: five are rejected.
    ([".08", ".16", ".3", ".35", ".41", ".9"], "1/2", 5),
    ([".05"], "1/20", 1),
    ([".06"], "1/20", 0),
    (["1", "1", "1"], "1/20", 0),
]


@pytest.mark.parametrize(("decimals", "level", "expected"), PUBLISHED)
def test_published_bh_cases(decimals, level, expected):
    level = Fraction(level)
    ranks = [int(Fraction(d) * 10_000) for d in decimals]
    assert len(dense(ranks, 10_000, level)[0]) == expected
    assert len(sparse(ranks, 10_000, level)[0]) == expected
    assert doubles([float(d) for d in decimals], level) == expected


def test_published_bh_case_selects_the_first_three():
    assert dense([54, 71, 60, 9950], 10_000, Fraction(1, 5))[0] == {0, 1, 2}


def test_storey_with_no_p_above_one_half():
    """pi0 = (1 + 0) / (n / 2) is small but positive; p_(k) <= .1 k / 2 then."""
    ranks = [1, 49, 50, 51, 402]
    assert dense(ranks, 1000, Fraction(1, 10))[1] == {0, 1, 2, 3}  # .051 <= .2, .402 > .25
    assert dense([*ranks, 402, 402, 402, 402], 1000, Fraction(1, 10))[1] == set(range(9))  # .402 <= .45
    assert doubles([r / 1000 for r in ranks], Fraction(1, 10), storey=True) == 4


def test_storey_is_not_capped_at_pi0_one():
    """Nine of ten above 1/2 give pi0 = 2: BH rejects p = .08 at level .8, Storey-BH does not."""
    ranks = [80] + [900] * 9
    assert [len(selection) for selection in dense(ranks, 1000, Fraction(4, 5))] == [1, 0]


def test_half_itself_is_not_above_one_half():
    assert len(dense([50, 50], 100, Fraction(1, 2))[1]) == 2  # pi0 = 1: .5 <= .5
    assert len(dense([51, 51], 100, Fraction(1, 2))[1]) == 0


@settings(derandomize=True, deadline=None, max_examples=200)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), LEVELS | st.just(LONG), st.sampled_from([1, 7, 10**9]))
def test_double_limits_are_correctly_rounded(p, level, scale):
    limits = double_limits(level, scale * len(p), len(p))
    exact = [level * k / (scale * len(p)) for k in range(1, len(p) + 1)]
    assert limits.tolist() == [value.numerator / value.denominator for value in exact]
    passing = [k for k, value in enumerate(sorted(p), 1) if value <= limits[k - 1]]
    assert step_up_doubles(np.sort(np.array(p)), limits) == max(passing, default=0)


def test_double_limits_at_the_border_of_exact_doubles():
    """2^53 and 2^53 + 1 in the denominator: both roads round correctly."""
    for total in (2**53, 2**53 + 1, 2**54 - 1):
        limits = double_limits(Fraction(2, 3), total, 5).tolist()
        assert limits == [2 * k / (3 * total) for k in range(1, 6)]
    level = Fraction(2**51 - 1, 2**51)
    for count in (3, 4, 5, 9):
        limits = double_limits(level, 7, count).tolist()
        assert limits == [(2**51 - 1) * k / (7 * 2**51) for k in range(1, count + 1)]


def test_bh_agrees_with_scipy_away_from_ties():
    generator = np.random.default_rng(4)
    p = generator.random(2000) ** 3
    expected = int(np.sum(false_discovery_control(p) <= 0.1))
    assert doubles(p, Fraction(1, 10)) == expected
    assert 0 < expected < 2000


@settings(derandomize=True, deadline=None, max_examples=200)
@given(st.lists(st.integers(1, 40), min_size=1, max_size=4), st.fractions(0, 1, max_denominator=60))
def test_common_grid(sizes, value):
    grid = common_grid(np.array(sizes))
    values = [
        Fraction(a, b * grid.unit) for a, b in zip(grid.numerators.tolist(), grid.denominators.tolist(), strict=True)
    ]
    assert values == sorted({Fraction(r, size) for size in sizes for r in range(size + 1)})
    for k, size in enumerate(sizes):
        assert grid.denominators.max() * grid.unit <= max(sizes)
        for r in range(size + 1):
            assert values[grid.codes[grid.first[k] + r]] == Fraction(r, size)
    assert values[last_at_most(grid, value)] == max(v for v in values if v <= value)


def test_equal_sizes_share_one_denominator():
    grid = common_grid(np.array([1001, 1001, 1001]))
    assert grid.unit == 1001
    assert np.array_equal(grid.numerators, np.arange(1002))
    assert np.all(grid.denominators == 1)
    assert grid.numerators.base is None  # not a view that keeps the three models' array alive
