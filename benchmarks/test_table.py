"""pytest-benchmark suites from the table: ``pytest benchmarks/`` (``-k jecs`` for one row, QUICK=1 for small inputs).

Every implementation is checked against the twin before it is timed.  Rounds of one implementation follow each other
here; the interleaved ratios come from ``python -m benchmarks``.
"""

from __future__ import annotations

import os
from functools import cache
from typing import Any

import pytest

from benchmarks.rows import Implementation
from benchmarks.table import KNOWN, ROWS
from benchmarks.timing import ROUNDS

pytest.importorskip("pytest_benchmark")

QUICK = os.environ.get("QUICK", "") not in ("", "0")
pytestmark = pytest.mark.filterwarnings("default")
NAMES = ("ours", "twin", "floor", "SciPy", "statsmodels", "crepes", "scikit-learn")


@cache
def built(row: str) -> dict[str, Implementation]:
    return dict(ROWS[row].build("small" if QUICK else "full"))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("row", ROWS)
def test_row(row: str, name: str, benchmark: Any) -> None:
    implementation = built(row).get(name)
    if implementation is None:
        pytest.skip(f"{row} has no {name}")
    if implementation.missing:
        pytest.skip(implementation.missing)
    benchmark.group = row
    benchmark.extra_info["units"] = implementation.units
    output = benchmark.pedantic(implementation.run, rounds=ROUNDS, iterations=1, warmup_rounds=1)
    if implementation.differs is not None and (row, name) not in KNOWN:
        assert implementation.differs(output) == ""
