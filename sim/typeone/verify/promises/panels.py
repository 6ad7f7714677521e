"""Promises of panel certificates: one unit, exactly; whole certificates by the panels study, rows shared or not."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from pydantic import ValidationError

from typeone.engine.streams import generator
from typeone.engine.study import Cell, Columns
from typeone.levels import Level
from typeone.panels.certificate import passing_counts
from typeone.panels.options import Options, Terms
from typeone.panels.thresholds import lower_tail, most_unfavorable_share, needed_to_err
from typeone.studies.panels.parameters import Parameters as StudyParameters
from typeone.studies.panels.simulate import simulate as study
from typeone.studies.panels.tables import Tables, tables_of
from typeone.verify import mutants
from typeone.verify.model import ExactRate, Failing, Key, Mutant, Parameters, Promise, Space, column


def _unit() -> Iterator[ExactRate]:
    """One unit at the worst acceptance probability at which panels err too often: both passing probabilities."""
    for eta in ("0.025", "0.2"):
        for delta in ("0.01", "0.3"):
            for E in (5, 20, 40):
                options = Options(delta=delta, method="familywise", generator="catalogue", eta_e=eta, grid=(3, 7, 47))
                terms = Terms.of(options)
                rule = passing_counts(E, 1, terms)
                half = Fraction(Level(eta)) / 2
                for i, size in enumerate((3, 7, 47)):
                    for accepting in (True, False):
                        needed = needed_to_err(terms.theta, size, accepting=accepting)
                        bad = most_unfavorable_share(size, needed, terms.delta)
                        if bad < 0:
                            continue
                        borne = int(E - rule.accept[i] if accepting else rule.reject[i])
                        rate = lower_tail(borne, E, min(bad, Fraction(1, 2))) if borne >= 0 else Fraction(0)
                        side = "accept" if accepting else "reject"
                        yield ExactRate(f"E={E} K={size} delta={delta} eta={eta} {side}", rate, half)


def edge(size: int, delta: str, theta: str) -> str:
    """A distance from theta at which panels of ``size`` just err more often than delta."""
    level = Level(theta)
    share = most_unfavorable_share(size, needed_to_err(level, size, accepting=True), Level(delta))
    return f"{max(float(1 - share) - float(level) - 1e-6, 0.0):.6f}"


def study_parameters(parameters: Parameters) -> StudyParameters:
    """The study's cell; ``clarity="edge"`` puts clear units where the largest panels just err too often."""
    values = dict(parameters)
    if values.get("clarity") == "edge":
        last = int(str(values.get("grid", "47")).split(",")[-1])
        values["clarity"] = edge(last, values.get("delta", "0.01"), values.get("theta", "1/2"))
    return StudyParameters(**values)


def _tables(parameters: Parameters) -> Tables:
    return tables_of(study_parameters(parameters))


def certificate_errors(parameters: Parameters, shared: Tables, key: Key, first: int, count: int) -> Columns:
    """Whether some size's lower bound exceeds the true coverage, by generator layer."""
    found = study(Cell(0, study_parameters(parameters), (), key), shared, first, count)
    return {column(of.method, of.level): values for of, values in found.items() if of.measure == "violation"}


def _fits(parameters: Parameters) -> bool:
    try:
        study_parameters(parameters)
    except ValidationError:
        return False
    return True


_FAMILY = {"control": "familywise", "clear": "1", "clarity": "edge"}
_CELLS: tuple[Parameters, ...] = (
    {"evaluators": 40, "units": 50, "shared": "1/2", "beta": "2/5"},
    {"evaluators": 40, "units": 50, "shared": "1/2", "beta": "2/5", "control": "familywise"},
    {"evaluators": 200, "units": 500, "shared": "1/2", "beta": "2/5"},
    {"evaluators": 40, "units": 50, "shared": "1", "concentration": "5"},
    {**_FAMILY, "evaluators": 40, "units": 1, "shared": "0", "accepting": "1", "grid": "47"},
    {**_FAMILY, "evaluators": 40, "units": 50, "shared": "0", "grid": "47"},
    {**_FAMILY, "evaluators": 40, "units": 50, "shared": "1", "grid": "47"},
    {**_FAMILY, "evaluators": 10, "units": 20, "shared": "0", "grid": "3", "delta": "0.3", "eta_e": "0.2"},
    {"evaluators": 20, "units": 5, "shared": "1", "clear": "1", "clarity": "edge", "grid": "3", "delta": "0.3",
     "eta_e": "0.3", "eta_g": "0.3", "xi_e": "0.5", "beta": "0.6"},
    {"evaluators": 40, "units": 50, "clear": "0.7", "unclear": "0", "clarity": "0.45", "shared": "0"},
)  # fmt: skip

