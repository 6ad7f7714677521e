"""Audit of a score file before SCF is run on it: exchangeability is the whole guarantee."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from typeone import tables
from typeone.audit import (
    Audit,
    TwoGroups,
    alike,
    codes_of,
    columns_table,
    duplicate_rows,
    flat_columns,
    in_several,
    look_alikes,
)
from typeone.scf.documents import roles
from typeone_kernels.scf import TARGET

_DIRECTION_ERROR = 0.01


def check(
    data: Any,
    *,
    source: str = "source",
    score: str = "score",
    role: str | None = None,
    control: str | None = None,
    document: str | None = None,
    columns: Sequence[str] = (),
) -> Audit:
    """Look for what would break SCF's guarantee, and say what every column is taken for.

    data, source, score, role, control : as for ``typeone.scf.apply``.
    document : name of a column that identifies a document; without one, documents are compared by all their
        other columns.
    columns : further numeric columns in which controls and targets are compared (their mean in each source).

    Raises ValueError for a column that does not exist; what is wrong inside a column is a finding.

    >>> documents = {"source": [1, 2, 3, 4, 5], "score": [0.1, 5.0, 0.2, 0.3, 9.0], "control": [True] * 4 + [False]}
    >>> check(documents, control="control").warnings
    []
    """
    table = tables.as_table(data)
    if (role is None) == (control is None):
        raise ValueError("role, control: name exactly one of the two columns")
    group_name = role if role is not None else control
    assert group_name is not None
    taken = {source: "source", score: "score", group_name: "role" if role else "control"}
    taken |= dict.fromkeys(columns, "compared") | ({document: "document"} if document else {})
    audit = Audit(f"check scf: {table.num_rows} documents")
    audit.tables.append(columns_table(table, taken))
    for name in taken:
        tables.column(table, name)
    duplicate_rows(audit, table)
    look_alikes(audit, table, [source])
    try:
        codes, names = tables.labels(table, source)
        target = _targets(table, role, control)
        values = tables.scores(table, score, missing="drop")
    except ValueError as error:
        audit.add("warning", f"{error}: apply would stop here, and so does this check")
        return audit
    _scores(audit, values, target)
    _occurring_again(audit, table, codes, (source, score, group_name), document)
    is_target = np.zeros(len(names), bool)
    is_target[codes[target]] = True
    groups = TwoGroups(codes, is_target, "source", ("controls", "targets"))
    _direction(audit, groups.mean(values), is_target)
    quantities = {"documents per source": groups.rows} | {
        f"{name}, mean of source": groups.mean(tables.scores(table, name, missing="drop")) for name in columns
    }
    alike(audit, groups, quantities, "exchangeability is doubtful")
    return audit


def _occurring_again(
    audit: Audit, table: pa.Table, codes: NDArray[np.int64], names: tuple[str, str, str], document: str | None
) -> None:
    """Sources in two roles, documents in two roles or sources; ``names`` of the columns source, score and role."""
    source, score, group_name = names
    group = codes_of(table, [group_name])
    in_several(audit, codes, group, ("source", "sources"), "role")
    others = [name for name in flat_columns(table) if name not in (source, group_name)]
    key = codes_of(table, [document] if document else others)
    by = "" if document else " (compared by all other columns)"
    kind = f"document{by}", f"documents{by}"
    if document or set(others) - {score}:
        in_several(audit, key, group, kind, "role")
        in_several(audit, key, codes, kind, "source")
    else:
        audit.add("note", "documents cannot be told apart: name a column that identifies them")


def _targets(table: Any, role: str | None, control: str | None) -> NDArray[np.bool_]:
    """True for the documents of targets, shape (rows,)."""
    if control is not None:
        return ~tables.booleans(table, control)
    assert role is not None
    return np.asarray(roles(table, role) == TARGET)


def _direction(audit: Audit, means: NDArray[np.float64], is_target: NDArray[np.bool_]) -> None:
    """Warn where controls score clearly higher than targets, as they do when the two are mistaken for each other.

    ``means`` (sources,) of the score.  Mann-Whitney's test, one-sided: without any difference one file in a hundred is
    warned of.
    """
    from scipy.stats import mannwhitneyu

    there = ~np.isnan(means)
    targets, controls = means[there & is_target], means[there & ~is_target]
    if not targets.size or not controls.size:
        return
    test = mannwhitneyu(controls, targets, alternative="greater")
    if test.pvalue < _DIRECTION_ERROR:
        area = 1 - test.statistic / (targets.size * controls.size)
        audit.add(
            "warning",
            f"controls score higher than targets (AUROC {area:.2f} of source means, p-value {test.pvalue:.2g}): are "
            "controls the known nonparticipants, and does a larger score speak for participation?",
        )


def _scores(audit: Audit, values: NDArray[np.float64], target: NDArray[np.bool_]) -> None:
    missing = np.isnan(values)
    if missing.any():
        audit.add(
            "warning",
            f"{int(missing.sum())} scores are missing ({int((missing & target).sum())} of targets; the first in "
            f"row {int(np.argmax(missing)) + 1}): apply stops unless told to drop them",
        )
    present = values[~missing]
    tied = present.size - np.unique(present).size
    if tied:
        audit.add("note", f"{tied} scores repeat another score; ties count against the discovery")
    if not (~target).any() or not target.any():
        audit.add("warning", "targets and controls are both needed")
