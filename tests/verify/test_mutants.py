"""With its switch in the right position every mutant is the project's procedure."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import expit

from typeone import panels, pooling, scf
from typeone.engine import intervals
from typeone.engine.sums import Moments
from typeone.exact import clopper_pearson, clopper_pearson_lower, hypergeometric_bounds
from typeone.levels import Level
from typeone.panels.options import Options
from typeone.pooling.drift import drift
from typeone.pooling.reconciliation import reconcile
from typeone.verify import mutants
from typeone.verify.promises.conformal import kernel_rank
from typeone.verify.promises.intervals import moments_of
from typeone.verify.promises.jecs import attained, kernel_select
from typeone_kernels.jecs import CHORD, MAX_P, STOREY


@pytest.fixture
def random() -> np.random.Generator:
    return np.random.Generator(np.random.Philox(4))


@pytest.mark.parametrize("n", [1, 5, 40])
def test_binomial_bounds(n: int) -> None:
    for k in range(n + 1):
        assert mutants.binomial_lower(k, n, 0.05, at_least=True) == pytest.approx(
            clopper_pearson_lower(k, n, "0.05"), rel=1e-10
        )
        assert mutants.binomial_interval(k, n, 0.05, halved=True) == pytest.approx(
            clopper_pearson(k, n, "0.05"), rel=1e-10
        )


def test_population_bounds() -> None:
    for N, n in ((1, 1), (9, 4), (20, 1), (12, 12)):
        for x in range(n + 1):
            level = Fraction(1, 20)
            assert mutants.population_bounds(x, n, N, level, at_least=True) == hypergeometric_bounds(x, n, N, level)


@pytest.mark.parametrize("n", [2, 20, 200])
def test_betting_bounds(n: int) -> None:
    for k in range(0, n + 1, max(1, n // 10)):
        right = intervals.bounded_fixed(Moments(n, Fraction(k), Fraction(k)), 0.05).lower
        assert mutants.betting_lower(k, n, 0.05, fan=True) == pytest.approx(right, rel=1e-8)


def test_student(random: np.random.Generator) -> None:
    for n in (2, 3, 30):
        values = random.standard_normal(n)
        right = intervals.mean_fixed(moments_of(values), 0.05).lower
        assert mutants.mean_lower(values, 0.05, student=True) == pytest.approx(right, rel=1e-9)


def _bags(random: np.random.Generator, sources: int, tied: bool) -> list[np.ndarray]:
    sizes = random.integers(1, 5, sources)
    return [random.integers(0, 3, n).astype(float) if tied else random.standard_normal(n) for n in sizes]


@pytest.mark.parametrize("tied", [False, True])
def test_scf(random: np.random.Generator, tied: bool) -> None:
    for _ in range(40):
        bags = _bags(random, 9, tied)
        roles = ["reference"] * 3 + ["calibration"] * 5 + ["target"]
        rows = [(i, s, roles[i]) for i, bag in enumerate(bags) for s in bag.tolist()]
        table = dict(zip(("source", "score", "role"), map(list, zip(*rows, strict=True)), strict=True))
        found = scf.apply(table, role="role").p_exact[0]
        assert mutants.scf_p_value(bags[:3], bags[3:8], bags[8], "") == found


def test_means_and_step_up(random: np.random.Generator) -> None:
    for _ in range(20):
        source = np.repeat(np.arange(8), 3)
        score = random.choice([0.1, 0.2, 0.3], source.size)
        role = np.array(["calibration"] * 5 + ["target"] * 3)[source]
        table = {"source": source, "score": score, "role": role}
        of = scf.apply(
            {**table, "role": np.where(source == 0, "reference", role)},
            role="role",
            options=scf.Options(method="mean", fdr="0.4"),
        )
        right = dict(zip(of.sources.to_pylist(), of.p_exact, strict=True))
        assert mutants.mean_p_values(table, exact=True) == right
        ranks = np.array([int(p * (of.calibration_sources + 1)) for p in of.p_exact])
        found = mutants.step_up(ranks, of.calibration_sources, Fraction(2, 5), every=True)
        assert of.discovery is not None
        assert found.tolist() == of.discovery.tolist()


def test_capped_evidence(random: np.random.Generator) -> None:
    reference = scf.fit(random.standard_normal(30), np.arange(30) // 3)
    bag = random.standard_normal(6)
    right = reference.evidence(bag, "0.2").mean()
    assert mutants.capped_mean(reference.tail(bag), 0.2, each=True) == pytest.approx(right, abs=1e-11)


def test_conformal_ranks(random: np.random.Generator) -> None:
    for _ in range(50):
        calibration = random.integers(0, 4, 6).astype(float).tolist()
        assert mutants.conformal_rank(calibration, 2.0, "") == kernel_rank(calibration, 2.0, False)


@pytest.mark.parametrize("values", [list(range(1, 14)), [1, 4, 5, 9, 13]])
def test_selections(random: np.random.Generator, values: list[int]) -> None:
    M, n = 13, 40
    scores = [float(sum(v - 1 <= i for v in values)) for i in range(M - 1)]
    # A rank is attainable where the sorted scores before it differ from those after it.
    assert [1, *(r for r in range(2, M) if scores[r - 2] != scores[r - 1]), M] == values

    def G(t: Fraction) -> Fraction:
        return Fraction(attained(values, int(t * M)), M)

    for level in (Fraction(1, 10), Fraction(1, 2)):
        for skew in (1.0, 3.0):
            ranks = [values[int(len(values) * u**skew)] for u in random.random(n)]
            p = [Fraction(r, M) for r in ranks]
            chosen = {method: kernel_select(n, scores, level, method)(ranks) for method in (CHORD, STOREY, MAX_P)}
            assert mutants.chord_select(p, level, G, "") == chosen[CHORD]
            assert mutants.storey_select(p, level, plus_one=True) == chosen[STOREY]
            found = mutants.joint_select(np.array([[float(x) for x in p]] * 2), float(level), largest=True)
            assert set(np.flatnonzero(found).tolist()) == chosen[MAX_P]


def test_panel_curves_and_sizes() -> None:
    curve = panels.census_errors(60, 40)
    for K, e in mutants.odd_errors(60, 40, forward=False).items():
        assert e == pytest.approx(curve[K - 1], rel=1e-10)
    errors = [Fraction(e) for e in curve.tolist()]
    size = mutants.least_size(errors, Fraction(1, 20), every=True)
    assert size == panels.census_sizes(60, 40, delta="0.05").minimum
    assert float(mutants.bridge(60, 8, whole=True)) == panels.total_variation_bound(60, 40, 8)


@pytest.mark.parametrize("xi", [0.0, 0.3])
def test_certificates(random: np.random.Generator, xi: float) -> None:
    method = "mass-controlled" if xi else "familywise"
    options = Options("0.2", "1/2", "0.9", (5,), method, "exact", "0.2", "0.1", str(xi or 0.025))  # type: ignore[arg-type]
    terms = mutants.PlainTerms(25, 8, 5, 0.2, 0.2, 0.1, xi)
    for _ in range(20):
        positives = random.integers(0, 26, 8)
        right = panels.certify(positives, 25, options).bound[0]
        assert mutants.certificate_bound(positives, terms, "") == pytest.approx(right, abs=1e-12)


def test_pooling() -> None:
    reliabilities = [Fraction(7, 10), Fraction(4, 5), Fraction(9, 10)]
    votes = {"item": [0, 0, 0], "source": [0, 1, 2], "vote": [1, 0, 1]}
    right = pooling.apply(votes, reliability=dict(enumerate(reliabilities)), options=pooling.Options(prior="0.2"))
    odds = mutants.posterior_odds([1, 0, 1], reliabilities, Fraction(1, 5), priors=True)
    assert float(odds / (1 + odds)) == pytest.approx(right.posterior[0], rel=1e-10)
    point = drift(2, "0.8", [7], "0.2").points[0]
    assert point.posterior == pytest.approx(expit(mutants.threshold_log_odds(2, 7, 0.8, 0.2, slides=True)), rel=1e-10)
    for panel in ([Fraction(9, 10), Fraction(4, 5)], [Fraction(79, 100), Fraction(4, 5), Fraction(81, 100)]):
        found = mutants.equivalent_count(panel, Fraction(1, 2), every=True)
        assert found == reconcile(panel).tau


def test_random_ranks_are_uniform_with_the_switch_on(random: np.random.Generator) -> None:
    """2000 draws, seed 4: five equal places; a chi-square above 23.5 has probability 1e-4."""
    ranks = [mutants.random_rank(1.0, np.ones(4), random, whole=True) for _ in range(2000)]
    ties = [mutants.random_tie_rank(np.ones(4), 1.0, random, own_place=True) for _ in range(2000)]
    for drawn in (ranks, ties):
        counts = np.bincount(drawn, minlength=6)[1:]
        assert ((counts - 400) ** 2 / 400).sum() < 23.5
    assert math.isclose(float(Level("0.05")), 0.05)
