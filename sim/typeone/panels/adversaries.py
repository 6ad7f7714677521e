"""Committee capture: how often corrupted evaluators hold a panel's decision in their hands.

To force acceptance a panel of K needs q(K) = ⌈θK⌉ corrupted members, to force rejection K − q(K) + 1, whatever
the honest members vote: clarity is no defense.  Attacks that change votes but not the whole panel are
options of the error curves in ``typeone.panels.sizes``.

Source: Lago, Castellana, Nemše, *Aggregate Disambiguation Systems*, arXiv 2608.30805 (2026).
"""

from __future__ import annotations

from typing import Literal, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import NDArray

from typeone.counts import Counts, counts
from typeone.levels import LevelLike, level
from typeone.panels.arguments import Shares, count, shares
from typeone.panels.curves import LARGEST, Question, Quotas, error_curves

Decision: TypeAlias = Literal["accept", "reject"]


def census_capture(
    M: SupportsIndex, corrupted: Counts, *, force: Decision, theta: LevelLike = "1/2"
) -> NDArray[np.float64]:
    """Probability that a panel of K drawn from M evaluators, some ``corrupted``, can be forced; K = 1 … M.

    ``corrupted`` is a count or an array of counts; shape ``corrupted.shape + (M,)``.  P(X ≥ needed) for X
    hypergeometric, right to 1e-13 relative down to 1e-300.

    ``force`` is ``"accept"`` or ``"reject"``.  Raises ValueError for other words, and for numbers out of range.
    Source: see ``typeone.panels.adversaries``.

    >>> census_capture(10, 2, force="accept").round(4)[:3]
    array([0.2   , 0.3778, 0.0667])
    """
    M = count("M", M, 1, LARGEST)
    honest = M - counts("corrupted", corrupted, 0, M, empty=False)
    question = Question(_needed(theta, force, M, M), np.arange(honest.size), honest.ravel())
    return error_curves([question], M).reshape((*honest.shape, M))


def superpopulation_capture(
    share: Shares, horizon: SupportsIndex, *, force: Decision, theta: LevelLike = "1/2"
) -> NDArray[np.float64]:
    """The same for independent members, each corrupted with probability ``share``; K = 1 … horizon.

    Shape ``share.shape + (horizon,)``.  P(X ≥ needed) for X binomial.

    Other arguments, errors and source as for ``census_capture``.

    >>> superpopulation_capture("0.2", 3, force="reject").round(4)
    array([0.2  , 0.04 , 0.104])
    """
    horizon = count("horizon", horizon, 1, LARGEST)
    shape, corrupted = shares("share", share)
    quotas = _needed(theta, force, horizon, 0)
    question = Question(quotas, np.arange(len(corrupted)), [1 - chance for chance in corrupted])
    return error_curves([question], horizon).reshape((*shape, horizon))


def _needed(theta: LevelLike, force: str, horizon: int, population: int) -> Quotas:
    """A panel is safe while it has enough honest members: these are the favorable votes."""
    if force not in ("accept", "reject"):
        raise ValueError(f"force={force!r}: must be 'accept' or 'reject'")
    return Quotas(level("theta", theta), horizon, population, accepting=force == "reject", flips=0)
