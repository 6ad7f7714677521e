"""Small random arguments of kernels, by what they are: counts of a law, a plan with its scores, a population."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from typeone_kernels import buckets, ideal, jecs, panels, partitions, streams
from typeone_kernels.exact import level_pair
from typeone_kernels.grouped import group_scores
from typeone_kernels.tailsum import WORK

Random = np.random.Generator
Arguments = tuple[Any, ...]
LEVEL = level_pair(Fraction(1, 10))
N = 40


def scratch() -> Any:
    return np.zeros(WORK)


def ints(rng: Random, high: int, size: int = N) -> Any:
    return rng.integers(0, high, size)


def stream(rng: Random) -> Any:
    state = np.zeros(streams.STATE_WORDS, np.uint64)
    streams.open_stream(state, key(rng), 3, 1)
    return state


def key(rng: Random) -> Any:
    return rng.integers(0, 2**63, 2).astype(np.uint64)


def binomial(rng: Random) -> tuple[int, int, float]:
    n = int(rng.integers(5, 200))
    return int(rng.integers(0, n)), n, float(rng.uniform(0.1, 0.9))


def binomials(rng: Random) -> Arguments:
    n = rng.integers(5, 200, N)
    return rng.integers(0, n), n, rng.uniform(0.1, 0.9, N)


def hypergeometric(rng: Random) -> tuple[int, int, int, int]:
    M = int(rng.integers(50, 200))
    C, K = int(rng.integers(20, M - 10)), int(rng.integers(10, M - 10))
    return int(C * K / M), M, C, K


def hypergeometrics(rng: Random) -> Arguments:
    return tuple(np.array(column) for column in zip(*(hypergeometric(rng) for _ in range(N)), strict=True))


def counts_and_levels(rng: Random) -> Arguments:
    n = rng.integers(5, 200, N)
    return rng.integers(0, n + 1), n, rng.uniform(0.01, 0.4, N)


def jecs_plan() -> jecs.Plan:
    return jecs.make_plan(N, [30, 25], Fraction(1, 10))


def jecs_case(rng: Random) -> tuple[jecs.Plan, Any, Any, jecs.TieKeys, jecs.Work]:
    """Plan, calibration (1, sum m), candidates (1, K, n), keys and a workspace."""
    plan = jecs_plan()
    keys = jecs.TieKeys(key(rng)[None, :], np.arange(N, dtype=np.uint64), np.arange(2, dtype=np.uint64))
    work = jecs.workspace(plan)
    for array in work:
        array.fill(0)
    return plan, rng.standard_normal((1, 55)), rng.standard_normal((1, 2, N)) - 1.0, keys, work


def rank_models(rng: Random) -> Arguments:
    plan, calibration, candidates, keys, work = jecs_case(rng)
    return plan, calibration[0], candidates[0], keys, 0, work


def jecs_batch(rng: Random) -> Arguments:
    plan, calibration, candidates, keys, work = jecs_case(rng)
    results = jecs.Results(np.zeros((1, len(jecs.METHODS), 2), np.int64), np.zeros((1, 4), np.int64))
    return plan, calibration, candidates, rng.random((1, N)) < 0.5, keys, work, results


def ranked(rng: Random) -> tuple[jecs.Plan, jecs.Work]:
    plan, calibration, candidates, keys, work = jecs_case(rng)
    jecs.rank_models(plan, calibration[0], candidates[0], keys, 0, work)
    return plan, work


def decided(rng: Random) -> tuple[jecs.Plan, jecs.Work]:
    plan, work = ranked(rng)
    jecs.decide(plan, work)
    return plan, work


def attainable(rng: Random) -> tuple[Any, Any, Any]:
    """A conformal grid of 20 ranks: numerators, denominators and counts."""
    counts = np.cumsum(np.bincount(1 + np.minimum(ints(rng, 20), ints(rng, 20)), minlength=21))
    return np.arange(21), np.ones(21, np.int64), counts


def buffers() -> buckets.RankBuffers:
    return buckets.RankBuffers(np.zeros(N), np.zeros(N + 1, np.int32), np.zeros(N, np.int32))


def guide(rng: Random) -> buckets.Guide:
    return buckets.sort_scores(np.round(rng.standard_normal(N), 1), buffers())


def grouped(rng: Random) -> buckets.Guide:
    return group_scores(np.round(rng.random(N), 2), buffers())


def spare() -> Any:
    return np.zeros(N, np.int32)


def words() -> Any:
    return np.zeros(16, np.uint64)


def population(rng: Random) -> dict[str, Any]:
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


def evidence_sums(rng: Random) -> Arguments:
    of = population(rng)
    totals = np.zeros(20, np.int64), np.zeros((2, 20), np.int64), np.zeros(4, np.int64)
    return of["documents"], of["weight"], of["roles"][0], of["tail"], of["caps"], totals


def evidence_case(rng: Random) -> Arguments:
    of = population(rng)
    caps = np.repeat(of["caps"][0][None, :], 3, axis=0), of["caps"][1]
    tails = np.repeat(of["tail"][None, :], 3, axis=0)
    filled = np.zeros((3, 2, 20), np.int64), np.zeros((3, 4), np.int64)
    return of["documents"], of["weight"], of["roles"], tails, caps, *filled


def source_keys(rng: Random) -> Arguments:
    of = population(rng)
    filled = partitions.Keys(np.zeros((3, 4), np.int64), np.zeros((3, 8), np.int64), np.zeros((3, 4), np.int64))
    return rng.integers(0, 2**40, (3, 20)), of["sizes"], of["reciprocal"], 4, of["roles"], filled


def raw_counts(rng: Random) -> Arguments:
    of = population(rng)
    pool = np.arange(12)
    roles = np.stack([rng.permutation([0] * 4 + [1] * 4 + [2] * 4) for _ in range(3)]).astype(np.int8)
    above = np.sort(ints(rng, 8, 12))
    return pool, np.arange(20)[::-1].copy(), above, 2 * above, roles, np.array([1, 3]), *counted(of, 2)


def counted(_: object, levels: int) -> Arguments:
    return np.zeros(3, np.int64), np.zeros((3, 2, levels), np.int64)


def referenced_counts(rng: Random) -> Arguments:
    drawn = (ints(rng, 60, 3 * size).reshape(3, size) for size in (8, 5, 4))
    return partitions.Keys(*drawn), np.array([1, 2]), *counted(None, 2)


def panel_case(rng: Random) -> tuple[Any, Any, Any]:
    """Lanes of five censuses of 60, majority quotas, and their path's table."""
    quota = (np.arange(61) + 1) // 2
    votes = np.sort(rng.choice(np.arange(31, 60), 5, replace=False)).astype(float)
    lanes = np.stack([votes, np.zeros(5), 60 - votes, np.zeros(5)])
    return lanes, quota, panels.path_table(quota, 60)


