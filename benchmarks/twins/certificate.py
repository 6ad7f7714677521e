"""One repetition of a panel certificate: probabilities of acceptance, votes as counts, units that pass."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Design(NamedTuple):
    """E evaluators, A units with means drawn by ``weights``, and which counts pass at each size, (E + 1, G)."""

    evaluators: int
    units: int
    shared: float
    weights: Floats
    means: Floats
    passes: Ints


def counts(rng: np.random.Generator, p: Floats, evaluators: int, shared: float) -> Ints:
    """Positive votes on each unit (A,), evaluators sharing one uniform over units.

    Given the shared uniforms, those below p vote 1 with probability shared + (1 - shared) p, the others with
    (1 - shared) p: two binomial variates a unit.
    """
    lenient = np.searchsorted(np.sort(rng.random(evaluators)), p, side="left")
    chance = (1 - shared) * p
    return rng.binomial(lenient, shared + chance) + rng.binomial(evaluators - lenient, chance)


def repetition(rng: np.random.Generator, of: Design) -> Ints:
    """How many units pass at each size, (G,)."""
    kind = np.searchsorted(np.cumsum(of.weights)[:-1], rng.random(of.units), side="right")
    votes = counts(rng, of.means[kind], of.evaluators, of.shared)
    return np.bincount(votes, minlength=of.evaluators + 1) @ of.passes
