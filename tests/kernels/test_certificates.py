"""Votes drawn as counts: bit for bit as the twin, and with the law of a matrix drawn vote by vote."""

import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, chi2, norm

from twins import certificates as twin
from typeone_kernels.certificates import binomial_by_bits, ones, vote_histograms
from typeone_kernels.streams import STATE_WORDS, next_uniform, next_word, open_stream

KEY = np.array([11, 22], np.uint64)


def words(repetition=0, lane=0):
    bits = np.random.Philox(key=KEY, counter=[0, 0, lane, repetition])
    while True:
        yield int(bits.random_raw())


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.integers(0, 2**64 - 1))
def test_ones_counts_bits(word):
    assert ones(np.uint64(word)) == word.bit_count()


@settings(derandomize=True, deadline=None, max_examples=150)
@given(
    st.integers(0, 200) | st.sampled_from([63, 64, 65, 127, 128, 129, 1000]),
    st.floats(0, 1) | st.sampled_from([0.0, 0.5, 0.75, 2.0**-60, 1.0, 1 - 2.0**-53]),
    st.integers(0, 50),
)
def test_binomial_equals_the_twin_bit_for_bit(n, p, repetition):
    state = np.zeros(STATE_WORDS, np.uint64)
    open_stream(state, KEY, repetition, 3)
    stream = words(repetition, 3)
    assert binomial_by_bits(state, n, p) == twin.binomial_by_bits(stream, n, Fraction(p))
    assert int(next_word(state)) == next(stream)  # and both have used the same words


def test_whole_words_do_not_disturb_the_rest_of_a_word():
    """130 agree, then often exactly 64: two bits of a word are used up by then, and none is needed."""
    state = np.zeros(STATE_WORDS, np.uint64)
    for repetition in range(300):
        open_stream(state, KEY, repetition, 0)
        assert binomial_by_bits(state, 130, 0.6) == twin.binomial_by_bits(words(repetition), 130, Fraction(0.6))


def test_an_evaluator_at_p_itself_votes_0():
    """Uniforms are multiples of 2**-53: strictly below p makes P(vote 1) exact for a p of that kind."""
    state = np.zeros(STATE_WORDS, np.uint64)
    open_stream(state, KEY, 9, 0)
    rows = [next_uniform(state) for _ in range(20)]
    found = np.empty((1, 21), np.int64)
    vote_histograms(KEY, 9, np.array([[rows[4]]]), 1.0, found)
    assert found[0].argmax() == sum(row < rows[4] for row in rows)


@pytest.mark.parametrize(("n", "p"), [(1, 0.3), (10, 0.9), (64, 0.5), (100, 0.03), (200, 0.615)])
def test_binomial_has_its_law(n, p):
    """20 000 draws, chi-squared over cells of at least 20 expected; false alarm 1e-5 each."""
    state = np.zeros(STATE_WORDS, np.uint64)
    open_stream(state, KEY, 7, n)
    counts = np.bincount([binomial_by_bits(state, n, p) for _ in range(20_000)], minlength=n + 1)
    assert chi_squared(counts, 20_000 * binom.pmf(np.arange(n + 1), n, p)) > 1e-5


def chi_squared(observed, expected):
    """p-value; neighboring cells are merged until each expects 20."""
    cells, o, e = [], 0.0, 0.0
    for seen, mean in zip(observed, expected, strict=True):
        o, e = o + seen, e + mean
        if e >= 20:
            cells.append([o, e])
            o = e = 0.0
    cells[-1][0] += o
    cells[-1][1] += e
    table = np.array(cells)
    return chi2.sf(((table[:, 0] - table[:, 1]) ** 2 / table[:, 1]).sum(), len(cells) - 1)


