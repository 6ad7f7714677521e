"""SCF kernels against the formulas: Fractions for the tail, one document at a time."""

import math
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twins import scf as twin
from typeone.levels import Level
from typeone.scf.bags import Bags, key_shift, ordered_keys
from typeone.scf.tail import TailScale, cap_evidence
from typeone_kernels.scf import (
    CALIBRATION,
    REFERENCE,
    TARGET,
    document_evidence,
    evidence_sums,
    mean_keys,
)

SCORE = st.integers(-4, 4).map(float)  # few values: ties within and between sources
BAG = st.lists(SCORE, min_size=1, max_size=6)
CAPS = [Level("0.3"), Level("1/20"), Level(0)]
SMOOTHING = st.sampled_from(["document", "source", Level("0.01")])


def setting(bags, roles, smoothing, caps=CAPS):
    codes = np.repeat(np.arange(len(bags)), [len(bag) for bag in bags])
    sorted_bags = Bags.of(np.concatenate(bags), codes, pa.array(range(len(bags))))
    role = np.array(roles, np.int8)
    K = int((role == REFERENCE).sum())
    N = int(sorted_bags.sizes[role == REFERENCE].sum())
    scale = TailScale.of(sorted_bags.sizes, K, smoothing)
    below = np.array(scale.capped_below(N, smoothing, caps), np.int64)
    return sorted_bags, role, scale, np.array(scale.constants(N, smoothing)), below


@settings(derandomize=True, deadline=None, max_examples=300)
@given(st.lists(st.tuples(BAG, st.sampled_from([TARGET, REFERENCE, CALIBRATION])), max_size=6), BAG, SMOOTHING)
def test_evidence_sums_and_capped_weight(others, first, smoothing):
    bags, roles = [first, *(bag for bag, _ in others)], [REFERENCE, *(role for _, role in others)]
    sorted_bags, role, scale, tail, below = setting(bags, roles, smoothing)
    evidence = np.array([cap_evidence(cap) for cap in CAPS])
    reference = [bag for bag, r in zip(bags, roles, strict=True) if r == REFERENCE]
    for start in range(len(CAPS)):  # the capped weight is that of the first cap
        caps = CAPS[start:]
        sums = np.full((len(caps), len(bags)), -7, np.int64)
        totals = np.full(4, -7, np.int64)
        documents = (sorted_bags.source.astype(np.uint32), sorted_bags.blocks())
        held = (below[start:], evidence[start:])
        evidence_sums(documents, scale.weight, role, tail, held, (np.empty(len(bags), np.int64), sums, totals))
        for c, cap in enumerate(caps):
            for i, bag in enumerate(bags):
                expected = 0 if roles[i] == REFERENCE else twin.mean_evidence(bag, reference, cap, smoothing) * len(bag)
                assert sums[c, i] == expected
        for r in range(3):
            mine = [bag for bag, other in zip(bags, roles, strict=True) if other == r]
            share = sum((twin.capped_share(bag, reference, caps[0], smoothing) for bag in mine), Fraction(0))
            assert Fraction(int(totals[r]), scale.unit) == share


@settings(derandomize=True, deadline=None, max_examples=100)
@given(st.permutations(range(14)), st.permutations(range(5)))
def test_shuffling_documents_and_sources_changes_no_bit(documents, sources):
    bags = [[0.5, 1, 1], [2, 1, 0, 3], [0.5], [1, 1, 2], [0.1, 0.7, 3]]
    roles = np.array([REFERENCE, REFERENCE, REFERENCE, TARGET, CALIBRATION], np.int8)
    codes = np.repeat(np.arange(5), [len(bag) for bag in bags])
    scores = np.concatenate(bags)

    def sums(score, code, role):
        sorted_bags = Bags.of(score, code, pa.array(range(5)))
        scale = TailScale.of(sorted_bags.sizes, 3, "document")
        below = np.array(scale.capped_below(8, "document", [Level("0.2")]), np.int64)
        out = np.empty((1, 5), np.int64)
        tail = np.array(scale.constants(8, "document"))
        caps = np.array([cap_evidence(Level("0.2"))])
        documents = (sorted_bags.source.astype(np.uint32), sorted_bags.blocks())
        scratch = (np.empty(5, np.int64), out, np.empty(4, np.int64))
        evidence_sums(documents, scale.weight, role, tail, (below, caps), scratch)
        return out[0]

    renamed = np.array(sources)
    order = np.array(documents)
    shuffled_roles = np.empty(5, np.int8)
    shuffled_roles[renamed] = roles
    shuffled = sums(scores[order], renamed[codes][order], shuffled_roles)
    assert shuffled[renamed].tolist() == sums(scores, codes, roles).tolist()


