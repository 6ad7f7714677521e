"""The documents of a table: their scores grouped by source, and the role of every source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from typeone import tables
from typeone.groups import constant_within
from typeone.scf.bags import Bags
from typeone_kernels.scf import CALIBRATION, CONTROL, REFERENCE, TARGET

ROLES = {"reference": REFERENCE, "calibration": CALIBRATION, "target": TARGET}


@dataclass(frozen=True, slots=True)
class Documents:
    """Sources in order of first appearance.

    bags : the documents that have a score, by source.
    role (sources,) : one of ``ROLES``; where only controls are named, CONTROL or TARGET.
    dropped : documents without a score, which are left out.
    """

    bags: Bags
    role: NDArray[np.int8]
    dropped: int


def read_documents(
    table: pa.Table, source: str, score: str, role: str | None, control: str | None, missing: tables.Missing
) -> Documents:
    """Read a table with one row per document; exactly one of ``role`` and ``control`` is named.

    Raises ValueError, naming column, row and rule, for what is no score, role or control, a source with two roles, and
    a source without a score.
    """
    if (role is None) == (control is None):
        raise ValueError("role, control: name exactly one of the two columns")
    scores = tables.scores(table, score, missing=missing)
    codes, names = tables.labels(table, source)
    if role is not None:
        name, by_document = role, roles(table, role)
    else:
        assert control is not None
        is_control = tables.booleans(table, control)
        name, by_document = control, np.where(is_control, CONTROL, TARGET).astype(np.int8)
    by_source = constant_within(by_document, codes, names, name, source)
    kept = ~np.isnan(scores)
    _every_source_kept(codes, names, kept, source)
    return Documents(Bags.of(scores[kept], codes[kept], names), by_source, int(np.isnan(scores).sum()))


def roles(table: pa.Table, name: str) -> NDArray[np.int8]:
    """Every document's role as its column says, shape (rows,): one of ``ROLES``."""
    return tables.words_as(table, name, ROLES).astype(np.int8)


def _every_source_kept(codes: NDArray[np.int64], names: Any, kept: NDArray[np.bool_], source: str) -> None:
    left = np.bincount(codes[kept], minlength=len(names))
    if (left == 0).any():
        name = names[int(np.argmin(left))].as_py()
        raise ValueError(f"{source} {name!r}: every score is missing; drop the source or supply one score")
