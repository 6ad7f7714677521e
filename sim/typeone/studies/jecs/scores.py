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
from typeone_kernels.membership import EACH, Contamination
from typeone_kernels.membership import memberships as draw_memberships

# A lane for each purpose: what a cell does not need is not drawn, and changes nothing else.
_TRUTH, _TIES, _OWN, _COMMON, _SCALE, _LOW = range(6)
_BATCH_DOUBLES = 2**18  # scores whose buffers are alive together: 2 MB


def repetitions_at_once(p: Parameters) -> int:
    """How many repetitions fit into the buffers of a batch."""
    return max(1, _BATCH_DOUBLES // (p.models * (p.candidates + max(p.sizes))))


class ScoreBatch:
    """Buffers for R repetitions, drawn and turned into scores in place.

    candidates (R, K, n), calibration (R, sum m_k), contaminated (R, n), tie_keys (R, 2); ``draw`` fills them.
    """

    def __init__(self, p: Parameters, size: int) -> None:
        self._p = p
        self._sizes = p.sizes
        self._M = max(self._sizes)
        self._shifts = np.array(p.shifts)[None, :, None]
        n, K = p.candidates, p.models
        self._optional = {_COMMON: p.correlation, _SCALE: p.tails, _LOW: p.low_share}
        self._uniforms = np.empty((size, K + 3, n))
        self._drawn = K + 3 if weights(p.pattern)[EACH] else 3  # no other pattern looks at the rest
        self._low = np.empty((size, n + self._M))
        self._common = np.empty((size, n + self._M))
        self._scores = np.empty((size, K, n + self._M))
        self._scales = np.empty((size, K, n + self._M) if p.tails else (size, 0, 0))
        self.calibration = np.empty((size, sum(self._sizes)))
        self.tie_keys = np.empty((size, 2), np.uint64)
        self.candidates = self._scores[:, :, :n]
        self.contaminated = np.empty((size, n), np.bool_)

    def draw(self, key: tuple[int, int], first: int, count: int) -> None:
        """Repetitions ``first`` .. ``first + count - 1`` into the first ``count`` rows."""
        p = self._p
        used = (_TRUTH, _OWN, *(lane for lane, of in self._optional.items() if of))
        lanes = {lane: Lane(key, lane) for lane in used}
        for row in range(count):
            i = first + row
            lanes[_TRUTH].at(i).random(out=self._uniforms[row, : self._drawn])
            lanes[_OWN].at(i).standard_normal(out=self._scores[row])
            if _COMMON in lanes:
                lanes[_COMMON].at(i).standard_normal(out=self._common[row])
            if _SCALE in lanes:
                lanes[_SCALE].at(i).standard_gamma(p.tails / 2, out=self._scales[row])
            if _LOW in lanes:
                lanes[_LOW].at(i).random(out=self._low[row])
            if p.ties == "random":
                self.tie_keys[row] = tie_key(key, i)
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
        members, self.contaminated[rows] = memberships(p, self._uniforms[rows])
        scores[:, :, :n] -= self._shifts * ~members
        if p.miscalibration:
            scores[:, :, n:] += float(p.miscalibration)
        if p.values:
            cut(scores, p.values)
        start = 0
        for k, m in enumerate(self._sizes):
            self.calibration[rows, start : start + m] = scores[:, k, n : n + m]
            start += m


def tie_key(key: tuple[int, int], repetition: int) -> NDArray[np.uint64]:
    """The key (2,) of the streams that break a repetition's ties."""
    return generator(key, repetition, _TIES).integers(0, 2**64, 2, np.uint64)


def memberships(p: Parameters, uniforms: NDArray[np.float64]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which models were trained on each item, (R, K, n), and whether any was, (R, n), from uniforms (R, K + 3, n)."""
    repetitions, _, n = uniforms.shape
    members = np.empty((repetitions, p.models, n), np.bool_)
    contaminated = np.empty((repetitions, n), np.bool_)
    law = Contamination(float(p.clean), np.cumsum(weights(p.pattern))[:-1], float(p.also))
    draw_memberships(law, uniforms, members, contaminated)
    return members, contaminated


def cut(scores: NDArray[np.float64], values: int) -> None:
    """Replace each score by the number of cut points below it: ``values`` - 1 of them, evenly spaced in (-3, 1)."""
    scores += 3
    scores *= values / 4
    np.ceil(scores, out=scores)
    np.clip(scores, 1, values, out=scores)
