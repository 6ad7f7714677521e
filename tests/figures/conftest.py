from pathlib import Path

import pytest

from typeone.engine.lookup import changed, design_called
from typeone.engine.runner import run
from typeone.figures.stored import Stored


@pytest.fixture(scope="session")
def coins(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four cells (heads 1/2 and .3, honest and bold), two levels, 400 repetitions."""
    folder = tmp_path_factory.mktemp("coins") / "run"
    run(changed(design_called("coin"), {"repetitions": 400}), folder, backend="threading")
    return folder


@pytest.fixture(scope="session")
def grid(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three factors, 3 x 3 x 2 cells: too many for a panel each."""
    folder = tmp_path_factory.mktemp("grid") / "run"
    factors = {"heads": ["0.1", "0.3", "0.5"], "flips": [5, 10, 20], "excess": ["0", "1"]}
    run(changed(design_called("coin"), {"repetitions": 60, **factors}), folder, backend="threading")
    return folder


@pytest.fixture(scope="session")
def stored(coins: Path) -> Stored:
    return Stored.open(coins)