PROMISES = (
    Promise(
        "panel-unit",
        "A unit whose panels err more often than delta passes, on either side, with probability at most gamma/2.",
        "Evaluators are independent draws from their population.",
        "METHODS §3, certificate",
        "The acceptance probability at which panels just err too often, where passing is most likely.",
        exact=_unit,
    ),
    Promise(
        "panel-certificate",
        "The certificate's lower bounds exceed the true coverage, at any size, with probability at most eta_E + eta_G "
        "(a catalogue: eta_E).",
        "Independent evaluators; units independent of each other and of the evaluators; votes dependent only through "
        "shared rows.",
        "METHODS §3, certificate",
        "Units at which panels just err too often; one unit; rows shared in all votes or none; large budgets.",
        cells=_CELLS,
        simulate=certificate_errors,
        share=_tables,
        space=Space(
            {
                "evaluators": (5, 10, 20, 40, 80),
                "units": (1, 2, 5, 20, 50),
                "shared": ("0", "1/2", "1"),
                "clear": ("0.1", "0.5", "0.7", "0.95", "1"),
                "clarity": ("edge", "0.1", "0.3", "0.4", "0.45"),
                "unclear": ("0", "0.02", "0.1"),
                "accepting": ("0", "1/2", "1"),
                "concentration": ("0", "5", "100"),
                "delta": ("0.01", "0.1", "0.3"),
                "grid": ("3", "47", "3,5,7,11,15,23,31,47"),
                "beta": ("0.6",),
                "theta": ("1/2", "11/20"),
                "control": ("mass-controlled", "familywise"),
                "eta_e": ("0.025", "0.2", "0.4"),
                "eta_g": ("0.025", "0.2", "0.4"),
                "xi_e": ("0.025", "0.2", "0.5"),
            },
            _fits,
        ),
        effort=1.0,
        chunk=1000,
    ),
)


def _clusters_share(parameters: Parameters) -> Tables | None:
    return _tables({"evaluators": 40, "units": 50, "shared": "0", "clear": "1", "clarity": "0.25"})


def _violations(shared: Tables, positives: Any, coverage: Any) -> Columns:
    passes = shared.passes[positives].sum(axis=1)
    return {column("exact", "0.05"): (shared.bound["exact"][passes] > coverage).any(axis=1).astype(float)}


def _clusters(parameters: Parameters, shared: Tables, key: Key, first: int, count: int) -> Columns:
    """Evaluators in groups that vote alike on every unit: 40 rows, of which fewer are independent."""
    size = int(parameters["strength"])
    positives = []
    for i in range(count):
        rng = generator(key, first + i)
        p = shared.law.draw(key, first + i, 50)
        positives.append(size * rng.binomial(40 // size, p))
    return _violations(shared, np.array(positives), shared.coverage)


def _attackers_share(parameters: Parameters) -> Tables | None:
    return _tables({"evaluators": 200, "units": 50, "shared": "1/2"})


def _attackers(parameters: Parameters, shared: Tables, key: Key, first: int, count: int) -> Columns:
    """Panels meet a corrupted share of the population that the certificate's evaluators did not contain."""
    f = float(parameters["strength"])
    positives = [generator(key, first + i).binomial(200, shared.law.draw(key, first + i, 50)) for i in range(count)]
    kept = shared.law.above(shared.reach_accept / (1 - f)) + shared.law.below((shared.reach_reject - f) / (1 - f))
    return _violations(shared, np.array(positives), kept)


FAILING = (
    Failing(
        "voting-alike", "panel-certificate", "independent evaluators: the 40 vote alike in groups of",
        ("1", "2", "4", "8", "20"), simulate=_clusters, share=_clusters_share, effort=0.1,
    ),
    Failing(
        "later-attackers", "panel-certificate", "one population: panels meet a corrupted share that voted as one",
        ("0", "0.01", "0.05", "0.1", "0.2"), simulate=_attackers, share=_attackers_share, effort=0.1,
    ),
)  # fmt: skip


def plain_terms(parameters: Parameters) -> mutants.PlainTerms:
    """The certificate of a mutant's cell."""
    return mutants.PlainTerms(
        parameters["evaluators"], parameters["units"], 3, 0.3, parameters["eta_e"], 0.001, parameters["xi"]
    )


def _mutant_unit(broken: bool) -> Iterator[ExactRate]:
    """The worst acceptance probability for a panel of three: just below the share at which it errs by .3."""
    terms = mutants.PlainTerms(20, 1, 3, 0.3, 0.05, 0.05, 0.0)
    p = Fraction(Level(edge(3, "0.3", "1/2"))) + Fraction(1, 2)
    law = [lower_tail(x, 20, p) - (lower_tail(x - 1, 20, p) if x else 0) for x in range(21)]
    rate = sum((law[x] for x in range(11, 21) if mutants.passes(x, terms, "plug-in" if broken else "")), Fraction(0))
    yield ExactRate("E=20 K=3 delta=.3 eta=.05", rate, Fraction(1, 40))


def _mutant_certificate(parameters: Parameters, shared: None, key: Key, first: int, count: int) -> Columns:
    """Every unit just misses delta: the coverage is 0, and any positive bound is a violation."""
    terms = plain_terms(parameters)
    p = 0.5 + float(Level(edge(3, "0.3", "1/2")))
    mistake = parameters["mistake"] if parameters["broken"] else ""
    over = np.empty(count)
    for i in range(count):
        positives = generator(key, first + i).binomial(terms.evaluators, p, terms.units)
        over[i] = mutants.certificate_bound(positives, terms, mistake) > 0
    return {column("bound above coverage", Level(str(terms.eta_e)) + Fraction(1, 1000)): over}


def _certificate(name: str, text: str, **cell: Any) -> Mutant:
    return Mutant(
        name, "panel-certificate", text, simulate=_mutant_certificate,
        cell={"mistake": name, "evaluators": 20, "units": 20, "eta_e": 0.05, "xi": 0.0, **cell},
    )  # fmt: skip


MUTANTS = (
    Mutant("unit-plug-in", "panel-unit", "the error at the observed share", _mutant_unit),
    _certificate("plug-in", "the error at the observed share"),
    _certificate("units-not-counted", "familywise intervals at eta_E, not eta_E / A"),
    _certificate("no-xi", "mass-controlled without subtracting xi", eta_e=0.4, xi=0.5),
)
