"""A long table of votes, checked once: who voted what on which item, and which items have a label."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from typeone import tables
from typeone.groups import constant_within, repeats
from typeone.plain import shown

UNKNOWN = tables.MISSING  # a vote, or an item's label


@dataclass(frozen=True, slots=True)
class Votes:
    """E votes of n sources on T items.

    ``items`` (T,), ``sources`` (n,) identifiers in order of first appearance; ``item``, ``source`` (E,) codes and
    ``vote`` (E,) 0 or 1, grouped by item; ``truth`` (T,) 1, 0 or UNKNOWN; ``missing`` rows without a vote.
    """

    items: pa.Array
    sources: pa.Array
    item: NDArray[np.int64]
    source: NDArray[np.int64]
    vote: NDArray[np.int8]
    truth: NDArray[np.int8]
    missing: int

    @property
    def consulted(self) -> NDArray[np.int64]:
        """Sources that voted on each item, (T,)."""
        return np.bincount(self.item, minlength=len(self.items))

    @property
    def positive(self) -> NDArray[np.int64]:
        """Votes 1 on each item, (T,)."""
        return np.bincount(self.item[self.vote == 1], minlength=len(self.items))


def read_votes(table: pa.Table, item: str, source: str, vote: str, label: str | None) -> Votes:
    """The votes of a long table, one row for each item and source; a missing vote means "not consulted".

    Raises ValueError, naming column and row, for a vote or label other than 0 or 1, a source with two rows on
    one item (contradictory or not), an item with two labels, and a table without any vote.
    """
    item_code, items = tables.labels(table, item)
    source_code, sources = tables.labels(table, source)
    votes = binary(table, vote)
    _once(item_code, source_code, votes, items, sources)
    cast = votes != UNKNOWN
    if not cast.any():
        raise ValueError(f"column {vote!r}: every vote is missing")
    order = np.flatnonzero(cast)
    order = order[np.argsort(item_code[order], kind="stable")]
    truth = np.full(len(items), UNKNOWN, np.int8)
    if label is not None:
        truth = constant_within(binary(table, label), item_code, items, label, item)
        if (truth == UNKNOWN).all():
            raise ValueError(f"column {label!r}: no item has a label")
    return Votes(items, sources, item_code[order], source_code[order], votes[order], truth, int((~cast).sum()))


def binary(table: pa.Table, name: str) -> NDArray[np.int8]:
    """A column of 0 / 1, true / false and missing values (see ``tables.truths``) as 1, 0 and UNKNOWN, (rows,)."""
    truth = tables.truths(table, name)
    wrong = truth == tables.NEITHER
    if wrong.any():
        row = int(wrong.argmax())
        word = shown(table.column(name), row)
        raise ValueError(f"column {name!r}, row {row + 1}: {word} is not 0 or 1 (leave it empty if unknown)")
    return truth


def _once(
    item: NDArray[np.int64], source: NDArray[np.int64], vote: NDArray[np.int8], items: pa.Array, sources: pa.Array
) -> None:
    pairs = repeats(item, source)
    if pairs.size:
        contradictory = vote[pairs[:, 0]] != vote[pairs[:, 1]]
        one, two = pairs[int(contradictory.argmax())]
        who, what = sources[int(source[one])].as_py(), items[int(item[one])].as_py()
        said = "contradicting itself" if contradictory.any() else "saying the same"
        raise ValueError(
            f"rows {one + 1} and {two + 1}: source {who!r} stands twice on item {what!r}, {said}; "
            "a source votes once on an item"
        )
