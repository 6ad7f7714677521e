"""Joint benchmark decontamination: which candidates were in no model's training data?

The null of an item says that some model was trained on it.  From the conformal ranks of n candidates under K
models come each item's largest p-value S and second largest F, as codes on the common grid of the models'
p-values, and from these the cut-off of every method.  Decisions are comparisons of integers throughout.

*Chord envelope.*  A scan down from 1 chooses lambda among (4/5)^j; kappa = lambda / 2; with
W = #{kappa < S <= lambda} and w = min_k [G_k(lambda) - G_k(kappa)], G_k(t) the largest p-value <= t that
model k can give, an item is selected when S <= t for the largest k-th smallest S =: t <= kappa with
(1 + W) t <= level k w.  If w = 0 nothing is selected.

Source: Liu, Zeng, Wei, *Provable Joint Decontamination for Benchmarking Multiple Large Language Models*
(2026); the chord envelope and its filtered form are this project's own.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from typeone_kernels._jit import kernel
from typeone_kernels.buckets import RankBuffers, sort_scores
from typeone_kernels.exact import level_pair
from typeone_kernels.grid import Grid, common_grid, last_at_most
from typeone_kernels.grouped import group_scores, grouped_attainable_floor, grouped_ranks
from typeone_kernels.ranks import random_ranks
from typeone_kernels.selection import (
    bh_cutoff,
    cumulative_counts,
    partial_conjunction_cutoff,
    step_up,
    storey_cutoff,
)

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

METHODS = ("union", "intersection", "max-p BH", "max-p Storey-BH", "JECS", "AdaFilter", "filtered envelope")
UNION, INTERSECTION, MAX_P, STOREY, CHORD, ADAFILTER, FILTERED = range(7)

FEWEST = 10  # the scan stops where fewer p-values lie between two thresholds
_LAST_STEP = 18  # (4/5)^18 is the first threshold below 1/50


def scan_thresholds() -> list[Fraction]:
    """lambda_0 = 1, ..., lambda_18: the thresholds the scan can visit."""
    return [Fraction(4, 5) ** j for j in range(_LAST_STEP + 1)]


class Plan(NamedTuple):
    """What all repetitions with the same n, m_k, level and tie policy share.  Made by ``make_plan``.

    ``scores_first`` (K + 1,) delimits the models in concatenated calibration scores; ``top``, ``half``,
    ``lambda_codes``, ``kappa_codes`` are codes of the last grid value <= level, 1/2, lambda_j, kappa_j;
    ``lambda_ranks``, ``kappa_ranks`` (19, K) and ``model_tops`` (K,) the same as ranks of each model.
    ``natural`` and ``ones`` describe one model's grid.
    """

    n: int
    grid: Grid
    scores_first: Ints
    larger: bool
    random_ties: bool
    level: Ints
    top: int
    half: int
    lambda_codes: Ints
    kappa_codes: Ints
    lambda_ranks: Ints
    kappa_ranks: Ints
    model_tops: Ints
    natural: Ints
    ones: Ints


class TieKeys(NamedTuple):
    """Names of the streams that break ties: one key per repetition (R, 2), items (n,), models (K,)."""

    keys: NDArray[np.uint64]
    items: NDArray[np.uint64]
    models: NDArray[np.uint64]


class Work(NamedTuple):
    """Arrays that a repetition overwrites; after it they hold its ranks, codes, counts and cut-offs."""

    scores: NDArray[np.float64]  # calibration scores, concatenated: grouped (random ties: sorted)
    first: NDArray[np.int32]
    bucket: NDArray[np.int32]
    ranks: Ints  # (K, n)
    largest: Ints  # (n,) codes of S
    second: Ints  # (n,) codes of F
    counts: Ints  # of S
    second_counts: Ints  # of F
    model_counts: Ints
    model_cutoffs: Ints  # (K,) ranks
    cutoffs: Ints  # (methods,) codes; union and intersection use model_cutoffs
    selected: Bools  # (methods, n)


class Envelope(NamedTuple):
    """lambda = (4/5)^step, W = inside, w = width / size.

    If width = 0 the scale (1 + W) / (n w) is undefined; then neither envelope selects anything.
    """

    step: int
    inside: int
    width: int
    size: int


class Results(NamedTuple):
    """Of R repetitions: ``tallies`` (R, methods, 2) as ``tally`` gives them, ``envelopes`` (R, 4) the fields."""

    tallies: Ints
    envelopes: Ints


def make_plan(
    n: int, calibration_sizes: list[int], level: Fraction, larger: bool = False, random_ties: bool = False
) -> Plan:
    """Tables for ``n`` items and models with m_k = ``calibration_sizes``, exact, in Python integers.

    The kernels' products fit if (n + 1) * M * (M / gcd of all m_k + 1) < 2**62 for M the largest m_k + 1.
    """
    sizes = [m + 1 for m in calibration_sizes]
    grid = common_grid(np.array(sizes, dtype=np.int64))
    lambdas = scan_thresholds()

    def codes(values: list[Fraction]) -> Ints:
        return np.array([last_at_most(grid, value) for value in values], dtype=np.int64)

    def ranks(values: list[Fraction]) -> Ints:
        return np.array([[int(value * size) for size in sizes] for value in values], dtype=np.int64)

    kappas = [value / 2 for value in lambdas]
    top, half = codes([level, Fraction(1, 2)]).tolist()
    longest = max(sizes) + 1
    return Plan(
        n,
        grid,
        np.concatenate([[0], np.cumsum(calibration_sizes)]).astype(np.int64),
        larger,
        random_ties,
        level_pair(level),
        top,
        half,
        codes(lambdas),
        codes(kappas),
        ranks(lambdas),
        ranks(kappas),
        ranks([level])[0],
        np.arange(longest, dtype=np.int64),
        np.ones(longest, dtype=np.int64),
    )


def workspace(plan: Plan) -> Work:
    """The arrays one worker needs for any number of repetitions of ``plan``: O(K n + sum(m_k)) memory."""
    models, longest, values = plan.grid.sizes.size, plan.natural.size, plan.grid.numerators.size

    def ints(*shape: int) -> Ints:
        return np.empty(shape, np.int64)

    return Work(
        np.empty(plan.scores_first[-1]),
        np.empty(longest, np.int32),
        np.empty(longest, np.int32),
        ints(models, plan.n),
        ints(plan.n),
        ints(plan.n),
        ints(values),
        ints(values),
        ints(longest),
        ints(models),
        ints(len(METHODS)),
        np.empty((len(METHODS), plan.n), np.bool_),
    )


@kernel
def rank_models(
    plan: Plan,
    calibration: NDArray[np.float64],
    candidates: NDArray[np.float64],
    ties: TieKeys,
    repetition: int,
    work: Work,
) -> None:
    """Ranks of ``candidates`` (K, n) among ``calibration`` (sum m_k,), under the plan's tie policy.

    ``ties`` is read only with random ties.  Leaves the calibration scores of each model in ``work.scores``: with
    random ties sorted, otherwise grouped (``typeone_kernels.grouped``).
    """
    for k in range(candidates.shape[0]):
        begin, end = plan.scores_first[k], plan.scores_first[k + 1]
        m = end - begin
        buffers = RankBuffers(work.scores[begin:end], work.first[: m + 1], work.bucket[:m])
        if plan.random_ties:
            guide = sort_scores(calibration[begin:end], buffers)
            key, model = ties.keys[repetition], ties.models[k]
            random_ranks(guide, candidates[k], plan.larger, key, ties.items, model, work.ranks[k])
        else:
            guide = group_scores(calibration[begin:end], buffers)
            grouped_ranks(guide, candidates[k], plan.larger, buffers.bucket, work.ranks[k])


@kernel
def largest_two(grid: Grid, ranks: Ints, largest: Ints, second: Ints) -> None:
    """Codes of each item's largest and second largest p-value over the models, from ``ranks`` (K, n).

    With one model the second largest is set to 0, which turns AdaFilter into BH.
    """
    largest[:] = 0
    second[:] = 0
    for k in range(ranks.shape[0]):
        codes, of_model = grid.codes[grid.first[k] : grid.first[k + 1]], ranks[k]
        for i in range(of_model.size):
            code, top = codes[of_model[i]], largest[i]
            smaller = code if code < top else top  # as written, no branch: which is larger nobody can predict
            second[i] = smaller if smaller > second[i] else second[i]
            largest[i] = code if code > top else top


@kernel
def scan(counts: Ints, lambda_codes: Ints) -> int:
    """The step j + 1 at which the downward scan stops; ``counts[lambda_codes[j]] = #{p <= (4/5)^j}`` (19,).

    It stops when fewer than 10 p-values lie in (lambda_{j+1}, lambda_j], when their density is not below
    that of the interval before, or at the last threshold.
    """
    last = lambda_codes.size - 1
    before = 0
    for j in range(last):
        between = counts[lambda_codes[j]] - counts[lambda_codes[j + 1]]
        if between < FEWEST or (j > 0 and 5 * between >= 4 * before):
            return j + 1
        before = between
    return last


@kernel
def chord_envelope(plan: Plan, work: Work) -> Envelope:
    """lambda, W and w of the p-values counted in ``work.counts``, exact; ties as the plan says."""
    step = scan(work.counts, plan.lambda_codes)
    inside = work.counts[plan.lambda_codes[step]] - work.counts[plan.kappa_codes[step]]
    width, size = 1, 0  # above any fraction
    for k in range(plan.grid.sizes.size):
        upper, lower = int(plan.lambda_ranks[step, k]), int(plan.kappa_ranks[step, k])
        if not plan.random_ties:
            scores = work.scores[plan.scores_first[k] : plan.scores_first[k + 1]]
            upper = grouped_attainable_floor(scores, plan.larger, upper)
            lower = grouped_attainable_floor(scores, plan.larger, lower)
        if (upper - lower) * size < width * plan.grid.sizes[k]:
            width, size = upper - lower, int(plan.grid.sizes[k])
    return Envelope(step, inside, width, size)


@kernel
def chord_of_sorted(
    ascending: Ints,
    lambda_ranks: Ints,
    kappa_ranks: Ints,
    level: Ints,
    natural: Ints,
    ones: Ints,
    positions: Ints,
) -> tuple[int, int, int]:
    """Number selected, step and W for p-values u / M given as ``ascending`` = (0, u_(1), ..., u_(n)).

    For p-values that are uniform on {1/M, ..., 1} under the null, with n M < 2**62: G(t) is floor(t M) / M.
    ``lambda_ranks``, ``kappa_ranks`` (19,) are floor(lambda_j M) and floor(kappa_j M), ``natural`` (n + 1,)
    is 0..n, ``positions`` (19,) is overwritten.
    """
    for j in range(lambda_ranks.size):
        positions[j] = np.searchsorted(ascending, lambda_ranks[j], side="right") - 1
    step = scan(natural, positions)
    top = np.searchsorted(ascending, kappa_ranks[step], side="right") - 1
    inside = positions[step] - top
    width = lambda_ranks[step] - kappa_ranks[step]
    return step_up(ascending, ones, natural, top, level, 1 + inside, width), step, inside


@kernel
def decide_models(plan: Plan, work: Work) -> None:
    """BH for each model, from ``work.ranks`` into ``work.model_cutoffs``; its union and intersection.

    Only ranks up to the level are counted: no other can be selected.
    """
    sizes, n = plan.grid.sizes, plan.n
    union, intersection = work.selected[UNION], work.selected[INTERSECTION]
    union[:] = False
    intersection[:] = True
    for k in range(sizes.size):
        ranks, top = work.ranks[k], plan.model_tops[k]
        counts = work.model_counts[: top + 2]
        counts[:] = 0
        for i in range(n):
            rank = ranks[i]
            counts[rank if rank <= top else top + 1] += 1
        for r in range(1, top + 1):
            counts[r] += counts[r - 1]
        cutoff = step_up(plan.natural, plan.ones, counts, top, plan.level, n, sizes[k])
        work.model_cutoffs[k] = cutoff
        for i in range(n):
            selected = ranks[i] <= cutoff
            union[i] |= selected
            intersection[i] &= selected


@kernel
def decide(plan: Plan, work: Work) -> Envelope:
    """Every method's selection, from ``work.ranks`` (and ``work.scores`` unless ties are random).

    Fills cut-offs and ``work.selected``.  AdaFilter and the filtered envelope are meant for K >= 2.
    """
    decide_models(plan, work)
    grid, level, cutoffs = plan.grid, plan.level, work.cutoffs
    numerators, denominators, unit = grid.numerators, grid.denominators, grid.unit
    counts, filtered = work.counts, work.second_counts
    largest_two(grid, work.ranks, work.largest, work.second)
    cumulative_counts(work.largest, counts)
    cumulative_counts(work.second, filtered)
    envelope = chord_envelope(plan, work)
    cutoffs[:] = 0
    cutoffs[MAX_P] = bh_cutoff(numerators, denominators, counts, plan.top, level, unit)
    cutoffs[STOREY] = storey_cutoff(numerators, denominators, counts, plan.half, level, unit)
    top, left = plan.kappa_codes[envelope.step], (1 + envelope.inside) * (envelope.size // unit)
    cutoffs[CHORD] = step_up(numerators, denominators, counts, top, level, left, envelope.width)
    cutoffs[ADAFILTER] = partial_conjunction_cutoff(numerators, denominators, counts, filtered, plan.top, level, unit)
    if envelope.width > 0:
        # The largest t <= kappa with n s t <= level k or t #{F <= t} <= level k.
        top = min(top, plan.top)
        alone = partial_conjunction_cutoff(numerators, denominators, counts, filtered, top, level, unit)
        cutoffs[FILTERED] = max(cutoffs[CHORD], alone)
    for method in range(MAX_P, FILTERED + 1):
        selected, cutoff = work.selected[method], cutoffs[method]
        for i in range(plan.n):
            selected[i] = work.largest[i] <= cutoff
    return envelope


@kernel
def tally(selected: Bools, contaminated: Bools, out: Ints) -> None:
    """``out`` (methods, 2): how many items each method selects, and how many of these are contaminated."""
    for method in range(selected.shape[0]):
        size = bad = 0
        for i in range(contaminated.size):
            size += selected[method, i]
            bad += selected[method, i] & contaminated[i]
        out[method, 0] = size
        out[method, 1] = bad


@kernel
def jecs_batch(
    plan: Plan,
    calibration: NDArray[np.float64],
    candidates: NDArray[np.float64],
    contaminated: Bools,
    ties: TieKeys,
    work: Work,
    results: Results,
) -> None:
    """All methods on R repetitions: ``calibration`` (R, sum m_k), ``candidates`` (R, K, n), truth (R, n).

    Nothing is allocated per repetition but, with random ties, the state of a stream.  O(K n + sum m_k)
    expected time each, for scores with a density.
    """
    for r in range(calibration.shape[0]):
        rank_models(plan, calibration[r], candidates[r], ties, r, work)
        envelope = decide(plan, work)
        fields = results.envelopes[r]
        fields[0], fields[1] = envelope.step, envelope.inside
        fields[2], fields[3] = envelope.width, envelope.size
        tally(work.selected, contaminated[r], results.tallies[r])


@kernel
def gcp_power(size: int, bad: int, clean: int) -> tuple[float, float]:
    """Contaminated share of a selection, and selected share of the clean items; 0/0 counts as 0."""
    return bad / max(1, size), (size - bad) / max(1, clean)
