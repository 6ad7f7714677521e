"""The certificate: which share of a generator's units do panels of each size decide as the population would?

Assumed: the E rows are independent draws from the evaluator population; the A units are independent draws from the
generator (or a fixed catalogue) and independent of the rows.  Votes on different units may depend on each other, but
only through the shared rows: nothing is assumed about how.

A unit *passes* at K when its whole two-sided Clopper–Pearson interval for the acceptance probability lies on one side
of θ and a panel of K errs with probability at most δ at the end nearest to θ.  *Familywise* intervals have level
η_E/A: all hold at once with probability 1 − η_E.  *Mass-controlled* ones have level η_E ξ_E: by Markov's inequality
the mass of units whose interval fails exceeds ξ_E with probability at most η_E, and ξ_E is subtracted.  The bound on
the generator's coverage holds for all sizes at once with probability 1 − η_E − η_G (a catalogue: 1 − η_E).

Source: Lago, Castellana, Nemše, *Aggregate Disambiguation Systems*, arXiv 2608.30805 (2026).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import SupportsIndex

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from typeone.counts import Counts, counts
from typeone.levels import LevelLike, number
from typeone.panels.arguments import count
from typeone.panels.options import DEFAULTS, Options, Terms
from typeone.panels.thresholds import most_allowed, most_unfavorable_share, needed_to_err


@dataclass(frozen=True, slots=True)
class Attack:
    """An adversary against every panel: a fixed or targeted share of the population, or flips after sampling."""

    fixed_share: Fraction = Fraction(0)
    targeted_share: Fraction = Fraction(0)
    panel_flips: int = 0

    def honest(self, share: Fraction) -> Fraction:
        """The greatest unfavorable share without the attack that leaves at most ``share`` with it."""
        if self.fixed_share == 1:
            return Fraction(-1)
        return (share - self.targeted_share - self.fixed_share) / (1 - self.fixed_share)


NO_ATTACK = Attack()


@dataclass(frozen=True, slots=True)
class Passing:
    """A unit passes at size i with at least accept[i], or at most reject[i], positive votes of E; shapes (G,).

    E + 1 and −1 mean that no count passes.

    >>> certify([40, 38, 2], 40).passing.accept
    array([41, 41, 41, 40, 40, 39, 38, 37])
    """

    evaluators: int
    accept: NDArray[np.int64]
    reject: NDArray[np.int64]

    def table(self) -> NDArray[np.bool_]:
        """Whether a count passes, shape (E + 1, G)."""
        return self.of(np.arange(self.evaluators + 1))

    def of(self, positives: NDArray[np.int64]) -> NDArray[np.bool_]:
        """The same for given counts (A,), shape (A, G)."""
        column = positives[:, None]
        found: NDArray[np.bool_] = (column >= self.accept) | (column <= self.reject)
        return found


def passing_counts(evaluators: int, units: int, terms: Terms, attack: Attack = NO_ATTACK) -> Passing:
    """Which counts of positive votes pass at each size of the grid, under an attack if one is given.

    The lower end of an interval is at least p when P(Bin(E, p) ≥ C) ≤ γ/2, and a panel's error at p is a binomial
    tail as well: both comparisons become one with a count.
    """
    half = terms.interval_level(units) / 2
    theta = Fraction(terms.theta)
    accept, reject = [], []
    # An upper end equal to θ does not lie below it: a strict comparison.
    against_theta = most_allowed(evaluators, theta, half, strict=True)
    for size in terms.grid.tolist():
        for accepting in (True, False):
            needed = needed_to_err(terms.theta, size, accepting=accepting) - attack.panel_flips
            share = attack.honest(most_unfavorable_share(size, needed, terms.delta))
            if accepting:
                borne = most_allowed(evaluators, min(share, 1 - theta), half)
                accept.append(evaluators - borne)
            else:
                reject.append(min(against_theta, most_allowed(evaluators, min(share, theta), half)))
    return Passing(evaluators, np.array(accept), np.array(reject))


@dataclass(frozen=True, slots=True)
class Certificate:
    """What is certified at each size of the grid; arrays have shape (G,).

    >>> found = certify([40] * 300, 40)
    >>> found.chosen, float(found.bound[-1].round(4))
    (11, 0.956)
    """

    terms: Terms
    units: int
    passing: Passing
    passes: NDArray[np.int64]
    share: tuple[Fraction, ...]
    """Passing units, weighted in a catalogue with weights."""
    bound: NDArray[np.float64]
    certified: NDArray[np.bool_]

    @property
    def chosen(self) -> int | None:
        """The smallest certified size; None means not certified, never a smaller promise."""
        return int(self.terms.grid[self.certified.argmax()]) if self.certified.any() else None

    def to_arrow(self) -> pa.Table:
        """One row per size: the counts that pass, passing units, their share, the bound and the verdict."""
        return pa.table(
            {
                "size": self.terms.grid,
                "pass_from": pa.array(self.passing.accept, mask=self.passing.accept > self.passing.evaluators),
                "pass_to": pa.array(self.passing.reject, mask=self.passing.reject < 0),
                "passes": self.passes,
                "share": [float(share) for share in self.share],
                "bound": self.bound,
                "certified": self.certified,
            }
        )


def certify(
    positives: Counts,
    evaluators: SupportsIndex,
    options: Options = DEFAULTS,
    *,
    weights: Sequence[LevelLike] | None = None,
) -> Certificate:
    """The certificate of a vote matrix, from the number of positive votes on each unit.

    positives : integers, shape (A,), each between 0 and ``evaluators`` (E).
    weights : of the units of a catalogue, exact as written and not negative, in any unit; equal if not given.

    Raises ValueError, naming the argument and the position, for counts out of range, bad options, and weights that
    are negative, all zero, or given without ``generator="catalogue"``.

    >>> found = certify([40] * 150 + [38] * 150, 40)
    >>> found.chosen, found.certified.tolist()
    (31, [False, False, False, False, False, False, True, True])
    """
    terms = Terms.of(options)
    E = count("evaluators", evaluators, 1, 10**9)
    of_unit = counts("positives", positives, 0, E, empty=False)
    if of_unit.ndim != 1:
        raise ValueError(f"positives: one count for each unit is needed, not an array of shape {of_unit.shape}")
    return certificate_of(of_unit, E, terms, exact_weights(weights, of_unit.size, terms), NO_ATTACK)


def certificate_of(
    positives: NDArray[np.int64], evaluators: int, terms: Terms, weights: list[Fraction] | None, attack: Attack
) -> Certificate:
    """``certify`` for checked arguments, under an attack."""
    units = positives.size
    rule = passing_counts(evaluators, units, terms, attack)
    matrix = rule.of(positives)
    passes = matrix.sum(axis=0)
    if weights is None:
        share = [Fraction(int(number), units) for number in passes]
    else:
        total = sum(weights)
        share = [sum((weights[a] for a in np.flatnonzero(column)), Fraction(0)) / total for column in matrix.T]
    return Certificate(
        terms,
        units,
        rule,
        passes,
        tuple(share),
        np.array([terms.bound(each, units) for each in share]),
        np.array([terms.certifies(each, units) for each in share]),
    )


def exact_weights(weights: Sequence[LevelLike] | None, units: int, terms: Terms) -> list[Fraction] | None:
    """Checked weights of a catalogue's units, or None for equal ones."""
    if weights is None:
        return None
    if terms.generator != "catalogue":
        raise ValueError("weights: only a fixed catalogue (generator='catalogue') has weights")
    if isinstance(weights, str) or not np.iterable(weights):
        raise ValueError(f"weights={weights!r}: a list of one weight for each unit is needed")
    exact: list[Fraction] = [number(f"weights[{i}]", weight) for i, weight in enumerate(weights)]
    if len(exact) != units:
        raise ValueError(f"weights: {units} units need as many weights, not {len(exact)}")
    for i, weight in enumerate(exact):
        if weight < 0:
            raise ValueError(f"weights[{i}]={weight}: a weight is not negative")
    if not any(exact):
        raise ValueError("weights: all are zero")
    return exact
