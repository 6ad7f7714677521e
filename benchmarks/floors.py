"""Floors: the least work that no implementation of each row avoids, done by NumPy as fast as NumPy does it.

A floor reads its inputs once, draws random numbers, or sorts where an order is needed, and does nothing else; where
there is a choice the cheaper one is taken, so that a ratio to a floor never flatters.  Buffers are passed in: a floor
pays for no memory.  Floors and twins are frozen: a faster kernel changes neither.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from typeone.engine.streams import generator

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def scf_partition(score: Floats, source: NDArray[np.uint32], tested: Floats) -> None:
    """Read every sorted document once, and sort the test sources' scores for each method.

    ``score``, ``source`` (D,) are the documents; ``tested`` (methods, sources) the statistics of the sources tested.
    Reading is the cheapest pass there is over both columns: a sum and a maximum.
    """
    score.sum()
    source.max()
    np.sort(tested, axis=1)


def jecs_repetition(key: tuple[int, int], repetition: int, lane: int, scores: Floats) -> None:
    """The same normals as the repetition draws, from the same stream, into ``scores`` (K, n + m)."""
    generator(key, repetition, lane).standard_normal(out=scores)


def conformal_ranks(calibration: Floats, candidates: Floats) -> None:
    """Two numpy sorts: of the calibration scores and of the candidates."""
    np.sort(calibration)
    np.sort(candidates)


def one_pass(values: NDArray[Any]) -> None:
    """Read an array once.  A maximum is the cheapest pass: it is vectorised and adds nothing up."""
    values.max()


def panel_curves(curves: Floats) -> None:
    """Write one error for every count C and size K: ``curves`` (M + 1, M)."""
    curves.fill(0.5)


def certificate_as_counts(rng: np.random.Generator, lenient: Ints, p: Floats, shared: float, evaluators: int) -> None:
    """The random numbers of a repetition that draws counts, by numpy's Generator.

    A unit's votes by shared rows are two binomial variates, given how many rows lie below its probability
    (``lenient`` (A,), p (A,)).  Before them come a uniform for each evaluator's row and one for each unit.
    """
    rng.random(evaluators)
    rng.random(p.size)
    rng.binomial(lenient, shared + (1 - shared) * p)
    rng.binomial(evaluators - lenient, (1 - shared) * p)


def certificate_as_votes(rng: np.random.Generator, votes: Floats, units: Floats, rows: Floats) -> None:
    """The random numbers of a repetition that draws votes: at least one uniform for each of E A votes.

    For comparison: drawing counts avoids it, so it is no floor.  ``votes`` (E, A), ``units`` (A,), ``rows`` (E,).
    """
    rng.random(out=rows)
    rng.random(out=units)
    rng.random(out=votes)


def read_and_write(inputs: tuple[NDArray[Any], ...], out: Floats) -> None:
    """Read every argument of a special function once and write one number for each."""
    for values in inputs:
        values.max()
    out.fill(0.5)


def auroc(scores: Floats) -> None:
    """One numpy sort of all scores."""
    np.sort(scores)
