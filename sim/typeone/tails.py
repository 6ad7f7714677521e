"""Binomial and hypergeometric probabilities and tails, to about 1e-14 of themselves at any population size.

Arguments are scalars or arrays and are broadcast; the result is a float for scalars and else an array.  Upper
tails are computed as such, never as 1 - cdf, and logarithms stay finite far below the smallest double.  Counts
go up to 10**15.  Wrong input (counts that are not whole, C or K above M, probabilities outside [0, 1], NaN)
raises a ValueError that names argument and position; a k outside the support is not wrong, its probability is 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from typeone.arrays import kind, plain
from typeone.counts import LARGEST, counts, require
from typeone_kernels import binomial as _binomial
from typeone_kernels import hypergeometric as _hypergeometric

__all__ = [
    "binomial_cdf",
    "binomial_logcdf",
    "binomial_logpmf",
    "binomial_logsf",
    "binomial_pmf",
    "binomial_quantile",
    "binomial_sf",
    "hypergeometric_cdf",
    "hypergeometric_logcdf",
    "hypergeometric_logpmf",
    "hypergeometric_logsf",
    "hypergeometric_pmf",
    "hypergeometric_quantile",
    "hypergeometric_sf",
]

_PROBABILITIES = "probabilities are numbers"
Result = Any  # a float for scalar arguments, an NDArray[np.float64] of the broadcast shape otherwise


def _binomial_law(first: NDArray[Any], n: ArrayLike, p: ArrayLike) -> tuple[NDArray[Any], ...]:
    size = counts("n", n, 0)
    chance = probabilities("p", p)
    return tuple(np.broadcast_arrays(first, size, chance))


def _hypergeometric_law(first: NDArray[Any], M: ArrayLike, C: ArrayLike, K: ArrayLike) -> tuple[NDArray[Any], ...]:
    population = counts("M", M, 1)
    successes, draws = counts("C", C, 0), counts("K", K, 0)
    first, population, successes, draws = np.broadcast_arrays(first, population, successes, draws)
    require("C", successes, successes <= population, "exceeds the population M")
    require("K", draws, draws <= population, "exceeds the population M")
    return first, population, successes, draws


def probabilities(name: str, values: ArrayLike) -> NDArray[np.float64]:
    """``values`` as doubles; a ValueError unless all lie in [0, 1]."""
    given = plain(name, values, _PROBABILITIES)
    if given.dtype.kind not in "iuf":
        raise ValueError(f"{name}: {_PROBABILITIES}, not {kind(given)}")
    require(name, given, (given >= 0) & (given <= 1), "is outside [0, 1]")
    return given.astype(np.float64)


def _filled(
    kernel: Callable[..., None], law: tuple[NDArray[Any], ...], outputs: int, dtype: Any = np.float64
) -> list[Result]:
    """Run an array kernel on the broadcast arguments; one result of their shape for each output."""
    results = [np.empty(law[0].size, dtype) for _ in range(outputs)]
    kernel(*(argument.copy().ravel() for argument in law), *results)
    return [r.reshape(law[0].shape) if law[0].shape else r[0].item() for r in results]


def _count(k: ArrayLike) -> NDArray[np.int64]:
    return counts("k", k, -LARGEST)


def binomial_pmf(k: ArrayLike, n: ArrayLike, p: ArrayLike) -> Result:
    """P(X = k) for k successes in n draws of success probability p.

    k any whole numbers, n whole and at least 0, p in [0, 1]: scalars or arrays that broadcast.  Raises ValueError for
    other input.

    >>> binomial_pmf([0, 1, 2], 2, 0.5)
    array([0.25, 0.5 , 0.25])
    """
    return _filled(_binomial.binomial_pmf_array, _binomial_law(_count(k), n, p), 1)[0]


def binomial_logpmf(k: ArrayLike, n: ArrayLike, p: ArrayLike) -> Result:
    """log P(X = k).

    Arguments as for ``binomial_pmf``.

    >>> round(binomial_logpmf(0, 10_000, 0.5), 6)
    -6931.471806
    """
    return _filled(_binomial.binomial_logpmf_array, _binomial_law(_count(k), n, p), 1)[0]


def binomial_cdf(k: ArrayLike, n: ArrayLike, p: ArrayLike) -> Result:
    """P(X <= k).

    Arguments as for ``binomial_pmf``.

    >>> binomial_cdf(2, 4, 0.5)
    0.6875
    """
    return _filled(_binomial.binomial_tail_arrays, _binomial_law(_count(k), n, p), 2)[0]


def binomial_sf(k: ArrayLike, n: ArrayLike, p: ArrayLike) -> Result:
    """P(X > k).

    Arguments as for ``binomial_pmf``.

    >>> binomial_sf(2, 4, 0.5)
    0.3125
    """
    return _filled(_binomial.binomial_tail_arrays, _binomial_law(_count(k), n, p), 2)[1]


def binomial_logcdf(k: ArrayLike, n: ArrayLike, p: ArrayLike) -> Result:
    """log P(X <= k).

    Arguments as for ``binomial_pmf``.

    >>> round(binomial_logcdf(0, 10_000, 0.5), 6)
    -6931.471806
    """
    return _filled(_binomial.binomial_log_tail_arrays, _binomial_law(_count(k), n, p), 2)[0]


def binomial_logsf(k: ArrayLike, n: ArrayLike, p: ArrayLike) -> Result:
    """log P(X > k).

    Arguments as for ``binomial_pmf``.

    >>> round(binomial_logsf(9_999, 10_000, 0.5), 6)
    -6931.471806
    """
    return _filled(_binomial.binomial_log_tail_arrays, _binomial_law(_count(k), n, p), 2)[1]


def binomial_quantile(q: ArrayLike, n: ArrayLike, p: ArrayLike) -> Result:
    """Smallest k with P(X <= k) >= q (an int, or an array of them); up to rounding where a tail equals q.

    0 <= q <= 1; other arguments as for ``binomial_pmf``.

    >>> binomial_quantile([0.05, 0.5, 0.95], 100, 0.5)
    array([42, 50, 58])
    """
    law = _binomial_law(probabilities("q", q), n, p)
    return _filled(_binomial.binomial_quantile_array, law, 1, np.int64)[0]


def hypergeometric_pmf(k: ArrayLike, M: ArrayLike, C: ArrayLike, K: ArrayLike) -> Result:
    """P(X = k) for k successes in K draws without replacement from M units, C of them successes.

    k any whole numbers, 1 <= M, 0 <= C, K <= M, all whole: scalars or arrays that broadcast.  Raises ValueError for
    other input.

    >>> round(hypergeometric_pmf(4, 40, 25, 7), 12)
    0.308725908571
    """
    return _filled(_hypergeometric.hypergeometric_pmf_array, _hypergeometric_law(_count(k), M, C, K), 1)[0]


def hypergeometric_logpmf(k: ArrayLike, M: ArrayLike, C: ArrayLike, K: ArrayLike) -> Result:
    """log P(X = k).

    Arguments as for ``hypergeometric_pmf``.

    >>> round(hypergeometric_logpmf(0, 10_000, 5_000, 4_000), 6)
    -4227.555307
    """
    return _filled(_hypergeometric.hypergeometric_logpmf_array, _hypergeometric_law(_count(k), M, C, K), 1)[0]


def hypergeometric_cdf(k: ArrayLike, M: ArrayLike, C: ArrayLike, K: ArrayLike) -> Result:
    """P(X <= k).

    Arguments as for ``hypergeometric_pmf``.

    >>> round(hypergeometric_cdf(3, 40, 25, 7), 12)
    0.22377485845
    """
    return _filled(_hypergeometric.hypergeometric_tail_arrays, _hypergeometric_law(_count(k), M, C, K), 2)[0]


def hypergeometric_sf(k: ArrayLike, M: ArrayLike, C: ArrayLike, K: ArrayLike) -> Result:
    """P(X > k).

    Arguments as for ``hypergeometric_pmf``.

    >>> round(hypergeometric_sf(3, 40, 25, 7), 12)
    0.77622514155
    """
    return _filled(_hypergeometric.hypergeometric_tail_arrays, _hypergeometric_law(_count(k), M, C, K), 2)[1]


def hypergeometric_logcdf(k: ArrayLike, M: ArrayLike, C: ArrayLike, K: ArrayLike) -> Result:
    """log P(X <= k).

    Arguments as for ``hypergeometric_pmf``.

    >>> round(hypergeometric_logcdf(0, 10_000, 5_000, 4_000), 6)
    -4227.555307
    """
    law = _hypergeometric_law(_count(k), M, C, K)
    return _filled(_hypergeometric.hypergeometric_log_tail_arrays, law, 2)[0]


def hypergeometric_logsf(k: ArrayLike, M: ArrayLike, C: ArrayLike, K: ArrayLike) -> Result:
    """log P(X > k).

    Arguments as for ``hypergeometric_pmf``.

    >>> round(hypergeometric_logsf(3_999, 10_000, 5_000, 4_000), 6)
    -4227.555307
    """
    law = _hypergeometric_law(_count(k), M, C, K)
    return _filled(_hypergeometric.hypergeometric_log_tail_arrays, law, 2)[1]


def hypergeometric_quantile(q: ArrayLike, M: ArrayLike, C: ArrayLike, K: ArrayLike) -> Result:
    """Smallest k with P(X <= k) >= q (an int, or an array of them); up to rounding where a tail equals q.

    0 <= q <= 1; other arguments as for ``hypergeometric_pmf``.

    >>> hypergeometric_quantile(0.5, 40, 25, 7)
    4
    """
    law = _hypergeometric_law(probabilities("q", q), M, C, K)
    return _filled(_hypergeometric.hypergeometric_quantile_array, law, 1, np.int64)[0]
