"""Audit of a score file before JECS is run on it: what would break its assumptions?"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from typeone import tables
from typeone.audit import (
    ALARM,
    Audit,
    TwoGroups,
    alike,
    codes_of,
    columns_table,
    duplicate_rows,
    in_several,
    look_alikes,
)
from typeone.groups import first_repeat
from typeone.jecs.lower_tail import lower_tail, own_p_values
from typeone.jecs.options import Options, Terms
from typeone.jecs.procedure import decided
from typeone.jecs.scores import Scores, is_candidate, read_scores
from typeone_kernels.jecs import scan_thresholds

_TAIL = ("models", "λ", "t", "share with all p <= t", "allowed", "times", "if independent", "p-value")


def check(
    data: Any,
    *,
    item: str = "item",
    model: str | None = "model",
    role: str = "role",
    score: str | Sequence[str] = "score",
    evidence: Literal["smaller", "larger"] = "smaller",
    document: str | None = None,
    columns: Sequence[str] = (),
) -> Audit:
    """Look for what would break the guarantee of JECS, and say what every column is taken for.

    data, item, model, role, score, evidence : as for ``typeone.jecs.apply``.
    document : name of a column that identifies a document whatever its item is called (a digest of its text); without
        one, items are compared by their scores.
    columns : numeric columns (length, date, ...) in which calibration items and candidates are compared.

    Raises ValueError for a column that does not exist or cannot be what it is taken for.

    >>> scores = {"item": [*"abcd", *"efghijklmnopqrst"], "role": ["candidate"] * 4 + ["calibration"] * 16}
    >>> scores |= {"s": [0.5, 0.6, 7.5, 20.5, *range(1, 17)]}
    >>> check(scores, model=None, score="s").warnings
    []
    """
    if evidence not in ("smaller", "larger"):
        raise ValueError(f"evidence={evidence!r}: is 'smaller' or 'larger'")
    table = tables.as_table(data)
    names = [score] if isinstance(score, str) else list(score)
    audit = Audit(f"check jecs: {table.num_rows} rows")
    taken = dict.fromkeys(columns, "compared") | dict.fromkeys(names, "score") | {item: "item", role: "role"}
    taken |= ({model: "model"} if model else {}) | ({document: "document"} if document else {})
    audit.tables.append(columns_table(table, taken))
    duplicate_rows(audit, table)
    look_alikes(audit, table, [item, *([model] if model else [])])
    if not _roles_and_pairs(audit, table, item, model, role, document):
        return audit
    scores = read_scores(table, item, model, role, score, "drop")
    _completeness(audit, scores)
    if not document:
        _same_scores(audit, scores)
    _ties(audit, scores)
    if columns:
        _alike(audit, table, item, role, columns)
    _lower_tail(audit, scores, evidence == "larger")
    return audit


def _roles_and_pairs(
    audit: Audit, table: pa.Table, item: str, model: str | None, role: str, document: str | None
) -> bool:
    """Whether every item has one role, and one score under each model; what else repeats across roles."""
    role_of = is_candidate(table, role).astype(np.int64)
    items = codes_of(table, [item])
    in_several(audit, items, role_of, ("item", "items"), "role")
    if document:
        in_several(audit, codes_of(table, [document]), role_of, ("document", "documents"), "role")
    models = np.zeros(table.num_rows, np.int64) if model is None else codes_of(table, [model])
    repeat = first_repeat(items, models)
    if repeat is not None:
        audit.add("warning", f"rows {repeat[0] + 1} and {repeat[1] + 1} score one item twice: apply stops")
    roles = np.unique(np.stack([items, role_of]), axis=1)[0]
    return repeat is None and np.unique(roles).size == roles.size


def _completeness(audit: Audit, scores: Scores) -> None:
    K, n = scores.candidates.shape
    counts = (~np.isnan(scores.calibration)).sum(axis=1)
    told = ", ".join(f"{model}: {m}" for model, m in zip(scores.models, counts, strict=True))
    audit.add("note", f"{n} candidates and {K} models; calibration scores of each: {told}")
    if scores.dropped:
        audit.add("warning", f"{scores.dropped} candidates lack a score: apply stops unless told to drop them")
    if (counts == 0).any():
        audit.add("warning", f"model {scores.models[int(counts.argmin())]}: no calibration score, apply stops")
    if K == 1:
        audit.add("note", "one model: nothing joint is tested, and AdaFilter does not apply")


def _same_scores(audit: Audit, scores: Scores) -> None:
    """Candidates that may be a calibration item under another name: the same scores under every model."""
    both = np.concatenate([scores.candidates, scores.calibration], axis=1).T
    _, codes = np.unique(both[~np.isnan(both).any(axis=1)], axis=0, return_inverse=True)
    n = scores.candidates.shape[1]
    copies = int(np.isin(codes[:n], codes[n:]).sum())
    # Where few values occur, agreement is no sign of a copy.
    telling = np.unique(codes).size > codes.size / 2
    if copies:
        audit.add(
            "warning" if telling else "note",
            f"{copies} candidates have the scores of a calibration item under every model"
            + ("; the same document may stand in both roles" if telling else " (scores take few values)"),
        )
    else:
        audit.add("ok", "no candidate has the scores of a calibration item under every model")


def _ties(audit: Audit, scores: Scores) -> None:
    for model, candidates, given in zip(scores.models, scores.candidates, scores.calibration, strict=True):
        known = given[~np.isnan(given)]
        distinct, size = np.unique(known, return_counts=True)
        if not known.size:
            continue
        tied = int(np.isin(candidates, distinct).sum())
        if known.size == distinct.size and not tied:
            audit.add("ok", f"model {model}: no score is tied")
            continue
        share = size.max() / known.size
        audit.add(
            "warning" if share > 0.1 else "note",
            f"model {model}: {known.size - distinct.size} calibration scores repeat another, {tied} candidates tie "
            f"with one; the commonest value is {share:.3g} of the calibration (ties count against the item; "
            "ties='random' breaks them)",
        )


def _alike(audit: Audit, table: pa.Table, item: str, role: str, columns: Sequence[str]) -> None:
    """Each item's mean of every column, calibration items against candidates."""
    codes, names = tables.labels(table, item)
    candidate = np.zeros(len(names), bool)
    candidate[codes] = is_candidate(table, role)
    groups = TwoGroups(codes, candidate, "item", ("calibration items", "candidates"))
    quantities = {name: groups.mean(tables.scores(table, name, missing="drop")) for name in columns}
    alike(audit, groups, quantities, "scores of contaminated candidates may then differ from calibration scores too")


