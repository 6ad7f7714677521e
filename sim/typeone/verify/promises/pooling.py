"""Promises of pooling: posterior thresholds, held-out bounds, reconciliation with counting, drift."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement, product
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from typeone import pooling
from typeone.engine.streams import generator
from typeone.engine.study import Cell, Columns
from typeone.levels import Level
from typeone.pooling import heldout
from typeone.pooling.drift import drift
from typeone.pooling.reconciliation import reconcile
from typeone.studies.pooling.parameters import Parameters as StudyParameters
from typeone.studies.pooling.simulate import share as study_constants
from typeone.verify import mutants
from typeone.verify.model import ExactRate, Failing, Key, Mutant, Parameters, Promise, Space, column, label

NEVER = Fraction(0)
DOUBLES = 1e-9
HALF = Fraction(1, 2)

# The posterior threshold


def posterior_errors(parameters: Parameters) -> Iterator[ExactRate]:
    """Share of false items among the accepted and of true ones among the rejected, from the exact law."""
    level = Level(parameters.get("level", "0.05"))
    values = {name: value for name, value in parameters.items() if name not in ("level", "strength")}
    cell = Cell(0, StudyParameters(**values), (level,), (0, 0))
    for of, value in study_constants(cell).values.items():
        wanted = of.measure in ("accepted_error_exact", "rejected_error_exact")
        if of.method == "pooled" and wanted and not math.isnan(value):
            yield ExactRate(f"{of.measure.split('_')[0]} {label(parameters)}", value, Fraction(level), DOUBLES)


def _posterior() -> Iterator[ExactRate]:
    for reliability, spread in (("0.51", "0"), ("0.6", "0"), ("0.8", "0.15"), ("0.95", "0")):
        for n in (1, 2, 3, 25):
            for prior in ("0.05", "0.5", "0.95"):
                for level in ("0.01", "0.05", "0.2", "0.49"):
                    yield from posterior_errors(
                        {"reliability": reliability, "spread": spread, "n": n, "prior": prior, "level": level}
                    )


def _fits(parameters: Parameters) -> bool:
    try:
        StudyParameters(**{name: value for name, value in parameters.items() if name != "level"})
    except ValidationError:
        return False
    return True


# Held-out bounds

RELIABILITIES = (0.9, 0.75, 0.75, 0.6)
LEVEL = "0.05"


def reliabilities(p: Parameters) -> NDArray[np.float64]:
    """Of all sources: unequal ones in turn, or one value."""
    return np.resize([float(p["reliability"])] if "reliability" in p else RELIABILITIES, p["sources"])


def _votes(p: Parameters, rng: np.random.Generator) -> dict[str, NDArray[Any]]:
    """A long table of independent votes on labelled items."""
    items, n = p["items"], p["sources"]
    truth = np.asarray(rng.random(items) < 0.5)
    right = np.asarray(rng.random((items, n)) < reliabilities(p))
    return {
        "item": np.repeat(np.arange(items), n),
        "source": np.tile(np.arange(n), items),
        "vote": np.where(right, truth[:, None], ~truth[:, None]).astype(int).ravel(),
        "label": np.repeat(truth, n).astype(int),
    }


@lru_cache(maxsize=100_000)
def true_rates(values: tuple[Fraction, ...], options: pooling.Options, chances: tuple[float, ...]) -> dict[str, float]:
    """The rates that bounds are about, for a rule with these fitted reliabilities: all 2**n patterns of votes."""
    n, chance = len(values), np.array(chances)
    patterns = np.array(list(product((0, 1), repeat=n)))
    table = {
        "item": np.repeat(np.arange(len(patterns)), n),
        "source": np.tile(np.arange(n), len(patterns)),
        "vote": patterns.ravel(),
    }
    decision = pooling.apply(table, reliability=dict(enumerate(values)), options=options).decision
    true = np.prod(np.where(patterns == 1, chance, 1 - chance), axis=1) / 2
    false = np.prod(np.where(patterns == 0, chance, 1 - chance), axis=1) / 2
    accepted, rejected = decision == 1, decision == -1
    both = true + false

    def share(part: float, whole: float) -> float:
        return float(part / whole) if whole > 0 else math.nan

    return {
        "accepted that are false": share(false[accepted].sum(), both[accepted].sum()),
        "rejected that are true": share(true[rejected].sum(), both[rejected].sum()),
        "false that are accepted": share(false[accepted].sum(), 0.5),
        "true that are accepted": share(true[accepted].sum(), 0.5),
        "abstained": float(both[decision == 0].sum()),
    }


def heldout_errors(p: Parameters, shared: None, key: Key, first: int, count: int) -> Columns:
    """Whether each bound misses its rate, and each reliability's interval its reliability."""
    options = pooling.Options(accept=p["accept"], reject=p["reject"], level=LEVEL)
    chance = reliabilities(p)
    errors: dict[str, NDArray[np.float64]] = {}
    for i in range(count):
        rng = generator(key, first + i)
        of = pooling.apply(_votes(p, rng), label="label", options=options)
        rates = of.rates
        if p.get("broken"):
            rates = heldout.rates(of.decision[of.fitting], of.votes.truth[of.fitting], Level(LEVEL))
        right = true_rates(of.reliabilities.values, options, tuple(chance.tolist()))
        for rate in rates:
            for side, missed in (("lower", rate.lower > right[rate.name]), ("upper", rate.upper < right[rate.name])):
                errors.setdefault(f"{side}: {rate.name}", np.zeros(count))[i] = missed
        estimates = of.reliabilities.estimates
        assert estimates is not None
        outside = (estimates.lower > chance) | (estimates.upper < chance)
        errors.setdefault("interval of source 0", np.zeros(count))[i] = outside[0]
        errors.setdefault("interval of the last source", np.zeros(count))[i] = outside[-1]
    return {column(name, LEVEL): values for name, values in errors.items()}