def test_cap_that_equals_the_tail_exactly_is_not_capped():
    """K = 1, N = 39: Q = (1 + 39/39)/40 = 1/20 at the largest reference score."""
    bags = [[float(x) for x in range(39)], [38.0, 39.0]]
    _, _, scale, _, below = setting(bags, [REFERENCE, TARGET], "document", [Level("0.05")])
    assert scale.weight[0] == below[0]
    assert scale.unit % 39 == 0


def test_large_unequal_bags_fall_back_to_rounded_weights():
    sizes = np.array([97, 89, 83, 79, 73, 71, 67, 61, 59, 53])
    scale = TailScale.of(sizes, 10, "document")
    assert scale.unit & (scale.unit - 1) == 0  # a power of two: the common multiple would not fit
    assert int(scale.weight @ sizes) < 2**63
    for weight, n in zip(scale.weight, sizes, strict=True):
        assert abs(Fraction(int(weight)) - Fraction(scale.unit, int(n))) <= Fraction(1, 2)


@pytest.mark.parametrize("smoothing", ["document", "source", Level("0.001")])
@pytest.mark.parametrize("cap", [Level("0.05"), Level(0)])
def test_document_evidence_is_the_logarithm_of_the_tail(smoothing, cap):
    reference = [[0.0, 1.0, 2.0], [1.5], [0.5, 2.5]]
    scale = TailScale.of(np.array([3, 1, 2]), 3, smoothing)
    scores = [-1.0, 0.75, 2.0, 2.4, 3.0]
    counts = [int(twin.balanced_tail(s, reference) * 3 * scale.unit) for s in scores]
    out = np.empty(len(scores), np.int64)
    below = scale.capped_below(6, smoothing, [cap])[0]
    document_evidence(np.array(counts), np.array(scale.constants(6, smoothing)), below, cap_evidence(cap), out)
    assert out.tolist() == [twin.units(twin.smoothed_tail(s, reference, smoothing), cap) for s in scores]


MEANS = st.tuples(st.integers(0, 2**45), st.integers(1, 16))


@settings(derandomize=True, deadline=None, max_examples=300)
@given(st.lists(MEANS, min_size=2, max_size=8), st.integers(0, 3))
def test_keys_are_ordered_and_tied_as_the_means(means, near):
    # Close and equal means with different denominators, beside the random ones.
    s, n = means[0]
    means = [*means, (2 * s, 2 * n), (2 * s + near, 2 * n), (3 * s + 1, 3 * n)]
    sums = np.array([s for s, _ in means])
    sizes = np.array([n for _, n in means])
    keys = ordered_keys(sums, sizes)
    exact = [Fraction(int(s), int(n)) for s, n in zip(sums, sizes, strict=True)]
    assert np.sign(np.subtract.outer(keys, keys)).tolist() == [[(a > b) - (a < b) for b in exact] for a in exact]


def test_keys_of_bags_too_large_for_the_shift_are_exact_ranks():
    sizes = np.array([100_000, 99_999, 50_000])
    assert key_shift(sizes, 2**40) is None
    sums = np.array([2**55, 2**55 - 2**38, 2**54])
    keys = ordered_keys(sums, sizes)
    exact = [Fraction(int(s), int(n)) for s, n in zip(sums, sizes, strict=True)]
    assert [sorted(exact).index(x) for x in exact] == [sorted(keys.tolist()).index(k) for k in keys]
    assert keys[0] == keys[2]


def test_mean_keys_at_the_largest_shift_do_not_overflow():
    sizes = np.array([64, 63])
    mean = 2**49 - 2
    shift = key_shift(sizes, mean + 1)
    assert shift == 12
    assert key_shift(sizes, 2 * mean + 4) is None
    sums = np.array([64 * mean, 63 * mean + 1])
    keys = np.empty(2, np.int64)
    mean_keys(sums, sizes, shift, keys)
    assert 0 < keys[0] < keys[1] < 2**61
    assert keys.tolist() == [math.floor(Fraction(int(s), int(n)) * 2**12) for s, n in zip(sums, sizes, strict=True)]
