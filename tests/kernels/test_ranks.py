"""Ranks against counting over all pairs; the guide must never matter."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from twins import ranks as twin
from twins.shapes import SHAPES
from typeone_kernels.buckets import RankBuffers, rank_buffers, sort_scores
from typeone_kernels.ranks import (
    _look_up_in_groups,
    attainable_floor,
    attainable_ranks,
    conformal_ranks,
    random_ranks,
)

FINITE = st.floats(allow_nan=False, allow_infinity=False)
TIED = st.sampled_from([-1.0, -0.0, 0.0, 0.5, 0.5000000000000001, 2.0])
SCORES = st.lists(st.one_of(FINITE, TIED), min_size=1, max_size=60) | st.lists(TIED, min_size=1, max_size=60)


def ranks(calibration, candidates, larger=False):
    calibration, candidates = np.asarray(calibration), np.asarray(candidates)
    guide = sort_scores(calibration, rank_buffers(calibration.size))
    out = np.empty(candidates.size, np.int64)
    conformal_ranks(guide, candidates, larger, out)
    return out


def sorted_ranks(calibration, candidates, larger):
    ordered = np.sort(calibration)
    if larger:
        return 1 + ordered.size - np.searchsorted(ordered, candidates, "left")
    return 1 + np.searchsorted(ordered, candidates, "right")


@settings(derandomize=True, deadline=None, max_examples=400)
@given(SCORES, SCORES, st.booleans())
def test_ranks_count_pairs(calibration, candidates, larger):
    candidates = candidates + calibration[:5]
    expected = [twin.rank(calibration, s, larger) for s in candidates]
    assert ranks(calibration, candidates, larger).tolist() == expected


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("m", [1, 2, 31, 32, 33, 1000, 20_000])
def test_every_shape_of_scores(shape, m):
    generator = np.random.default_rng(m)
    calibration, candidates = SHAPES[shape](generator, m), SHAPES[shape](generator, 500)
    candidates = np.concatenate([candidates, calibration[:500], [-1.79e308, 1.79e308, 0.0]])
    guide = sort_scores(calibration, rank_buffers(m))
    assert np.array_equal(guide.scores, np.sort(calibration))
    for larger in (False, True):
        assert np.array_equal(ranks(calibration, candidates, larger), sorted_ranks(calibration, candidates, larger))


@pytest.mark.parametrize("buckets", [1, 2, 7, 1000])
def test_the_number_of_buckets_does_not_matter(buckets):
    generator = np.random.default_rng(buckets)
    calibration, candidates = np.round(generator.standard_normal((2, 400)), 2)
    buffers = RankBuffers(np.empty(400), np.empty(buckets + 1, np.int32), np.empty(400, np.int32))
    guide = sort_scores(calibration, buffers)
    out = np.empty(400, np.int64)
    conformal_ranks(guide, candidates, False, out)
    assert np.array_equal(guide.scores, np.sort(calibration))
    assert np.array_equal(out, sorted_ranks(calibration, candidates, False))


def test_float32_is_widened_exactly():
    generator = np.random.default_rng(5)
    calibration, candidates = generator.standard_normal((2, 300)).astype(np.float32)
    wide = ranks(calibration.astype(np.float64), candidates.astype(np.float64))
    assert np.array_equal(ranks(calibration, candidates), wide)
    # Double precision scores a hair away: rounding them, or stepping by a float32 ulp, would make a tie.
    tenth = np.float32(0.1)
    assert ranks(np.array([tenth]), [np.float64(tenth) - 1e-12]).tolist() == [1]
    assert ranks([np.float64(tenth) - 1e-12], np.array([tenth]), larger=True).tolist() == [1]
    assert ranks([np.float64(tenth)], np.array([tenth]), larger=True).tolist() == [2]


def test_published_cases():
    assert ranks([2.0, 2.0, 2.0], [2.0]).tolist() == [4]  # p = 4/4
    assert ranks([1.0, 2.0, 3.0, 4.0], [9.0]).tolist() == [5]  # p = 5/5, never 5/4
    assert ranks([1.0, 2.0, 3.0, 4.0], [-9.0], larger=True).tolist() == [5]
    assert ranks(np.full(70, 1.5), [1.5]).tolist() == [71]
    assert ranks(np.zeros(1024), [-1.0]).tolist() == [1]  # p = 1/1025, never 0


@pytest.mark.parametrize("n", [150_000, 300_000])
def test_many_in_many_takes_no_pairs(n):
    generator = np.random.default_rng(150)
    calibration, candidates = np.round(generator.standard_cauchy((2, n)), 4)
    for larger in (False, True):
        assert np.array_equal(ranks(calibration, candidates, larger), sorted_ranks(calibration, candidates, larger))


@pytest.mark.parametrize("m", [1, 2, 255, 256, 257, 1000])
def test_look_ups_in_groups(m):
    generator = np.random.default_rng(m)
    calibration, targets = np.round(generator.standard_normal(m), 1), np.round(generator.standard_normal(700), 1)
    guide = sort_scores(calibration, rank_buffers(m))
    for inclusive, side in ((True, "right"), (False, "left")):
        out = np.empty(700, np.int64)
        _look_up_in_groups(guide, targets, inclusive, out)
        assert np.array_equal(out, np.searchsorted(np.sort(calibration), targets, side))


@settings(derandomize=True, deadline=None, max_examples=300)
@given(SCORES, st.booleans())
def test_attainable_ranks(calibration, larger):
    ordered = np.sort(np.array(calibration))
    expected = twin.attainable(calibration, larger)
    assert attainable_ranks(ordered, larger).tolist() == expected
    for r in range(len(calibration) + 2):
        assert attainable_floor(ordered, larger, r) == max((a for a in expected if a <= r), default=0)


KEY = np.array([0x0123456789ABCDEF, 0xFEDCBA9876543210], np.uint64)


def broken_ties(calibration, candidates, larger, items, model=2, key=KEY):
    guide = sort_scores(np.asarray(calibration), rank_buffers(len(calibration)))
    out = np.empty(len(candidates), np.int64)
    random_ranks(guide, np.asarray(candidates), larger, key, np.asarray(items, np.uint64), model, out)
    return out


@settings(derandomize=True, deadline=None, max_examples=150)
@given(SCORES, SCORES, st.booleans(), st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_random_ranks_are_the_named_words(calibration, candidates, larger, item, model):
    candidates = candidates + calibration[:5]
    items = [(item + 7 * i) % 2**64 for i in range(len(candidates))]
    expected = [
        twin.random_rank(calibration, s, larger, KEY.tolist(), i, model) for s, i in zip(candidates, items, strict=True)
    ]
    assert broken_ties(calibration, candidates, larger, items, np.uint64(model)).tolist() == expected


def test_random_ranks_ignore_row_order_and_depend_on_every_part_of_the_name():
    generator = np.random.default_rng(8)
    calibration, candidates = generator.integers(0, 3, (2, 200)) * 1.0
    items = generator.integers(0, 2**63, 200)
    base = broken_ties(calibration, candidates, False, items)
    order = generator.permutation(200)
    assert np.array_equal(broken_ties(calibration, candidates[order], False, items[order]), base[order])
    assert np.array_equal(broken_ties(calibration[order], candidates, False, items), base)
    for other in (
        broken_ties(calibration, candidates, False, items + 1),
        broken_ties(calibration, candidates, False, items, model=3),
        broken_ties(calibration, candidates, False, items, key=KEY + np.uint64(1)),
    ):
        assert not np.array_equal(other, base)


@pytest.mark.parametrize("larger", [False, True])
def test_random_ranks_of_exchangeable_scores_are_uniform(larger):
    """40 000 ranks of one score among 4 others, all from two values: chi-square, false alarm 1e-6, seed 11."""
    scores = np.random.default_rng(11).integers(0, 2, (40_000, 5)) * 1.0
    counts = np.zeros(5)
    for item, row in enumerate(scores):
        counts[broken_ties(row[1:], row[:1], larger, [item])[0] - 1] += 1
    assert stats.chisquare(counts).pvalue > 1e-6
