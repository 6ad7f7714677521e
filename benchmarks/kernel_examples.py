"""One call of every public kernel: arguments made from a generator, so that other seeds give other data."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import numpy as np
from numba.core.registry import CPUDispatcher

import typeone_kernels
from typeone_kernels import ideal, jecs, membership, panels, partitions, ranks, streams
from typeone_kernels.exact import level_pair
from typeone_kernels.grid import common_grid
from typeone_kernels.tailsum import WORK

Random = np.random.Generator
Arguments = tuple[Any, ...]
LEVEL = level_pair(Fraction(1, 10))
N = 40


def public_kernels() -> dict[str, CPUDispatcher]:
    """``module.name`` of every compiled function without a leading underscore, where it is defined."""
    found = {}
    for module in sorted(info.name for info in iter_modules(typeone_kernels.__path__)):
        content = vars(import_module(f"typeone_kernels.{module}"))
        for name, function in content.items():
            here = isinstance(function, CPUDispatcher) and function.py_func.__module__ == f"typeone_kernels.{module}"
            if here and not name.startswith("_"):
                found[f"{module}.{name}"] = function
    return found


def arguments(name: str, seed: int) -> Arguments:
    """Fresh arguments of a kernel."""
    return EXAMPLES[name](np.random.default_rng(seed))


# Pieces that several examples need


def _work() -> Any:
    return np.zeros(WORK)


def _ints(rng: Random, high: int, size: int = N) -> Any:
    return rng.integers(0, high, size)


def _state(rng: Random) -> Any:
    state = np.zeros(streams.STATE_WORDS, np.uint64)
    streams.open_stream(state, _key(rng), 3, 1)
    return state


def _key(rng: Random) -> Any:
    return rng.integers(0, 2**63, 2).astype(np.uint64)


def _binomial(rng: Random) -> tuple[int, int, float]:
    n = int(rng.integers(5, 200))
    return int(rng.integers(0, n)), n, float(rng.uniform(0.1, 0.9))


def _binomials(rng: Random) -> Arguments:
    n = rng.integers(5, 200, N)
    return rng.integers(0, n), n, rng.uniform(0.1, 0.9, N)


def _hypergeometric(rng: Random) -> tuple[int, int, int, int]:
    M = int(rng.integers(50, 200))
    C, K = int(rng.integers(20, M - 10)), int(rng.integers(10, M - 10))
    return int(C * K / M), M, C, K


def _hypergeometrics(rng: Random) -> Arguments:
    return tuple(np.array(column) for column in zip(*(_hypergeometric(rng) for _ in range(N)), strict=True))


def _bounds(rng: Random) -> Arguments:
    n = rng.integers(5, 200, N)
    return rng.integers(0, n + 1), n, rng.uniform(0.01, 0.4, N)


def _plan() -> jecs.Plan:
    return jecs.make_plan(N, [30, 25], Fraction(1, 10))


def _jecs(rng: Random) -> tuple[jecs.Plan, Any, Any, jecs.TieKeys, jecs.Work]:
    """Plan, calibration (1, sum m), candidates (1, K, n), keys and a workspace."""
    plan = _plan()
    keys = jecs.TieKeys(_key(rng)[None, :], np.arange(N, dtype=np.uint64), np.arange(2, dtype=np.uint64))
    work = jecs.workspace(plan)
    for array in work:
        array.fill(0)
    return plan, rng.standard_normal((1, 55)), rng.standard_normal((1, 2, N)) - 1.0, keys, work


def _rank_models(rng: Random) -> Arguments:
    plan, calibration, candidates, keys, work = _jecs(rng)
    return plan, calibration[0], candidates[0], keys, 0, work


def _jecs_batch(rng: Random) -> Arguments:
    plan, calibration, candidates, keys, work = _jecs(rng)
    results = jecs.Results(np.zeros((1, len(jecs.METHODS), 2), np.int64), np.zeros((1, 4), np.int64))
    return plan, calibration, candidates, rng.random((1, N)) < 0.5, keys, work, results


def _ranked(rng: Random) -> tuple[jecs.Plan, jecs.Work]:
    plan, calibration, candidates, keys, work = _jecs(rng)
    jecs.rank_models(plan, calibration[0], candidates[0], keys, 0, work)
    return plan, work


def _decided(rng: Random) -> tuple[jecs.Plan, jecs.Work]:
    plan, work = _ranked(rng)
    jecs.decide(plan, work)
    return plan, work


def _support(rng: Random) -> tuple[Any, Any, Any]:
    """A conformal grid of 20 ranks: numerators, denominators and counts."""
    counts = np.cumsum(np.bincount(1 + np.minimum(_ints(rng, 20), _ints(rng, 20)), minlength=21))
    return np.arange(21), np.ones(21, np.int64), counts


def _guide(rng: Random) -> ranks.Guide:
    return ranks.sort_scores(np.round(rng.standard_normal(N), 1), ranks.rank_buffers(N))


def _population(rng: Random) -> dict[str, Any]:
    """Twenty sources of 1 to 4 documents in order of score, and three partitions of them."""
    sizes = rng.integers(1, 5, 20)
    source = rng.permutation(np.repeat(np.arange(20), sizes)).astype(np.uint32)
    roles = np.stack([rng.permutation([0] * 8 + [1] * 4 + [2] * 4 + [3] * 4) for _ in range(3)]).astype(np.int8)
    unit = 12
    tail = np.array([4.0 * unit, 10.0, 4.0 * unit * 11])
    return {
        "documents": (source, np.array([[source.size, source.size]])),
        "sizes": sizes,
        "weight": unit // sizes,
        "roles": roles,
        "tail": tail,
        "caps": (np.array([20, 0]), np.array([2**40, 0])),
        "reciprocal": np.uint64(2**64 - 1) // sizes.astype(np.uint64),
    }


def _evidence_sums(rng: Random) -> Arguments:
    of = _population(rng)
    totals = np.zeros(20, np.int64), np.zeros((2, 20), np.int64), np.zeros(4, np.int64)
    return of["documents"], of["weight"], of["roles"][0], of["tail"], of["caps"], totals


def _evidence(rng: Random) -> Arguments:
    of = _population(rng)
    caps = np.repeat(of["caps"][0][None, :], 3, axis=0), of["caps"][1]
    tails = np.repeat(of["tail"][None, :], 3, axis=0)
    filled = np.zeros((3, 2, 20), np.int64), np.zeros((3, 4), np.int64)
    return of["documents"], of["weight"], of["roles"], tails, caps, *filled


def _source_keys(rng: Random) -> Arguments:
    of = _population(rng)
    filled = partitions.Keys(np.zeros((3, 4), np.int64), np.zeros((3, 8), np.int64), np.zeros((3, 4), np.int64))
    return rng.integers(0, 2**40, (3, 20)), of["sizes"], of["reciprocal"], 4, of["roles"], filled


def _raw_counts(rng: Random) -> Arguments:
    of = _population(rng)
    pool = np.arange(12)
    roles = np.stack([rng.permutation([0] * 4 + [1] * 4 + [2] * 4) for _ in range(3)]).astype(np.int8)
    above = np.sort(_ints(rng, 8, 12))
    return pool, np.arange(20)[::-1].copy(), above, 2 * above, roles, np.array([1, 3]), *_counted(of, 2)


def _counted(_: object, levels: int) -> Arguments:
    return np.zeros(3, np.int64), np.zeros((3, 2, levels), np.int64)


def _referenced_counts(rng: Random) -> Arguments:
    drawn = (_ints(rng, 60, 3 * size).reshape(3, size) for size in (8, 5, 4))
    return partitions.Keys(*drawn), np.array([1, 2]), *_counted(None, 2)


def _panel(rng: Random) -> tuple[Any, Any, Any]:
    """Lanes of five censuses of 60, majority quotas, and their path's table."""
    quota = (np.arange(61) + 1) // 2
    votes = np.sort(rng.choice(np.arange(31, 60), 5, replace=False)).astype(float)
    lanes = np.stack([votes, np.zeros(5), 60 - votes, np.zeros(5)])
    return lanes, quota, panels.path_table(quota, 60)


