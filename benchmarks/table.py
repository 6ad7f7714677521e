"""The one table of comparable implementations: it feeds equality tests, pytest-benchmark suites and the runner."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.rows import Implementation, Row
from benchmarks.works import jecs, panels, ranks, scf, special

ROWS: dict[str, Row] = {row.name: row for of in (scf, jecs, ranks, panels, special) for row in of.ROWS}


def disagreements(implementations: Mapping[str, Implementation]) -> dict[str, str]:
    """For every implementation with an output: how it differs from the twin's, empty if it does not."""
    return {
        name: each.differs(each.run())
        for name, each in implementations.items()
        if each.differs is not None and not each.missing
    }


KNOWN = {("hypergeometric-M1e6", "twin"): "SciPy is off by about 1e-10 at M = 10⁶; ours is judged by 50 digits"}
"""(row, implementation) whose output is not right, and what is known of it."""
