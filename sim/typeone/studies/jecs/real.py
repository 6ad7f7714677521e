"""Random splits of a score file: calibration and candidates, with the truth known.

The items that every model was trained on are one exchangeable pool.  Each split draws the calibration items from it
and leaves the rest to the candidates, so that the calibration items of the file are candidates too, in turn.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from typeone import tables
from typeone.groups import constant_within
from typeone.jecs.scores import is_candidate
from typeone.studies.jecs.parameters import Parameters
from typeone.studies.jecs.scores import tie_key
from typeone_kernels.streams import STATE_WORDS, draw_subset, open_stream

_SPLIT_LANE = 0


@dataclass(frozen=True, slots=True)
class Pool:
    """Scores (K, N) by item in the order of their names, membership of any model (N,), and what a split draws.

    everywhere : positions of items that all models were trained on; m calibration items are drawn from them, and n of
    the items left are candidates.  correlation : mean over pairs of models, among clean items.
    """

    scores: NDArray[np.float64]
    contaminated: NDArray[np.bool_]
    everywhere: NDArray[np.int64]
    m: int
    n: int
    correlation: float


def read_pool(path: Path | None, p: Parameters) -> Pool:
    """The pool of a score file (columns item, model, role, member), the packaged real scores when ``path`` is None."""
    table = tables.read(path or tables.PACKAGED / "jecs.parquet")
    if p.rows:
        table = tables.where(table, p.rows)
    items, names = tables.labels(table, "item")
    models, words = tables.labels(table, "model")
    if np.unique(items * len(words) + models).size != items.size or items.size != len(names) * len(words):
        raise ValueError(
            f"item, model: {items.size} rows for {len(names)} items and {len(words)} models; one score for each is "
            "needed (rows='column=value' picks a part of the file)"
        )
    scores, member = np.empty((len(words), len(names))), np.empty((len(words), len(names)), bool)
    scores[models, items] = tables.scores(table, p.score)
    member[models, items] = tables.booleans(table, "member")
    calibration = constant_within(~is_candidate(table, "role"), items, names, "role", "item")
    order = np.argsort(names.to_numpy(zero_copy_only=False), kind="stable")
    by_model = np.argsort(words.to_numpy(zero_copy_only=False), kind="stable")
    return _pool(scores[by_model][:, order], member[:, order], calibration[order], p)


def _pool(
    scores: NDArray[np.float64], member: NDArray[np.bool_], calibration: NDArray[np.bool_], p: Parameters
) -> Pool:
    everywhere = np.flatnonzero(member.all(axis=0))
    m = p.calibration or int(calibration.sum())
    left = scores.shape[1] - m
    if not 0 < m <= everywhere.size:
        raise ValueError(f"calibration={m}: {everywhere.size} items are members of every model")
    n = p.candidates or left
    if not 0 < n <= left:
        raise ValueError(f"candidates={n}: {left} items are left beside {m} calibration items")
    contaminated = np.asarray(member.any(axis=0))
    clean = scores[:, ~contaminated]
    pairs = list(combinations(range(scores.shape[0]), 2))
    enough = clean.shape[1] > 2 and pairs
    correlation = float(np.mean([np.corrcoef(clean[i], clean[j])[0, 1] for i, j in pairs])) if enough else np.nan
    return Pool(scores, contaminated, everywhere, m, n, correlation)


class RealBatch:
    """Buffers for R splits: candidates (R, K, n), calibration (R, K m), contaminated (R, n), tie_keys (R, 2)."""

    def __init__(self, p: Parameters, pool: Pool, size: int) -> None:
        self._p, self._pool = p, pool
        K = pool.scores.shape[0]
        self.candidates = np.empty((size, K, pool.n))
        self.calibration = np.empty((size, K * pool.m))
        self.contaminated = np.empty((size, pool.n), np.bool_)
        self.tie_keys = np.empty((size, 2), np.uint64)

    def draw(self, key: tuple[int, int], first: int, count: int) -> None:
        """Splits ``first`` .. ``first + count - 1`` into the first ``count`` rows."""
        pool, state, words = self._pool, np.zeros(STATE_WORDS, np.uint64), np.array(key, np.uint64)
        for i in range(count):
            open_stream(state, words, first + i, _SPLIT_LANE)
            drawn = pool.everywhere.copy()
            draw_subset(state, drawn, pool.m)
            others = np.delete(np.arange(pool.contaminated.size), drawn[: pool.m])
            draw_subset(state, others, pool.n)
            chosen = others[: pool.n]
            self.calibration[i] = pool.scores[:, drawn[: pool.m]].ravel()
            self.candidates[i] = pool.scores[:, chosen]
            self.contaminated[i] = pool.contaminated[chosen]
            if self._p.ties == "random":
                self.tie_keys[i] = tie_key(key, first + i)
