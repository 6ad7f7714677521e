"""SCF's study as a careful NumPy user writes it: vectorised over documents and sources, one partition at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from typeone.studies.scf.population import Population

Floats = NDArray[np.float64]


class NumpyStudy:
    """Same population, same roles, same measures as the study; documents sorted once, raw statistics computed once."""

    def __init__(self, population: Population, cap: float) -> None:
        bags = population.bags
        self.score, self.source, self.sizes = bags.score, bags.source, bags.sizes.astype(float)
        self.last_of_tie = np.searchsorted(-self.score, -self.score, side="right") - 1
        self.participants, self.pool, self.cap = population.participants, population.pool, cap
        start = np.concatenate([[0], np.cumsum(bags.sizes)[:-1]])
        order = np.argsort(self.source, kind="stable")
        grouped = self.score[order]
        place = np.arange(grouped.size) - np.repeat(start, bags.sizes)
        kept = np.maximum(1, bags.sizes // 2)
        top = np.where(place < np.repeat(kept, bags.sizes), grouped, 0.0)
        self.raw = {
            "mean": np.add.reduceat(grouped, start) / self.sizes,
            "max": np.maximum.reduceat(grouped, start),
            "min": np.minimum.reduceat(grouped, start),
            "ramia": np.add.reduceat(top, start) / kept,
        }

    def partition(self, role: NDArray[np.int8], levels: Floats) -> dict[str, tuple[float, Floats, Floats]]:
        """(AUROC, TPR, FPR) of the six methods for one partition (roles (S,): 0 target, 1 reference, 2 calibration)."""
        reference = role == 1
        weight = np.where(reference, 1 / self.sizes, 0.0)[self.source]
        K, N = reference.sum(), self.sizes[reference].sum()
        tail = (1 + N * np.cumsum(weight)[self.last_of_tie] / K) / (N + 1)
        fisher = np.bincount(self.source, -np.log(tail), self.sizes.size) / self.sizes
        scf = np.bincount(self.source, -np.log(np.maximum(tail, self.cap)), self.sizes.size) / self.sizes
        tests = self.pool[role[self.pool] == 0]
        found = {}
        for name, value in {"scf": scf, "fisher": fisher, **self.raw}.items():
            chosen = role[self.pool] == 2 if name in ("scf", "fisher") else role[self.pool] > 0
            found[name] = self._measures(value, tests, self.pool[chosen], levels)
        return found

    def _measures(
        self, value: Floats, tests: NDArray[np.int64], calibration: NDArray[np.int64], levels: Floats
    ) -> tuple[float, Floats, Floats]:
        positives, negatives = value[self.participants], value[tests]
        ranks = rankdata(np.concatenate([positives, negatives]))
        n, m = positives.size, negatives.size
        auroc = (ranks[:n].sum() - n * (n + 1) / 2) / (n * m)
        ordered = np.sort(value[calibration])
        p_positive, p_negative = (
            (1 + ordered.size - np.searchsorted(ordered, x, side="left")) / (ordered.size + 1)
            for x in (positives, negatives)
        )
        limit = levels[:, None] * (1 + 1e-12)
        return auroc, (p_positive <= limit).mean(axis=1), (p_negative <= limit).mean(axis=1)
