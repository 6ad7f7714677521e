"""Philox streams against NumPy's, word for word; bounded integers and subsets against their definitions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from typeone_kernels import streams

WORD = st.integers(0, 2**64 - 1)


def opened(key, repetition, lane):
    state = np.zeros(streams.STATE_WORDS, np.uint64)
    streams.open_stream(state, np.array(key, np.uint64), repetition, lane)
    return state


def numpy_words(key, repetition, lane, count):
    counter = np.array([0, 0, lane, repetition], np.uint64)
    return np.random.Philox(key=np.array(key, np.uint64), counter=counter).random_raw(count)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(WORD, WORD, st.integers(0, 2**63 - 1), st.integers(0, 2**63 - 1))
def test_words_are_numpys(k0, k1, repetition, lane):
    state = opened((k0, k1), repetition, lane)
    ours = [int(streams.next_word(state)) for _ in range(11)]
    assert ours == numpy_words((k0, k1), repetition, lane, 11).tolist()


def test_block_counter_carries_into_the_next_word():
    state = opened((1, 2), 5, 7)
    state[0] = np.uint64(2**64 - 1)
    ours = [int(streams.next_word(state)) for _ in range(4)]
    wrapped = np.random.Philox(key=np.array([1, 2], np.uint64), counter=np.array([2**64 - 1, 0, 7, 5], np.uint64))
    assert ours == wrapped.random_raw(4).tolist()


def test_uniform_is_numpys_random():
    state = opened((3, 4), 9, 0)
    bits = np.random.Philox(key=np.array([3, 4], np.uint64), counter=np.array([0, 0, 0, 9], np.uint64))
    assert [streams.next_uniform(state) for _ in range(50)] == np.random.Generator(bits).random(50).tolist()


def below_twin(words, bound):
    """Multiplication with rejection, in Python's integers: reject while the low half is below 2**64 mod bound."""
    for word in words:
        if (word * bound) % 2**64 >= 2**64 % bound:
            return (word * bound) >> 64
    raise AssertionError


@settings(derandomize=True, deadline=None, max_examples=200)
@given(WORD, st.one_of(st.integers(1, 100), st.integers(2**62, 2**63 - 1)))
def test_below_matches_integer_twin_also_when_it_rejects(k0, bound):
    state = opened((k0, 0), 1, 2)
    words = [int(w) for w in numpy_words((k0, 0), 1, 2, 40)]
    assert streams.next_below(state, bound) == below_twin(words, bound)


def test_below_does_reject_sometimes():
    """A bound just above 2**62 rejects a quarter of the words: the branch is exercised above."""
    bound = 3 * 2**61 + 1
    used = []
    for k in range(200):
        state = opened((k, 0), 0, 0)
        streams.next_below(state, bound)
        used.append(int(state[-1]))
    assert max(used) > 1


@pytest.mark.parametrize("size", [0, 1, 3, 6])
def test_subset_is_a_permutation_with_uniform_ordered_head(size):
    """chi-squared test over all ordered heads; false alarm 1e-4 for each size (seeds fixed)."""
    n, draws = 6, 6000
    counts = {}
    for repetition in range(draws):
        state = opened((11, 12), repetition, 0)
        pool = np.arange(n)
        streams.draw_subset(state, pool, size)
        assert sorted(pool.tolist()) == list(range(n))
        head = tuple(pool[:size].tolist())
        counts[head] = counts.get(head, 0) + 1
    outcomes = int(np.prod(range(n, n - size, -1)))
    expected = draws / outcomes
    statistic = sum((c - expected) ** 2 / expected for c in counts.values()) + expected * (outcomes - len(counts))
    assert statistic <= chi2.ppf(1 - 1e-4, max(1, outcomes - 1)) or outcomes == 1
    assert len(counts) > outcomes * 0.9