def _panel_errors(rng: Random) -> Arguments:
    lanes, quota, path = _panel(rng)
    return lanes, quota, path, 60, np.zeros((2, 61, 5))


def _ideal(rng: Random) -> Arguments:
    plan = ideal.ideal_plan(N, Fraction(1, 10))
    drawn = rng.integers(1, ideal.GRID, (3, N)) // rng.integers(1, 200, (3, N)) + 1
    scratch = np.zeros(N + 1, np.int64), np.zeros(plan.lambda_ranks.size, np.int64)
    return plan, drawn, rng.random((3, N)) < 0.5, *scratch, np.zeros((3, 3, 2), np.int64)


def _random_ranks(rng: Random) -> Arguments:
    candidates = np.round(rng.standard_normal(N), 1)
    return _guide(rng), candidates, False, _key(rng), np.arange(N, dtype=np.uint64), 1, np.zeros(N, np.int64)


def _chord_of_sorted(rng: Random) -> Arguments:
    plan, drawn, *_ = _ideal(rng)
    ascending = np.concatenate([[0], np.sort(drawn[0])])
    thresholds = plan.lambda_ranks, plan.kappa_ranks
    return ascending, *thresholds, plan.level, plan.natural, plan.ones, np.zeros(thresholds[0].size, np.int64)