# Counting against pooling


def brute_force(reliabilities: Sequence[Fraction], threshold: Fraction) -> int | None:
    """The tau that agrees with the posterior threshold on all 2**n items, or None."""
    items = []
    for votes in product((0, 1), repeat=len(reliabilities)):
        for_it, against = Fraction(1), Fraction(1)
        for vote, r in zip(votes, reliabilities, strict=True):
            for_it *= r if vote else 1 - r
            against *= 1 - r if vote else r
        items.append((sum(votes), for_it >= threshold * (for_it + against)))
    found = [tau for tau in range(len(reliabilities) + 2) if all((k >= tau) == high for k, high in items)]
    return found[0] if found else None


def _panels() -> Iterator[tuple[tuple[Fraction, ...], Fraction]]:
    values = [Fraction(x, 100) for x in (55, 70, 79, 80, 81, 90)]
    for n in (1, 2, 3, 4):
        for panel in combinations_with_replacement(values, n):
            for threshold in (HALF, Fraction(7, 10), Fraction(4, 5), Fraction(99, 100)):
                yield panel, threshold


def _reconcile() -> Iterator[ExactRate]:
    for n in (1, 2, 3, 4):
        cases = [case for case in _panels() if len(case[0]) == n]
        wrong = sum(
            reconcile(list(panel), threshold).tau != brute_force(panel, threshold) for panel, threshold in cases
        )
        yield ExactRate(f"n={n}, {len(cases)} panels", Fraction(wrong, len(cases)), NEVER)


def _drift() -> Iterator[ExactRate]:
    """Operating points of equal sources against Bayes' rule, and their error rates against binomial sums."""
    for text in ("0.51", "0.7", "0.99"):
        r = Fraction(text)
        wrong = tried = 0
        for prior in (HALF, Fraction(1, 10)):
            for tau in range(8):
                for point in drift(tau, text, list(range(1, 13)), prior).points:
                    n = point.n
                    fpr = sum(comb(n, k) * (1 - r) ** k * r ** (n - k) for k in range(tau, n + 1))
                    right = abs(Fraction(point.fpr or 0.0) - fpr) <= fpr / 10**12
                    if point.posterior is not None:
                        odds = prior / (1 - prior) * (r / (1 - r)) ** (2 * tau - n)
                        right &= abs(Fraction(point.posterior) - odds / (1 + odds)) < Fraction(1, 10**9)
                    wrong, tried = wrong + (not right), tried + 1
        yield ExactRate(f"r={text}", Fraction(wrong, tried), NEVER)


PROMISES = (
    Promise(
        "pooling-posterior",
        "Of the items accepted at posterior 1 - alpha at most the share alpha is false, of those rejected at alpha at "
        "most alpha true.",
        "Reliabilities known, votes independent given the truth.",
        "METHODS §4, study pooling",
        "Few unreliable sources, unequal ones, extreme priors, alpha up to .49.",
        exact=_posterior,
        space=Space(
            {
                "reliability": ("0.501", "0.55", "0.6", "0.7", "0.8", "0.9", "0.99"),
                "n": (1, 2, 3, 4, 5, 8, 13, 25),
                "spread": ("0", "0.01", "0.05", "0.1", "0.2"),
                "prior": ("0.01", "0.1", "0.3", "0.5", "0.7", "0.99"),
                "level": ("0.001", "0.01", "0.05", "0.1", "0.2", "0.3", "0.4", "0.49"),
                "partial": ("0", "0.5"),
                "reference": (1, 2, 3),
            },
            _fits,
        ),
        exact_at=posterior_errors,
    ),
    Promise(
        "pooling-heldout",
        "Every one-sided bound of a held-out rate, and every two-sided interval of a reliability, errs with "
        "probability at most its level.",
        "Labelled items are independent draws.",
        "pooling.heldout, pooling.reliability",
        "Few items; thresholds that few items reach; six sources near chance fitted on ten items.",
        cells=(
            {"items": 20, "sources": 3, "accept": "0.8", "reject": "0.2"},
            {"items": 160, "sources": 2, "accept": "0.8", "reject": "0.2"},
            {"items": 60, "sources": 3, "accept": "0.95", "reject": "0.5"},
            {"items": 20, "sources": 6, "accept": "0.55", "reject": "0.45", "reliability": "0.51"},
        ),
        simulate=heldout_errors,
        space=Space(
            {
                "items": (6, 10, 20, 40, 80, 160),
                "sources": (1, 2, 3, 4, 6),
                "accept": ("0.55", "0.8", "0.95"),
                "reject": ("0.05", "0.2", "0.5"),
                "reliability": ("0.51", "0.6", "0.8", "0.95"),
            }
        ),
        effort=0.15,
        search=0.1,
        chunk=50,
    ),
    Promise(
        "pooling-reconcile",
        "A tau is reported exactly where a vote count says the same as the posterior threshold on every item.",
        "Symmetric errors, votes independent given the truth.",
        "METHODS §4, pooling.reconciliation",
        "All panels of up to four of six reliabilities, near each other and far apart, at four thresholds.",
        exact=_reconcile,
    ),
    Promise(
        "pooling-drift",
        "With equal reliabilities 'count >= tau' is the posterior threshold logit prior + (2 tau - n) logit r.",
        "Equal reliabilities, votes independent given the truth.",
        "METHODS §4, pooling.drift",
        "Reliabilities near 1/2 and near 1; tau from 0 to more than there are sources.",
        exact=_drift,
    ),
)


