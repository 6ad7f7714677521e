"""Joint decontamination: every method against its definition in Fractions."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba.core.runtime import _nrt_python, rtsys

from twins import jecs as twin
from twins.ranks import random_rank
from typeone_kernels.exact import level_pair
from typeone_kernels.grid import common_grid
from typeone_kernels.jecs import (
    INTERSECTION,
    MAX_P,
    METHODS,
    UNION,
    Results,
    TieKeys,
    chord_of_sorted,
    decide,
    gcp_power,
    jecs_batch,
    largest_two,
    make_plan,
    rank_models,
    scan,
    scan_thresholds,
    workspace,
)

TENTH = Fraction(1, 10)
NO_TIES = TieKeys(np.empty((0, 2), np.uint64), np.empty(0, np.uint64), np.empty(0, np.uint64))


def select(calibrations, candidates, level, larger=False, ties=None):
    """Selections as sets in the order of METHODS, and the envelope as (lambda, W, w)."""
    n = len(candidates[0])
    plan = make_plan(n, [len(c) for c in calibrations], level, larger, ties is not None)
    work = workspace(plan)
    rank_models(plan, np.concatenate(calibrations), np.array(candidates), ties or NO_TIES, 0, work)
    envelope = decide(plan, work)
    chosen = [set(np.flatnonzero(row).tolist()) for row in work.selected]
    width = Fraction(envelope.width, envelope.size)
    return chosen, twin.Envelope(scan_thresholds()[envelope.step], envelope.inside, width)


def design(seed, models, n, most_calibration, values, equal):
    """Scores of a random design: some items clean under all models, scores rounded to about ``values`` values."""
    g = np.random.default_rng(seed)
    sizes = g.integers(1, most_calibration + 1, 1 if equal else models)
    sizes = [int(m) for m in (np.repeat(sizes, models) if equal else sizes)]
    shift = np.where(g.random(n) < g.random(), g.exponential(3), 0.0)
    candidates = g.standard_normal((models, n)) - shift
    calibrations = [g.standard_normal(m) for m in sizes]
    if values:
        step = 4.0 / values
        return [np.floor(c / step) for c in calibrations], np.floor(candidates / step)
    return calibrations, candidates


DESIGNS = st.builds(
    design,
    st.integers(0, 10**6),
    st.integers(1, 4),
    st.one_of(st.integers(1, 5), st.integers(1, 150)),
    st.sampled_from([1, 2, 5, 30, 200]),
    st.sampled_from([0, 1, 2, 4, 40]),
    st.booleans(),
)
LEVELS = st.sampled_from([Fraction(1, 20), TENTH, Fraction(1, 3), Fraction(1, 2), Fraction(9, 10)])


@settings(derandomize=True, deadline=None, max_examples=250)
@given(DESIGNS, LEVELS, st.booleans())
def test_all_methods_with_attainable_ranks(scores, level, larger):
    calibrations, candidates = scores
    if larger:
        calibrations, candidates = [-c for c in calibrations], -candidates
    p = [twin.conformal(c, s, larger) for c, s in zip(calibrations, candidates.tolist(), strict=True)]
    widths = [lambda t, c=c: twin.largest_attainable(c, larger, t) for c in calibrations]
    assert select(calibrations, candidates, level, larger) == twin.all_methods(p, level, widths)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(DESIGNS, LEVELS, st.booleans())
def test_all_methods_with_random_ties(scores, level, larger):
    calibrations, candidates = scores
    K, n = candidates.shape
    g = np.random.default_rng(n)
    keys, items, models = (g.integers(0, 2**64, shape, np.uint64) for shape in ((1, 2), n, K))
    p = [
        [
            Fraction(random_rank(c, s, larger, keys[0].tolist(), int(item), int(model)), len(c) + 1)
            for s, item in zip(row, items, strict=True)
        ]
        for c, row, model in zip(map(np.ndarray.tolist, calibrations), candidates.tolist(), models, strict=True)
    ]
    widths = [lambda t, c=c: twin.floor_on_grid(c.size, t) for c in calibrations]
    ours = select(calibrations, candidates, level, larger, TieKeys(keys, items, models))
    assert ours == twin.all_methods(p, level, widths)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(DESIGNS, LEVELS, st.integers(0, 100))
def test_order_of_items_and_models_changes_nothing(scores, level, seed):
    calibrations, candidates = scores
    g = np.random.default_rng(seed)
    models, items = g.permutation(candidates.shape[0]), g.permutation(candidates.shape[1])
    chosen, envelope = select(calibrations, candidates, level)
    shuffled = [g.permutation(calibrations[k]) for k in models]
    again, same = select(shuffled, candidates[models][:, items], level)
    assert [{int(items[i]) for i in selection} for selection in again] == chosen
    assert same == envelope


@settings(derandomize=True, deadline=None, max_examples=60)
@given(DESIGNS, LEVELS)
def test_adding_a_model_never_adds_an_item_to_max_p(scores, level):
    calibrations, candidates = scores
    for K in range(1, len(calibrations)):
        fewer, _ = select(calibrations[:K], candidates[:K], level)
        more, _ = select(calibrations[: K + 1], candidates[: K + 1], level)
        assert more[MAX_P] <= fewer[MAX_P]
        assert more[INTERSECTION] <= fewer[INTERSECTION]
        assert more[UNION] >= fewer[UNION]


@settings(derandomize=True, deadline=None, max_examples=60)
@given(DESIGNS, LEVELS, LEVELS)
def test_a_higher_level_selects_a_superset(scores, first, second):
    lower, _ = select(*scores, min(first, second))
    upper, _ = select(*scores, max(first, second))
    assert all(small <= large for small, large in zip(lower, upper, strict=True))


def test_two_valued_scores_leave_no_room():
    """79 of 199 members score 0: the attainable p-values are 1/200, 80/200 = kappa and 1, so w = 0."""
    calibration, candidates = [np.repeat([0.0, 1.0], [79, 120])], np.repeat([[0.0, 1.0]], [55, 5], axis=1)
    chosen, envelope = select(calibration, candidates, Fraction(9, 10))
    by_name = dict(zip(METHODS, chosen, strict=True))
    assert envelope == (Fraction(4, 5), 0, 0)
    assert by_name["JECS"] == by_name["filtered envelope"] == set()
    assert by_name["max-p BH"]  # .4 <= .9 / 2


def test_adafilter_and_filter_differ_only_through_kappa():
    """Weak clean scores in both of two models: the filter counts few F, the envelope many S."""
    g = np.random.default_rng(3)
    calibrations = [g.standard_normal(500) for _ in range(2)]
    candidates = g.standard_normal((2, 400)) - np.where(np.arange(400) < 60, 2.0, 0.0)
    chosen, _ = select(calibrations, candidates, Fraction(1, 4))
    by_name = dict(zip(METHODS, chosen, strict=True))
    assert by_name["max-p BH"] < by_name["JECS"]
    assert by_name["filtered envelope"] == by_name["AdaFilter"] | by_name["JECS"]
    assert by_name["AdaFilter"] != by_name["JECS"]


def stop(between):
    """Where the scan stops if ``between`` p-values lie between successive thresholds and none below."""
    at = np.zeros(19, np.int64)
    at[: len(between) + 1] = sum(between) - np.concatenate([[0], np.cumsum(between)])
    return scan(at, np.arange(19))


@pytest.mark.parametrize(
    ("between", "step"),
    [
        ([9], 1),
        ([10, 9], 2),
        ([100, 80, 10], 2),  # 5 * 80 = 4 * 100: an equal density has not fallen
        ([100, 79, 63, 9], 4),  # 5 * 63 < 4 * 79
        ([100, 79, 64, 10], 3),  # 5 * 64 > 4 * 79
        ([10**6 * 3**j // 4**j for j in range(18)], 18),  # the last threshold
    ],
)
def test_scan(between, step):
    assert stop(between) == step


def test_the_last_threshold_is_the_first_below_one_fiftieth():
    thresholds = scan_thresholds()
    assert thresholds[0] == 1
    assert all(5 * b == 4 * a for a, b in pairwise(thresholds))
    assert thresholds[-1] < Fraction(1, 50) <= thresholds[-2]


@settings(derandomize=True, deadline=None, max_examples=120)
@given(
    st.integers(0, 10**6),
    st.integers(1, 400),
    st.sampled_from([7, 1000, 2**40]),
    st.sampled_from([0.7, 1, 2, 3]),
    LEVELS,
)
def test_chord_of_sorted_p_values(seed, n, M, power, level):
    g = np.random.default_rng(seed)
    uniform = np.where(g.random(n) < 0.3, 0.02, 1.0) * g.random(n)
    ranks = np.maximum(1, np.ceil(M * uniform ** (1 / power))).astype(np.int64)
    lambdas = scan_thresholds()
    tables = [np.array([int(t * M) for t in at]) for at in (lambdas, [t / 2 for t in lambdas])]
    ascending = np.concatenate([[0], np.sort(ranks)])
    count, step, inside = chord_of_sorted(
        ascending, *tables, level_pair(level), np.arange(n + 1), np.ones(n + 1, np.int64), np.empty(19, np.int64)
    )
    p = [Fraction(int(r), M) for r in ranks]
    envelope = twin.envelope(p, [lambda t: twin.floor_on_grid(M - 1, t)])
    assert (lambdas[step], inside) == envelope[:2]
    assert set(np.flatnonzero(ranks <= ascending[count]).tolist()) == twin.jecs(p, level, envelope)


def batch(repetitions, seed=1):
    g = np.random.default_rng(seed)
    sizes, n = [40, 40, 25], 60
    calibration = np.round(g.standard_normal((repetitions, sum(sizes))), 1)
    contaminated = g.random((repetitions, n)) < 0.6
    candidates = np.round(g.standard_normal((repetitions, 3, n)) - 3.0 * ~contaminated[:, None, :], 1)
    return sizes, n, calibration, candidates, contaminated


@pytest.mark.parametrize("random_ties", [False, True])
def test_batch_is_the_single_form_repeated(random_ties):
    sizes, n, calibration, candidates, contaminated = batch(40)
    g = np.random.default_rng(2)
    ties = TieKeys(*(g.integers(0, 2**64, shape, np.uint64) for shape in ((40, 2), n, 3)))
    plan = make_plan(n, sizes, Fraction(1, 4), random_ties=random_ties)
    results = Results(np.empty((40, len(METHODS), 2), np.int64), np.empty((40, 4), np.int64))
    jecs_batch(plan, calibration, candidates, contaminated, ties, workspace(plan), results)
    ends = np.cumsum(sizes)[:-1]
    total = 0
    for r in range(40):
        one = TieKeys(ties.keys[r : r + 1], *ties[1:]) if random_ties else None
        chosen, envelope = select(np.split(calibration[r], ends), candidates[r], Fraction(1, 4), ties=one)
        bad = [sum(bool(contaminated[r, i]) for i in selection) for selection in chosen]
        assert results.tallies[r].tolist() == [[len(s), b] for s, b in zip(chosen, bad, strict=True)]
        step, inside, width, size = results.envelopes[r].tolist()
        assert (scan_thresholds()[step], inside, Fraction(width, size)) == envelope
        total += sum(bad)
    assert total > 0


@pytest.fixture
def _counted_allocations():
    counted = _nrt_python.memsys_stats_enabled()
    _nrt_python.memsys_enable_stats()
    yield
    if not counted:
        _nrt_python.memsys_disable_stats()


@pytest.mark.usefixtures("_counted_allocations")
def test_batch_allocates_nothing_per_repetition():
    def allocations(repetitions):
        sizes, n, *arrays = batch(repetitions)
        plan = make_plan(n, sizes, Fraction(1, 4))
        work = workspace(plan)
        shape = (repetitions, len(METHODS), 2)
        results = Results(np.empty(shape, np.int64), np.empty((repetitions, 4), np.int64))
        jecs_batch(plan, *arrays, NO_TIES, work, results)
        before = rtsys.get_allocation_stats().alloc
        jecs_batch(plan, *arrays, NO_TIES, work, results)
        return rtsys.get_allocation_stats().alloc - before

    assert allocations(50) == allocations(1)


def test_gcp_and_power():
    assert gcp_power(4, 1, 6) == (0.25, 0.5)
    assert gcp_power(0, 0, 6) == (0.0, 0.0)
    assert gcp_power(3, 3, 0) == (1.0, 0.0)


@given(st.lists(st.integers(1, 6), min_size=1, max_size=4), st.integers(0, 2**32 - 1))
@settings(max_examples=60, deadline=None)
def test_the_two_largest_are_those_of_the_sorted_p_values(calibration, seed):
    """Codes order r / (m_k + 1) over models of different sizes; with one model the second largest is 0."""
    sizes = np.array([m + 1 for m in calibration])
    ranks = np.random.default_rng(seed).integers(1, sizes[:, None] + 1, (sizes.size, 5))
    grid = common_grid(sizes)
    largest, second = np.full(5, -7), np.full(5, 9)
    largest_two(grid, ranks, largest, second)
    values = [Fraction(int(a), int(b) * grid.unit) for a, b in zip(grid.numerators, grid.denominators, strict=True)]
    for i in range(5):
        p = sorted([Fraction(int(r), int(size)) for r, size in zip(ranks[:, i], sizes, strict=True)], reverse=True)
        assert values[largest[i]] == p[0]
        assert values[second[i]] == (p[1] if len(p) > 1 else 0)
