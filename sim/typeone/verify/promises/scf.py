"""Promises of SCF and its comparators: levels over random partitions, and all partitions of five sources.

An exchangeable law of sources is a mixture of pools of given sources in random order, so random partitions of fixed
pools, the worst of which is looked for, lose nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from typeone import scf
from typeone.engine.streams import generator
from typeone.engine.study import Cell, Columns
from typeone.levels import Level
from typeone.scf.bags import Bags
from typeone.scf.statistics import BUILT_IN
from typeone.studies.scf.parameters import Parameters as StudyParameters
from typeone.studies.scf.population import Population, from_bags
from typeone.studies.scf.simulate import simulate as study
from typeone.verify import mutants
from typeone.verify.model import ExactRate, Failing, Key, Mutant, Parameters, Promise, Space, column

DEFAULTS = {
    "K": 3, "L": 9, "tests": 4, "least": 1, "most": 4, "law": "normal", "tau": "1", "cap": "0.05",
    "smoothing": "document", "rho": "0.5", "levels": "0.1,0.3,0.75", "pool": 1,
}  # fmt: skip
LAWS = ("normal", "cauchy", "two", "three", "constant", "one odd")


def attainable(t: Fraction, m: int) -> Fraction:
    """The largest rate that is possible at level t with m calibration sources."""
    return Fraction(math.floor(t * (m + 1)), m + 1)


def documents(p: Parameters, rng: np.random.Generator, sources: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Scores and source codes (D,) of ``sources`` null sources under a cell's law."""
    sizes = rng.integers(p["least"], p["most"], sources, endpoint=True)
    codes = np.repeat(np.arange(sources), sizes)
    law = p["law"]
    if law in ("two", "three"):
        return rng.integers(0, 2 if law == "two" else 3, codes.size).astype(np.float64), codes
    if law in ("constant", "one odd"):
        return np.where(codes == 0, 1.0, 0.0) if law == "one odd" else np.zeros(codes.size), codes
    noise = rng.standard_cauchy(codes.size) if law == "cauchy" else rng.standard_normal(codes.size)
    return float(Level(p["tau"])) * rng.standard_normal(sources)[codes] + noise, codes


def population(parameters: Parameters) -> Population:
    """A fixed pool of K + L + tests null sources, one participant beside it (the study needs one)."""
    p = {**DEFAULTS, **parameters}
    sources = p["K"] + p["L"] + p["tests"]
    score, codes = documents(p, np.random.Generator(np.random.Philox(p["pool"])), sources + 1)
    taking_part = np.arange(sources + 1) == sources
    bags = Bags.of(score, codes, pa.array(np.arange(sources + 1)))
    return from_bags(bags, taking_part, ~taking_part, study_parameters(p))


def study_parameters(p: Parameters) -> StudyParameters:
    """The study's cell for a pool of our own."""
    return StudyParameters(
        reference=p["K"], calibration=p["L"], cap=p["cap"], smoothing=p["smoothing"], rho=p["rho"]
    )  # fmt: skip


def level_errors(parameters: Parameters, shared: Population, key: Key, first: int, count: int) -> Columns:
    """Share of null sources rejected, by method and level, over random partitions of the pool."""
    p = {**DEFAULTS, **parameters}
    levels = tuple(Level(text) for text in p["levels"].split(","))
    found = study(Cell(0, study_parameters(p), levels, key), shared, first, count)
    return {
        column(f"{of.method} t={of.level}", attainable(Level(of.level), calibrated(of.method, p["K"], p["L"]))): values
        for of, values in found.items()
        if of.measure == "fpr"
    }


def calibrated(method: str, K: int, L: int) -> int:
    """Sources a method calibrates on: SCF and Fisher give K of them to the reference."""
    return L if method in ("scf", "fisher") else K + L


