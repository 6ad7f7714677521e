"""Promises of JECS and its kin: the chord envelope's theorem, contamination among the selected.

The theorem and BH's and Storey's guarantees are enumerated on small grids over the extreme laws that they allow: the
contamination rate is linear in each null's law, so its maximum stands there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from typeone.engine.streams import generator
from typeone.engine.study import Cell, Columns
from typeone.levels import Level
from typeone.studies.jecs.parameters import LAWS
from typeone.studies.jecs.parameters import Parameters as StudyParameters
from typeone.studies.jecs.simulate import simulate as study
from typeone.verify import mutants
from typeone.verify.model import ExactRate, Failing, Key, Mutant, Parameters, Promise, Space, column
from typeone.verify.promises.conformal import compositions
from typeone_kernels.jecs import CHORD, MAX_P, STOREY, decide, make_plan, workspace

METHODS = ("max-p", "storey", "jecs")


# The theorem, by enumeration

Select = Callable[[Sequence[int]], set[int]]
"""From ranks of n items on the grid r / M to the selected items."""


def worst_gcr(n: int, M: int, laws: Sequence[Sequence[int]], selected: dict[tuple[int, ...], set[int]]) -> Fraction:
    """The largest contamination rate over every number of nulls, laws of nulls (in units of 1 / M) and clean ranks.

    ``selected`` says for every vector of ranks 1 .. M which items are selected.  Exact in int64 for n <= 4.
    """
    unit, worst = lcm(*range(1, n + 1)), Fraction(0)
    law = np.array(laws, np.int64)
    for nulls in range(1, n + 1):
        gcr = np.zeros((M,) * n, np.int64)
        for ranks, chosen in selected.items():
            gcr[tuple(r - 1 for r in ranks)] = unit * sum(i < nulls for i in chosen) // max(1, len(chosen))
        for _ in range(nulls):
            gcr = np.tensordot(gcr, law, axes=(0, 1))
        worst = max(worst, Fraction(int(gcr.max()), unit * M**nulls))
    return worst


def every_vector(n: int, M: int, select: Select) -> dict[tuple[int, ...], set[int]]:
    """The selection from every vector of ranks."""
    return {ranks: select(ranks) for ranks in product(range(1, M + 1), repeat=n)}


def attained(values: Sequence[int], r: int) -> int:
    """The largest attainable rank of ``values`` that is at most r."""
    return max((v for v in values if v <= r), default=0)


def theorem_laws(values: Sequence[int], M: int) -> list[list[int]]:
    """Extreme laws with F / G nondecreasing on (0, .8]: F = G from some value on; the rest of the mass at 1."""
    usable = [v for v in values if 5 * v <= 4 * M]
    laws = []
    for start in [*usable, M + 1]:
        cdf = [attained(values, r) if r >= start and 5 * r <= 4 * M else 0 for r in range(M)]
        cdf = [max(cdf[: r + 1]) for r in range(M)] + [M]
        laws.append(np.diff(cdf).tolist())
    return laws


def superuniform_laws(M: int) -> list[list[int]]:
    """Extreme super-uniform laws: at every value F either rises to it or stays."""
    laws = []
    for rises in product((0, 1), repeat=M - 1):
        cdf = [0]
        for r, rise in enumerate(rises, 1):
            cdf.append(r if rise else cdf[-1])
        laws.append(np.diff([*cdf, M]).tolist())
    return laws


def kernel_select(n: int, scores: Sequence[float], level: Fraction, method: int) -> Select:
    """A method's selection for one model with these sorted calibration scores: the code that real scores take."""
    plan = make_plan(n, [len(scores)], level)
    work = workspace(plan)
    work.scores[:] = scores

    def select(ranks: Sequence[int]) -> set[int]:
        work.ranks[0] = ranks
        decide(plan, work)
        return set(np.flatnonzero(work.selected[method]).tolist())

    return select


def tie_patterns(m: int) -> Iterator[tuple[list[float], list[int]]]:
    """Sorted calibration scores with every pattern of ties, and the attainable ranks."""
    for blocks in compositions(m):
        scores = np.repeat(np.arange(len(blocks), dtype=float), blocks).tolist()
        yield scores, [1, *(1 + end for end in np.cumsum(blocks).tolist())]


LEVELS = (Fraction(1, 10), Fraction(1, 2), Fraction(9, 10))


def theorem_errors(
    selector: Callable[..., Select], patterns: Sequence[tuple[list[float], list[int]]], n: int
) -> Iterator[ExactRate]:
    """The worst rate of a chord envelope at every level for calibration scores with given ties."""
    for scores, values in patterns:
        M = len(scores) + 1
        for level in LEVELS:
            select = selector(n, scores, values, level)
            usable = every_vector(n, M, select)
            rate = worst_gcr(n, M, theorem_laws(values, M), usable)
            yield ExactRate(f"n={n} M={M} ranks={values} level={level}", rate, level)


