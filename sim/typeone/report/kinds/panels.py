"""Panels: how many evaluators reproduce the decision on each unit."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa

from typeone.figures import style
from typeone.figures.decisions import unit_sizes
from typeone.figures.picture import Picture
from typeone.report.html import Markup, bullets, element, joined

TITLE = "Panels: sizes that reproduce the population's decision"
COLUMNS = frozenset({"unit", "positives", "votes", "minimum_size", "stable_size"})
ORDER = "-stable_size"
NAME = "unit"


def answer(found: pa.Table) -> Markup:
    """The sizes that serve half of the units, nine in ten, and all."""
    stable = found["stable_size"].to_numpy().astype(np.int64)
    there = np.sort(stable[stable > 0])
    told = [joined(element("strong", f"{found.num_rows} units, {there.size} with a stable panel size."))]
    if there.size:
        half, most = there[(there.size - 1) // 2], there[-(-9 * there.size // 10) - 1]
        told.append(
            joined(
                f"Of these, half need at most {half} evaluators, nine in ten at most {most}, all at most {there[-1]}."
            )
        )
    if there.size < stable.size:
        told.append(joined(f"{stable.size - there.size} units have none within the sizes looked at."))
    if "passes_at" in found.column_names:
        sizes = Counter(size for size in found["passes_at"].to_pylist() if size is not None)
        at = ", ".join(f"{count} from size {size}" for size, count in sorted(sizes.items())) or "none"
        told.append(joined(f"Units that pass the certificate's test beyond these evaluators: {at}."))
    told.append(
        joined(
            "A stable size and every larger panel keep the tolerance; at the minimum size a larger panel may not. "
            "The sizes are exact for the census of these votes; they say nothing about evaluators outside it."
        )
    )
    return bullets(told)


def pictures(found: pa.Table) -> list[Picture]:
    """Sizes against the share of positive votes."""
    share = found["positives"].to_numpy() / np.maximum(found["votes"].to_numpy(), 1)
    minimum, stable = found["minimum_size"].to_numpy(), found["stable_size"].to_numpy()

    def draw() -> Any:
        return style.figure_of(unit_sizes(share, minimum, stable, rows=range(share.size)))

    caption = (
        f"Minimum and stable panel size of {share.size} units against their share of positive votes: the nearer to "
        "the decision threshold, the larger the panel. Computed exactly: no error bar applies."
    )
    return [Picture("sizes", "Panel sizes of all units", caption, draw)]
