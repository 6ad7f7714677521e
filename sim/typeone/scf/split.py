"""The random division of controls into reference and calibration sources."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from typeone.counts import integer
from typeone.scf.bags import Bags
from typeone_kernels.scf import CALIBRATION, REFERENCE, TARGET, UNUSED
from typeone_kernels.streams import STATE_WORDS, draw_subset, open_stream

MOST_SPLITS = 100_000

_LANE = 0  # of the split's stream; random tie breaks have another


@dataclass(frozen=True, slots=True)
class Split:
    """How controls are divided at random, when the roles are not given.

    reference, calibration : numbers of sources K and L; None takes two fifths, and all that remain.
    seed : names the random split (and the random tie breaks).
    splits : one split is one draw of luck; with R > 1 the p-value is twice the mean of R splits' p-values.

    Raises ValueError for numbers that are no integers; whether they fit the controls is seen when these are known.

    >>> split = Split(reference=40, calibration=59, seed=1)
    >>> split.splits
    1
    """

    reference: int | None = None
    calibration: int | None = None
    seed: int = 0
    splits: int = 1

    def __post_init__(self) -> None:
        """Numbers are integers, whatever comes of them; how large they may be depends on the controls."""
        for name in ("reference", "calibration", "splits"):
            value = getattr(self, name)
            if value is not None or name == "splits":
                integer(name, value)


DEFAULT_SPLIT = Split()


def sizes(by_source: NDArray[np.int8], split: Split) -> tuple[int, int]:
    """(K, L) of a random split, or a ValueError that says which number does not fit.

    ``by_source`` (S,) : every source's role; those that are divided already say how many of each.
    """
    if not 1 <= split.splits <= MOST_SPLITS:
        raise ValueError(f"splits={split.splits}: lies between 1 and {MOST_SPLITS}")
    controls = int((by_source != TARGET).sum())
    K, L = split.reference, split.calibration
    if np.isin(by_source, (REFERENCE, CALIBRATION)).any():
        if K is not None or L is not None:
            raise ValueError("reference, calibration: the role column already fixes these numbers")
        K, L = counted(by_source)
    if K is None:
        K = controls * 2 // 5 if L is None else controls - L
    if L is None:
        L = controls - K
    for name, count, other, given in (("reference", K, "calibration", split.calibration),
                                      ("calibration", L, "reference", split.reference)):  # fmt: skip
        if given is not None and count < 1 and getattr(split, name) is None:
            raise ValueError(f"{other}={given}: leaves no {name} source ({controls} controls given)")
        if count < 1:
            raise ValueError(f"{name}={count}: at least one {name} source is needed ({controls} controls given)")
    if controls < K + L:
        raise ValueError(f"reference={K}, calibration={L}: only {controls} control sources are given")
    return int(K), int(L)


def counted(by_source: NDArray[np.int8]) -> tuple[int, int]:
    """(K, L) that the roles name."""
    return int((by_source == REFERENCE).sum()), int((by_source == CALIBRATION).sum())


def partitions(
    bags: Bags, by_source: NDArray[np.int8], numbers: tuple[int, int], split: Split
) -> Iterator[NDArray[np.int8]]:
    """Random roles; drawn over the sources in the order of their names, so row order does not matter."""
    K, L = numbers
    order = bags.canonical_order()
    controls = order[by_source[order] != TARGET]
    state = np.zeros(STATE_WORDS, np.uint64)
    key = np.array([split.seed, 0], np.uint64)
    for repeat in range(split.splits):
        open_stream(state, key, repeat, _LANE)
        pool = controls.copy()
        draw_subset(state, pool, K + L)
        role = np.where(by_source != TARGET, UNUSED, TARGET).astype(np.int8)
        role[pool[:K]] = REFERENCE
        role[pool[K : K + L]] = CALIBRATION
        yield role
