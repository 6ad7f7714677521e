"""Eight at a time against one at a time."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from typeone_kernels._jit import kernel
from typeone_kernels.lanes import LANES, count_at_most, count_below, transpose


@kernel
def both(values, start, target):
    return count_below(values, start, target), count_at_most(values, start, target)


VALUE = st.sampled_from([-np.inf, -1.0, -0.0, 0.0, 5e-324, 1.0, np.inf, np.nan]) | st.floats()
WHOLE = st.sampled_from([-(2**63), -1, 0, 1, 2**53, 2**53 + 1, 2**63 - 1]) | st.integers(-(2**63), 2**63 - 1)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(st.lists(VALUE, min_size=LANES, max_size=3 * LANES), VALUE, st.data())
def test_doubles(values, target, data):
    start = data.draw(st.integers(0, len(values) - LANES))
    part = values[start : start + LANES]
    assert both(np.array(values), start, target) == (sum(v < target for v in part), sum(v <= target for v in part))


@settings(derandomize=True, deadline=None, max_examples=200)
@given(st.lists(st.floats(width=32), min_size=LANES, max_size=2 * LANES), VALUE, st.data())
def test_single_precision_is_widened_and_the_target_is_not_narrowed(values, target, data):
    start = data.draw(st.integers(0, len(values) - LANES))
    part = values[start : start + LANES]
    found = both(np.array(values, np.float32), start, target)
    assert found == (sum(v < target for v in part), sum(v <= target for v in part))
    beside = math.nextafter(values[start], math.inf)  # one double above a single, and the same single
    expected = (sum(v < beside for v in part), sum(v <= beside for v in part))
    assert both(np.array(values, np.float32), start, beside) == expected


@settings(derandomize=True, deadline=None, max_examples=300)
@given(st.lists(WHOLE, min_size=LANES, max_size=3 * LANES), WHOLE, st.data())
def test_integers(values, target, data):
    start = data.draw(st.integers(0, len(values) - LANES))
    part = values[start : start + LANES]
    assert both(np.array(values), start, target) == (sum(v < target for v in part), sum(v <= target for v in part))


@kernel
def turned(source, row, column, out, rows, first, place):
    transpose(source, row, column, out, rows, first, place)


@pytest.mark.parametrize("seed", range(20))
def test_transpose_writes_its_square_and_nothing_else(seed):
    generator = np.random.default_rng(seed)
    height, width, horizon = generator.integers(LANES, 3 * LANES, 3)
    source, out = generator.random((height, width)), np.full((30, horizon), np.nan)
    rows, first = generator.permutation(30), int(generator.integers(0, 30 - LANES))
    row, column, place = (int(generator.integers(0, n - LANES + 1)) for n in (height, width, horizon))
    expected = out.copy()
    expected[rows[first : first + LANES], place : place + LANES] = source[row : row + LANES, column : column + LANES].T
    turned(source, row, column, out, rows, first, place)
    assert np.array_equal(out, expected, equal_nan=True)