TINY: dict[str, list[list[float]]] = {
    "all different": [[5, 1], [4], [3, 2.5], [2], [0.5, 0.2]],
    "all equal": [[1], [1, 1], [1], [1], [1]],
    "two values": [[1, 0], [1], [0, 0], [0], [1, 1]],
    "equal means": [[0.1, 0.2, 0.3], [0.2], [0.3, 0.2, 0.1], [0.2, 0.2], [0.15, 0.25]],
    "one odd": [[9, 9], [0], [0, 0], [0], [0]],
}


def roles_of(sources: int, K: int) -> Iterator[list[str]]:
    """Every partition into K reference sources, one target and calibration sources."""
    for reference in combinations(range(sources), K):
        for target in set(range(sources)) - set(reference):
            yield [
                "reference" if i in reference else "target" if i == target else "calibration" for i in range(sources)
            ]


def tiny_table(bags: list[list[float]], roles: list[str]) -> dict[str, list[Any]]:
    """Documents in a user's table."""
    rows = [(i, s, roles[i]) for i, bag in enumerate(bags) for s in bag]
    return dict(zip(("source", "score", "role"), map(list, zip(*rows, strict=True)), strict=True))


def _enumerated() -> Iterator[ExactRate]:
    """All partitions of five sources through the user's own command, at every attainable level."""
    for method in BUILT_IN:
        for name, bags in TINY.items():
            for K in (1, 2):
                options = scf.Options(method=method)
                p = [
                    scf.apply(tiny_table(bags, roles), role="role", options=options).p_exact[0]
                    for roles in roles_of(len(bags), K)
                ]
                m = calibrated(method, K, len(bags) - 1 - K)
                for r in range(1, m + 1):
                    t = Fraction(r, m + 1)
                    rate = Fraction(sum(value <= t for value in p), len(p))
                    yield ExactRate(f"{method} {name} K={K} t={t}", rate, t)


def _fits(p: Parameters) -> bool:
    return bool(p["least"] <= p["most"])


_HARD: tuple[Parameters, ...] = (
    {"K": 1, "L": 1, "tests": 1, "levels": "0.5,0.9"},
    {"K": 1, "L": 1, "tests": 1, "law": "two", "levels": "0.5,0.9"},
    {"K": 1, "L": 19, "tests": 1, "most": 1, "levels": "0.05,0.5"},
    {"K": 2, "L": 19, "tests": 30, "most": 16, "levels": "0.05,0.5"},
    {"K": 5, "L": 59, "tests": 84, "least": 16, "most": 16, "levels": "0.05,0.2"},
    {"K": 3, "L": 9, "law": "constant"},
    {"K": 3, "L": 9, "law": "one odd"},
    {"K": 3, "L": 9, "law": "three", "smoothing": "source", "cap": "0.3"},
    {"K": 1, "L": 9, "law": "cauchy", "smoothing": "1/1000000", "cap": "0"},
    {"K": 1, "L": 9, "law": "cauchy", "smoothing": "1000", "cap": "0.9", "rho": "0.99"},
    {"K": 3, "L": 99, "tests": 50, "levels": "0.01,0.99", "tau": "0"},
)

PROMISES = (
    Promise(
        "scf-level",
        "A source that did not take part is rejected at level t with probability at most floor(t(m+1))/(m+1); m is L "
        "for SCF and Fisher, K + L for Mean, Max, Min and RaMIA.",
        "Target and calibration sources, bag sizes included, exchangeable given the reference sources.",
        "METHODS §1",
        "One calibration source; ties of all, of two values; bags of 1 to 16; extreme caps, smoothings and levels; "
        "all partitions of five sources are enumerated through the user's command.",
        "fraction",
        cells=_HARD,
        simulate=level_errors,
        share=population,
        exact=_enumerated,
        space=Space(
            {
                "K": (1, 2, 3, 5, 10, 25),
                "L": (1, 2, 4, 9, 19, 39, 59),
                "tests": (1, 4, 20),
                "least": (1, 2, 4, 16),
                "most": (1, 2, 4, 16),
                "law": LAWS,
                "tau": ("0", "0.3", "1", "3"),
                "pool": tuple(range(1, 9)),
                "cap": ("0", "0.01", "0.05", "0.2", "0.5", "0.9"),
                "levels": ("0.05,0.5", "0.1,0.3,0.75", "0.2,0.95"),
                "smoothing": ("document", "source", "1/1000", "10"),
                "rho": ("0.1", "0.5", "0.9"),
            },
            _fits,
        ),
        effort=2.0,
        chunk=2000,
    ),
)