@pytest.mark.parametrize("shared", [0.0, 0.25, 1.0])
def test_histograms_use_the_stated_stream_and_law_of_counts(shared):
    """Replays one repetition: row uniforms first, then two binomials for each unit."""
    chances = np.array([[0.1, 0.5, 0.93, 0.0, 1.0]])
    found = np.full((1, 31), -1, np.int64)
    vote_histograms(KEY, 5, chances, shared, found)
    state = np.zeros(STATE_WORDS, np.uint64)
    open_stream(state, KEY, 5, 0)
    rows = np.array([next_uniform(state) for _ in range(30)]) if shared else np.array([])
    expected = np.zeros(31, np.int64)
    for p in chances[0]:
        lenient = int((rows < p).sum())
        count = binomial_by_bits(state, lenient, shared + (1 - shared) * p)
        count += binomial_by_bits(state, 30 - lenient, (1 - shared) * p)
        expected[count] += 1
    assert found[0].tolist() == expected.tolist()
    assert expected.sum() == 5


def test_batching_changes_nothing():
    chances = np.random.default_rng(1).random((6, 40))
    together = np.empty((6, 26), np.int64)
    vote_histograms(KEY, 100, chances, 0.5, together)
    for i in range(6):
        alone = np.empty((1, 26), np.int64)
        vote_histograms(KEY, 100 + i, chances[i : i + 1], 0.5, alone)
        assert alone[0].tolist() == together[i].tolist()


def counted(evaluators, p, shared, repetitions):
    """Each repetition's count of one unit, (repetitions,)."""
    found = np.empty((repetitions, evaluators + 1), np.int64)
    vote_histograms(KEY, 0, np.full((repetitions, 1), p), shared, found)
    return found.argmax(axis=1)


@pytest.mark.parametrize("shared", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("p", [0.12, 0.5, 0.97])
def test_marginals_are_exactly_binomial(shared, p):
    """20 000 repetitions; false alarm 1e-5 each."""
    counts = np.bincount(counted(25, p, shared, 20_000), minlength=26)
    assert chi_squared(counts, 20_000 * binom.pmf(np.arange(26), 25, p)) > 1e-5


@pytest.mark.parametrize("shared", [0.0, 0.6, 1.0])
def test_covariance_of_two_units_is_the_documented_one(shared):
    """Var(C_a + C_b) = Σ Var + 2 E shared² (min − product), from 40 000 repetitions; |z| < 4.5, false alarm 7e-6."""
    evaluators, p, repetitions = 20, (0.3, 0.55), 40_000
    found = np.empty((repetitions, evaluators + 1), np.int64)
    vote_histograms(KEY, 0, np.tile(p, (repetitions, 1)), shared, found)
    total = found @ np.arange(evaluators + 1)
    variance = sum(evaluators * x * (1 - x) for x in p)
    variance += 2 * evaluators * shared**2 * (min(p) - p[0] * p[1])
    squared = (total - evaluators * sum(p)) ** 2
    assert abs(squared.mean() - variance) < 4.5 * squared.std() / np.sqrt(repetitions)


@pytest.mark.parametrize("shared", [0.0, 0.5])
def test_counts_have_the_law_of_a_matrix_drawn_vote_by_vote(shared):
    """Number of unanimous-or-nearly units of eight, 4 000 repetitions of each; two-sample z at 4.5 for the mean and for
    the mean square: false alarm 3e-5."""
    chances, evaluators, repetitions = [0.9, 0.8, 0.95, 0.1, 0.2, 0.5, 0.9, 0.6], 12, 4_000
    found = np.empty((repetitions, evaluators + 1), np.int64)
    vote_histograms(KEY, 0, np.tile(chances, (repetitions, 1)), shared, found)
    kernel = found[:, :2].sum(axis=1) + found[:, 11:].sum(axis=1)
    rng = random.Random(5)
    plain = []
    for _ in range(repetitions):
        columns = zip(*twin.votes(rng, evaluators, chances, shared), strict=True)
        plain.append(sum(sum(column) not in range(2, 11) for column in columns))
    for power in (1, 2):
        a, b = kernel.astype(float) ** power, np.array(plain, float) ** power
        z = (a.mean() - b.mean()) / np.sqrt((a.var() + b.var()) / repetitions)
        assert abs(z) < norm.isf(3.4e-6)
