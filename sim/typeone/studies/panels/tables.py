"""What all repetitions of a certificate cell share: which counts pass, bounds by number of passes, the truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from typeone.panels.certificate import passing_counts
from typeone.panels.design import certification_of_counts, failures_borne
from typeone.panels.options import Terms
from typeone.panels.thresholds import most_unfavorable_share, needed_to_err
from typeone.studies.panels.generator import Law
from typeone.studies.panels.parameters import Parameters

LAYERS: tuple[Literal["exact", "hoeffding"], ...] = ("exact", "hoeffding")


@dataclass(frozen=True, slots=True)
class Tables:
    """Arrays over the counts 0 … E, the numbers of passing units 0 … A, and the grid (G,).

    passes : (E + 1, G), whether a unit with so many positive votes passes; 0 or 1.
    bound : by layer (A + 1,), the lower bound for each number of passing units.
    enough : by layer, the least number of passing units that certifies a size (A + 1: none).
    reach_accept, reach_reject : (G,), the least p ≥ θ and the greatest p < θ at which a panel errs at most δ.
    coverage : (G,), the true share of the generator's units on which a panel errs with probability at most δ.
    certified : by layer, the exact probability of a certificate; empty where rows are shared or sizes not nested.
    """

    law: Law
    sizes: NDArray[np.int64]
    passes: NDArray[np.int64]
    bound: Mapping[str, NDArray[np.float64]]
    enough: Mapping[str, int]
    reach_accept: NDArray[np.float64]
    reach_reject: NDArray[np.float64]
    coverage: NDArray[np.float64]
    certified: Mapping[str, float]


def tables_of(p: Parameters) -> Tables:
    """The tables of a certificate cell."""
    law = Law.of(p)
    terms = p.terms("exact")
    rule = passing_counts(p.evaluators, p.units, terms)
    accept, reject = _reach(terms)
    bound: dict[str, NDArray[np.float64]] = {}
    enough: dict[str, int] = {}
    certified: dict[str, float] = {}
    for layer in LAYERS:
        of_layer = p.terms(layer)
        bound[layer] = np.array([of_layer.bound(Fraction(m, p.units), p.units) for m in range(p.units + 1)])
        borne = failures_borne(p.units, of_layer)
        enough[layer] = p.units - borne
        if p.shared == 0:
            chance = certification_of_counts(law.counts(p.evaluators), p.units, of_layer).any_size
            if chance is not None:
                certified[layer] = chance
    return Tables(
        law,
        terms.grid,
        rule.table().astype(np.int64),
        bound,
        enough,
        accept,
        reject,
        law.above(accept) + law.below(reject),
        certified,
    )


def _reach(terms: Terms) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    theta = Fraction(terms.theta)
    accept, reject = [], []
    for size in terms.grid.tolist():
        unfavorable = [
            most_unfavorable_share(size, needed_to_err(terms.theta, size, accepting=accepting), terms.delta)
            for accepting in (True, False)
        ]
        accept.append(float(max(theta, 1 - unfavorable[0])))
        reject.append(min(float(unfavorable[1]), float(np.nextafter(float(theta), 0.0))))
    return np.array(accept), np.array(reject)
