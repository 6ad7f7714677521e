"""Benchmark decontamination: which items no model was trained on."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from typeone.figures import style
from typeone.figures.decisions import selection
from typeone.figures.picture import Picture
from typeone.report.html import Markup, bullets, element, joined, paragraph

TITLE = "Joint decontamination: items that no audited model was trained on"
COLUMNS = frozenset({"item", "p_max", "selected"})
ORDER = "p_max"
NAME = "item"


def answer(found: pa.Table) -> Markup:
    """How many items are selected, and up to which value."""
    p, chosen = found["p_max"].to_numpy(), found["selected"].to_numpy(zero_copy_only=False).astype(bool)
    told = [joined(element("strong", f"{int(chosen.sum())} of {p.size} items are selected as clean."))]
    if chosen.any():
        told.append(joined(f"The largest max-p among them is {p[chosen].max():.4g}."))
    others = [name for name in found.column_names if name.startswith("selected_")]
    if others:
        counts = [f"{name.removeprefix('selected_')} {found[name].to_pylist().count(True)}" for name in others]
        told.append(joined(f"Selected by each method on the same scores: {', '.join(counts)}."))
    told.append(joined("An item that is not selected is not shown to be contaminated: there is too little evidence."))
    return joined(
        bullets(told),
        paragraph(
            "The promise is about the expected share of contaminated items among the selected ones, under the "
            "assumptions that `typeone apply jecs` prints with its result. Items that score low under every model, "
            "trained on or not, break it: run `typeone check jecs` on the scores."
        ),
    )


def pictures(found: pa.Table) -> list[Picture]:
    """The histogram of max-p."""
    p, chosen = found["p_max"].to_numpy(), found["selected"].to_numpy(zero_copy_only=False)

    def draw() -> Any:
        return style.figure_of(selection(p, chosen))

    caption = (
        f"The largest p-value over the models of {p.size} items. Clean items gather at the left, contaminated ones "
        "spread over the range or gather at the right. p-values are ranks: no error bar applies."
    )
    return [Picture("p-max", "Max-p of all items", caption, draw)]
