"""SCF's study, vectorised over documents and sources, one partition at a time."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
UNITS = 2.0**40  # evidence is rounded to multiples of 1 / UNITS, so that equal means are equal integers


class Sources(NamedTuple):
    """Documents by descending score with their source codes, (D,), bag sizes (S,), and who is who (source codes)."""

    score: Floats
    source: Ints
    sizes: Ints
    participants: Ints
    pool: Ints


class Found(NamedTuple):
    """2U of one method, and how many participants and null tests it rejects at each level (T,)."""

    twice_u: int
    true: Ints
    false: Ints


class NumpyStudy:
    """What no partition changes is computed once: the documents' order, tie blocks and the raw statistics."""

    def __init__(self, sources: Sources, cap: float) -> None:
        self.sources = sources
        score, source, sizes = sources.score, sources.source, sources.sizes
        self.last_of_tie = np.searchsorted(-score, -score, side="right") - 1
        self.unit = math.lcm(*np.unique(sizes).tolist())
        self.share = self.unit // sizes
        self.cap = np.rint(-np.log(cap) * UNITS)
        start = np.concatenate([[0], np.cumsum(sizes)])
        bags = np.split(score[np.argsort(source, kind="stable")], start[1:-1])
        kept = np.maximum(1, sizes // 2)
        self.raw = {
            "mean": np.array([math.fsum(bag) / bag.size for bag in bags]),
            "max": np.array([bag[0] for bag in bags]),
            "min": np.array([bag[-1] for bag in bags]),
            "ramia": np.array([math.fsum(bag[:k]) / k for bag, k in zip(bags, kept, strict=True)]),
        }

    def statistics(self, role: NDArray[np.int8]) -> dict[str, Ints | Floats]:
        """Every method's statistic of every source, (S,): integers for SCF and Fisher, so that ties are exact.

        ``role`` (S,): 1 for reference sources.
        """
        source, sizes = self.sources.source, self.sources.sizes
        reference = role == 1
        weight = np.where(reference, self.share, 0)[source]
        K, N = int(reference.sum()), int(sizes[reference].sum())
        above = np.cumsum(weight)[self.last_of_tie]
        tail = (K * self.unit + N * above) / (K * self.unit * (N + 1))
        evidence = np.rint(-np.log(tail) * UNITS)
        fisher = np.bincount(source, evidence, sizes.size).astype(np.int64) * self.share
        scf = np.bincount(source, np.minimum(evidence, self.cap), sizes.size).astype(np.int64) * self.share
        return {"scf": scf, "fisher": fisher, **self.raw}

    def partition(self, role: NDArray[np.int8], levels: list[tuple[int, int]]) -> dict[str, Found]:
        """The six methods on one partition (roles: 0 null test, 1 reference, 2 calibration), levels as fractions."""
        pool = self.sources.pool
        pool_role = role[pool]
        tests = pool[pool_role == 0]
        found = {}
        for name, value in self.statistics(role).items():
            chosen = pool_role == 2 if name in ("scf", "fisher") else pool_role > 0
            found[name] = _measures(value[self.sources.participants], value[tests], value[pool[chosen]], levels)
        return found


def _measures(
    positives: Ints | Floats, negatives: Ints | Floats, calibration: Ints | Floats, levels: list[tuple[int, int]]
) -> Found:
    """p <= a/b means that fewer than floor(a (m + 1) / b) calibration sources are at or above."""
    ordered = np.sort(negatives)
    below = np.searchsorted(ordered, positives, side="left")
    through = np.searchsorted(ordered, positives, side="right")
    threshold = np.sort(calibration)
    cuts = [a * (calibration.size + 1) // b for a, b in levels]
    true = [int((positives > threshold[-cut]).sum()) if cut else 0 for cut in cuts]
    false = [int((negatives > threshold[-cut]).sum()) if cut else 0 for cut in cuts]
    return Found(int(below.sum() + through.sum()), np.array(true), np.array(false))
