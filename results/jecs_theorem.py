"""The theorem behind the chord envelope, by enumeration: `python results/jecs_theorem.py [--quick]` (a minute).

Every vector of p-values of n items on a grid of M attainable values, every number of nulls, every extreme law that the
theorem's assumption allows for a null, every fixed value for a clean item: the largest contamination rate must not
exceed the level.  Ties of the calibration scores enter through their attainable p-values.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from pathlib import Path

from writing import HERE, Check, write_checks, write_csv, write_report

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


def designs(quick: bool) -> Iterator[tuple[int, int, bool]]:
    """(n, M, with ties); the quick run leaves out the largest of either kind."""
    untied, tied = (UNTIED[:-1], TIED[:-1]) if quick else (UNTIED, TIED)
    yield from ((n, M, False) for n, M in untied)
    yield from ((n, M, True) for n, M in tied)


def largest(n: int, M: int, ties: bool, level: Fraction) -> Fraction:
    """The largest contamination rate of a design, over the level."""
    if ties:
        return max(worst(n, values, level) for values in tied_values(M)) / level
    values = [Fraction(u, M) for u in range(1, M + 1)]

    def G(t: Fraction) -> Fraction:
        return twin.floor_on_grid(M - 1, t)

    return max(twin.worst_gcr(n, values, [G] * nulls, chord_on_grid(M, level)) for nulls in range(1, n + 1)) / level


def main() -> None:
    """Enumerate, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="without the largest designs")
    parser.add_argument("--out", type=Path, default=HERE / "jecs_theorem")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    rows = []
    for n, M, ties in designs(options.quick):
        start = time.perf_counter()
        ratios = {f"alpha {level}": float(largest(n, M, ties, level)) for level in LEVELS}
        rows.append({"n": n, "M": M, "ties": "every pattern" if ties else "none", **ratios})
        print(*rows[-1].values(), f"{time.perf_counter() - start:.0f} s", flush=True)
    write_csv(options.out / "theorem.csv", rows)
    worst_of_all = max(value for row in rows for name, value in row.items() if name.startswith("alpha"))
    check = Check(
        "largest GCR / alpha over all designs enumerated",
        "at most 1",
        f"{worst_of_all:.4f}",
        "",
        "agrees" if worst_of_all <= 1 else "differs",
        "exact; METHODS' .77 is from 471 032 other small designs",
    )
    parts = [
        write_checks(options.out, [check]),
        "Largest contamination rate as a multiple of the level, M = m + 1:",
        markdown_table(list(rows[0]), [list(row.values()) for row in rows]),
    ]
    title = "The theorem behind the chord envelope, enumerated"
    write_report(options.out, title, "jecs_theorem.py", "", parts, quick=options.quick)


if __name__ == "__main__":
    main()
