"""Audit of a vote file before a certificate: rows must be independent evaluators, each with one vote on every unit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from typeone import tables
from typeone.audit import ALARM, Audit, columns_table, duplicate_rows, look_alikes
from typeone.groups import constant_within
from typeone.panels.votes import MALFORMED, VoteMatrix, read_votes, vote_column
from typeone_kernels.streams import STATE_WORDS, draw_subset, open_stream

_PERMUTATIONS = 999


def check(
    data: Any,
    *,
    evaluator: str = "evaluator",
    unit: str | None = None,
    vote: str | None = None,
    group: str | None = None,
) -> Audit:
    """Look for what would break the certificate's guarantee, and say what every column is taken for.

    data, evaluator, unit, vote : as for ``typeone.panels.apply``.
    group : name of a column that says what an evaluator comes from (its model, its family); evaluators of one group
        that agree with each other more than with others are not independent draws.

    Raises ValueError for a column that does not exist or cannot be what it is taken for, and repeated votes.

    >>> votes = {"evaluator": [1, 1, 2, 2, 3, 3], "unit": [7, 8, 7, 8, 7, 8], "vote": [1, 0, 1, 0, 1, 1]}
    >>> check(votes).warnings
    ['1 evaluators vote exactly as another one does (the first: 1): copies?']
    """
    table = tables.as_table(data)
    if unit is None and vote is None and {"unit", "vote"} <= set(table.column_names):
        unit, vote = "unit", "vote"
    audit = Audit(f"check panels: {table.num_rows} rows")
    taken = {evaluator: "evaluator"} | ({group: "group"} if group else {})
    if unit is not None and vote is not None:
        taken |= {unit: "unit", vote: "vote"}
    else:
        taken |= {name: "unit" for name in table.column_names if name not in taken}
    audit.tables.append(columns_table(table, taken))
    duplicate_rows(audit, table)
    look_alikes(audit, table, [evaluator, *([unit] if unit is not None else [])])
    wide = unit is None
    matrix = read_votes(table, evaluator, unit, vote, malformed="zero", ignore=[group] if wide and group else [])
    _malformed(audit, table, [name for name, role in taken.items() if role == ("unit" if wide else "vote")], matrix)
    _copies(audit, matrix)
    if group:
        who, evaluators = tables.labels(table, evaluator)
        by_row = tables.labels(table, group).codes
        _groups(audit, matrix.votes, constant_within(by_row, who, evaluators, group, evaluator))
    return audit


def _malformed(audit: Audit, table: pa.Table, columns: list[str], matrix: VoteMatrix) -> None:
    E, A = matrix.votes.shape
    for name in columns:
        wrong = vote_column(table, name, "zero") == MALFORMED
        if wrong.any():
            audit.add(
                "warning",
                f"column {name!r}: {int(wrong.sum())} malformed votes (the first in row {int(wrong.argmax()) + 1}); "
                "apply stops unless told to count them as 0",
            )
    if matrix.absent:
        audit.add("warning", f"{matrix.absent} of {E * A} votes are absent; apply stops unless told to count them as 0")
    if not matrix.malformed and not matrix.absent:
        audit.add("ok", f"{E} evaluators voted 0 or 1 on each of {A} units")


def _copies(audit: Audit, matrix: VoteMatrix) -> None:
    """Evaluators who cast the same votes on every unit, and those who always vote the same."""
    _, first, count = np.unique(matrix.votes, axis=0, return_index=True, return_counts=True)
    copies = int((count - 1).sum())
    if copies:
        name = matrix.evaluators[int(first[np.argmax(count > 1)])].as_py()
        audit.add("warning", f"{copies} evaluators vote exactly as another one does (the first: {name!r}): copies?")
    else:
        audit.add("ok", "no evaluator votes exactly as another one does")
    constant = int((matrix.votes == matrix.votes[:, :1]).all(axis=1).sum())
    if constant:
        audit.add("note", f"{constant} evaluators vote the same on every unit")


def _groups(audit: Audit, votes: NDArray[np.int8], group: NDArray[np.int64]) -> None:
    """Agreement of pairs of evaluators within and between groups, and whether chance explains the difference."""
    groups = int(group.max()) + 1
    if groups in (1, group.size):
        audit.add("note", "every evaluator is a group, or all are one: agreement within groups says nothing")
        return
    positives = votes.astype(np.float64)

    def agreeing_pairs(codes: NDArray[np.int64]) -> tuple[float, float]:
        member = np.eye(groups)[codes].T
        yes, size = member @ positives, member.sum(axis=1)[:, None]
        same = (yes * (yes - 1) + (size - yes) * (size - yes - 1)).sum() / 2
        return float(same), float((size * (size - 1)).sum() / 2 * votes.shape[1])

    within, pairs = agreeing_pairs(group)
    yes = positives.sum(axis=0)
    everyone = float((yes * (yes - 1) + (group.size - yes) * (group.size - yes - 1)).sum() / 2)
    others = group.size * (group.size - 1) / 2 * votes.shape[1] - pairs
    state, shuffled, as_high = np.zeros(STATE_WORDS, np.uint64), group.copy(), 0
    open_stream(state, np.zeros(2, np.uint64), 0, 0)
    for _ in range(_PERMUTATIONS):
        draw_subset(state, shuffled, shuffled.size)
        as_high += agreeing_pairs(shuffled)[0] >= within
    p = (1 + as_high) / (1 + _PERMUTATIONS)
    text = (
        f"pairs of evaluators agree on {within / pairs:.3f} of the units within {groups} groups and on "
        f"{(everyone - within) / others:.3f} between them (permutation p = {p:.2g})"
    )
    if p < ALARM:
        audit.add(
            "warning",
            f"{text}: rows are independent draws only if each evaluator's group was drawn with it; "
            "for a population of other groups, keep one evaluator of each",
        )
    else:
        audit.add("ok", text)
