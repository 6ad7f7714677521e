"""The reference map: from a document's score to its evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from typeone import arrays
from typeone.levels import Level, LevelLike
from typeone.scf.bags import Bags, bags_of
from typeone.scf.tail import Smoothing, TailScale, cap_evidence, cap_level, smoothing_rule
from typeone_kernels.scf import UNIT_BITS, document_evidence


@dataclass(frozen=True, slots=True)
class ReferenceMap:
    """The source-balanced smoothed tail Q(s) of K reference sources, each counting equally.

    Made by ``fit``.  ``steps`` (J,) are the distinct reference scores, ascending; ``counts`` (J + 1,) the exact
    integer tail S at scores up to and including each step (and 0 above all of them).

    >>> reference = fit([0.1, 0.2, 0.3, 0.4], ["a", "a", "b", "b"])
    >>> reference.capped([0.35, 9.0], cap="0.3")
    array([False,  True])
    """

    steps: NDArray[np.float64]
    counts: NDArray[np.int64]
    constants: tuple[float, float, float]
    scale: TailScale
    documents: int
    smoothing: Smoothing

    @classmethod
    def of_bags(cls, bags: Bags, chosen: NDArray[np.bool_], smoothing: Smoothing) -> ReferenceMap:
        """The map whose reference is the sources with ``chosen`` (S,) true."""
        sizes = bags.sizes[chosen]
        scale = TailScale.of(sizes, sizes.size, smoothing)
        weight = np.zeros(bags.sizes.size, np.int64)
        weight[chosen] = scale.weight
        inside = chosen[bags.source]
        steps, position = np.unique(bags.score[inside], return_inverse=True)
        at_step = np.zeros(steps.size + 1, np.int64)
        np.add.at(at_step, position, weight[bags.source[inside]])
        documents = int(sizes.sum())
        return cls(
            steps,
            np.cumsum(at_step[::-1])[::-1],
            scale.constants(documents, smoothing),
            scale,
            documents,
            smoothing,
        )

    def tail_counts(self, scores: NDArray[np.float64]) -> NDArray[np.int64]:
        """S at each score, shape (D,): the weights of the reference documents at or above it."""
        return self.counts[np.searchsorted(self.steps, scores, side="left")]

    def tail(self, scores: Any) -> NDArray[np.float64]:
        """Q(s) for scores (D,): the smoothed share of reference documents at or above s, in (0, 1]."""
        at_tail = self.tail_counts(self._finite(scores))
        c0, c1, c2 = self.constants
        return np.asarray((c0 + c1 * at_tail) / c2, dtype=np.float64)

    def capped(self, scores: Any, cap: LevelLike = "0.05") -> NDArray[np.bool_]:
        """Q(s) < alpha for scores (D,): decided exactly while K lcm(bag sizes) (N + 1) fits into 53 bits.

        That is so for bags of up to 16 documents; otherwise (see ``TailScale``) a Q within a relative max(n_i) / 2**50
        of alpha may count on either side.  Its evidence is that of the cap in any case.
        """
        return self.tail_counts(self._finite(scores)) < self._limit(cap_level(cap))

    def units(self, scores: NDArray[np.float64], cap: Level) -> NDArray[np.int64]:
        """Evidence in units of 2**-40, shape (D,)."""
        out = np.empty(scores.size, np.int64)
        tail = np.array(self.constants)
        document_evidence(self.tail_counts(scores), tail, self._limit(cap), cap_evidence(cap), out)
        return out

    def evidence(self, scores: Any, cap: LevelLike = "0.05") -> NDArray[np.float64]:
        """e = -log max(Q(s), alpha) in nats for scores (D,), rounded to a multiple of 2**-40."""
        return self.units(self._finite(scores), cap_level(cap)) / 2.0**UNIT_BITS

    def _finite(self, scores: Any) -> NDArray[np.float64]:
        given = arrays.reals("scores", scores, arrays.SCORES)
        # The steps are doubles: of a long integer it must be clear on which side of each it lies.
        whole = given.exact is not None and given.exact.dtype.kind in "iu"
        steps = [("steps", arrays.Reals(self.steps, None))] if whole else []
        arrays.keep_apart([*steps, ("scores", given)])
        values = np.atleast_1d(given.doubles)
        if values.ndim != 1:
            raise ValueError(f"scores: one dimension is needed, not {values.ndim}")
        if not np.isfinite(values).all():
            position = int(np.argmin(np.isfinite(values)))
            raise ValueError(f"scores[{position}]={values[position]}: scores are finite numbers")
        return values + 0.0

    def _limit(self, cap: Level) -> int:
        return self.scale.capped_below(self.documents, self.smoothing, [cap])[0]


def fit(scores: Any, sources: Any, *, smoothing: str | LevelLike = "document") -> ReferenceMap:
    """Fit the reference map on known nonparticipants.

    Parameters
    ----------
    scores : (N,) finite numbers, larger = more evidence of participation.
    sources : (N,) integers or strings, the source of each document; every source counts equally.
    smoothing : ``"document"`` adds one in N + 1, ``"source"`` one in K + 1, a number eps gives
        (eps + A)/(1 + eps).

    Raises ValueError for a missing, NaN or infinite score (with its row), for no document, and for a bad rule.

    Source: Liu, Zou, Zhu, Source-balanced Capped Fisher (2026), step 1.

    >>> fit([0.1, 0.2, 0.3, 0.4], ["a", "a", "b", "b"]).tail([0.35])
    array([0.4])
    """
    bags = bags_of(scores, sources)
    return ReferenceMap.of_bags(bags, np.ones(bags.sizes.size, bool), smoothing_rule(smoothing))
