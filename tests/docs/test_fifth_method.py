"""The worked fifth method: its files alone, added to a copy of the project, are a whole method."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from documents import ROOT, SOURCES, Reader, blocks, copy_sources, run
from typeone.exact import clopper_pearson

EXAMPLE = ROOT / "docs" / "examples" / "exposure"
PAGE = (ROOT / "docs" / "adding-a-method.md").read_text(encoding="utf-8")


def files(folder: Path) -> dict[str, str]:
    """Every source file below ``folder`` with its content's digest."""
    found = [file for source in SOURCES for file in (folder / source).rglob("*") if file.is_file()]
    return {
        str(file.relative_to(folder)): sha256(file.read_bytes()).hexdigest()
        for file in found
        if "__pycache__" not in file.parts
    }


@pytest.fixture(scope="module")
def empty_copy(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A copy of the project, and what is in it."""
    folder = tmp_path_factory.mktemp("project")
    copy_sources(folder)
    return folder, files(folder)


@pytest.fixture(scope="module")
def project(empty_copy: tuple[Path, dict[str, str]]) -> Path:
    """The copy after everything that the page says was done in it, outputs compared."""
    Reader(empty_copy[0]).check(PAGE)
    return empty_copy[0]


def test_it_is_short() -> None:
    found = [file.read_text(encoding="utf-8").splitlines() for file in EXAMPLE.rglob("*.py")]
    assert len(found) == 4
    assert sum(map(len, found)) < 160


def test_the_page_shows_exactly_its_files() -> None:
    shown = {block.title: block.text for block in blocks(PAGE) if block.title}
    assert shown.keys() == files(EXAMPLE).keys()
    assert all(text == f'--8<-- "docs/examples/exposure/{name}"\n' for name, text in shown.items())


@pytest.mark.slow
def test_its_files_and_no_others_were_added(project: Path, empty_copy: tuple[Path, dict[str, str]]) -> None:
    before = empty_copy[1]
    assert len(before) > 200
    assert files(project) == before | files(EXAMPLE)
    assert not before.keys() & files(EXAMPLE).keys()


def test_it_is_listed_and_has_its_command(project: Path) -> None:
    listed = run("typeone list", project)
    assert "Canary exposure:" in listed
    assert "exposure  Canary exposure: which planted canaries" in run("typeone apply --help", project)
    assert "exposure" not in run("typeone list", ROOT)


@pytest.mark.slow
def test_it_keeps_the_rules_of_the_house(project: Path) -> None:
    """The tests that look at every command, study and module find it, without being told."""
    shutil.copytree(ROOT / "tests", project / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(EXAMPLE / "tests", project / "tests", dirs_exist_ok=True)
    shutil.copy(ROOT / "pyproject.toml", project)
    here = os.pathsep.join(str(project / source) for source in SOURCES)
    environment = os.environ | {"PYTHONPATH": here, "NUMBA_CACHE_DIR": str(project / "cache")}
    house = ["tests/cli/test_every_command.py", "tests/test_layers.py", "tests/engine/test_unused.py"]
    words = [
        "-q",
        "-p",
        "no:cacheprovider",
        "-k",
        "exposure or every_command_has_an_example or circle or factor",
        *house,
    ]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert int(re.findall(r"(\d+) passed", done.stdout)[-1]) >= 8
    ruff = [sys.executable, "-m", "ruff", "check", *SOURCES]
    checked = subprocess.run(ruff, cwd=project, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout


def test_its_claim_gets_the_verdicts_that_the_exact_law_gives(project: Path) -> None:
    """Exact law at R = 99: the rate without a trace is 5/100.  Interval at 1e-6: the test's own false-alarm rate."""
    rows = pq.read_table(project / "runs" / "exposure" / "summary.parquet").to_pylist()
    found: dict[tuple[str, str], dict[str, Any]] = {(str(r["mismatch"]), r["measure"]): r for r in rows}
    held, broken = found["0", "fpr"], found["1", "fpr"]
    assert (held["verdict"], broken["verdict"]) == ("holds", "violated")
    assert held["valid"] == 20_000
    lower, upper = clopper_pearson(round(held["estimate"] * held["valid"]), held["valid"], level="1e-6")
    assert lower <= 0.05 <= upper
    assert found["0", "power"]["verdict"] is None


def test_a_repetition_is_replayed(project: Path) -> None:
    assert run("typeone replay runs/exposure --cell 1 --rep 19", project).endswith("equal\n")


TWIN = """
import numpy as np
from typeone import exposure
from typeone.studies.exposure import STUDY, Canary
from typeone.engine.study import Cell
from typeone.levels import Level

random = np.random.default_rng(3)
for references, values in ((1, 2), (19, 3), (99, 10**6)):  # few values: ties
    score = random.integers(0, values, references + 7).astype(float)
    planted = np.arange(score.size) < 7
    data = {"canary": np.arange(score.size), "score": score, "planted": planted}
    for row, s in zip(exposure.apply(data, level=".05").to_pylist(), score[planted], strict=True):
        rank = 1 + int((score[~planted] >= s).sum())
        assert row["rank"] == rank and row["reject"] == (20 * rank <= references + 1), row
cell = Cell(0, Canary(references=19), (Level("0.05"),), (1, 2))
whole = STUDY.simulate(cell, None, 0, 50)
parts = [STUDY.simulate(cell, None, first, 10) for first in range(0, 50, 10)]
for column, values in whole.items():
    assert (values == np.concatenate([part[column] for part in parts])).all(), column
for planted in ([True, True], [False, False]):
    try:
        exposure.apply({"canary": [1, 2], "score": [1.0, 2.0], "planted": planted})
    except ValueError as error:
        assert "both planted canaries and references" in str(error)
    else:
        raise AssertionError
"""


def test_ranks_ties_and_batches(project: Path) -> None:
    """Beside plain counting, with ties; repetitions do not depend on the batch; input is validated."""
    here = os.pathsep.join(str(project / source) for source in SOURCES)
    environment = os.environ | {"PYTHONPATH": here, "NUMBA_CACHE_DIR": str(project / "cache")}
    done = subprocess.run([sys.executable, "-c", TWIN], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
