"""Counts against grouped scores: the same as over all pairs, whatever the buckets hold."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twins import ranks as twin
from twins.shapes import SHAPES
from typeone_kernels.buckets import RankBuffers, rank_buffers, sort_scores
from typeone_kernels.grouped import (
    LONGEST,
    group_scores,
    grouped_attainable_floor,
    grouped_ranks,
    twice_wins,
    twice_wins_of,
)
from typeone_kernels.ranks import attainable_floor

FINITE = st.floats(allow_nan=False, allow_infinity=False)
TIED = st.sampled_from([-1.0, -0.0, 0.0, 0.5, 0.5000000000000001, 2.0])
SCORES = st.lists(st.one_of(FINITE, TIED), min_size=1, max_size=60) | st.lists(TIED, min_size=1, max_size=60)


def ranks(calibration, candidates, larger, spare=None):
    buffers = rank_buffers(calibration.size)
    guide = group_scores(calibration, buffers)
    out = np.empty(candidates.size, np.int64)
    grouped_ranks(guide, candidates, larger, buffers.bucket if spare is None else spare, out)
    return out


@settings(derandomize=True, deadline=None, max_examples=400)
@given(SCORES, SCORES, st.booleans())
def test_ranks_count_pairs(calibration, candidates, larger):
    candidates = candidates + calibration[:5]
    expected = [twin.rank(calibration, s, larger) for s in candidates]
    assert ranks(np.array(calibration), np.array(candidates), larger).tolist() == expected


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("m", [1, 2, 7, 8, 9, 33, 1000, 20_000])
def test_every_shape_of_scores(shape, m):
    generator = np.random.default_rng(m)
    calibration, candidates = SHAPES[shape](generator, m), SHAPES[shape](generator, 500)
    candidates = np.concatenate([candidates, calibration[:500], [-1.79e308, 1.79e308, 0.0]])
    ordered = np.sort(calibration)
    assert np.array_equal(ranks(calibration, candidates, False), 1 + np.searchsorted(ordered, candidates, "right"))
    assert np.array_equal(ranks(calibration, candidates, True), 1 + m - np.searchsorted(ordered, candidates, "left"))


@pytest.mark.parametrize("room", [1, 2, 3, 100, 5000])
def test_any_room_to_put_targets_aside_will_do(room):
    generator = np.random.default_rng(room)
    calibration, candidates = np.round(generator.standard_normal((2, 900)), 2)
    found = ranks(calibration, candidates, False, np.empty(room, np.int32))
    assert np.array_equal(found, 1 + np.searchsorted(np.sort(calibration), candidates, "right"))


def test_single_precision_candidates_are_widened_exactly():
    tenth = np.float32(0.1)
    near = np.append(np.linspace(1, 2, 20), np.float64(tenth) - 1e-12)
    assert ranks(near, np.array([tenth]), True).tolist() == [21]
    assert ranks(np.append(near, np.float64(tenth)), np.array([tenth]), True).tolist() == [22]
    assert ranks(near, np.array([tenth]), False).tolist() == [2]


@pytest.mark.parametrize("shape", SHAPES)
def test_grouped_scores_are_in_order_but_for_short_buckets(shape):
    scores = SHAPES[shape](np.random.default_rng(3), 3000)
    guide = group_scores(scores, rank_buffers(scores.size))
    ordered = np.sort(scores)
    assert np.array_equal(np.sort(guide.scores), ordered)
    lengths = np.diff(guide.first)
    assert guide.first[0] == 0
    assert guide.first[-1] == scores.size
    for begin, end in zip(guide.first[:-1], guide.first[1:], strict=True):
        assert np.array_equal(np.sort(guide.scores[begin:end]), ordered[begin:end])
    assert lengths.max() <= LONGEST or np.array_equal(guide.scores, ordered)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(SCORES, st.booleans(), st.data())
def test_attainable_floor(calibration, larger, data):
    scores, expected = np.array(calibration), twin.attainable(calibration, larger)
    guide = group_scores(scores, rank_buffers(scores.size))
    for r in data.draw(st.permutations(range(scores.size + 2))):
        assert grouped_attainable_floor(guide.scores, larger, r) == max((a for a in expected if a <= r), default=0)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("values", [50, 400, 2000])
def test_attainable_floor_among_many(shape, values):
    generator = np.random.default_rng(values)
    scores = SHAPES[shape](generator, values)[generator.integers(0, values, 2000)]
    ordered = np.sort(scores)
    for larger in (False, True):
        for r in range(0, 2002, 7):
            guide = group_scores(scores, rank_buffers(scores.size))  # what one call puts in order must not help another
            assert grouped_attainable_floor(guide.scores, larger, r) == attainable_floor(ordered, larger, r)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("m", [1, 7, 8, 9, 1000])
def test_wins_of_every_shape_of_scores(shape, m):
    generator = np.random.default_rng(m)
    scores, targets = SHAPES[shape](generator, m), SHAPES[shape](generator, 300)
    targets = np.concatenate([targets, scores, [-1.79e308, 1.79e308, 0.0]])
    ordered = np.sort(scores)
    expected = sum(int(np.searchsorted(ordered, targets, side=side).sum()) for side in ("left", "right"))
    assert twice_wins_of(scores, targets, rank_buffers(m)) == expected


@pytest.mark.parametrize("other", [-1e-9, 1e-9])
def test_a_long_bucket_with_one_score_that_differs(other):
    """Many equal scores are counted at once; one that differs from them, at either end, must not be taken for equal."""
    scores = np.concatenate([np.linspace(0, 1, 200), np.full(40, 0.5), [0.5 + other]])
    targets = np.array([0.5 + other, 0.5 + other / 2, 0.5, 0.5 - other])
    ordered = np.sort(scores)
    assert np.array_equal(ranks(scores, targets, False), 1 + np.searchsorted(ordered, targets, "right"))
    assert np.array_equal(ranks(scores, targets, True), 1 + scores.size - np.searchsorted(ordered, targets, "left"))


INTEGERS = st.integers(-5, 5) | st.integers(2**60, 2**60 + 3) | st.integers(-(2**61), 2**61)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(st.lists(INTEGERS, min_size=1, max_size=40), st.lists(INTEGERS, min_size=1, max_size=40))
def test_wins_of_integer_keys_are_counted_without_rounding(scores, targets):
    """Neighbors that are one double: 2**60 and 2**60 + 1."""
    m = len(scores)
    buffers = RankBuffers(np.empty(m, np.int64), np.empty(m + 1, np.int32), np.empty(m, np.int32))
    expected = sum(2 * (t > s) + (t == s) for t in targets for s in scores)
    keys, wanted = np.array(scores, np.int64), np.array(targets, np.int64)
    assert twice_wins_of(keys, wanted, buffers) == expected
    assert twice_wins(sort_scores(keys, buffers), wanted, buffers.bucket) == expected


@pytest.mark.parametrize("longest", [1, 8, 9, 15, 16, 17, 33, 200])
def test_wins_with_buckets_of_any_length(longest):
    """Runs of nearly equal scores fall into one bucket: looked through up to 16 long, sorted beyond."""
    rng = np.random.default_rng(longest)
    scores = np.concatenate([rng.random(500), 0.5 + 1e-12 * rng.integers(0, 5, longest)])
    targets = np.concatenate([rng.random(300), 0.5 + 1e-12 * rng.integers(-1, 6, 50)])
    ordered = np.sort(scores)
    expected = sum(int(np.searchsorted(ordered, targets, side=side).sum()) for side in ("left", "right"))
    assert twice_wins_of(scores, targets, rank_buffers(scores.size)) == expected