def _chord(n: int, scores: list[float], values: list[int], level: Fraction) -> Select:
    return kernel_select(n, scores, level, CHORD)


def _theorem() -> Iterator[ExactRate]:
    for n, m in ((1, 29), (2, 19), (3, 9)):
        yield from theorem_errors(_chord, [([float(i) for i in range(m)], list(range(1, m + 2)))], n)
    yield from theorem_errors(_chord, list(tie_patterns(4)), 3)


def bh_errors(selector: Callable[[int, int, Fraction], Select], name: str) -> Iterator[ExactRate]:
    """The worst false discovery rate over independent super-uniform p-values on grids of up to six values."""
    for n, M in ((1, 6), (2, 6), (3, 5)):
        for level in LEVELS:
            rate = worst_gcr(n, M, superuniform_laws(M), every_vector(n, M, selector(n, M, level)))
            yield ExactRate(f"{name} n={n} M={M} level={level}", rate, level)


def _bh() -> Iterator[ExactRate]:
    for name, method in (("max-p BH", MAX_P), ("max-p Storey-BH", STOREY)):
        yield from bh_errors(
            lambda n, M, level, method=method: kernel_select(n, [float(i) for i in range(M - 1)], level, method),  # type: ignore[misc]
            name,
        )


# Contamination among the selected, simulated by the study


def _study_cell(parameters: Parameters, key: Key, **more: Any) -> Cell:
    values = {name: value for name, value in parameters.items() if name not in ("level", "strength")}
    return Cell(0, StudyParameters(**{**more, **values}), (Level(parameters.get("level", "0.1")),), key)


def _gcp(found: Columns, methods: Sequence[str]) -> Columns:
    return {
        column(of.method, of.level): values
        for of, values in found.items()
        if of.measure == "gcp" and of.method in methods
    }


def ideal_errors(parameters: Parameters, shared: None, key: Key, first: int, count: int) -> Columns:
    """Contaminated share among the selected items of every method that promises to bound it."""
    return _gcp(study(_study_cell(parameters, key, family="ideal"), None, first, count), METHODS)


def _fits(parameters: Parameters) -> bool:
    try:
        _study_cell(parameters, (0, 0), family="ideal")
    except ValidationError:
        return False
    return True


_IDEAL: tuple[Parameters, ...] = (
    {"law": "t", "candidates": 1, "clean": "0", "level": "0.5"},
    {"law": "t", "candidates": 20, "clean": "0", "level": "0.1"},
    {"law": "t", "candidates": 20, "clean": "0", "level": "0.5"},
    {"law": "t", "candidates": 200, "clean": "0", "level": "0.1"},
    {"law": "t", "candidates": 20, "clean": "0.5", "level": "0.1", "shift": "6"},
    {"law": "t", "candidates": 100, "clean": "0.1", "level": "0.1", "shift": "6"},
    {"law": "t^2", "candidates": 100, "clean": "0.1", "level": "0.1", "shift": "6"},
    {"law": "mixture", "candidates": 100, "clean": "0.1", "level": "0.2", "shift": "4"},
    {"law": "t^c H(t)", "candidates": 100, "clean": "0.1", "level": "0.1", "pattern": "one", "shift": "6", "models": 2},
)

PROMISES = (
    Promise(
        "jecs-theorem",
        "The chord envelope's contamination rate is at most the level.",
        "Nulls' p-values independent of each other and of the rest; F/G nondecreasing on (0, .8].",
        "METHODS §2, Theorem",
        "Every extreme law of every number of nulls, every clean p-value, every pattern of ties of four scores.",
        exact=_theorem,
    ),
    Promise(
        "max-p-bh",
        "Max-p BH and max-p Storey-BH keep the contamination rate at most the level.",
        "Nulls' largest p-values super-uniform, independent of each other and of the rest.",
        "METHODS §2, jecs.methods",
        "Every extreme super-uniform law on grids of five and six values, up to three items.",
        exact=_bh,
    ),
    Promise(
        "jecs-ideal",
        "Max-p BH, max-p Storey-BH and JECS keep the contamination rate at most the level.",
        "Independent items; largest p-values of contaminated ones from t, t^2, t^3, mixtures, or independent models.",
        "METHODS §2, study jecs (ideal)",
        "One item; no clean item; strong clean items; F = t, where F/G is constant.",
        "fraction",
        cells=_IDEAL,
        simulate=ideal_errors,
        space=Space(
            {
                "law": LAWS,
                "candidates": (1, 2, 5, 10, 15, 20, 30, 50, 100, 200),
                "models": (1, 2, 3),
                "clean": ("0", "0.02", "0.05", "0.1", "0.2", "0.5", "0.9"),
                "shift": ("0.5", "1", "2", "4", "8"),
                "pattern": ("one", "each", "all"),
                "level": ("0.02", "0.1", "0.2", "0.5"),
            },
            _fits,
        ),
        effort=2.0,
        chunk=1000,
    ),
)