def panel_errors(rng: Random) -> Arguments:
    lanes, quota, path = panel_case(rng)
    return lanes, quota, path, 60, np.zeros((2, 61, 5))


def size_positions(rng: Random) -> Arguments:
    errors = panels.panel_errors(*panel_errors(rng))
    lanes, tolerances = errors.shape[1], np.array([0.1, 0.01])
    found = np.zeros((3, lanes, 2), np.int64)
    return errors, np.arange(1, 61), tolerances, tolerances, np.arange(lanes), found[0], found[1], found[2] > 0


def ideal_case(rng: Random) -> Arguments:
    plan = ideal.ideal_plan(N, Fraction(1, 10))
    drawn = rng.integers(1, ideal.GRID, (3, N)) // rng.integers(1, 200, (3, N)) + 1
    scratch = np.zeros(N + 1, np.int64), np.zeros(plan.lambda_ranks.size, np.int64)
    return plan, drawn, rng.random((3, N)) < 0.5, *scratch, np.zeros((3, 3, 2), np.int64)


def random_ranks(rng: Random) -> Arguments:
    candidates = np.round(rng.standard_normal(N), 1)
    return guide(rng), candidates, False, key(rng), np.arange(N, dtype=np.uint64), 1, np.zeros(N, np.int64)


def chord_of_sorted(rng: Random) -> Arguments:
    plan, drawn, *_ = ideal_case(rng)
    ascending = np.concatenate([[0], np.sort(drawn[0])])
    thresholds = plan.lambda_ranks, plan.kappa_ranks
    return ascending, *thresholds, plan.level, plan.natural, plan.ones, np.zeros(thresholds[0].size, np.int64)


def vote_matrix(rng: Random) -> Any:
    return rng.integers(-1, 2, (N, 6)).astype(np.int8)


def weights(rng: Random) -> Any:
    return rng.integers(2**30, 2**41, 6)


def dd(rng: Random) -> tuple[float, float]:
    high = float(rng.uniform(1, 2))
    return high, high * 2.0**-60


def floats(number: int) -> Callable[[Random], Arguments]:
    return lambda rng: tuple(float(x) for x in rng.uniform(1, 2, number))


def clopper(rng: Random) -> Arguments:
    k, n, _ = binomial(rng)
    return k, n, 0.05, scratch()
