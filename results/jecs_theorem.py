"""The theorem behind the chord envelope, by enumeration: `python results/jecs_theorem.py` (a minute).

Writes results/jecs/THEOREM.md.

Every vector of p-values of n items on a grid of M attainable values, every number of nulls, every extreme law that the
theorem's assumption allows for a null, every fixed value for a clean item: the largest contamination rate must not
exceed the level.  Ties of the calibration scores enter through their attainable p-values.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from datetime import date
from fractions import Fraction
from importlib.metadata import version
from itertools import product
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "tests"), str(HERE.parent / "tests" / "kernels")]

from test_jecs_theorem import chord_on_grid  # noqa: E402

from twins import jecs as twin  # noqa: E402
from typeone.display import markdown_table  # noqa: E402

LEVELS = (Fraction(1, 10), Fraction(3, 10), Fraction(1, 2), Fraction(9, 10))
UNTIED = ((1, 30), (2, 30), (3, 20), (4, 15), (5, 10))
TIED = ((3, 8), (4, 6), (5, 5))


def tied_values(M: int) -> Iterator[list[Fraction]]:
    """Attainable p-values of M - 1 calibration scores under every pattern of ties that leaves at least two values."""
    for kept in product([0, 1], repeat=M - 1):
        if any(kept[:-1]) or kept[-1]:
            yield [Fraction(rank, M) for rank in range(1, M) if kept[rank - 1]] + [Fraction(1)]


def attained(values: list[Fraction], t: Fraction) -> Fraction:
    """The largest attainable p-value that is at most t (0 if none)."""
    return max((value for value in values if value <= t), default=Fraction(0))


def worst(n: int, values: list[Fraction], level: Fraction) -> Fraction:
    """The largest contamination rate over every number of nulls."""

    def G(t: Fraction) -> Fraction:
        return attained(values, t)

    def select(p: list[Fraction]) -> set[int]:
        return twin.jecs(p, level, twin.envelope(p, [G]))

    return max(twin.worst_gcr(n, values, [G] * nulls, select) for nulls in range(1, n + 1))


def main() -> None:
    """Enumerate, and write the table."""
    rows = []
    for n, M in UNTIED:
        start = time.perf_counter()
        values = [Fraction(u, M) for u in range(1, M + 1)]

        def G(t: Fraction, M: int = M) -> Fraction:
            return twin.floor_on_grid(M - 1, t)

        rates = [
            max(twin.worst_gcr(n, values, [G] * nulls, chord_on_grid(M, level)) for nulls in range(1, n + 1)) / level
            for level in LEVELS
        ]
        rows.append([n, M, "none", *(f"{float(rate):.4f}" for rate in rates), f"{time.perf_counter() - start:.0f}"])
        print(rows[-1], flush=True)
    for n, M in TIED:
        start = time.perf_counter()
        rates = [max(worst(n, values, level) for values in tied_values(M)) / level for level in LEVELS]
        rows.append([n, M, "every pattern", *(f"{float(r):.4f}" for r in rates), f"{time.perf_counter() - start:.0f}"])
        print(rows[-1], flush=True)
    header = ["n", "M = m + 1", "ties", *(f"worst GCR / α at α = {level}" for level in LEVELS), "seconds"]
    worst_of_all = max(float(cell) for row in rows for cell in row[3:7])
    verdict = "GCR ≤ α in every design" if worst_of_all <= 1 else "THE THEOREM IS VIOLATED"
    text = [
        "# The theorem behind the chord envelope, enumerated",
        f"Written by `python results/jecs_theorem.py` on {date.today().isoformat()} (typeone {version('typeone')}).",
        f"{verdict}; the largest ratio is {worst_of_all:.4f}.",
        markdown_table(header, rows),
    ]
    (HERE / "jecs" / "THEOREM.md").write_text("\n\n".join(text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