def _lower_tail(audit: Audit, scores: Scores, larger: bool) -> None:
    """What the calibration items show of the condition under which the chord envelope bounds the null law."""
    if len(scores.models) < 2:
        return
    p = own_p_values(scores.calibration, larger)
    names = [str(model) for model in scores.models]
    audit.tables.append(("rank correlation between models, calibration items", ["models", "items", "rank correlation"],
                         _correlations(p, names)))  # fmt: skip
    thresholds = scan_thresholds()
    found = lower_tail(p, [thresholds[1], thresholds[_scan_step(scores, larger)]])
    if not found:
        audit.add("warning", "too few or too tied calibration items to look at their joint lower tail")
        return
    limit = ALARM / len(found)
    worst = sorted(found, key=lambda one: one.p_value)[:8]
    rows = [
        ("+".join(names[k] for k in one.models), float(one.lam), float(one.t), one.found, one.allowed, one.ratio,
         one.independent, one.p_value)
        for one in worst
    ]  # fmt: skip
    audit.tables.append(("joint lower tail of the calibration items, most suspicious first", _TAIL, list(rows)))
    first = worst[0]
    if first.p_value < limit:
        audit.add(
            "warning",
            f"{first.found:.3g} of the calibration items have p-values of at most {float(first.t):.3g} under models "
            f"{rows[0][0]} together, {first.ratio:.3g} times what the envelope of JECS allows (p = "
            f"{first.p_value:.2g}): some documents score as clean under every model, trained on or not, and JECS may "
            "select them. Use method max-p, a reference-corrected score, or take such documents out",
        )
    else:
        audit.add(
            "ok",
            f"joint lower tail: no excess over what the envelope allows in {len(found)} comparisons (smallest p = "
            f"{first.p_value:.2g}); seen only on items that every model was trained on",
        )


def _correlations(p: NDArray[np.float64], names: Sequence[str]) -> list[tuple[Any, ...]]:
    """Of the p-values, which are ranks; None where a model gives all items one score."""
    rows: list[tuple[Any, ...]] = []
    for i, j in combinations(range(len(names)), 2):
        one, other = p[[i, j]][:, ~np.isnan(p[[i, j]]).any(axis=0)]
        varied = len(set(one)) > 1 and len(set(other)) > 1
        value = float(np.corrcoef(one, other)[0, 1]) if varied else None
        rows.append((f"{names[i]}+{names[j]}", one.size, value))
    return rows


def _scan_step(scores: Scores, larger: bool) -> int:
    """Where JECS would stop its scan on these candidates; the level plays no part in it."""
    calibration = [row[~np.isnan(row)] for row in scores.calibration]
    if not all(row.size for row in calibration):
        return 1
    terms = Terms.of(Options(evidence="larger" if larger else "smaller"), len(scores.models))
    _, _, envelope = decided(scores.candidates, calibration, terms, scores.items, scores.models)
    return int(envelope.step)
