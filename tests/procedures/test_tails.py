"""The public probability functions: broadcasting, and errors that name argument and position."""

from __future__ import annotations

import numpy as np
import pytest

from typeone import tails
from typeone_kernels import binomial, hypergeometric

BINOMIAL = ["pmf", "logpmf", "cdf", "sf", "logcdf", "logsf"]


@pytest.mark.parametrize("what", BINOMIAL)
def test_scalars_give_floats_and_arrays_are_broadcast(what: str) -> None:
    function, kernel = getattr(tails, f"binomial_{what}"), getattr(binomial, f"binomial_{what}")
    found = function(3, 10, 0.25)
    assert isinstance(found, float)
    assert found == kernel(3, 10, 0.25)
    grid = function([[0], [3]], [5, 10, 20], 0.25)
    assert grid.shape == (2, 3)
    assert grid.tolist() == [[kernel(k, n, 0.25) for n in (5, 10, 20)] for k in (0, 3)]

    function, kernel = getattr(tails, f"hypergeometric_{what}"), getattr(hypergeometric, f"hypergeometric_{what}")
    assert function(3, 50, 20, 10) == kernel(3, 50, 20, 10)
    grid = function([[0], [3]], 50, [20, 30, 40], 10.0)
    assert grid.tolist() == [[kernel(k, 50, C, 10) for C in (20, 30, 40)] for k in (0, 3)]


def test_quantiles_are_whole_numbers() -> None:
    assert tails.binomial_quantile(0.01, 5016279, 2e-7) == 0
    assert isinstance(tails.binomial_quantile(0.5, 10, 0.5), int)
    found = tails.hypergeometric_quantile([0, 0.5, 1], 50, 20, 10)
    assert found.dtype == np.int64
    assert found.tolist() == [0, 4, 10]


def test_empty_arrays_stay_empty() -> None:
    assert tails.binomial_sf(np.array([], int), 3, 0.5).shape == (0,)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tails.hypergeometric_sf(1, 3, 3, 4), r"K=4: exceeds the population M"),
        (lambda: tails.hypergeometric_sf(1, 3, [1, 4], 2), r"C\[1\]=4: exceeds the population M"),
        (lambda: tails.hypergeometric_sf(1, 0, 0, 0), r"M=0: must lie between 1 and"),
        (lambda: tails.hypergeometric_sf(1, 10**15 + 1, 1, 1), r"M=1000000000000001: must lie between"),
        (lambda: tails.hypergeometric_cdf(0.5, 9, 1, 1), r"k=0.5: is not a whole number"),
        (lambda: tails.hypergeometric_cdf(0, 9, -1, 1), r"C=-1: must lie between"),
        (lambda: tails.hypergeometric_cdf(0, 9, 1, -1), r"K=-1: must lie between"),
        (lambda: tails.binomial_sf(1, -1, 0.5), r"n=-1: must lie between"),
        (lambda: tails.binomial_sf(1, 3, [[0.5, np.nan]]), r"p\[0, 1\]=nan: is outside \[0, 1\]"),
        (lambda: tails.binomial_sf(1, 3, 1.5), r"p=1.5: is outside"),
        (lambda: tails.binomial_sf(1, 3, -0.5), r"p=-0.5: is outside"),
        (lambda: tails.binomial_sf(np.nan, 3, 0.5), r"k=nan: is not a whole number"),
        (lambda: tails.binomial_sf(np.inf, 3, 0.5), r"k=inf: must lie between"),
        (lambda: tails.binomial_sf("1", 3, 0.5), r"k: counts are whole numbers"),
        (lambda: tails.binomial_sf(1, 3, "a"), r"p: probabilities are numbers"),
        (lambda: tails.binomial_quantile(1.1, 3, 0.5), r"q=1.1: is outside"),
    ],
)
def test_bad_input_is_named(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_exactly_these_names_are_public() -> None:
    assert set(tails.__all__) == {
        f"{law}_{what}" for law in ("binomial", "hypergeometric") for what in [*BINOMIAL, "quantile"]
    }