def _dependent(parameters: Parameters) -> Iterator[ExactRate]:
    yield from posterior_errors({"n": 12, "reliability": "0.8", "dependence": parameters["strength"]})


def _miscalibrated(parameters: Parameters) -> Iterator[ExactRate]:
    yield from posterior_errors({"n": 12, "reliability": "0.6", "miscalibration": parameters["strength"]})


def _short(rates: Iterator[ExactRate]) -> Iterator[ExactRate]:
    for found in rates:
        yield found._replace(cell=found.cell.split()[0])


def _dependence(parameters: Parameters) -> Iterator[ExactRate]:
    return _short(_dependent(parameters))


def _overstated(parameters: Parameters) -> Iterator[ExactRate]:
    return _short(_miscalibrated(parameters))


FAILING = (
    Failing(
        "dependent-votes", "pooling-posterior", "independent votes: 12 sources look at one latent variable, share",
        ("0", "0.1", "0.25", "0.5", "0.75"), exact_at=_dependence,
    ),
    Failing(
        "overstated-reliability", "pooling-posterior", "known reliabilities: every logit is taken at a multiple of",
        ("1", "1.5", "2", "4"), exact_at=_overstated,
    ),
)  # fmt: skip


def _mutant_posterior(broken: bool) -> Iterator[ExactRate]:
    """Three sources of .7, .8 and .9 and a prior of .1: accepted at posterior .9."""
    reliabilities, prior, false, accepted = [Fraction(x, 10) for x in (7, 8, 9)], Fraction(1, 10), NEVER, NEVER
    for votes in product((0, 1), repeat=3):
        if mutants.posterior_odds(votes, reliabilities, prior, priors=not broken) >= 9:
            true = math.prod((r if v else 1 - r for v, r in zip(votes, reliabilities, strict=True)), start=prior)
            wrong = math.prod((1 - r if v else r for v, r in zip(votes, reliabilities, strict=True)), start=1 - prior)
            false, accepted = false + wrong, accepted + true + wrong
    yield ExactRate("n=3 prior=.1", false / accepted if accepted else NEVER, Fraction(1, 10))


def _mutant_reconcile(broken: bool) -> Iterator[ExactRate]:
    cases = [case for case in _panels() if len(case[0]) == 3]
    wrong = sum(
        mutants.equivalent_count(panel, threshold, every=not broken) != brute_force(panel, threshold)
        for panel, threshold in cases
    )
    yield ExactRate("n=3", Fraction(wrong, len(cases)), NEVER)


def _mutant_drift(broken: bool) -> Iterator[ExactRate]:
    wrong = tried = 0
    for tau in range(5):
        for n in range(max(1, tau), 9):
            odds = Fraction(4) ** (2 * tau - n)
            found = mutants.threshold_log_odds(tau, n, 0.8, 0.5, slides=not broken)
            wrong, tried = wrong + (abs(found - math.log(odds)) > 1e-9), tried + 1
    yield ExactRate("r=.8", Fraction(wrong, tried), NEVER)


MUTANTS = (
    Mutant("prior-forgotten", "pooling-posterior", "posterior odds without the prior", _mutant_posterior),
    Mutant(
        "fitted-half", "pooling-heldout", "bounds from the items that reliabilities were fitted on",
        simulate=heldout_errors,
        cell={"items": 60, "sources": 10, "accept": "0.55", "reject": "0.45", "reliability": "0.51"},
    ),
    Mutant("one-item-per-count", "pooling-reconcile", "one item for each count is looked at", _mutant_reconcile),
    Mutant("threshold-stays", "pooling-drift", "the threshold of n = tau for every n", _mutant_drift),
)  # fmt: skip
