"""Synthetic scores: who is contaminated where, and what the models make of it.  Smaller speaks for clean.

Given membership, model k scores an item

    sqrt(rho) Z_i + sqrt(1 - rho) E_ik     Z, E standard normal: scores of an item agree between models
    / sqrt(chi2_ik / nu)                   with Student tails (a scale of its own for every score)
    - shift_k                              if k was not trained on the item
    - low_shift                            if the document scores low under every model (either role)
    + miscalibration                       if it is a calibration item

Calibration items are members of every model and, like candidates, one document under all of them; where m_k differ,
model k is calibrated on the first m_k of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from typeone.engine.streams import Lane, generator
from typeone.studies.jecs.parameters import Parameters, weights
from typeone_kernels.membership import EACH, Contamination, memberships, shift_clean
from typeone_kernels.normals import WORDS, normals_of_repetitions, uniforms_of_repetitions, ziggurat

Floats = NDArray[np.float64]

# A lane for each purpose: what a cell does not need is not drawn, and changes nothing else.
_TRUTH, _TIES, _OWN, _COMMON, _SCALE, _LOW = range(6)
_BATCH_DOUBLES = 2**16
"""Scores whose buffers are alive together: half a megabyte, which stays in the second-level cache."""


def repetitions_at_once(p: Parameters) -> int:
    """How many repetitions fit into the buffers of a batch."""
    return max(1, _BATCH_DOUBLES // (p.models * (p.candidates + p.most)))


class ScoreBatch:
    """Buffers for R repetitions, drawn and turned into scores in place.

    candidates (R, K, n), calibration (R, sum m_k), contaminated (R, n), tie_keys (R, 2); ``draw`` fills them.
    """

    def __init__(self, p: Parameters, size: int) -> None:
        self._p = p
        self._sizes = p.sizes
        self._M = p.most
        self._shifts = np.array(p.shifts)
        n, K = p.candidates, p.models
        drawn = weights(p.pattern)
        # Which uniforms of an item are looked at: no pattern is drawn where there is one, models only for ``each``.
        self._looked_at = [(0, n), (2 * n, 3 * n)] if max(drawn) == 1 else [(0, 3 * n)]
        self._looked_at += [(3 * n, (K + 3) * n)] if drawn[EACH] else []
        self._uniforms = np.zeros((size, K + 3, n))
        self._words = np.empty(WORDS, np.uint64)
        self._low = np.empty((size, n + self._M))
        self._common = np.empty((size, n + self._M))
        self._scores = np.empty((size, K, n + self._M))
        self._scales = np.empty((size, K, n + self._M) if p.tails else (size, 0, 0))
        self.calibration = np.empty((size, sum(self._sizes)))
        self.tie_keys = np.empty((size, 2), np.uint64)
        self._members = np.empty((size, K, n), np.bool_)
        self._law = contamination(p)
        self.candidates = np.empty((size, K, n))
        self.contaminated = np.empty((size, n), np.bool_)

    def draw(self, key: tuple[int, int], first: int, count: int) -> None:
        """Repetitions ``first`` .. ``first + count - 1`` into the first ``count`` rows."""
        p = self._p
        name = np.array(key, np.uint64)

        def uniforms(lane: int, wanted: tuple[int, int], out: Floats) -> None:
            uniforms_of_repetitions(name, first, lane, wanted, self._words, out[:count].reshape(count, -1))

        def normals(lane: int, out: Floats) -> None:
            normals_of_repetitions(ziggurat(), name, first, lane, self._words, out[:count].reshape(count, -1))

        for wanted in self._looked_at:
            uniforms(_TRUTH, wanted, self._uniforms)
        normals(_OWN, self._scores)
        if p.correlation:
            normals(_COMMON, self._common)
        if p.low_share:
            uniforms(_LOW, (0, self._low.shape[1]), self._low)
        if p.tails:
            scales = Lane(key, _SCALE)
            for row in range(count):
                scales.at(first + row).standard_gamma(p.tails / 2, out=self._scales[row])
        if p.ties == "random":
            for row in range(count):
                self.tie_keys[row] = tie_key(key, first + row)
        self._make(slice(count))

    def _make(self, rows: slice) -> None:
        p, n, scores = self._p, self._p.candidates, self._scores[rows]
        if p.correlation:
            scores *= np.sqrt(1 - float(p.correlation))
            scores += np.sqrt(float(p.correlation)) * self._common[rows, None, :]
        if p.tails:
            scores /= np.sqrt(self._scales[rows] / (p.tails / 2))
        if p.low_share:
            scores -= float(p.low_shift) * (self._low[rows, None, :] < float(p.low_share))
        members, contaminated = self._members[rows], self.contaminated[rows]
        memberships(self._law, self._uniforms[rows], members, contaminated)
        candidates, calibration = self.candidates[rows], self.calibration[rows]
        shift_clean(members, self._shifts, scores, candidates)
        if p.miscalibration:
            scores[:, :, n:] += float(p.miscalibration)
        start = 0
        for k, m in enumerate(self._sizes):
            calibration[:, start : start + m] = scores[:, k, n : n + m]
            start += m
        if p.values:
            cut(candidates, p.values)
            cut(calibration, p.values)


def tie_key(key: tuple[int, int], repetition: int) -> NDArray[np.uint64]:
    """The key (2,) of the streams that break a repetition's ties."""
    return generator(key, repetition, _TIES).integers(0, 2**64, 2, np.uint64)


def contamination(p: Parameters) -> Contamination:
    """The law of who is contaminated where."""
    return Contamination(float(p.clean), np.cumsum(weights(p.pattern))[:-1], float(p.also))


def cut(scores: NDArray[np.float64], values: int) -> None:
    """Replace each score by the number of cut points below it: ``values`` - 1 of them, evenly spaced in (-3, 1)."""
    scores += 3
    scores *= values / 4
    np.ceil(scores, out=scores)
    np.clip(scores, 1, values, out=scores)
