"""Every implementation of every row of the benchmarks gives the twin's output, ties included, on the same inputs.

False alarms: none, but for the certificate row, where laws are compared by a chi-square test at 1e-6 (fixed seeds).
"""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.rows import unequal
from benchmarks.table import KNOWN, ROWS
from benchmarks.twins import panels, ranks, selection
from benchmarks.works import jecs, scf
from benchmarks.works import ranks as ours

from benchmarks import inputs
from typeone.studies.scf import STUDY as SCF

# Peers are not part of the locked set: one that is installed may warn about its own dependencies.
pytestmark = pytest.mark.filterwarnings("default")


@pytest.mark.parametrize("row", ROWS)
def test_outputs_equal_the_twins(row: str) -> None:
    made = ROWS[row].build("small")
    assert {"ours", "twin", "floor"} <= made.keys()
    for name, each in made.items():
        if each.differs is not None and not each.missing and (row, name) not in KNOWN:
            assert each.differs(each.run()) == "", name
    assert made["ours"].differs is not None


@pytest.mark.parametrize("row", ROWS)
def test_targets_name_an_implementation(row: str) -> None:
    known = {"s", *ROWS[row].build("small")}
    assert {target.other for target in ROWS[row].targets} <= known


def test_a_wrong_output_is_told() -> None:
    made = ROWS["jecs"].build("small")["ours"]
    columns = dict(made.run())
    first = next(column for column in columns if column.measure == "selected")
    columns[first] = columns[first] + 1
    assert made.differs is not None
    assert "selected" in made.differs(columns)


@pytest.mark.parametrize("decimals", [0, 1, None])
def test_ranks_with_ties(decimals: int | None) -> None:
    calibration, candidates = inputs.two_samples(500, 800, decimals=decimals)
    wanted = ranks.conformal_ranks(calibration, candidates)
    assert unequal("ranks", ours.ours_ranks(calibration, candidates), wanted) == ""


@pytest.mark.parametrize("m", [9, 19, 50, 999])
@pytest.mark.parametrize("name", ["bh", "storey", "chord"])
def test_decisions_on_grids(name: str, m: int) -> None:
    """Small grids have many tied p-values."""
    for seed in range(20):
        procedure = ours.Procedure(name, inputs.conformal(m, 300, seed=seed), m)
        assert unequal(name, procedure.ours(), procedure.twin()) == ""


@pytest.mark.parametrize(("n", "m", "K"), [(60, 40, 2), (30, 500, 4), (400, 25, 3)])
def test_jecs_other_shapes(n: int, m: int, K: int) -> None:
    of = jecs.design_of(n, m, K)
    tallies = np.stack([jecs.twin.repetition(jecs.KEY, r, of) for r in range(30)])
    assert jecs.differs(tallies, jecs.STUDY.simulate(jecs.cell_of(of), None, 0, 30)) == ""


def test_scf_with_tied_documents() -> None:
    """Equal bags and rounded scores: many sources tie exactly."""
    cell = scf.cell_of(scenario="chromium")
    shared = SCF.share(cell)
    roles = scf.roles_of(cell, shared, 10)
    twin = scf.twin_of(shared)
    found = [twin.partition(role, scf.LEVELS) for role in roles]
    assert scf.differs(found, cell, shared, SCF.simulate(cell, shared, 0, 10)) == ""


def test_sizes_where_an_error_equals_the_tolerance() -> None:
    """e(1) = 1 - C/M is .05 at C = 57 of 60: kept, whatever doubles say."""
    minimum, stable = panels.sizes(panels.curves(60), [0.05])
    assert minimum[57, 0] == 1
    assert stable[60, 0] == 1


def test_conformal_inputs_are_ranks() -> None:
    r = inputs.conformal(100, 1000)
    assert r.min() >= 1
    assert r.max() <= 101
    assert selection.histogram(r, 100).sum() == 1000