def _shifted(strength: str, most: int) -> tuple[dict[str, Any], Population]:
    """Targets that took no part but differ from the controls: they stand where the study has participants."""
    p = {**DEFAULTS, "K": 20, "L": 39, "tests": 1, "least": 8, "most": 8}
    rng = np.random.Generator(np.random.Philox(1))
    sources, targets = 60, 200
    sizes = np.where(np.arange(sources + targets) < sources, 8, most)
    codes = np.repeat(np.arange(sizes.size), sizes)
    baseline = rng.standard_normal(sizes.size) + np.where(np.arange(sizes.size) < sources, 0.0, float(strength))
    bags = Bags.of(baseline[codes] + rng.standard_normal(codes.size), codes, pa.array(np.arange(sizes.size)))
    taking_part = np.arange(sizes.size) >= sources
    return p, from_bags(bags, taking_part, ~taking_part, study_parameters(p))


def _other_rates(p: dict[str, Any], shared: Population, key: Key, first: int, count: int) -> Columns:
    found = study(Cell(0, study_parameters(p), (Level("0.05"),), key), shared, first, count)
    return {column(of.method, "0.05"): values for of, values in found.items() if of.measure == "tpr"}


def _drifted_share(parameters: Parameters) -> tuple[dict[str, Any], Population]:
    return _shifted(parameters["strength"], 8)


def _longer_share(parameters: Parameters) -> tuple[dict[str, Any], Population]:
    return _shifted("0", int(parameters["strength"]))


def _drifted(parameters: Parameters, shared: Any, key: Key, first: int, count: int) -> Columns:
    p, of = shared
    return _other_rates(p, of, key, first, count)


FAILING = (
    Failing(
        "shifted-targets", "scf-level", "exchangeable: targets' baselines lie higher, in SDs of the controls'",
        ("0", "0.25", "0.5", "1", "2"), simulate=_drifted, kind="fraction", share=_drifted_share, effort=0.05,
    ),
    Failing(
        "other-bag-sizes", "scf-level", "bag sizes exchangeable: controls have 8 documents, targets",
        ("1", "4", "8", "16", "64"), simulate=_drifted, kind="fraction", share=_longer_share, effort=0.05,
    ),
)  # fmt: skip


def _mutant_level(parameters: Parameters, shared: None, key: Key, first: int, count: int) -> Columns:
    """The tie-heavy cells of scf-level on plain procedures: one mistake, named by ``mistake``, or none."""
    p = {**DEFAULTS, **parameters}
    K, L = p["K"], p["L"]
    errors = {t: np.zeros(count) for t in p["levels"].split(",")}
    for i in range(count):
        rng = generator(key, first + i)
        score, codes = documents(p, rng, K + L + 1)
        bags = [score[codes == s] for s in range(K + L + 1)]
        value = mutants.scf_p_value(bags[:K], bags[K:-1], bags[-1], p["mistake"] if p["broken"] else "")
        for t in errors:
            errors[t][i] = value <= Fraction(t)
    return {column(f"t={t}", attainable(Fraction(t), L)): values for t, values in errors.items()}


def _scf(name: str, text: str, **cell: Any) -> Mutant:
    return Mutant(name, "scf-level", text, simulate=_mutant_level, cell={"mistake": name, **cell}, most=16384)


_LARGE = {"least": 16, "most": 16, "tau": "0"}

MUTANTS = (
    _scf("no-plus-one", "p = #{calibration >= target} / L", K=2, L=9, levels="0.12"),
    _scf("strict-inequality", "p = (1 + #{calibration > target}) / (L + 1)", K=2, L=9, law="two", levels="0.1"),
    _scf("overlap", "calibration sources are the reference sources too", K=3, L=3, levels="0.25,0.5", **_LARGE),
)
