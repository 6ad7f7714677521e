"""Canary exposure: does a model prefer planted canaries to references that it never saw?"""

from typing import Any

import numpy as np
import pyarrow as pa

from typeone import tables
from typeone.levels import LevelLike
from typeone.levels import level as one_level
from typeone_kernels.exposure import exposure_ranks


def apply(
    data: Any, *, canary: str = "canary", score: str = "score", planted: str = "planted", level: LevelLike = "0.05"
) -> pa.Table:
    """Rank every planted canary among the references, which are drawn alike and were never planted.

    Returns a row for each canary: score, rank, p-value, exposure in bits, decision.  A canary that left no trace is
    exchangeable with the R references: it is rejected with probability at most floor(t (R + 1)) / (R + 1).
    """
    table, t = tables.as_table(data), one_level("level", level)
    names, scores, is_planted = (
        tables.labels(table, canary),
        tables.scores(table, score),
        tables.booleans(table, planted),
    )
    if is_planted.all() or not is_planted.any():
        raise ValueError(f"column {planted!r}: both planted canaries and references are needed")
    total = int((~is_planted).sum()) + 1
    rank = np.empty(int(is_planted.sum()), np.int64)
    exposure_ranks(scores[~is_planted], scores[is_planted], rank)
    columns = {
        "canary": names.names.take(pa.array(names.codes[is_planted])),
        "score": scores[is_planted],
        "rank": rank,
        "p_value": rank / total,
        "exposure": np.log2(total / rank),
        "reject": rank <= int(t * total),  # in integers: no p-value is compared with a double
    }
    return pa.table(columns)
