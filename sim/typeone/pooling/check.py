"""Audit of a vote file before pooling: who voted how often, and are votes independent given the truth?"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from typeone import tables
from typeone.audit import Audit, columns_table, duplicate_rows, look_alikes
from typeone.groups import repeats
from typeone.pooling.reliability import smoothed
from typeone.pooling.votes import UNKNOWN, Votes, binary, read_votes

_DISPERSION_Z = 3.0  # standard errors above 1 from which dependence is reported


def check(
    data: Any, *, item: str = "item", source: str = "source", vote: str = "vote", label: str | None = None
) -> Audit:
    """Look for what would mislead ``typeone.pooling.apply``, and say what every column is taken for.

    Arguments as for ``apply``.  With labels the number of right votes on an item is compared with what independent
    sources would give: dependence is what makes a pooled posterior overconfident.

    Raises ValueError for a column that does not exist or cannot be what it is taken for.

    >>> votes = {"item": [1, 1, 2, 2], "source": ["a", "b", "a", "b"], "vote": [1, 1, 1, 0]}
    >>> check(votes).warnings
    []
    """
    table = tables.as_table(data)
    audit = Audit(f"check pooling: {table.num_rows} rows")
    taken = {item: "item", source: "source", vote: "vote"} | ({label: "label"} if label else {})
    audit.tables.append(columns_table(table, taken))
    duplicate_rows(audit, table)
    look_alikes(audit, table, [item, source])
    if not _stand_once(audit, table, item, source, vote):
        return audit
    votes = read_votes(table, item, source, vote, label)
    _coverage(audit, votes)
    if label is not None:
        _labelled(audit, votes)
    else:
        audit.add("note", "no label column: reliabilities must be given, and error rates cannot be bounded")
    return audit


def _stand_once(audit: Audit, table: Any, item: str, source: str, vote: str) -> bool:
    pairs = repeats(tables.labels(table, item).codes, tables.labels(table, source).codes)
    if pairs.size:
        values = binary(table, vote)
        against = int((values[pairs[:, 0]] != values[pairs[:, 1]]).sum())
        audit.add(
            "warning",
            f"{len(pairs)} rows repeat a source on an item (the first is row {int(pairs[0, 1]) + 1}), {against} "
            "with another vote: apply stops, a source votes once on an item",
        )
    else:
        audit.add("ok", "every source stands at most once on an item")
    return not pairs.size


def _coverage(audit: Audit, votes: Votes) -> None:
    consulted = votes.consulted
    if votes.missing:
        audit.add("note", f"{votes.missing} rows without a vote: taken as not consulted")
    if (consulted == 0).any():
        audit.add("warning", f"{int((consulted == 0).sum())} items have no vote: their posterior is the prior")
    low, high = int(consulted.min()), int(consulted.max())
    if low == high:
        audit.add("ok", f"every item has {low} votes")
    else:
        audit.add("warning", f"items have {low} to {high} votes: one count means different posteriors on them")


def _labelled(audit: Audit, votes: Votes) -> None:
    known = votes.truth != UNKNOWN
    true = int((votes.truth == 1).sum())
    audit.add("note", f"{int(known.sum())} of {known.size} items have a label, {true} of them true")
    if true in (0, int(known.sum())):
        audit.add("warning", "labels of both kinds are needed to see errors of both kinds")
    counted = known[votes.item]
    source, item = votes.source[counted], votes.item[counted]
    right = votes.vote[counted] == votes.truth[item]
    m = np.bincount(source, minlength=len(votes.sources))
    if (m == 0).any():
        audit.add("warning", f"{int((m == 0).sum())} sources have no vote on a labelled item: they get no weight")
    k = np.bincount(source[right], minlength=m.size)
    reliability = np.array([float(smoothed(int(a), int(b))) for a, b in zip(k, m, strict=True)])
    below = int(((reliability < 0.5) & (m > 0)).sum())
    if below:
        audit.add("warning", f"{below} sources are right less than half of the time: their votes would count reversed")
    _symmetry(audit, votes.truth[item], right)
    _independence(audit, item, right, reliability[source])


def _symmetry(audit: Audit, truth: NDArray[np.int8], right: NDArray[np.bool_]) -> None:
    kinds = [t for t in (0, 1) if (truth == t).any()]
    rows = [(f"truth {t}", int((truth == t).sum()), float(right[truth == t].mean())) for t in kinds]
    audit.tables.append(("share of right votes on labelled items", ["items with", "votes", "right"], list(rows)))
    if len(rows) == 2:
        gap = abs(rows[0][2] - rows[1][2])
        text = f"right votes differ by {gap:.3g} between true and false items; pooling takes errors as symmetric"
        audit.add("note", text)


def _independence(
    audit: Audit, item: NDArray[np.int64], right: NDArray[np.bool_], reliability: NDArray[np.float64]
) -> None:
    """Variance of an item's number of right votes over that of independent votes, about 1 +- sqrt(2 / items)."""
    excess = np.bincount(item, right - reliability)
    expected = np.bincount(item, reliability * (1 - reliability))
    seen = np.unique(item).size
    ratio = float((excess**2).sum() / expected.sum())
    text = f"an item's number of right votes varies {ratio:.3g} times as much as that of independent votes"
    if ratio > 1 + _DISPERSION_Z * math.sqrt(2 / seen):
        audit.add("warning", f"{text}: sources err together, and the pooled posterior is overconfident")
    else:
        audit.add("ok", f"{text} ({seen} items)")
