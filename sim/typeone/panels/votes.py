"""A matrix of votes from a table: one row for each evaluator and unit, or one row for each evaluator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from typeone import tables
from typeone.groups import first_repeat
from typeone.plain import shown

Malformed: TypeAlias = Literal["error", "zero"]
MALFORMED, ABSENT = -1, -2


@dataclass(frozen=True, slots=True)
class VoteMatrix:
    """Votes 0 or 1, shape (E, A), of evaluators (E,) on units (A,), each in order of first appearance.

    ``malformed`` votes were not 0 or 1, ``absent`` ones were not there; both were counted as 0.
    """

    evaluators: pa.Array
    units: pa.Array
    votes: NDArray[np.int8]
    malformed: int
    absent: int

    @property
    def positives(self) -> NDArray[np.int64]:
        """Votes 1 on each unit, (A,)."""
        return np.asarray(self.votes.sum(axis=0, dtype=np.int64))


def read_votes(
    table: pa.Table,
    evaluator: str,
    unit: str | None = None,
    vote: str | None = None,
    *,
    malformed: Malformed = "error",
    ignore: Sequence[str] = (),
) -> VoteMatrix:
    """The vote matrix of a long table, or of a wide one when neither ``unit`` nor ``vote`` is named.

    long : one row for each evaluator and unit; wide : one row for each evaluator, and every column that is neither
    ``evaluator`` nor in ``ignore`` is a unit.  (A table with columns unit and vote is taken as long.)
    malformed : ``"error"``, or ``"zero"`` to count as 0 a vote that is missing or not 0 or 1.

    Raises ValueError, naming column and row, for malformed votes (unless told otherwise) and for an evaluator who
    votes twice on a unit, saying the same or not.
    """
    if malformed not in ("error", "zero"):
        raise ValueError(f"malformed={malformed!r}: is 'error' or 'zero'")
    known = set(table.column_names)
    if unit is not None or vote is not None or {"unit", "vote"} <= known:
        unit = "unit" if unit is None and "unit" in known else unit
        vote = "vote" if vote is None and "vote" in known else vote
    if (unit is None) != (vote is None):
        raise ValueError("unit, vote: name both columns of a long table, or none of a wide one")
    if unit is None or vote is None:
        return _wide(table, evaluator, malformed, ignore)
    if ignore:
        raise ValueError("ignore: only a wide table has columns to leave out")
    return _long(table, (evaluator, unit, vote), malformed)


def _long(table: pa.Table, names: tuple[str, str, str], malformed: Malformed) -> VoteMatrix:
    evaluator, unit, vote = names
    who, evaluators = tables.labels(table, evaluator)
    what, units = tables.labels(table, unit)
    values = vote_column(table, vote, malformed)
    repeat = first_repeat(who, what)
    if repeat is not None:
        one, again = repeat
        name, thing = evaluators[int(who[again])].as_py(), units[int(what[again])].as_py()
        raise ValueError(
            f"rows {one + 1} and {again + 1}: {evaluator} {name!r} votes twice on {unit} {thing!r}; one vote is allowed"
        )
    votes = np.full((len(evaluators), len(units)), ABSENT, np.int8)
    votes[who, what] = values
    gone = np.argwhere(votes == ABSENT)
    if gone.size and malformed == "error":
        name, thing = evaluators[int(gone[0, 0])].as_py(), units[int(gone[0, 1])].as_py()
        raise ValueError(
            f"{evaluator} {name!r} has no vote on {unit} {thing!r} ({len(gone)} votes are absent); "
            "malformed='zero' counts them as 0"
        )
    return _matrix(evaluators, units, votes)


def _wide(table: pa.Table, evaluator: str, malformed: Malformed, ignore: Sequence[str]) -> VoteMatrix:
    for name in ignore:
        tables.column(table, name)
    who, evaluators = tables.labels(table, evaluator)
    repeat = first_repeat(who)
    if repeat is not None:
        name = evaluators[int(who[repeat[1]])].as_py()
        raise ValueError(f"column {evaluator!r}, row {repeat[1] + 1}: {name!r} stands twice; one row is one evaluator")
    units = [name for name in table.column_names if name != evaluator and name not in ignore]
    if not units:
        raise ValueError(f"no column besides {evaluator!r}: a wide table has one column for each unit")
    votes = np.stack([vote_column(table, name, malformed) for name in units], axis=1)
    empty = (votes == MALFORMED).all(axis=0)
    if empty.any():
        raise ValueError(f"column {units[int(empty.argmax())]!r}: holds no vote at all; ignore it if it is no unit")
    return _matrix(evaluators, pa.array(units), votes)


def _matrix(evaluators: pa.Array, units: pa.Array, votes: NDArray[np.int8]) -> VoteMatrix:
    malformed, absent = int((votes == MALFORMED).sum()), int((votes == ABSENT).sum())
    return VoteMatrix(evaluators, units, np.maximum(votes, 0), malformed, absent)


def vote_column(table: pa.Table, name: str, malformed: Malformed) -> NDArray[np.int8]:
    """Votes as 0, 1 or MALFORMED, shape (rows,), see ``tables.truths``; a missing vote is malformed too."""
    truth = tables.truths(table, name)
    wrong = truth < 0
    if wrong.any() and malformed == "error":
        row = int(wrong.argmax())
        raise ValueError(
            f"column {name!r}, row {row + 1}: {shown(table.column(name), row)} is not a vote, 0 or 1 "
            f"({int(wrong.sum())} votes are malformed); malformed='zero' counts them as 0"
        )
    return np.where(wrong, MALFORMED, truth).astype(np.int8)
