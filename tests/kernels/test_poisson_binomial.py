"""Poisson-binomial probabilities against exact fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twins import tails as twin
from typeone_kernels.binomial import binomial_pmf, binomial_sf
from typeone_kernels.poisson_binomial import lower_sum, poisson_binomial_pmf, upper_sum


def law(p: np.ndarray) -> np.ndarray:
    pmf = np.full(p.size + 1, np.nan)
    poisson_binomial_pmf(p, pmf)
    return pmf


@settings(derandomize=True, max_examples=100, deadline=None)
@given(st.lists(st.one_of(st.floats(0, 1), st.sampled_from([0.0, 1.0, 1e-9, 0.5])), max_size=25))
def test_equal_to_exact_fractions(p: list[float]) -> None:
    exact = twin.poisson_binomial_pmf([Fraction(share) for share in p])
    found = law(np.array(p, float))
    for k, probability in enumerate(exact):
        if probability < Fraction(1, 10**290):
            assert found[k] <= 1e-289
            continue
        assert abs(Fraction(found[k]) / probability - 1) <= 1e-14
        assert abs(Fraction(upper_sum(found, k)) / sum(exact[k:]) - 1) <= 1e-14
        assert abs(Fraction(lower_sum(found, k)) / sum(exact[: k + 1]) - 1) <= 1e-14


def test_equal_probabilities_give_the_binomial_law() -> None:
    found = law(np.full(400, 0.3))
    for k in range(401):
        assert found[k] == pytest.approx(binomial_pmf(k, 400, 0.3), rel=2e-13)
    assert upper_sum(found, 300) == pytest.approx(binomial_sf(299, 400, 0.3), rel=2e-13)


def test_sums_beyond_the_support() -> None:
    found = law(np.array([0.25, 0.5]))
    assert [upper_sum(found, t) for t in (-5, 0, 3, 9)] == [1, 1, 0, 0]
    assert [lower_sum(found, t) for t in (-5, -1, 2, 9)] == [0, 0, 1, 1]
    assert law(np.array([])).tolist() == [1]


def test_a_far_tail_is_not_lost_in_one() -> None:
    found = law(np.full(30, 1e-9))
    assert upper_sum(found, 20) == pytest.approx(30045015 * 1e-180, rel=1e-7)
    assert upper_sum(found, 20) == pytest.approx(binomial_sf(19, 30, 1e-9), rel=1e-14)
