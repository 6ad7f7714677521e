"""Pooling kernels against plain sums over every vote pattern, and the drawn votes against their law."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twins import pooling as twin
from typeone.engine.streams import generator
from typeone_kernels.pooling import (
    NOT_CONSULTED,
    UNIT_BITS,
    count_ranges,
    draw_votes,
    operating_points,
    pool_list,
    pool_matrix,
)
from typeone_kernels.streams import STATE_WORDS, open_stream

WEIGHT = st.integers(-(2**45), 2**45)
VOTE = st.sampled_from([None, 0, 1])


def as_matrix(rows):
    return np.array([[NOT_CONSULTED if v is None else v for v in row] for row in rows], np.int8)


@settings(derandomize=True, deadline=None, max_examples=150)
@given(st.data())
def test_matrix_and_list_give_the_plain_sum_in_any_order(data):
    n = data.draw(st.integers(1, 6))
    weights = data.draw(st.lists(WEIGHT, min_size=n, max_size=n))
    rows = data.draw(st.lists(st.lists(VOTE, min_size=n, max_size=n), min_size=1, max_size=5))
    prior = data.draw(WEIGHT)
    expected = [twin.weighted_sum(row, weights, prior) for row in rows]
    out = np.full(len(rows), -7, np.int64)
    pool_matrix(as_matrix(rows), np.array(weights), prior, out)
    assert out.tolist() == expected
    cast = [(t, i, v) for t, row in enumerate(rows) for i, v in enumerate(row) if v is not None]
    cast = data.draw(st.permutations(cast))
    item, source, vote = (np.array([entry[c] for entry in cast], np.int64) for c in range(3))
    out[:] = -7
    pool_list(item, source, vote.astype(np.int8), np.array(weights), prior, out)
    assert out.tolist() == expected


def test_the_operating_point_slides_by_minus_the_weight():
    out = np.empty(5, np.int64)
    operating_points(2, np.arange(3, 8), 1000, 5, out)
    assert out.tolist() == [5 + (4 - n) * 1000 for n in range(3, 8)]
    assert np.diff(out).tolist() == [-1000] * 4


@settings(derandomize=True, deadline=None, max_examples=80)
@given(st.lists(WEIGHT, min_size=1, max_size=6), st.data(), WEIGHT)
def test_count_ranges_are_the_extremes_over_all_patterns(weights, data, prior):
    n = data.draw(st.integers(1, len(weights)))
    low, high = np.empty(n + 1, np.int64), np.empty(n + 1, np.int64)
    count_ranges(np.array(sorted(weights)), n, prior, low, high)
    expected = [twin.count_range(weights, n, k, prior) for k in range(n + 1)]
    assert list(zip(low.tolist(), high.tolist(), strict=True)) == expected


def drawn(items, chance, reference, right, key=(11, 12), repetition=3):
    state = np.empty(STATE_WORDS, np.uint64)
    open_stream(state, np.array(key, np.uint64), repetition, 0)
    truth, votes = np.empty(items, np.int8), np.empty((items, len(right)), np.int8)
    draw_votes(state, np.array(chance), reference, np.array(right), truth, votes)
    return truth, votes


@pytest.mark.parametrize(("chance", "reference"), [((0.5, 0.0, 0.0), 3), ((0.3, 0.4, 0.6), 2), ((0.9, 1.0, 1.0), 1)])
def test_drawn_votes_equal_the_plain_loop_on_numpys_stream(chance, reference):
    right = [0.9, 0.6, 0.75, 0.6]
    truth, votes = drawn(200, chance, reference, right)
    expected = twin.draw_votes(generator((11, 12), 3), 200, chance, reference, right)
    assert (truth.tolist(), votes.tolist()) == expected


@pytest.mark.parametrize("dependence", ["0", "1/2", "1"])
def test_drawn_patterns_follow_their_law(dependence):
    """40 000 items, fixed key: every pattern's frequency within 5 standard errors of its exact probability.

    False alarms: at most 3 * 8 * 6e-7 over the three cases.
    """
    right = [Fraction(9, 10), Fraction(3, 5), Fraction(3, 4)]
    items = 40_000
    truth, votes = drawn(items, (0.4, 0.0, float(Fraction(dependence))), 3, [float(r) for r in right])
    correct = votes == truth[:, None]
    marginal = {i: Fraction(0) for i in range(3)}
    for pattern, probability in twin.pattern_law(right, Fraction(dependence)):
        seen = int((correct == np.array(pattern, bool)).all(axis=1).sum())
        p = float(probability)
        assert abs(seen - items * p) <= 5 * math.sqrt(items * p * (1 - p))
        for i in range(3):
            marginal[i] += probability * pattern[i]
    assert [marginal[i] for i in range(3)] == right  # exact whatever the dependence
    assert abs(int(truth.sum()) - items * 0.4) <= 5 * math.sqrt(items * 0.24)


def test_a_unit_is_two_to_the_minus_forty():
    assert UNIT_BITS == 40  # METHODS: evidence is held as multiples of 2**-40


def test_a_uniform_on_its_bound_is_not_below_it():
    """A stream whose next four uniforms are all 1/2: one item with one source."""

    def item(prior, partial, dependence, right, reference=1):
        state = np.zeros(STATE_WORDS, np.uint64)
        state[6:10] = np.uint64(1 << 63)  # the buffer, none of it used yet
        truth, votes = np.empty(1, np.int8), np.empty((1, 1), np.int8)
        draw_votes(state, np.array([prior, partial, dependence]), reference, np.array([right]), truth, votes)
        return int(truth[0]), int(votes[0, 0])

    assert item(0.5, 0.0, 0.0, 0.75) == (0, 0)  # not true; its source is right
    assert item(1.0, 0.5, 0.0, 0.75, reference=0) == (1, 1)  # consulted
    assert item(1.0, 0.0, 0.5, 0.25) == (1, 1)  # its own variable, 0 there; the latent one would say wrong
    assert item(1.0, 0.0, 1.0, 0.5) == (1, 0)  # the latent variable does not reach right
    assert item(1.0, 0.0, 0.0, 0.5) == (1, 0)  # nor does its own
