"""Largest p-values drawn directly from laws that satisfy the theorem: F / G nondecreasing, items independent.

p-values are u / M, with u on {1, ..., M}, and G(t) = floor(t M) / M: a uniform u has F = G, the largest of c uniform
ones F = G^c, and the largest of p-values of independent models F = G^c times increasing functions.  The theorem
applies exactly, without any limit.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from typeone.engine.streams import Lane
from typeone.studies.jecs.parameters import Parameters
from typeone.studies.jecs.scores import contamination
from typeone_kernels.ideal import GRID
from typeone_kernels.membership import memberships

_TRUTH, _MEMBER, _CLEAN = range(3)  # lanes
_BATCH_DOUBLES = 2**17


def repetitions_at_once(p: Parameters) -> int:
    """How many repetitions fit into the buffers of a batch."""
    return max(1, _BATCH_DOUBLES // ((2 * p.models + 3) * p.candidates))


class IdealBatch:
    """Buffers for R repetitions: ``largest`` (R, n), p-values in units of 1 / M, and ``contaminated`` (R, n)."""

    def __init__(self, p: Parameters, size: int) -> None:
        self._p = p
        n = p.candidates
        draws = {"t": 1, "t^2": 2, "t^3": 3, "mixture": 3, "t^c H(t)": p.models}[p.law]
        self._uniforms = np.empty((size, p.models + 3, n))
        self._member_p = np.empty((size, draws, n))
        self._clean_p = np.empty((size, p.models, n))
        self._law = contamination(p)
        self._shifts = np.array(p.shifts)[None, :, None]
        self.largest = np.empty((size, n), np.int64)
        self.contaminated = np.empty((size, n), np.bool_)

    def draw(self, key: tuple[int, int], first: int, count: int) -> None:
        """Repetitions ``first`` .. ``first + count - 1`` into the first ``count`` rows."""
        with_clean = self._p.clean > 0 or self._p.law == "t^c H(t)"
        truth, member, clean = (Lane(key, lane) for lane in (_TRUTH, _MEMBER, _CLEAN))
        for row in range(count):
            truth.at(first + row).random(out=self._uniforms[row])
            member.at(first + row).random(out=self._member_p[row])
            if with_clean:
                clean.at(first + row).standard_normal(out=self._clean_p[row])
        rows = slice(count)
        if with_clean:
            self._clean_p[rows] -= self._shifts
            ndtr(self._clean_p[rows], out=self._clean_p[rows])
        np.greater_equal(self._uniforms[rows, 0], float(self._p.clean), out=self.contaminated[rows])
        largest = self._null(rows)
        if self._p.clean:
            largest = np.where(self.contaminated[rows], largest, self._clean_p[rows].max(axis=1))
        # Uniform doubles below 1 are multiples of 2^-53: 1 + floor(M p) is uniform on {1, ..., M}.
        self.largest[rows] = 1 + np.minimum(np.floor(largest * GRID), GRID - 1)

    def _null(self, rows: slice) -> NDArray[np.float64]:
        """Largest p-values of contaminated items, (R, n)."""
        member_p = self._member_p[rows]
        if self._p.law == "t^c H(t)":
            inside = np.empty(member_p.shape, np.bool_)
            memberships(self._law, self._uniforms[rows], inside, self.contaminated[rows])
            return np.asarray(np.where(inside, member_p, self._clean_p[rows]).max(axis=1))
        if self._p.law == "mixture":
            powers = [member_p[:, :c].max(axis=1) for c in (1, 2, 3)]
            return np.asarray(np.choose(np.floor(3 * self._uniforms[rows, 1]).astype(np.int64), powers))
        return np.asarray(member_p.max(axis=1))
