"""Documents grouped in sources: sorted once, checked once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from typeone import arrays, tables
from typeone_kernels.scf import mean_keys


@dataclass(frozen=True, slots=True)
class Bags:
    """D documents of S sources.

    ``score`` (D,) descending, ``source`` (D,) codes 0..S-1 of the same documents, ``sizes`` (S,) documents per
    source, ``names`` (S,) the sources' identifiers in order of first appearance.
    """

    score: NDArray[np.float64]
    source: NDArray[np.int64]
    sizes: NDArray[np.int64]
    names: pa.Array

    @classmethod
    def of(cls, scores: NDArray[np.float64], codes: NDArray[np.int64], names: pa.Array) -> Bags:
        """Sort documents by score, largest first; ``codes`` (D,) index ``names`` (S,), each used at least once."""
        order = np.argsort(-scores, kind="stable")
        sizes = np.bincount(codes, minlength=len(names)).astype(np.int64)
        if (sizes == 0).any():
            name = names[int(np.argmin(sizes))].as_py()
            raise ValueError(f"sources: {name!r} has no scored document; a source needs at least one")
        return cls(np.ascontiguousarray(scores[order] + 0.0), np.ascontiguousarray(codes[order]), sizes, names)

    def grouped(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """The scores bag after bag, each descending, (D,), and where each bag starts, (S + 1,)."""
        order = np.argsort(self.source, kind="stable")
        return self.score[order], np.concatenate([[0], np.cumsum(self.sizes)])

    def blocks(self) -> NDArray[np.int64]:
        """Rows (alone, end), shape (G, 2): documents up to ``alone`` stand alone, from there to ``end`` scores tie."""
        ends = np.flatnonzero(np.append(self.score[1:] != self.score[:-1], True)) + 1
        starts = np.concatenate([[0], ends[:-1]])
        tied = ends - starts > 1
        pairs = np.stack([starts[tied], ends[tied]], axis=1)
        return np.concatenate([pairs, [[self.score.size, self.score.size]]])

    def canonical_order(self) -> NDArray[np.int64]:
        """Source codes in the order of their names, which does not depend on the order of rows."""
        names = self.names.to_pylist()
        return np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.int64)


def bags_of(scores: Any, sources: Any, *, name: str = "scores") -> Bags:
    """Bags from a sequence of scores (D,) and as many source labels (any integer or string kind)."""
    columns = {"scores": _scores(name, scores), "sources": _sources(sources)}
    try:
        table = tables.as_table(columns)
    except (pa.ArrowException, OverflowError) as error:
        raise ValueError(f"{name} and sources: {str(error).splitlines()[0]}") from None
    if table.num_rows == 0:
        raise ValueError(f"{name}: at least one document is needed")
    return Bags.of(tables.scores(table, "scores"), *tables.labels(table, "sources"))


def _scores(name: str, values: Any) -> Any:
    if not isinstance(values, pa.Array | pa.ChunkedArray):
        return arrays.scores(name, values)
    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        raise ValueError(f"{name}: {arrays.SCORES}, not text")
    return values


def _sources(values: Any) -> Any:
    if isinstance(values, pa.Array | pa.ChunkedArray):
        return values
    rule = "sources are whole numbers or text"
    names = arrays.plain("sources", values, rule)
    if names.dtype.kind not in "iuUTOf":  # floats: the column's own rule refuses them, by row where one is missing
        raise ValueError(f"sources: {rule}, not {arrays.kind(names)}")
    return names


def ordered_keys(sums: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Int64 keys (S,) ordered and tied exactly as the bag means sums / sizes (sums >= 0, units of 2**-40)."""
    shift = key_shift(sizes, int((sums // sizes).max(initial=0)))
    if shift is not None:
        keys = np.empty_like(sums)
        mean_keys(sums, sizes, shift, keys)
        return keys
    means = [Fraction(int(s), int(n)) for s, n in zip(sums, sizes, strict=True)]
    position = {value: i for i, value in enumerate(sorted(set(means)))}
    return np.array([position[value] for value in means], dtype=np.int64)


def key_shift(sizes: NDArray[np.int64], most: int) -> int | None:
    """The shift that makes ``mean_key`` exact for means below ``most`` + 1, or None when bags are too large."""
    shift = 2 * (int(sizes.max()) - 1).bit_length()
    return shift if int(most).bit_length() + shift <= 61 else None


def settled_ranks(
    values: NDArray[np.float64], exact: Callable[[int], Fraction]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Values (S,) and dense ranks (S,) of a statistic whose doubles are right to one unit in the last place.

    Wherever neighbors are too close for doubles to decide, or a double is not finite, ``exact`` (the rational value of
    a source) decides, and the double becomes the rational rounded once: equal rationals tie, others do not.
    """
    values = values.copy()
    for i in np.flatnonzero(~np.isfinite(values)).tolist():  # a running sum overflowed: the place among others too
        values[i] = float(exact(i))
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    with np.errstate(invalid="ignore", over="ignore"):
        close = ordered[1:] - ordered[:-1] <= 4 * np.spacing(np.maximum(np.abs(ordered[1:]), np.abs(ordered[:-1])))
    joined = np.concatenate([[False], close, [False]])
    doubtful = order[joined[1:] | joined[:-1]] if values.size > 1 else order[:0]
    rational = {int(i): exact(int(i)) for i in doubtful}
    settled = values.copy()
    for i, value in rational.items():
        settled[i] = float(value)
    ranks = as_ranks(settled)
    if rational:
        by_rank: dict[int, list[int]] = {}
        for i in rational:
            by_rank.setdefault(int(ranks[i]), []).append(i)
        ranks = ranks * (1 + max(map(len, by_rank.values())))  # room for rationals that share a double
        for group in by_rank.values():
            place = {value: k for k, value in enumerate(sorted({rational[i] for i in group}))}
            for i in group:
                ranks[i] += place[rational[i]]
    return settled, ranks


def as_ranks(statistic: NDArray[np.float64] | Sequence[float]) -> NDArray[np.int64]:
    """Dense ranks (S,) of a real statistic: int64 keys with the same order and ties."""
    return np.unique(np.asarray(statistic, dtype=np.float64), return_inverse=True)[1].astype(np.int64)
