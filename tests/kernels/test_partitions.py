"""Batches of partitions against the formulas, one partition at a time."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from twins import scf as twin
from typeone.engine.study import Cell, Column
from typeone.levels import Level
from typeone.scf.bags import Bags
from typeone.studies.scf.parameters import Parameters
from typeone.studies.scf.population import from_bags
from typeone.studies.scf.simulate import simulate
from typeone_kernels.partitions import PARTICIPANT, draw_roles, reference_documents
from typeone_kernels.scf import CALIBRATION, REFERENCE, TARGET
from typeone_kernels.streams import STATE_WORDS, draw_subset, open_stream

KEY = (123, 456)
METHODS = ("scf", "fisher", "mean", "max", "min", "ramia")


def population(sizes, participants, *, K, L, values, seed=0, **options):
    rng = np.random.default_rng(seed)
    bags = [rng.integers(0, values, n).astype(float) for n in sizes]
    codes = np.repeat(np.arange(len(sizes)), sizes)
    flags = np.arange(len(sizes)) < participants
    parameters = Parameters(reference=K, calibration=L, **options)
    together = Bags.of(np.concatenate(bags), codes, pa.array(range(len(sizes))))
    return bags, from_bags(together, flags, ~flags, parameters), parameters


def roles_of(partition, sources, pool, K, L):
    """The same stream, consumed by the documented algorithm."""
    state = np.zeros(STATE_WORDS, np.uint64)
    open_stream(state, np.array(KEY, np.uint64), partition, 0)
    work = pool.copy()
    draw_subset(state, work, K + L)
    role = np.full(sources, TARGET)
    role[work[:K]] = REFERENCE
    role[work[K : K + L]] = CALIBRATION
    return role


@pytest.mark.parametrize(
    ("sizes", "participants", "K", "L", "values", "options"),
    [
        ([3] * 12, 4, 3, 3, 1000, {}),  # equal bags, few ties
        ([1, 2, 5, 16, 3, 4, 1, 7, 2, 9, 3], 3, 2, 4, 6, {}),  # unequal bags, many ties
        ([1] * 9, 2, 1, 1, 4, {}),  # one-document bags, K = 1, L = 1
        ([2, 3, 2, 4, 1, 3], 2, 1, 2, 1, {}),  # all scores equal
        ([2, 4, 1, 3, 2, 5, 2], 2, 2, 2, 30, {"smoothing": "source", "cap": "0.2"}),
        ([2, 4, 1, 3, 2, 5, 2], 2, 2, 2, 30, {"smoothing": "0.01", "cap": "0"}),
        ([400, 3, 2, 4, 1, 3, 380], 2, 2, 2, 3000, {"cap": "0.1"}),  # keys do not fit: exact ranks
        ([2, 1, 3, 2, 4, 1, 2, 3, 5], 2, 4, 1, 9, {}),  # more reference than calibration sources
    ],
)
def test_measures_equal_the_formulas(sizes, participants, K, L, values, options):
    bags, shared, parameters = population(sizes, participants, K=K, L=L, values=values, **options)
    # At .05 no rejection is possible with so few controls; without it every level has one.
    levels = (Level("0.05"), Level("1/2"), Level("0.75")) if values % 2 == 0 else (Level("1/2"), Level("0.75"))
    count = 12
    columns = simulate(Cell(0, parameters, levels, KEY), shared, 5, count)
    smoothing = parameters.smoothing if parameters.smoothing in ("document", "source") else Level(parameters.smoothing)
    for i in range(count):
        role = roles_of(5 + i, len(sizes), shared.pool, K, L)
        pick = {r: [bags[s] for s in range(participants, len(sizes)) if role[s] == r] for r in range(3)}
        for method in METHODS:
            positives, tests, calibration, controls = (
                twin.statistics(method, some, pick[REFERENCE], parameters.cap, smoothing)
                for some in (bags[:participants], pick[TARGET], pick[CALIBRATION], pick[REFERENCE])
            )
            if method not in ("scf", "fisher"):
                calibration = calibration + controls
            assert columns[Column(method, "auroc")][i] == float(twin.auroc(positives, tests))
            for level in levels:
                for measure, targets in (("tpr", positives), ("fpr", tests)):
                    share = Fraction(sum(twin.p_value(t, calibration) <= level for t in targets), len(targets))
                    assert columns[Column(method, measure, level.text)][i] == float(share)
        for measure, some in (
            ("capped_participants", bags[:participants]),
            ("capped_nonparticipants", pick[TARGET]),
        ):
            shares = [twin.capped_share(bag, pick[REFERENCE], parameters.cap, smoothing) for bag in some]
            assert columns[Column("scf", measure)][i] == pytest.approx(float(sum(shares) / len(some)), rel=1e-12)


def test_reference_documents_are_counted():
    roles = np.array([[REFERENCE, TARGET, REFERENCE, CALIBRATION], [TARGET, PARTICIPANT, CALIBRATION, TARGET]], np.int8)
    out = np.full(2, -1)
    reference_documents(roles, np.array([3, 5, 7, 11]), out)
    assert out.tolist() == [10, 0]


def test_gains_are_paired_differences_and_ties_exactly_zero():
    _, shared, parameters = population([2] * 14, 5, K=3, L=3, values=3)
    columns = simulate(Cell(0, parameters, (Level("0.5"),), KEY), shared, 0, 40)
    for one, other in (("scf", "mean"), ("fisher", "max"), ("mean", "ramia")):
        a, b = columns[Column(one, "auroc")], columns[Column(other, "auroc")]
        gain = columns[Column(f"{one} - {other}", "auroc_gain")]
        assert np.allclose(gain, a - b, atol=1e-15)
        assert ((gain == 0) == (a == b)).all()
    # One- and two-document bags of few values tie often: the zeros above are not vacuous.
    assert (columns[Column("mean - ramia", "auroc_gain")] == 0).any()


def test_roles_are_uniform_over_the_pool():
    """Each control is reference in K/n of 4000 partitions; largest |z| of 8 controls x 2 roles below 4.5: 1e-4."""
    pool, count, K, L = np.arange(3, 11), 4000, 2, 3
    roles = np.empty((count, 12), np.int8)
    draw_roles(np.array(KEY, np.uint64), 0, pool, np.array([K, L]), roles)
    assert (roles[:, [0, 1, 2, 11]] == PARTICIPANT).all()
    for role, expected in ((REFERENCE, K / 8), (CALIBRATION, L / 8)):
        assert ((roles == role).sum(axis=1) == expected * 8).all()
        z = ((roles[:, pool] == role).mean(axis=0) - expected) / np.sqrt(expected * (1 - expected) / count)
        assert np.abs(z).max() < 4.5
