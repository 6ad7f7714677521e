"""One batch: certificates from simulated votes, or panels under attack."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from typeone.engine.study import Cell, Column, Columns
from typeone.panels.options import decimal
from typeone.studies.panels.attacks import attacked
from typeone.studies.panels.parameters import Parameters
from typeone.studies.panels.tables import LAYERS, Tables, tables_of
from typeone_kernels.certificates import vote_histograms

BATCH = 2**20  # acceptance probabilities alive together


def share(cell: Cell) -> Tables | None:
    """The tables of a certificate cell; None for an attack."""
    p: Parameters = cell.parameters
    return tables_of(p) if p.attack == "none" else None


def simulate(cell: Cell, shared: Tables | None, first: int, count: int) -> Columns:
    """Measures of repetitions ``first`` .. ``first + count - 1``, one value for each."""
    if shared is None:
        return attacked(cell, first, count)
    p: Parameters = cell.parameters
    width = max(1, BATCH // p.units)
    starts = range(first, first + count, width)
    batches = [_counted(cell, shared, start, min(width, first + count - start)) for start in starts]
    passes, good = (np.concatenate(part) for part in zip(*batches, strict=True))
    return dict(_columns(p, shared, passes, good))


def _counted(cell: Cell, shared: Tables, first: int, count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Units that pass, and units on which panels truly err at most δ, each shape (count, G)."""
    p: Parameters = cell.parameters
    chance = np.array([shared.law.draw(cell.key, first + i, p.units) for i in range(count)])
    histograms = np.empty((count, p.evaluators + 1), np.int64)
    vote_histograms(np.array(cell.key, np.uint64), first, chance, float(p.shared), histograms)
    good = np.stack(
        [
            ((chance >= accept) | (chance <= reject)).sum(axis=1)
            for accept, reject in zip(shared.reach_accept, shared.reach_reject, strict=True)
        ],
        axis=1,
    )
    return histograms @ shared.passes, good


def _columns(
    p: Parameters, shared: Tables, passes: NDArray[np.int64], good: NDArray[np.int64]
) -> Iterator[tuple[Column, NDArray[np.float64]]]:
    risk = decimal(p.eta_e + p.eta_g)
    for layer in LAYERS:
        bound = shared.bound[layer][passes]
        certified = passes >= shared.enough[layer]
        some = certified.any(axis=1)
        yield Column(layer, "violation", risk), (bound > shared.coverage).any(axis=1).astype(float)
        yield Column(layer, "certified"), some.astype(float)
        yield Column(layer, "chosen_size"), np.where(some, shared.sizes[certified.argmax(axis=1)], np.nan)
        yield Column(layer, "bound"), bound.max(axis=1)
        if layer in shared.certified:
            yield Column(layer, "certified_exactly"), np.full(some.size, shared.certified[layer])
    # The same units as a fixed catalogue: passing share − ξ against their own true share, in integers.
    xi = p.terms("catalogue").xi_e
    excess = (passes - good).max(axis=1) > math.floor(xi * p.units)
    yield Column("catalogue", "violation", p.eta_e.text), excess.astype(float)
    yield Column("generator", "coverage"), np.full(excess.size, shared.coverage.max())
