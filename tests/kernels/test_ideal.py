"""Selection from largest p-values on the fine grid, against the definitions in Fractions."""

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from twins import jecs
from twins.selection import bh, storey
from typeone_kernels.ideal import GRID, METHODS, ideal_batch, ideal_plan


def tallies(largest, contaminated, level):
    largest, contaminated = np.atleast_2d(largest), np.atleast_2d(contaminated)
    out = np.full((largest.shape[0], len(METHODS), 2), -1, np.int64)
    n = largest.shape[1]
    ideal_batch(ideal_plan(n, level), largest, contaminated, np.empty(n + 1, np.int64), np.empty(19, np.int64), out)
    return out.tolist()


def expected(largest, contaminated, level):
    p = [Fraction(int(u), GRID) for u in largest]
    floors = jecs.envelope(p, [lambda t: Fraction(int(t * GRID), GRID)])
    chosen = [bh(p, level), storey(p, level), jecs.jecs(p, level, floors)]
    return [[len(s), sum(bool(contaminated[i]) for i in s)] for s in chosen]


@settings(derandomize=True, deadline=None, max_examples=150)
@given(
    st.integers(0, 10**6),
    st.sampled_from([1, 3, 40, 250]),
    st.sampled_from([0.7, 1, 2, 3]),
    st.sampled_from([Fraction(1, 20), Fraction(1, 10), Fraction(1, 3), Fraction(9, 10)]),
)
def test_batch_equals_the_definitions(seed, n, power, level):
    g = np.random.default_rng(seed)
    p = np.where(g.random((4, n)) < 0.3, 0.03, 1.0) * g.random((4, n)) ** (1 / power)
    coarse = g.random() < 0.3  # ties, and values exactly at 1/2
    units = np.ceil(p * 16) * (GRID // 16) if coarse else np.ceil(p * GRID)
    largest = np.maximum(units, 1).astype(np.int64)
    contaminated = g.random((4, n)) < 0.6
    wanted = [expected(*row, level) for row in zip(largest, contaminated, strict=True)]
    assert tallies(largest, contaminated, level) == wanted


def test_the_grid_is_fine_enough_to_be_ignored():
    g = np.random.default_rng(4)
    largest = np.ceil(np.where(g.random(400) < 0.4, 0.02, 1.0) * g.random(400) * GRID).astype(np.int64)
    p = [Fraction(int(u), GRID) for u in largest]
    exact = jecs.jecs(p, Fraction(1, 10), jecs.envelope(p, [lambda t: t]))
    assert len(exact) > 100
    assert tallies(largest, np.zeros(400, bool), Fraction(1, 10))[0][2] == [len(exact), 0]


def test_equality_counts():
    """p = level k / n exactly, and one unit more."""
    at, n = GRID // 8, 2
    one = np.array([at // 2, GRID], np.int64)  # p = 1/16 = (1/8) / 2
    assert tallies(one, np.ones(n, bool), Fraction(1, 8))[0][0] == [1, 1]
    assert tallies(one + np.array([1, 0]), np.ones(n, bool), Fraction(1, 8))[0][0] == [0, 0]