def _votes(rng: Random) -> Any:
    return rng.integers(-1, 2, (N, 6)).astype(np.int8)


def _weights(rng: Random) -> Any:
    return rng.integers(2**30, 2**41, 6)


def _dd(rng: Random) -> tuple[float, float]:
    high = float(rng.uniform(1, 2))
    return high, high * 2.0**-60


def _floats(number: int) -> Callable[[Random], Arguments]:
    return lambda rng: tuple(float(x) for x in rng.uniform(1, 2, number))


def _clopper(rng: Random) -> Arguments:
    k, n, _ = _binomial(rng)
    return k, n, 0.05, _work()


EXAMPLES: dict[str, Callable[[Random], Arguments]] = {
    "bags.exact_sum": lambda rng: (rng.standard_normal(N) * 10.0 ** rng.integers(-9, 9, N), np.zeros(64)),
    "bags.top_means": lambda rng: (
        rng.standard_normal(N),
        np.array([0, 10, 25, N]),
        np.array([3, 15, 1]),
        np.zeros(3),
    ),
    "binomial.upper_tail": lambda rng: (float(rng.integers(80, 90)), 100.0, 0.6, 0.0, 0.4, 0.0, _work()),
    "binomial.binomial_tails": lambda rng: (*_binomial(rng), _work()),
    "binomial.binomial_log_tails": lambda rng: (*_binomial(rng), _work()),
    "binomial.binomial_cdf": _binomial,
    "binomial.binomial_sf": _binomial,
    "binomial.binomial_logcdf": _binomial,
    "binomial.binomial_logsf": _binomial,
    "binomial.binomial_pmf": _binomial,
    "binomial.binomial_logpmf": _binomial,
    "binomial.binomial_quantile": lambda rng: (float(rng.random()), *_binomial(rng)[1:]),
    "binomial.binomial_tail_arrays": lambda rng: (*_binomials(rng), np.zeros(N), np.zeros(N)),
    "binomial.binomial_log_tail_arrays": lambda rng: (*_binomials(rng), np.zeros(N), np.zeros(N)),
    "binomial.binomial_pmf_array": lambda rng: (*_binomials(rng), np.zeros(N)),
    "binomial.binomial_logpmf_array": lambda rng: (*_binomials(rng), np.zeros(N)),
    "binomial.binomial_quantile_array": lambda rng: (rng.random(N), *_binomials(rng)[1:], np.zeros(N, np.int64)),
    "bounds.clopper_pearson_lower": _clopper,
    "bounds.clopper_pearson_upper": _clopper,
    "bounds.clopper_pearson_lower_bounds": lambda rng: (*_bounds(rng), np.zeros(N)),
    "bounds.clopper_pearson_upper_bounds": lambda rng: (*_bounds(rng), np.zeros(N)),
    "bounds.hypergeometric_lower": lambda rng: (int(rng.integers(1, 10)), 10, 100, 0.05, _work()),
    "certificates.ones": lambda rng: (_key(rng)[0],),
    "certificates.binomial_by_bits": lambda rng: (_state(rng), 100, float(rng.random())),
    "certificates.vote_histograms": lambda rng: (_key(rng), 5, rng.random((2, N)), 0.5, np.zeros((2, 31), np.int64)),
    "doubledouble.two_sum": _floats(2),
    "doubledouble.two_product": _floats(2),
    "doubledouble.add": lambda rng: (*_dd(rng), *_dd(rng)),
    "doubledouble.scale": lambda rng: (*_dd(rng), 3.0),
    "doubledouble.divide": lambda rng: (*_dd(rng), *_dd(rng)),
    "doubledouble.log_ratio": lambda rng: (float(rng.uniform(1, 9)), *_dd(rng)),
    "hypergeometric.support": lambda rng: _hypergeometric(rng)[1:],
    "hypergeometric.hypergeometric_tails": lambda rng: (*_hypergeometric(rng), _work()),
    "hypergeometric.hypergeometric_log_tails": lambda rng: (*_hypergeometric(rng), _work()),
    "hypergeometric.hypergeometric_cdf": _hypergeometric,
    "hypergeometric.hypergeometric_sf": _hypergeometric,
    "hypergeometric.hypergeometric_logcdf": _hypergeometric,
    "hypergeometric.hypergeometric_logsf": _hypergeometric,
    "hypergeometric.hypergeometric_pmf": _hypergeometric,
    "hypergeometric.hypergeometric_logpmf": _hypergeometric,
    "hypergeometric.hypergeometric_quantile": lambda rng: (float(rng.random()), *_hypergeometric(rng)[1:]),
    "hypergeometric.hypergeometric_tail_arrays": lambda rng: (*_hypergeometrics(rng), np.zeros(N), np.zeros(N)),
    "hypergeometric.hypergeometric_log_tail_arrays": lambda rng: (*_hypergeometrics(rng), np.zeros(N), np.zeros(N)),
    "hypergeometric.hypergeometric_pmf_array": lambda rng: (*_hypergeometrics(rng), np.zeros(N)),
    "hypergeometric.hypergeometric_logpmf_array": lambda rng: (*_hypergeometrics(rng), np.zeros(N)),
    "hypergeometric.hypergeometric_quantile_array": lambda rng: (
        rng.random(N),
        *_hypergeometrics(rng)[1:],
        np.zeros(N, np.int64),
    ),
    "ideal.ideal_batch": _ideal,
    "jecs.rank_models": _rank_models,
    "jecs.largest_two": lambda rng: (
        common_grid(np.array([31, 26])),
        rng.integers(1, 26, (2, N)),
        np.zeros(N, np.int64),
        np.zeros(N, np.int64),
    ),
    "jecs.scan": lambda rng: (np.sort(_ints(rng, 400, 20)), np.arange(19)[::-1].copy()),
    "jecs.chord_envelope": _decided,
    "jecs.chord_of_sorted": _chord_of_sorted,
    "jecs.decide_models": _ranked,
    "jecs.decide": _ranked,
    "jecs.tally": lambda rng: (rng.random((3, N)) < 0.5, rng.random(N) < 0.5, np.zeros((3, 2), np.int64)),
    "jecs.jecs_batch": _jecs_batch,
    "jecs.gcp_power": lambda rng: (int(rng.integers(5, 9)), 3, 10),
    "membership.memberships": lambda rng: (
        membership.Contamination(0.3, np.array([0.2, 0.7, 0.9]), 0.5),
        rng.random((2, 6, N)),
        *(np.zeros((2, 3, N), np.bool_), np.zeros((2, N), np.bool_)),
    ),
    "panels.path_table": lambda rng: ((np.arange(30 + int(rng.integers(9))) + 1) // 2, 60),
    "panels.panel_errors": _panel_errors,
    "panels.store_curves": lambda rng: (rng.random((11, 3)), np.array([2, 0, 4]), np.zeros((5, 20))),
    "panels.size_positions": lambda rng: (
        panels.panel_errors(*_panel_errors(rng)),
        np.arange(1, 61),
        np.array([0.1, 0.01]),
        np.array([0.1, 0.01]),
    ),
    "partitions.draw_roles": lambda rng: (_key(rng), 2, np.arange(12), np.array([3, 4]), np.zeros((3, 20), np.int8)),
    "partitions.reference_documents": lambda rng: (lambda of: (of["roles"], of["sizes"], np.zeros(3, np.int64)))(
        _population(rng)
    ),
    "partitions.evidence": _evidence,
    "partitions.source_keys": _source_keys,
    "partitions.referenced_counts": _referenced_counts,
    "partitions.raw_counts": _raw_counts,
    "poisson_binomial.poisson_binomial_pmf": lambda rng: (rng.random(N), np.zeros(N + 1)),
    "poisson_binomial.upper_sum": lambda rng: (rng.random(N), 10),
    "poisson_binomial.lower_sum": lambda rng: (rng.random(N), 10),
    "pooling.pool_matrix": lambda rng: (_votes(rng), _weights(rng), 7, np.zeros(N, np.int64)),
    "pooling.pool_list": lambda rng: (
        *(_ints(rng, 9), _ints(rng, 6), _ints(rng, 2).astype(np.int8), _weights(rng), 7),
        np.zeros(9, np.int64),
    ),
    "pooling.operating_points": lambda rng: (3, _ints(rng, 50), 2**40, 5, np.zeros(N, np.int64)),
    "pooling.count_ranges": lambda rng: (np.sort(_weights(rng)), 4, 5, np.zeros(5, np.int64), np.zeros(5, np.int64)),
    "pooling.draw_votes": lambda rng: (
        *(_state(rng), np.array([0.5, 0.2, 0.3]), 3, rng.uniform(0.5, 1, 6)),
        *(np.zeros(N, np.int8), np.zeros((N, 6), np.int8)),
    ),
    "ranks.rank_buffers": lambda rng: (int(rng.integers(5, 50)),),
    "ranks.sort_scores": lambda rng: (rng.standard_normal(N), ranks.rank_buffers(N)),
    "ranks.conformal_ranks": lambda rng: (_guide(rng), rng.standard_normal(N), True, np.zeros(N, np.int64)),
    "ranks.random_ranks": _random_ranks,
    "ranks.attainable_floor": lambda rng: (_guide(rng).scores, False, int(rng.integers(1, N))),
    "ranks.attainable_ranks": lambda rng: (_guide(rng).scores, True),
    "roc.twice_u": lambda rng: (np.round(rng.random(N), 2), np.round(rng.random(N), 2), ranks.rank_buffers(N)),
    "roc.split_classes": lambda rng: (rng.random(N), rng.random(N) < 0.5, np.zeros(N), np.zeros(N)),
    "ranks.twice_wins_of": lambda rng: (np.round(rng.random(N), 2), np.round(rng.random(N), 2), ranks.rank_buffers(N)),
    "ranks.twice_wins": lambda rng: (
        ranks.sort_scores(np.round(rng.random(N), 1), ranks.rank_buffers(N)),
        np.round(rng.random(N), 1),
    ),
    "roc.best_true_positives": lambda rng: (np.sort(rng.random(N)), np.sort(rng.random(N)), 4),
    "saddlepoint.stirling": _floats(1),
    "saddlepoint.is_near": lambda rng: (100.0, float(rng.uniform(-50, 50))),
    "saddlepoint.near_deviance": lambda rng: (100.0, float(rng.uniform(-5, 5)), 0.0),
    "saddlepoint.far_deviance": lambda rng: (lambda d: (100.0, 100.0 - d, 0.0, d, 0.0))(float(rng.integers(30, 90))),
    "saddlepoint.product_over": _floats(3),
    "saddlepoint.value": _floats(4),
    "saddlepoint.log_value": _floats(4),
    "saddlepoint.both_tails": lambda rng: (True, float(rng.uniform(0, 0.6))),
    "saddlepoint.both_log_tails": lambda rng: (lambda t: (True, t, float(np.log(t))))(float(rng.uniform(0.1, 0.6))),
    "scf.log_evidence": lambda rng: (int(rng.integers(0, 40)), _population(rng)["tail"]),
    "scf.document_evidence": lambda rng: (_ints(rng, 48), _population(rng)["tail"], 20, 2**40, np.zeros(N, np.int64)),
    "scf.evidence_sums": _evidence_sums,
    "scf.mean_key": lambda rng: (int(rng.integers(0, 2**40)), 7, np.uint64((2**64 - 1) // 7), 6),
    "scf.mean_keys": lambda rng: (rng.integers(0, 2**40, N), rng.integers(1, 8, N), 6, np.zeros(N, np.int64)),
    "search.normal_deviate": lambda rng: (float(rng.random()),),
    "search.narrow": lambda rng: (0, 100, int(rng.integers(1, 100)), True, 4),
    "selection.cumulative_counts": lambda rng: (_ints(rng, 20), np.zeros(21, np.int64)),
    "selection.step_up": lambda rng: (*_support(rng), 20, LEVEL, N, 20),
    "selection.bh_cutoff": lambda rng: (*_support(rng), 20, LEVEL, 20),
    "selection.storey_cutoff": lambda rng: (*_support(rng), 10, LEVEL, 20),
    "selection.partial_conjunction_cutoff": lambda rng: (
        *_support(rng),
        np.minimum(N, _support(rng)[2] + 3),
        *(20, LEVEL, 20),
    ),
    "selection.step_up_doubles": lambda rng: (np.sort(rng.random(N)) ** 3, 0.1 * np.arange(1, N + 1) / N),
    "streams.open_stream": lambda rng: (np.zeros(streams.STATE_WORDS, np.uint64), _key(rng), 5, 2),
    "streams.next_word": lambda rng: (_state(rng),),
    "streams.next_uniform": lambda rng: (_state(rng),),
    "streams.next_below": lambda rng: (_state(rng), 1000),
    "streams.draw_subset": lambda rng: (_state(rng), np.arange(30), 12),
    "tailsum.tail_length": lambda rng: (float(rng.uniform(0.1, 1)), 0.01),
    "tailsum.hypergeometric_sum": lambda rng: (10.0, 12.0, 5.0, float(rng.integers(3, 9)), 0.5, _work()),
    "tailsum.binomial_sum": lambda rng: (10.0, float(rng.integers(3, 9)), 0.5, 0.5, _work()),
}
