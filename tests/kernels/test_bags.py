"""Exact sums against math.fsum, bit for bit; top means against their definition."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from typeone_kernels.bags import exact_sum, top_means

ANY = st.floats(-1e300, 1e300).filter(lambda x: x == 0 or abs(x) > 1e-290)
NEAR = st.integers(-(2**53), 2**53).map(float)
TINY = st.integers(-40, 40).map(lambda e: math.ldexp(1.0, e))
EVEN = st.sampled_from([1.0, -1.0, 2.0**53, -(2.0**53), 2.0**-53, -(2.0**-53), 2.0**-106, -(2.0**-106), 0.5])


def ours(values):
    return exact_sum(np.array(values, dtype=np.float64), np.empty(64))


@settings(derandomize=True, deadline=None, max_examples=600)
@given(st.lists(st.one_of(ANY, NEAR, TINY, EVEN), max_size=24))
def test_sum_is_exact_and_rounded_once(values):
    assert ours(values) == math.fsum(values)


@settings(derandomize=True, deadline=None, max_examples=400)
@given(st.lists(EVEN, min_size=2, max_size=12))
def test_sum_rounds_half_to_even(values):
    assert ours(values) == math.fsum(values)


def test_sum_settles_halfway_by_the_smallest_part():
    assert ours([1.0, 2.0**-53, 2.0**-106]) == math.nextafter(1.0, 2)
    assert ours([1.0, 2.0**-53, -(2.0**-106)]) == 1.0
    assert ours([-1.0, -(2.0**-53), -(2.0**-106)]) == -math.nextafter(1.0, 2)


@settings(derandomize=True, deadline=None, max_examples=100)
@given(st.lists(st.lists(NEAR, min_size=1, max_size=7), min_size=1, max_size=5), st.data())
def test_top_means(bags, data):
    kept = [data.draw(st.integers(1, len(bag))) for bag in bags]
    score = np.concatenate([np.sort(bag)[::-1] for bag in bags])
    start = np.concatenate([[0], np.cumsum([len(bag) for bag in bags])])
    out = np.empty(len(bags))
    top_means(score, start, np.array(kept), out)
    expected = [math.fsum(sorted(bag)[-k:]) / k for bag, k in zip(bags, kept, strict=True)]
    assert out.tolist() == expected
