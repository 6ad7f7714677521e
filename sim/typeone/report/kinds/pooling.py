"""Pooling: accept, abstain or reject for each item, and the sources that moved it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from typeone import tables
from typeone.figures import style
from typeone.figures.decisions import posteriors
from typeone.figures.picture import Picture
from typeone.pooling.decision import WORDS
from typeone.report.html import Markup, bullets, element, joined, paragraph, table

TITLE = "Pooled evidence: decision for each item"
COLUMNS = frozenset({"item", "log_odds", "posterior", "decision"})
ORDER = "-posterior"
NAME = "item"
EVIDENCE: Mapping[str, str] = {}
_MOVED = ("item", "source", "vote", "contribution")
_MOST_VOTES = 4000


def answer(found: pa.Table) -> Markup:
    """How many items there are of each decision."""
    counts = Counter(found["decision"].to_pylist())
    told = ", ".join(f"{counts[word]} {word}" for word in WORDS.values())
    return joined(
        bullets([element("strong", f"{found.num_rows} items: {told}.")]),
        paragraph(
            "A posterior is calibrated only if prior and reliabilities are right, errors are symmetric and votes "
            "independent given the truth; positively dependent votes make it overconfident. What bounds the error "
            "rates are the held-out labelled items, which `typeone apply pooling` prints."
        ),
    )


def pictures(found: pa.Table) -> list[Picture]:
    """The sorted posteriors."""
    values, words = found["posterior"].to_numpy(), found["decision"].to_pylist()

    def draw() -> Any:
        return style.figure_of(posteriors(values, words, rows=range(values.size)))

    caption = f"Posteriors of {values.size} items from smallest to largest, by decision, given the reliabilities."
    return [Picture("posteriors", "Posteriors of all items", caption, draw)]


def evidence(found: pa.Table, file: Path, _: Mapping[str, str]) -> tuple[Markup, list[Picture]]:
    """The votes that moved each item, from the file that ``--contributions`` wrote."""
    moved = tables.read(file)
    for name in _MOVED:
        tables.column(moved, name)
    by_item: dict[str, list[list[Any]]] = {}
    for row in moved.to_pylist():
        by_item.setdefault(str(row["item"]), []).append([row[name] for name in moved.column_names])
    items = [str(item) for item in found["item"].to_pylist()][:_MOST_VOTES]
    if not by_item.keys() & set(items):
        raise ValueError(f"{file}: none of its items is in the result")
    most = max(1, _MOST_VOTES // len(items))
    rows = [row for item in items for row in by_item.get(item, [])[:most]]
    left = f", the strongest {most} of each item" if any(len(votes) > most for votes in by_item.values()) else ""
    caption = f"Votes and how far each moved its item{left}: log-odds, positive towards accepting"
    return table("votes", caption, moved.column_names, rows, choose=["source", "vote"]), []
