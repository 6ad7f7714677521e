"""What a corruption budget does: units that keep their panel size, certificates that survive, panels that are captured.

Census flips b turn b votes of the frozen census, panel flips b votes of the panel, each against the decision.  A fixed
share f of the population votes against the decision whatever it would have voted; a targeted share f turns votes
that would have favored it.  Captured panels hold enough corrupted members to force a decision, however clear the
unit is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, SupportsIndex

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from typeone.counts import Counts, counts
from typeone.display import html_table, text_table
from typeone.levels import LevelLike
from typeone.panels.adversaries import superpopulation_capture
from typeone.panels.arguments import count, shares
from typeone.panels.certificate import Attack, certificate_of, exact_weights
from typeone.panels.options import DEFAULTS, Options, Terms
from typeone.panels.sizes import census_sizes

FLIPS = (0, 1, 2, 4)
SHARES = ("0.01", "0.05", "0.1")
TITLES = {
    "census flips": "frozen census, b votes flipped: units with a stable size of at most K",
    "panel flips": "b votes of each panel flipped: lower bound on the coverage",
    "fixed share": "share f of the population corrupted, whatever it would vote: lower bound on the coverage",
    "targeted share": "share f of the population turned from the decision: lower bound on the coverage",
    "forced accept": "share f of the population corrupted: probability that a panel can be forced to accept",
    "forced reject": "share f of the population corrupted: probability that a panel can be forced to reject",
}


@dataclass(frozen=True, slots=True, repr=False)
class Contamination:
    """One value for each attack, amount and size of the grid (G,).

    The value is a number of units for census flips, a lower bound on the coverage for panel flips and shares, and a
    probability for forced decisions.

    >>> profile = contamination([40] * 300, 40)
    >>> profile.of("census flips", "2").tolist()
    [300, 300, 300, 300, 300, 300, 300, 300]
    """

    grid: NDArray[np.int64]
    rows: tuple[tuple[str, str, NDArray[Any]], ...]

    def of(self, attack: str, amount: str) -> NDArray[Any]:
        """The values of one row, shape (G,)."""
        for name, text, values in self.rows:
            if (name, text) == (attack, amount):
                return values
        raise ValueError(f"attack={attack!r}, amount={amount!r}: not in this profile")

    def to_arrow(self) -> pa.Table:
        """One row for each attack, amount and size: attack, amount, size, value."""
        long = [
            (name, text, int(size), float(value))
            for name, text, values in self.rows
            for size, value in zip(self.grid, values, strict=True)
        ]
        columns = list(zip(*long, strict=True))
        return pa.table(dict(zip(("attack", "amount", "size", "value"), map(list, columns), strict=True)))

    def tables(self) -> Iterator[tuple[str, list[str], list[tuple[Any, ...]]]]:
        """A title, a header and rows for each attack."""
        header = ["budget", *(f"K={size}" for size in self.grid)]
        for attack, title in TITLES.items():
            rows = [(text, *values.tolist()) for name, text, values in self.rows if name == attack]
            if rows:
                yield title, header, rows

    def __str__(self) -> str:
        return "\n\n".join(f"{title}\n{text_table(header, rows)}" for title, header, rows in self.tables())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return "".join(html_table(header, rows, caption=title) for title, header, rows in self.tables())


def contamination(
    positives: Counts,
    evaluators: SupportsIndex,
    options: Options = DEFAULTS,
    *,
    weights: Sequence[LevelLike] | None = None,
    flips: Sequence[int] = FLIPS,
    budgets: Sequence[LevelLike] = SHARES,
) -> Contamination:
    """The profile of a vote matrix under budgets of flips and shares.

    positives, evaluators, options, weights : as for ``certify``.
    flips : numbers b of corrupted votes, 0 … E; budgets : corrupted shares f of the evaluator population, 0 … 1.

    A certificate under attack counts a unit as passing only if panels reach the *honest* decision with error at most
    δ, at the interval's end nearest to θ, in spite of the attack.

    Raises ValueError for numbers out of range.  What each attack does: ``typeone.panels.contamination``.

    >>> profile = contamination([40] * 300, 40)
    >>> profile.of("panel flips", "1").round(4).tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.956, 0.956, 0.956]
    """
    terms = Terms.of(options)
    E = count("evaluators", evaluators, 1, 10**9)
    of_unit = counts("positives", positives, 0, E, empty=False)
    given = exact_weights(weights, of_unit.size, terms)
    rows: list[tuple[str, str, NDArray[Any]]] = []

    def under(attack: Attack) -> NDArray[np.float64]:
        return certificate_of(of_unit, E, terms, given, attack).bound

    for b in np.atleast_1d(counts("flips", flips, 0, E, empty=False)).tolist():
        stable = census_sizes(E, of_unit, delta=terms.delta, theta=terms.theta, census_flips=b).stable
        kept = (stable[:, None] > 0) & (stable[:, None] <= terms.grid)
        rows.append(("census flips", str(b), kept.sum(axis=0)))
        rows.append(("panel flips", str(b), under(Attack(panel_flips=b))))
    if not np.iterable(budgets) or isinstance(budgets, str):
        raise ValueError(f"budgets={budgets!r}: a list of shares is needed")
    texts = [str(share) for share in budgets]
    for text, share in zip(texts, shares("budgets", list(budgets))[1], strict=True):
        rows.append(("fixed share", text, under(Attack(fixed_share=share))))
        rows.append(("targeted share", text, under(Attack(targeted_share=share))))
        horizon = int(terms.grid[-1])
        accept = superpopulation_capture(share, horizon, force="accept", theta=terms.theta)
        reject = superpopulation_capture(share, horizon, force="reject", theta=terms.theta)
        rows += [("forced accept", text, accept[terms.grid - 1]), ("forced reject", text, reject[terms.grid - 1])]
    return Contamination(terms.grid, tuple(rows))
