"""From a question about panels to quotas, lanes and blocks for the kernels; the exact answer beside it.

Accepting and rejecting are one problem: call the votes for the population's decision *favorable*.  A panel
errs when it holds fewer favorable votes than its quota: q(K) = ⌈θK⌉ against an accepting decision,
K − q(K) + 1 against a rejecting one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from typeone_kernels.panels import panel_errors, path_table, store_curves

LARGEST = 2**26 - 1  # votes or horizon; the kernels' coefficients are exact up to here
_LANES = 48
_WORK = 2**23  # doubles
VANISHED = 760.0  # e**-760 is below the smallest double


def quota(theta: Fraction, size: int) -> int:
    """⌈θK⌉, the least number of positive votes with which a group of ``size`` accepts."""
    return -(-theta.numerator * size // theta.denominator)


@dataclass(frozen=True)
class Quotas:
    """The least number of favorable votes a panel needs, for every size 0 … horizon.

    ``population`` is M for a census and 0 for a superpopulation; ``flips`` votes of the panel are corrupted.
    """

    theta: Fraction
    horizon: int
    population: int
    accepting: bool
    flips: int

    @cached_property
    def needed(self) -> NDArray[np.int64]:
        """All of them, shape (horizon + 1,)."""
        sizes = np.arange(self.horizon + 1)
        if max(self.theta.numerator * self.horizon, self.theta.denominator) < 2**62:
            accept = -(-self.theta.numerator * sizes // self.theta.denominator)
        else:
            accept = np.array([quota(self.theta, size) for size in range(self.horizon + 1)])
        found: NDArray[np.int64] = (accept if self.accepting else sizes - accept + 1) + self.flips
        return found

    def threshold(self) -> Fraction:
        """The share of favorable votes that the quotas approach."""
        return self.theta if self.accepting else 1 - self.theta

    def last_sizes(self, lanes: NDArray[np.float64], tolerance: float) -> NDArray[np.int64]:
        """For each lane a size, at most the horizon, from which on every error is at most e**-tolerance.

        Hoeffding's bound holds with and without replacement: with margin t of the favorable share over
        the threshold and b flips, e(K) ≤ exp(−2K(t − b/K)²) where tK ≥ b.
        """
        margin = np.maximum(lanes[0] / (self.population or 1) - float(self.threshold()) - 1e-12, 1e-12)
        half = (tolerance + 1e-6) / 2
        root = (np.sqrt(half) + np.sqrt(half + 4 * margin * self.flips)) / (2 * margin)
        last: NDArray[np.int64] = np.minimum(np.ceil(root**2) + 1, self.horizon).astype(np.int64)
        return last

    def exhausted(self, lanes: NDArray[np.float64]) -> NDArray[np.int64]:
        """For each lane a size, at most the horizon, from which on the error is 0, as far as counting tells.

        A census runs out of unfavorable votes: an erring panel would need more of them than there are.
        """
        if not self.population:
            return np.full(lanes.shape[1], self.horizon)
        erring = np.arange(1, self.horizon + 1) - self.needed[1:] + 1
        last: NDArray[np.int64] = np.clip(np.searchsorted(erring, lanes[2], side="right") + 1, 1, self.horizon)
        return last

    def error(self, favorable: Fraction | np.int64, size: int) -> Fraction:
        """The error at one size for ``favorable`` votes (census) or share: exact, O(size) long integers."""
        accept = quota(self.theta, size)
        needed = (accept if self.accepting else size - accept + 1) + self.flips
        if needed > size:
            return Fraction(1)
        weight = int(favorable.numerator)
        if self.population:
            others, total = self.population - weight, comb(self.population, size)
            fewest = max(0, size - others)
            ways = comb(weight, fewest) * comb(others, size - fewest)
        else:
            others, total = int(favorable.denominator) - weight, int(favorable.denominator) ** size
            fewest = 0 if others else size
            ways = others ** (size - fewest) * weight**fewest
        erring = 0
        for x in range(fewest, needed):
            erring += ways
            if self.population:
                ways = ways * (weight - x) * (size - x) // ((x + 1) * (others - size + x + 1))
            else:
                ways = ways * (size - x) * weight // ((x + 1) * others)
        return Fraction(erring, total)


@dataclass(frozen=True)
class Question:
    """Units that share their quotas: their positions among all units, and their favorable votes or shares."""

    quotas: Quotas
    units: NDArray[np.intp]
    favorable: NDArray[np.int64] | list[Fraction]

    def lanes(self) -> NDArray[np.float64]:
        """What ``panel_errors`` wants, shape (4, units): favorable and other weight, high and low parts."""
        if isinstance(self.favorable, np.ndarray):
            zero = np.zeros(self.units.size)
            return np.array([self.favorable, zero, self.quotas.population - self.favorable, zero], np.float64)
        return np.array([[*_split(g), *_split(1 - g)] for g in self.favorable]).reshape(-1, 4).T


def _split(exact: Fraction) -> tuple[float, float]:
    high = float(exact)
    return high, float(exact - Fraction(high))


class Block(NamedTuple):
    """Some units of a question, their errors with row K for size K, and how many of these rows decide.

    Beyond the deciding rows every error keeps the tolerance, beyond the last row it has vanished or does so too.
    """

    places: NDArray[np.intp]
    errors: NDArray[np.float64]
    deciding: int


def curve_blocks(question: Question, tolerance: float, *, whole: bool) -> Iterator[Block]:
    """Error curves in blocks, up to where they keep e**-tolerance; ``whole``: to where they vanish.

    The next block overwrites the errors.
    """
    quotas, lanes = question.quotas, question.lanes()
    exhausted = quotas.exhausted(lanes)
    deciding = np.minimum(quotas.last_sizes(lanes, tolerance), exhausted)
    last = np.minimum(quotas.last_sizes(lanes, VANISHED), exhausted) if whole else deciding
    table = path_table(quotas.needed, quotas.population)
    order = np.argsort(-last, kind="stable")
    lanes, last, deciding = lanes[:, order], last[order], deciding[order]
    width = min(_LANES, max(1, _WORK // int(2 * last.max(initial=0) + 2)))
    starts = np.arange(0, order.size, width)
    most = np.maximum.reduceat(deciding, starts) + 1 if order.size else starts
    buffer = np.empty(2 * (last.max(initial=0) + 1) * width)
    for at, rows, of_them in zip(starts.tolist(), (last[starts] + 1).tolist(), most.tolist(), strict=True):
        places = order[at : at + width]
        work = buffer[: 2 * rows * places.size].reshape(2, rows, places.size)
        errors = panel_errors(lanes[:, at : at + width].copy(), quotas.needed, table, quotas.population, work)
        yield Block(places, errors, of_them)


def error_curves(questions: list[Question], horizon: int) -> NDArray[np.float64]:
    """Error curves of all units of some questions, shape (units, horizon)."""
    result = np.empty((sum(question.units.size for question in questions), horizon))
    for question in questions:
        for places, errors, _ in curve_blocks(question, VANISHED, whole=True):
            store_curves(errors, question.units[places], result)
    return result