def _failing(**fixed: Any) -> Callable[[Parameters, Any, Key, int, int], Columns]:
    """The study's scores, with calibration shared by all candidates; ``strength`` is put where fixed says STRENGTH."""

    def simulate(parameters: Parameters, shared: None, key: Key, first: int, count: int) -> Columns:
        values = {name: parameters["strength"] if value == "STRENGTH" else value for name, value in fixed.items()}
        values |= {name: int(values[name]) for name in ("calibration", "candidates") if name in values}
        found = study(_study_cell(values, key), None, first, count)
        return _gcp(found, (*METHODS, "adafilter", "jecs-filter"))

    return simulate


FAILING = (
    Failing(
        "low-everywhere", "jecs-theorem", "F/G nondecreasing: 10 % of documents score lower under every model, in SDs",
        ("0", "1", "2", "3", "4", "6"), kind="fraction", effort=0.02, chunk=50,
        simulate=_failing(
            models=3, pattern="all", candidates=1000, calibration=1000, clean="0.1", shift="4", low_share="0.1",
            low_shift="STRENGTH",
        ),
    ),
    Failing(
        "correlated-models", "max-p-bh", "independent models (AdaFilter, filtered envelope): correlation of scores",
        ("0", "0.2", "0.4", "0.6", "0.8"), kind="fraction", effort=0.05, chunk=50,
        simulate=_failing(
            models=2, pattern="one", candidates=500, calibration=10000, clean="0", correlation="STRENGTH"
        ),
    ),
    Failing(
        "easier-calibration", "conformal-rank", "exchangeable: calibration items score higher, in SDs",
        ("0", "0.1", "0.25", "0.5", "1"), kind="fraction", effort=0.02, chunk=50,
        simulate=_failing(models=2, candidates=500, calibration=500, clean="0.3", miscalibration="STRENGTH"),
    ),
    Failing(
        "shared-calibration", "jecs-ideal", "independent p-values: all candidates use the same calibration scores, m =",
        ("10", "100", "499", "999"), kind="fraction", effort=0.05, chunk=100,
        simulate=_failing(models=1, pattern="all", candidates=20, clean="0", calibration="STRENGTH"),
    ),
)  # fmt: skip


def _mutant_chord(broken: bool) -> Iterator[ExactRate]:
    def selector(n: int, scores: list[float], values: list[int], level: Fraction) -> Select:
        M = len(scores) + 1

        def G(t: Fraction) -> Fraction:
            return Fraction(attained(values, int(t * M)), M)

        mistake = "no-plus-one" if broken else ""
        return lambda ranks: mutants.chord_select([Fraction(r, M) for r in ranks], level, G, mistake)

    yield from theorem_errors(selector, [([float(i) for i in range(9)], list(range(1, 11)))], 2)


def _mutant_storey(broken: bool) -> Iterator[ExactRate]:
    def selector(n: int, M: int, level: Fraction) -> Select:
        return lambda ranks: mutants.storey_select([Fraction(r, M) for r in ranks], level, plus_one=not broken)

    yield from bh_errors(selector, "Storey-BH")


def _mutant_tied(parameters: Parameters, shared: None, key: Key, first: int, count: int) -> Columns:
    """Nulls only, F = G, on the attainable ranks 1, 3 and 10 of 10: none lies between kappa = .32 and lambda = .64."""
    shares, values = np.empty(count), [1, 3, 10]

    def G(t: Fraction) -> Fraction:
        return Fraction(attained(values, int(t * 10)), 10)

    for i in range(count):
        ranks = generator(key, first + i).choice(values, parameters["n"], p=[0.1, 0.2, 0.7])
        mistake = "tied-width" if parameters["broken"] else ""
        p = [Fraction(int(r), 10) for r in ranks]
        shares[i] = bool(mutants.chord_select(p, Fraction(1, 10), G, mistake))
    return {column("contaminated", "0.1"): shares}


def _mutant_joint(parameters: Parameters, shared: None, key: Key, first: int, count: int) -> Columns:
    """Every item in one of two models; under the other one it looks clean."""
    shares = np.empty(count)
    for i in range(count):
        p: NDArray[np.float64] = generator(key, first + i).random((2, parameters["n"]))
        p[1] = p[1] ** 4
        shares[i] = float(mutants.joint_select(p, 0.1, largest=not parameters["broken"]).any())
    return {column("contaminated", "0.1"): shares}


MUTANTS = (
    Mutant("chord-no-plus-one", "jecs-theorem", "scale W / (n w)", _mutant_chord),
    Mutant(
        "chord-tied-width", "jecs-theorem", "w = lambda - kappa with tied scores",
        simulate=_mutant_tied, cell={"n": 40},
    ),
    Mutant("storey-no-plus-one", "max-p-bh", "pi0 = 2 #{p > 1/2} / n", _mutant_storey),
    Mutant(
        "smallest-p-value", "jecs-ideal", "the smallest p-value over the models",
        simulate=_mutant_joint, cell={"n": 20},
    ),
)  # fmt: skip
