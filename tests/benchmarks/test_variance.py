"""The better estimates agree with the plain ones, and with exact values where these are known.

Fixed seeds; each comparison is two-sided at 4.5 standard errors: false-alarm rate 7e-6 for normal estimates.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtr, ndtri
from scipy.stats import beta, norm

from benchmarks import variance

WIDE = 4.5


@pytest.mark.parametrize("name", variance.MEASURES)
def test_estimates_agree(name: str) -> None:
    measure = variance.MEASURES[name]()
    units = measure.units // 4
    plain = variance.summarised(variance.estimates(measure.plain, units))
    better = variance.summarised(variance.estimates(measure.better, units))
    assert abs(plain["mean"] - better["mean"]) < WIDE * math.hypot(plain["error"], better["error"])
    assert better["sd"] < plain["sd"]


def test_conditional_power_is_the_exact_integral() -> None:
    """The threshold is the normal quantile of a Beta(j, m + 1 - j) variate."""
    law = beta(variance.CUT, variance.CALIBRATION + 1 - variance.CUT)
    exact = quad(lambda u: law.pdf(u) * ndtr(ndtri(u) + variance.SHIFT), 0.01, 0.12, limit=200)[0]
    found = variance.summarised(variance.estimates(variance.conditional_power().better, 2000))
    assert abs(found["mean"] - exact) < WIDE * found["error"]


def test_importance_sampling_is_the_exact_integral() -> None:
    """Given the common factor z the models are independent, each with a threshold of its own."""
    law = beta(variance.SMALL_CUT, variance.SMALL + 1 - variance.SMALL_CUT)
    u = law.ppf((np.arange(4000) + 0.5) / 4000)
    a, b = math.sqrt(variance.CORRELATION), math.sqrt(1 - variance.CORRELATION)

    def below(z: float) -> float:
        return float(ndtr((ndtri(u) - a * z) / b).mean()) ** variance.MODELS

    exact = quad(lambda z: norm.pdf(z) * below(z), -8, 8, limit=200)[0]
    found = variance.summarised(variance.estimates(variance.tiny_level().better, 4000))
    assert exact < 1e-3
    assert abs(found["mean"] - exact) < WIDE * found["error"]


def test_batches_are_disjoint() -> None:
    """Different units are different draws."""
    plain = variance.conditional_power().plain
    assert not np.array_equal(plain(0, 5), plain(200, 5))
